"""A cross-encoder as a hub's folder holds it, made here: its logit is the share of the letter "a" among the tokens of the pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decoct import Document, Library
from decoct.errors import ConfigError
from decoct.retrieve.scorers import HubScorer
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.retriever_contract import ScorerContract

LONGEST = 40


def published(folder: Path, labels: int = 1) -> Path:
    """A folder with a network of one table (1 for the letter a, 0 for the rest), the mean of it, and a tokenizer of bytes."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    table = np.zeros((len(alphabet) + 1, labels), np.float32)
    table[alphabet.index("a")] = 1
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", labels])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceMean", ["rows"], ["logits"], axes=[1], keepdims=0),
    ]
    graph = helper.make_graph(nodes, "letters", [ids], [out], [numpy_helper.from_array(table, "table")])
    (folder / "onnx").mkdir(parents=True)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        str(folder / "onnx" / "model.onnx"),
    )
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate([*alphabet, "[SEP]"])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B:1", special_tokens=[("[SEP]", len(alphabet))]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": LONGEST}))
    return folder


class TestContract(ScorerContract):
    @pytest.fixture
    def scorer(self, tmp_path: Path) -> HubScorer:
        return HubScorer(str(published(tmp_path / "model")))


def test_question_and_text_are_read_together(tmp_path: Path) -> None:
    scorer = HubScorer(f"hub:{published(tmp_path / 'model')}")
    assert scorer.score("bb", ["aab", "bbb", ""]).tolist() == pytest.approx([2 / 6, 0, 0])


def test_a_long_text_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    scorer = HubScorer(str(published(tmp_path / "model")))
    found = scorer.score("a" * 10, ["b" * 100, "b" * (LONGEST - 11) + "a" * 100])
    assert found.tolist() == pytest.approx([10 / LONGEST] * 2)


@pytest.mark.parametrize(
    ("spoil", "told"), [("tokenizer.json", "tokenizer.json"), ("onnx/model.onnx", "no .onnx file")]
)
def test_what_its_folder_lacks_is_told(tmp_path: Path, spoil: str, told: str) -> None:
    folder = published(tmp_path / "model")
    (folder / spoil).unlink()
    with pytest.raises(ConfigError, match=told):
        HubScorer(str(folder)).score("q", ["t"])


def test_a_network_of_several_labels_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="3 numbers"):
        HubScorer(str(published(tmp_path / "model", labels=3))).score("q", ["t"])


def test_a_recipe_rereads_with_it(tmp_path: Path) -> None:
    recipe: dict[str, Any] = {
        "retrieve": {
            "use": "rerank",
            "retriever": "bm25",
            "scorer": {"use": "hub", "model": str(published(tmp_path / "model"))},
        }
    }
    with Library.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
        library.add([Document("one", "river river river cold"), Document("two", "river aaaa aaaa")])
        assert [hit.chunk.span.doc_id for hit in library.search("river", recipe="bm25")] == ["one", "two"]
        assert [hit.chunk.span.doc_id for hit in library.search("river", recipe=recipe)] == ["two", "one"]
