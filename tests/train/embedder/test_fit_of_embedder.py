"""Adapting a tiny random encoder to a library, from questions to the offered folder. Needs the extra `train`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct import Library
from decoct.data import Document
from decoct.embed.minilm.weights import FOLDER
from decoct.embed.resolve import open_embedder
from decoct_testing.hash_embedder import HashEmbedder

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random encoder of two layers with the bundled tokenizer."""
    pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("base")
    settings = transformers.BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(FOLDER / "tokenizer.json"),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    fast.save_pretrained(folder)
    return folder


def test_from_questions_to_a_folder_that_embeds(base: Path, tmp_path: Path) -> None:
    from decoct_lab.train.embedder.run import EmbedderRun, train_embedder

    names = [f"word{number}" for number in range(90)]
    file = tmp_path / "questions.jsonl"
    rows = [
        {"question": f"asked{n} please tell {name}", "doc_id": name, "start": 0, "end": 90}
        for n, name in enumerate(names)
        for _ in (0, 1)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add([Document(name, f"This note tells of {name} and of nothing else. " * 3) for name in names])
        run = EmbedderRun(tmp_path / "out", str(base), epochs=2, rate=1e-3, questions=file)
        first = train_embedder(run, library, say=lambda _: None)
        again = train_embedder(run, library, resume=True, say=lambda _: None)
    assert first.trained_on + first.comparison.questions == len(rows)
    assert first.model.name == ("model" if first.comparison.better else "not-better")
    assert again.comparison.chunks == 90
    vectors = open_embedder(f"onnx:{again.model}").embed(["a text", "another"], "passage")
    assert vectors.shape == (2, 32)
    losses = [
        json.loads(line)["loss"] for line in (tmp_path / "out" / "training" / "curve.jsonl").read_text().splitlines()
    ]
    assert losses[-1] < losses[0]
