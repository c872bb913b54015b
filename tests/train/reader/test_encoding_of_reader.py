"""Examples as tokens and labels: what stands where, what is cut, and that what is not known is not taught."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.embed.minilm.weights import FOLDER
from decoct.errors import ConfigError
from decoct_lab.train.reader.encoding import UNKNOWN, Encoded, Encoder
from decoct_lab.train.reader.example import ReaderExample

CLS, SEP = 101, 102  # in BERT's vocabulary
TEXT = "It opened in 1934. It is red."
YEAR = (TEXT.index("1934"), TEXT.index("1934") + 4)
EXAMPLE = ReaderExample(
    "made", "gold", "made/1", "When opened?", "Bridge", TEXT, (YEAR,), answers=True, relevance=True,
    sentences=((0, 18, True), (19, 29, False)),
)  # fmt: skip


@cache
def opened(longest: int) -> Encoder:
    return Encoder(FOLDER, longest)


@pytest.fixture
def encoder() -> Encoder:
    return opened(256)


def test_question_title_and_text_stand_between_their_marks(encoder: Encoder) -> None:
    made = encoder.encode(EXAMPLE)
    # [CLS] when opened ? [SEP] bridge [SEP] it opened in 1934 . it is red . [SEP]
    assert [row for row, token in enumerate(made.ids) if token in (CLS, SEP)] == [0, 4, 6, 16]
    assert made.kinds == [0] * 5 + [1] * 12
    assert [row for row, one in enumerate(made.starts) if one] == [10]
    assert [row for row, one in enumerate(made.ends) if one] == [10]
    assert made.sentence == [-1] * 7 + [0] * 5 + [1] * 4 + [-1]
    assert made.evidence == [1.0, 0.0]
    assert (made.passage, made.verdict) == ((1.0, 1.0), UNKNOWN)
    assert encoder.words(made.ids[10:12]) == "1934."


def test_without_a_title_there_is_no_mark_for_one(encoder: Encoder) -> None:
    made = encoder.encode(replace(EXAMPLE, title=""))
    assert made.kinds == [0] * 5 + [1] * 10
    assert made.starts.index(1) == 8


def test_what_is_not_known_is_not_taught(encoder: Encoder) -> None:
    made = encoder.encode(replace(EXAMPLE, answers=None, relevance=None, spans=(), sentences=(), verdict=2))
    assert all(math.isnan(one) for one in made.passage)
    assert (sum(made.starts), sum(made.ends), made.evidence, set(made.sentence), made.verdict) == (0, 0, [], {-1}, 2)


def whole(made: Encoded) -> bool:
    lengths = {len(one) for one in (made.ids, made.kinds, made.starts, made.ends, made.sentence)}
    return len(lengths) == 1


def test_a_long_text_is_cut_to_a_window_around_its_answer() -> None:
    encoder = opened(96)
    text = "We walk home. " * 60 + "It opened in 1934. " + "We walk home. " * 60
    at = text.index("1934")
    sentences = ((0, 13, False), (at - 13, at + 5, True), (len(text) - 14, len(text) - 1, False))
    made = encoder.encode(replace(EXAMPLE, text=text, spans=((at, at + 4),), sentences=sentences))
    assert len(made.ids) == 96
    assert whole(made)
    at_token = made.starts.index(1)
    assert encoder.words([made.ids[at_token]]) == "1934"
    assert at_token == 7 + (96 - 8) // 2  # in the middle of what question, title and marks leave
    assert made.evidence == [1.0]  # of three sentences only this one is in the window
    assert set(made.sentence) == {-1, 0}
    bare = encoder.encode(replace(EXAMPLE, text=text, spans=(), answers=False, sentences=sentences))
    assert (bare.evidence, bare.sentence[7]) == ([0.0], 0)  # without an answer the text's beginning is read


def test_an_answer_that_is_cut_apart_is_not_taught_as_none() -> None:
    text = "walk " * 300
    made = opened(96).encode(replace(EXAMPLE, text=text, spans=((0, len(text) - 1),), sentences=()))
    assert sum(made.starts) == 0
    assert math.isnan(made.passage[0])
    assert made.passage[1] == 1.0


@settings(max_examples=40)
@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([80, 131, 256]))
def test_no_example_is_longer_than_asked_and_its_answer_is_always_there(before: int, behind: int, longest: int) -> None:
    text = "walk home " * before + "1934" + " walk home" * behind
    at = text.index("1934")
    made = opened(longest).encode(replace(EXAMPLE, text=text, spans=((at, at + 4),), sentences=()))
    assert len(made.ids) <= longest
    assert whole(made)
    assert (sum(made.starts), sum(made.ends)) == (1, 1)


def test_a_base_of_another_kind_says_what_to_give(tmp_path: Path) -> None:
    words = {"type": "WordLevel", "vocab": {"[UNK]": 0, "[SEP]": 1}, "unk_token": "[UNK]"}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", "model": words, "added_tokens": []}))
    with pytest.raises(ConfigError, match=r"has no \[CLS\]: give an encoder of BERT's kind as --base"):
        Encoder(tmp_path, 256)
