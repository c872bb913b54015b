"""Float weights out of the bundled int8 file. Needs the extra `train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decoct.embed.minilm import MiniLM
from decoct.embed.minilm.weights import TOKENIZER
from decoct.errors import ConfigError
from decoct_lab.train.embedder.recover_minilm import recover

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")
onnx: Any = pytest.importorskip("onnx")

TEXTS = ["How do I restart the service?", "The Salt Window is a 1971 drama film directed by Ileana Corvescu.", "x = 5"]


def test_the_recovered_encoder_gives_the_vectors_of_the_bundled_file(tmp_path: Path) -> None:
    from decoct_lab.train.embedder.fit import _embedded

    folder = recover(tmp_path / "base")
    encoder = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        made = _embedded(encoder, tokenizer, TEXTS, 64).numpy()
    assert ((made * MiniLM(threads=1).embed(TEXTS, "passage")).sum(axis=1) > 0.99).all()


def test_a_file_of_another_make_is_told(tmp_path: Path) -> None:
    graph = onnx.helper.make_graph([], "empty", [], [])
    onnx.save(onnx.helper.make_model(graph), str(tmp_path / "model.onnx"))
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER.read_bytes())
    with pytest.raises(ConfigError, match="no export of MiniLM"):
        recover(tmp_path / "out", tmp_path)
