"""A question-answering model as a hub's folder holds it, made here: an answer begins with 1 and ends with 4."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from decoct import Document, Library
from decoct.errors import ConfigError, MissingExtraError
from decoct.reading.base import TitledText
from decoct.reading.hub import HubReader
from decoct.reading.resolve import open_reader
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.passage_reader_contract import PassageReaderContract

ASKED = "When was the bridge opened?"
LIKELY, UNLIKELY = 6.0, -6.0


def tokenizer_of(kind: str) -> Any:
    """One of bytes (as RoBERTa's), of word pieces (as BERT's) or of a unigram model (as DeBERTa's), with marks around the pair."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    letters = sorted({chr(code) for code in range(33, 127)})
    if kind == "bpe":
        tokenizer = Tokenizer(models.BPE({letter: n for n, letter in enumerate(["<s>", "</s>", *alphabet])}, []))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    elif kind == "wordpiece":
        pieces = ["<s>", "</s>", "[UNK]", *letters, *(f"##{letter}" for letter in letters)]
        tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    else:
        tokenizer = Tokenizer(
            models.Unigram([(one, -1.0) for one in ("<s>", "</s>", "<unk>", "▁", *letters)], 2, False)
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return tokenizer


def published(
    folder: Path, kind: str = "bpe", none: float = 0.0, outputs: tuple[str, ...] = ("start_logits", "end_logits")
) -> Path:
    """A folder with a network of one table, a row of two logits for each token, and its tokenizer; windows hold 64 tokens."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    tokenizer = tokenizer_of(kind)
    table = np.full((tokenizer.get_vocab_size(), 2), UNLIKELY, np.float32)
    for token, number in tokenizer.get_vocab().items():
        table[number] = {"1": (LIKELY, UNLIKELY), "4": (UNLIKELY, LIKELY)}.get(token.removeprefix("##"), UNLIKELY)
    table[0] = none / 2
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    shapes = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "tokens"]) for name in outputs]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    for at, name in enumerate(outputs):
        nodes.append(helper.make_node("Gather", ["rows", f"at{at}"], [name], axis=2))
    constants = [numpy_helper.from_array(np.asarray(at % 2, np.int64), f"at{at}") for at in range(len(outputs))]
    graph = helper.make_graph(nodes, "digits", [ids], shapes, [numpy_helper.from_array(table, "table"), *constants])
    (folder / "onnx").mkdir(parents=True)
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(folder / "onnx" / "model.onnx"))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64}))
    return folder


class TestContract(PassageReaderContract):
    @pytest.fixture
    def reader(self, tmp_path: Path) -> HubReader:
        return HubReader(str(published(tmp_path / "model")))


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_words_are_found_at_their_characters_whatever_the_tokenizer(tmp_path: Path, kind: str) -> None:
    reader = HubReader(f"hub:{published(tmp_path / kind, kind)}")
    text = "It crosses the Lune. It was opened in 1934 by the mayor."
    (reading,) = reader.read(ASKED, [TitledText("Bridge 14", text)])
    assert text[reading.spans[0].start : reading.spans[0].end] == "1934"
    assert reading.answers > 0.99
    evident = max(reading.sentences, key=lambda one: one.relevance)
    assert text[evident.start : evident.end] == "It was opened in 1934 by the mayor."


def test_no_answer_weighs_against_all_spans(tmp_path: Path) -> None:
    passage = TitledText("", "Opened in 14.")
    sure, even, none = (
        HubReader(str(published(tmp_path / str(level), none=level))).read(ASKED, [passage])[0].answers
        for level in (-9.0, 12.0, 24.0)
    )
    assert sure > 0.99
    assert even == pytest.approx(0.5, abs=0.01)
    assert none < 0.01


def test_a_long_text_is_read_in_windows_that_overlap(tmp_path: Path) -> None:
    text = "Nothing stands here. " * 20 + "It was opened in 1934. " + "Nothing stands here. " * 20
    (reading,) = HubReader(str(published(tmp_path / "model"))).read(ASKED, [TitledText("", text)])
    assert text[reading.spans[0].start : reading.spans[0].end] == "1934"


def test_questions_of_yes_or_no_go_to_the_bundled_reader(tmp_path: Path) -> None:
    reader = HubReader(str(published(tmp_path / "model")))
    (reading,) = reader.read("Was the bridge opened in 1934?", [TitledText("Bridge", "The bridge was opened in 1934.")])
    assert reading.verdict == "yes"


def test_a_model_of_another_kind_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="logits, pooled and not start_logits"):
        HubReader(str(published(tmp_path / "model", outputs=("logits", "pooled")))).read(
            ASKED, [TitledText("", "Text.")]
        )
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"no \.onnx file"):
        HubReader(str(tmp_path / "empty")).read(ASKED, [TitledText("", "Text.")])


def test_a_name_is_fetched_at_its_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []
    folder = published(tmp_path / "model")

    def fetched(name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        asked.append((name, revision))
        if name == "no/net":
            raise OSError("no network")
        return str(folder)

    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", SimpleNamespace(snapshot_download=fetched))
    assert HubReader("some/model@abc123").read(ASKED, [TitledText("", "In 1934.")])[0].answers > 0.9
    assert asked == [("some/model", "abc123")]
    with pytest.raises(ConfigError, match="no model 'no/net' in a folder, the hub's cache or the hub: no network"):
        HubReader("no/net").read(ASKED, [TitledText("", "In 1934.")])
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError):
        HubReader("other/model").read(ASKED, [TitledText("", "In 1934.")])


def test_a_library_answers_by_it_from_python_a_recipe_and_the_command_line(tmp_path: Path) -> None:
    from decoct.cli.app import app

    model = published(tmp_path / "model")
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        f'''description = "x"
[retrieve]
use = "bm25"
[read]
use = "short-answers"
sure = 0.0
[read.reader]
use = "hub"
model = "{model}"
'''
    )
    with Library.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
        library.add([Document("bridge", "The bridge of Halden carries trams. It holds 14 lamps.", "Bridge")])
        answers = [
            library.ask("How many lamps does it hold?", reader=f"hub:{model}", caution=0.0),
            library.ask("How many lamps does it hold?", reader=HubReader(str(model)), caution=0.0),
            library.ask("How many lamps does it hold?", recipe=recipe),
        ]
        assert [[one.text for one in answer.answers] for answer in answers] == [["14"]] * 3
    assert (
        CliRunner().invoke(app, ["ask", "What?", "--reader", "x:y", "--library", str(tmp_path / "lib")]).exit_code != 0
    )


@pytest.mark.parametrize("spec", ["large", "hub:", "small:", "onnx:x"])
def test_another_reader_is_refused_with_those_there_are(spec: str) -> None:
    with pytest.raises(ConfigError, match="name one of small, small:FOLDER, hub:NAME_OR_FOLDER"):
        open_reader(spec)
