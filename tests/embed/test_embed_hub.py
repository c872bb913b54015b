"""Models as a hub's folders hold them, made here: a word table as the network, pooled as their configuration says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decoct.embed.base import Embedder
from decoct.embed.hub import HubEmbedder
from decoct.embed.resolve import open_embedder
from decoct.errors import ConfigError
from decoct_testing.embedder_contract import EmbedderContract

WIDTH, WORDS = 8, 64


def published(
    folder: Path, *, pooling: str = "mean_tokens", prompts: dict[str, str] | None = None, where: str = "onnx/model.onnx"
) -> Path:
    """A folder with a network that looks up a row a token (no layers), a tokenizer of bytes, and configuration files."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    table = np.random.default_rng(0).normal(size=(300, WIDTH)).astype(np.float32)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", WIDTH])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "words", [ids], [out], [numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / where).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / where))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings: dict[str, dict[str, Any]] = {
        "1_Pooling/config.json": {f"pooling_mode_{pooling}": True, "word_embedding_dimension": WIDTH},
        "config_sentence_transformers.json": {"prompts": prompts or {}},
        "sentence_bert_config.json": {"max_seq_length": WORDS},
    }
    for name, value in settings.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value))
    return folder


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> Embedder:
        return open_embedder(f"hub:{published(tmp_path)}")


def table_of(folder: Path, text: str) -> np.ndarray:
    """The network's own rows for the tokens of `text`."""
    import onnxruntime
    from tokenizers import Tokenizer

    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids[:WORDS]
    session = onnxruntime.InferenceSession(str(folder / "onnx/model.onnx"))
    rows: np.ndarray = session.run(None, {"input_ids": np.asarray([ids], dtype=np.int64)})[0][0]
    return rows


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [("mean_tokens", lambda r: r.mean(axis=0)), ("cls_token", lambda r: r[0]), ("lasttoken", lambda r: r[-1])],
)
def test_tokens_are_pooled_as_the_model_says(tmp_path: Path, pooling: str, pooled: Any) -> None:
    folder = published(tmp_path, pooling=pooling)
    wanted = pooled(table_of(folder, "the bridge"))
    found = HubEmbedder(str(folder)).embed(["the bridge"], "passage")[0]
    assert found == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-6)


def test_the_models_own_words_stand_before_queries_and_passages(tmp_path: Path) -> None:
    with_words = HubEmbedder(str(published(tmp_path / "a", prompts={"query": "query: ", "document": "passage: "})))
    plain = HubEmbedder(str(published(tmp_path / "b")))
    assert with_words.embed(["x"], "query") == pytest.approx(plain.embed(["query: x"], "query"))
    assert with_words.embed(["x"], "passage") == pytest.approx(plain.embed(["passage: x"], "passage"))
    assert with_words.fingerprint != plain.fingerprint


def test_texts_are_cut_at_the_models_length(tmp_path: Path) -> None:
    embedder = HubEmbedder(str(published(tmp_path)))
    assert (embedder.embed(["a" * WORDS + "b" * 50], "passage") == embedder.embed(["a" * WORDS], "passage")).all()


def test_a_copy_elsewhere_is_the_same_model(tmp_path: Path) -> None:
    assert (
        HubEmbedder(str(published(tmp_path / "a"))).fingerprint
        == HubEmbedder(str(published(tmp_path / "b"))).fingerprint
    )


def test_a_network_at_the_top_of_the_folder_is_found(tmp_path: Path) -> None:
    assert HubEmbedder(str(published(tmp_path, where="model_int8.onnx"))).dimension == WIDTH


def test_pooling_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pooling_mode_weightedmean_tokens"):
        HubEmbedder(str(published(tmp_path, pooling="weightedmean_tokens"))).embed(["x"], "query")


@pytest.mark.parametrize("missing", ["tokenizer.json", "onnx/model.onnx"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    folder = published(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(ConfigError, match=missing.rpartition(".")[2]):
        HubEmbedder(str(folder)).embed(["x"], "query")


def test_a_broken_configuration_is_named(tmp_path: Path) -> None:
    folder = published(tmp_path)
    (folder / "sentence_bert_config.json").write_text("[1]")
    with pytest.raises(ConfigError, match="sentence_bert_config"):
        HubEmbedder(str(folder)).embed(["x"], "query")
