"""The bundled reader's files are those that its README names."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files


def test_the_checksum_in_the_readme_is_the_models() -> None:
    folder = files("decoct.reading") / "minilm"
    told = re.search(r"`([0-9a-f]{64})`", (folder / "README.md").read_text("utf-8"))
    assert told is not None
    assert hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest() == told[1]
