"""Where the bundled weights lie, what they are, and whether they are still whole."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from decoct.errors import ConfigError


@dataclass(frozen=True, slots=True)
class BundledWeights:
    """Weights that came with a release: their folder, the digest of its `model.onnx`, and how libraries name them."""

    name: str
    folder: Path
    sha256: str

    @property
    def fingerprint(self) -> str:
        """The name and the first digits of the digest."""
        return f"{self.name}:{self.sha256[:8]}"


FOLDER = Path(__file__).parent
CURRENT = BundledWeights("minilm-2-int8", FOLDER, "643dacf07db25ea08eeb5dd0dfdc2a996daa0c768adbc7391ce839f37496513a")
"""What new libraries are built with."""
FIRST = BundledWeights(
    "minilm-l6-v2-int8", FOLDER / "first", "1c39c4acf10846ba6e7f0445fb73045f06aa7e223f69d9963343cd0bf86526ce"
)
"""all-MiniLM-L6-v2 as it was published, for libraries that were built with it."""
TOKENIZER = FOLDER / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384


def verify() -> None:
    """Compare the bundled files with what was released, in about 40 ms; `ConfigError` names those missing or changed."""
    expected = {TOKENIZER: TOKENIZER_SHA256, FIRST.folder / TOKENIZER.name: TOKENIZER_SHA256}
    expected |= {one.folder / "model.onnx": one.sha256 for one in (CURRENT, FIRST)}
    damaged = [
        f"{path.parent.name}/{path.name}"
        for path, digest in expected.items()
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest
    ]
    if damaged:
        raise ConfigError(
            f"bundled files of the embedder are missing or damaged ({', '.join(damaged)}): reinstall decoct"
        )
