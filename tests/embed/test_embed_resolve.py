"""Specs of embedders."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from decoct.embed.minilm import MiniLM
from decoct.embed.minilm.weights import FOLDER
from decoct.embed.onnx import OnnxEmbedder, default_threads
from decoct.embed.openai_compatible import OpenAICompatibleEmbedder
from decoct.embed.resolve import open_embedder
from decoct.embed.sentence_transformers import SentenceTransformers
from decoct.errors import ConfigError, MissingExtraError
from decoct_lab.train.embedder.export_minilm import main as export_main


def test_every_kind_of_spec() -> None:
    assert open_embedder() == open_embedder("minilm") == MiniLM()
    assert open_embedder("onnx:/some/folder") == OnnxEmbedder(Path("/some/folder"))
    assert open_embedder("openai:text-embedding-3-small") == OpenAICompatibleEmbedder("text-embedding-3-small")
    assert open_embedder("openai:nomic-embed-text@http://127.0.0.1:11434/v1") == OpenAICompatibleEmbedder(
        "nomic-embed-text", "http://127.0.0.1:11434/v1"
    )
    assert open_embedder("st:BAAI/bge-small-en-v1.5") == SentenceTransformers("BAAI/bge-small-en-v1.5")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("minillm", "did you mean 'minilm'"),
        ("opnai:x", "did you mean 'openai'"),
        ("word2vec", "known: hub, minilm"),
        ("openai:", "names no model"),
        ("st", "is written 'st:NAME_OR_FOLDER'"),
        ("minilm:large", "is written 'minilm'"),
        ("", "known: hub, minilm"),
    ],
)
def test_a_wrong_spec_names_the_nearest(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_embedder(spec)


def test_an_onnx_folder_is_the_same_model_as_the_bundled_one() -> None:
    embedder = open_embedder(f"onnx:{FOLDER}")
    assert embedder.fingerprint == "onnx:minilm:643dacf0:256"
    assert np.array_equal(embedder.embed(["Paris"], "query"), MiniLM().embed(["Paris"], "query"))


def test_an_onnx_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no model\.onnx"):
        _ = OnnxEmbedder(tmp_path).fingerprint
    with pytest.raises(ConfigError, match="cannot be loaded"):
        OnnxEmbedder(tmp_path).embed(["a"], "query")


def test_the_number_of_threads_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECOCT_THREADS", "3")
    assert default_threads() == 3
    monkeypatch.setenv("DECOCT_THREADS", "many")
    with pytest.raises(ConfigError, match="DECOCT_THREADS must be a positive number, not 'many'"):
        default_threads()
    monkeypatch.delenv("DECOCT_THREADS")
    assert default_threads() >= 1


def test_missing_extras_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"decoct\[torch\]"):
        open_embedder("st:any").embed(["a"], "query")
    with pytest.raises(MissingExtraError, match=r"decoct\[openai\]"):
        open_embedder("openai:never-asked-before").embed(["a"], "query")
    assert export_main(["model", str(tmp_path)]) == 2
    assert "decoct[torch]" in capsys.readouterr().err
