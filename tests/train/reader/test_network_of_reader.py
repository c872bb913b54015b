"""Batches, losses and the network of the small reader, by hand and from end to end on a tiny random encoder. Needs the extra `train`."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct.embed.minilm.weights import FOLDER
from decoct.errors import ConfigError
from decoct.reading.small import Calibration
from decoct_lab.train.reader.encoding import UNKNOWN, Encoded, Encoder
from decoct_lab.train.reader.example import ReaderExample

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

from decoct_lab.train.reader.batching import Batch, batches  # noqa: E402 - after the check for torch
from decoct_lab.train.reader.export import export  # noqa: E402
from decoct_lab.train.reader.fit import FitSettings, _groups, fit  # noqa: E402
from decoct_lab.train.reader.loss import WEIGHTS, losses, sentence_logits, weighted_sum  # noqa: E402
from decoct_lab.train.reader.measure import judged  # noqa: E402
from decoct_lab.train.reader.model import ReaderNetwork, load_weights, network  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def encoded(length: int, **changed: Any) -> Encoded:
    blank = [0] * length
    made = Encoded([7] * length, [0, *[1] * (length - 1)], blank, blank, [-1] * length, [], (1.0, math.nan), UNKNOWN)
    return replace(made, **changed)


def test_a_batch_is_padded_and_what_is_padding_is_no_text() -> None:
    rows = [encoded(2), encoded(4, sentence=[-1, 0, 0, 1], evidence=[1.0, 0.0])]
    (batch,) = batches(rows, 100, None)
    assert batch.examples == (0, 1)
    assert batch.inputs["attention_mask"].tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert batch.text.tolist() == [[False, True, False, False], [False, True, True, True]]
    assert batch.sentence.tolist() == [[-1, -1, -1, -1], [-1, 0, 0, 1]]
    assert torch.isnan(batch.evidence).tolist() == [[True, True], [False, False]]
    assert torch.isnan(batch.passage).tolist() == [[False, True], [False, True]]


def test_examples_of_like_length_stand_together_and_none_is_left_out() -> None:
    rows = [encoded(length) for length in (30, 10, 29, 11, 100)]
    found = [batch.examples for batch in batches(rows, 60, None)]
    assert found == [(1, 3), (2, 0), (4,)]  # 2 x 11, then 2 x 30 fill 60; a longer one stands alone
    drawn = [batch.examples for batch in batches(rows, 60, random.Random(1))]
    assert sorted(i for group in drawn for i in group) == [0, 1, 2, 3, 4]
    assert drawn == [batch.examples for batch in batches(rows, 60, random.Random(1))]
    assert list(batches([], 60, None)) == []


def batch(*rows: Encoded) -> Batch:
    (made,) = batches(list(rows), 10_000, None)
    return made


def test_each_head_learns_from_the_labels_that_are_known() -> None:
    one = batch(encoded(4, starts=[0, 0, 1, 0], ends=[0, 0, 1, 0], passage=(1.0, 0.0), verdict=2))
    found = losses(torch.zeros(1, 4, 3), torch.zeros(1, 5), one)
    assert set(found) == {"span", "answers", "relevance", "verdict"}
    # Nothing is told apart: one of three tokens of the text, a coin's two sides, one of three classes.
    assert found["span"].item() == pytest.approx(math.log(3), abs=1e-4)
    assert found["answers"].item() == found["relevance"].item() == pytest.approx(math.log(2), abs=1e-4)
    assert found["verdict"].item() == pytest.approx(math.log(3), abs=1e-4)
    wanted = math.log(3) + 1.5 * math.log(2) + WEIGHTS["verdict"] * math.log(3)
    assert weighted_sum(found).item() == pytest.approx(wanted, abs=1e-4)
    silent = losses(
        torch.zeros(1, 3, 3),
        torch.zeros(1, 5),
        batch(encoded(3, passage=(math.nan, math.nan), evidence=[1.0], sentence=[-1, 0, 0])),
    )
    assert {name: round(value.item(), 4) for name, value in silent.items()} == {"evidence": 0.6931}  # ln 2


def test_several_right_places_share_the_probability() -> None:
    tokens = torch.zeros(1, 5, 3)
    two = batch(encoded(5, starts=[0, 1, 1, 0, 0], ends=[0, 1, 1, 0, 0]))
    assert losses(tokens, torch.zeros(1, 5), two)["span"].item() == pytest.approx(math.log(2), abs=1e-4)  # two of four
    tokens[0, 1, :2] = 20.0
    assert losses(tokens, torch.zeros(1, 5), two)["span"].item() == pytest.approx(0.0, abs=1e-4)
    tokens[0, 0, :2] = 90.0  # a token of the question is never looked at
    assert losses(tokens, torch.zeros(1, 5), two)["span"].item() == pytest.approx(0.0, abs=1e-4)


def test_a_sentence_is_the_mean_of_its_tokens() -> None:
    one = batch(encoded(5, sentence=[-1, 0, 0, 1, -1], evidence=[1.0, 0.0]), encoded(5))
    logits = sentence_logits(torch.tensor([[9.0, 1.0, 3.0, 5.0, 9.0]] * 2), one)
    assert logits.tolist() == [[2.0, 5.0], [0.0, 0.0]]


class FirstNumbers(torch.nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """An encoder whose states are the token's number, twice."""

    config = SimpleNamespace(hidden_size=2)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        return SimpleNamespace(last_hidden_state=torch.stack([input_ids.float()] * 2, dim=-1))


def test_the_network_sees_the_first_token_and_the_means_of_question_and_passage() -> None:
    model = ReaderNetwork(FirstNumbers())
    seen: list[Any] = []
    model.pooled.register_forward_hook(lambda _module, given, _made: seen.append(given[0]))
    ids = torch.tensor([[1, 3, 4, 8, 99]])
    mask, kinds = torch.tensor([[1, 1, 1, 1, 0]]), torch.tensor([[0, 0, 1, 1, 1]])
    tokens, passage = model(ids, mask, kinds)
    assert (tokens.shape, passage.shape) == ((1, 5, 3), (1, 5))
    # first token 1; question (1 + 3) / 2; passage (4 + 8) / 2 without the padding; ten times their product
    assert seen[0].tolist() == [[1.0, 1.0, 2.0, 2.0, 6.0, 6.0, 120.0, 120.0]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random encoder of one layer with the bundled tokenizer."""
    folder = tmp_path_factory.mktemp("base")
    settings = transformers.BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((FOLDER / "tokenizer.json").read_bytes())
    return folder


def test_fresh_heads_learn_faster_and_words_are_not_trained(base: Path) -> None:
    model = network(base)
    decayed, plain, heads = _groups(model)
    assert (decayed["weight_decay"], plain["weight_decay"], heads["weight_decay"], heads["lr"]) == (
        0.01,
        0.0,
        0.0,
        5e-4,
    )
    assert {one.ndim for one in plain["params"]} == {1}
    assert not model.encoder.embeddings.word_embeddings.weight.requires_grad
    learned = sum(one.numel() for group in (decayed, plain, heads) for one in group["params"])
    assert learned == sum(one.numel() for one in model.parameters() if one.requires_grad)


def taught(number: int) -> ReaderExample:
    text = f"Note {number}. The bridge was opened in 1934. It is red."
    at = text.index("1934")
    return ReaderExample(
        "made", "gold", f"made/{number}", "When was the bridge opened?", "Bridge", text, ((at, at + 4),), answers=True,
        relevance=True, sentences=((0, 7, False), (8, at + 5, True)), aliases=("1934",), verdict=number % 3,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_from_examples_to_the_files_that_are_shipped(base: Path, tmp_path: Path) -> None:
    train = [taught(number) for number in range(24)]
    settings = FitSettings(str(base), tmp_path, epochs=16, rate=1e-3, tokens=200, save_every=10)
    seen: list[Any] = []

    def judge(model: Any) -> dict[str, Any]:
        seen.append(judged(model, base, train[:5], settings.longest))
        export(model, base, {"answers": Calibration(2.0, -1.0)}, tmp_path / "model")
        return {"n": len(seen[-1])}

    weights = fit(settings, train, judge, say=lambda _: None)
    assert json.loads((tmp_path / "figures.json").read_text()) == {"n": 5}
    (rows,) = seen
    assert [row.example.document for row in rows] == [f"made/{number}" for number in range(5)]
    assert [[label for _, label in row.sentences] for row in rows] == [[False, True]] * 5
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["answers"] < curve[0]["answers"]
    again = network(base)
    load_weights(again, weights)
    assert judged(again.eval(), base, train[:5], settings.longest) == rows
    # The int8 files say nearly the same of an example as the network did.
    assert {file.name for file in (tmp_path / "model").iterdir()} == {
        "model.onnx",
        "tokenizer.json",
        "calibration.json",
    }
    assert json.loads((tmp_path / "model" / "calibration.json").read_text()) == {
        "answers": {"slope": 2.0, "offset": -1.0}
    }
    import onnxruntime

    session = onnxruntime.InferenceSession(str(tmp_path / "model" / "model.onnx"))
    made = Encoder(base, 256).encode(train[0])
    given = {"input_ids": [made.ids], "attention_mask": [[1] * len(made.ids)], "token_type_ids": [made.kinds]}
    tokens, passage = session.run(["tokens", "passage"], {k: torch.tensor(v).numpy() for k, v in given.items()})
    assert tokens.shape == (1, len(made.ids), 3)
    assert float(passage[0, 0]) == pytest.approx(rows[0].answers, abs=0.3)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_run_is_resumed_where_it_was_and_only_where_there_is_a_checkpoint(base: Path, tmp_path: Path) -> None:
    train = [taught(number) for number in range(8)]
    settings = FitSettings(str(base), tmp_path / "run", epochs=2, tokens=200, save_every=1)
    with pytest.raises(ConfigError, match=r"no checkpoint in .* start without --resume"):
        fit(settings, train, lambda _: {}, resume=True, say=lambda _: None)
    fit(settings, train, lambda _: {}, say=lambda _: None)
    before = torch.load(tmp_path / "run" / "weights.pt")
    told: list[str] = []
    fit(settings, train, lambda _: {}, resume=True, say=told.append)
    assert told[0].endswith("2 steps of about 200 tokens; 2 done")
    after = torch.load(tmp_path / "run" / "weights.pt")
    assert all(torch.equal(before[name], after[name]) for name in before)
