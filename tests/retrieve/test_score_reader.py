"""Relevance from the reader's two heads, weighed by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from decoct import trace
from decoct.retrieve.scorers import ReaderScorer


class Heads:
    """Reads each text as its chance of being evidence and of answering, and keeps what it was asked."""

    def __init__(self, **chances: tuple[float, float]) -> None:
        self.chances, self.asked = chances, list[tuple[str, str, str]]()

    def read(self, question: str, passages: Sequence[Any]) -> list[Any]:
        self.asked += [(question, passage.title, passage.text) for passage in passages]
        return [
            SimpleNamespace(relevance=self.chances[passage.text][0], answers=self.chances[passage.text][1])
            for passage in passages
        ]


def scorer(answering: float = 0.25, **chances: tuple[float, float]) -> Any:
    return ReaderScorer(Heads(**chances), answering)  # type: ignore[arg-type]


def test_the_heads_are_weighed_by_their_log_odds() -> None:
    """ln(.8/.2) = ln 4 and ln(.5/.5) = 0: three quarters of the one and a quarter of the other."""
    (found,) = scorer(a=(0.8, 0.5)).score("q", ["a"])
    assert found == pytest.approx(0.75 * math.log(4))


def test_either_head_alone() -> None:
    assert scorer(0.0, a=(0.8, 0.1)).score("q", ["a"])[0] == pytest.approx(math.log(4))
    assert scorer(1.0, a=(0.1, 0.8)).score("q", ["a"])[0] == pytest.approx(math.log(4))


def test_a_first_step_that_answers_nothing_stands_before_what_is_no_evidence() -> None:
    first, other = scorer(first=(0.9, 0.05), other=(0.05, 0.3)).score("q", ["first", "other"])
    assert first > other


def test_certainty_has_a_finite_score() -> None:
    found = scorer(a=(1.0, 1.0), b=(0.0, 0.0)).score("q", ["a", "b"])
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(-found[1], rel=1e-4)


def test_every_text_is_read_once_in_its_order_and_counted() -> None:
    heads = Heads(a=(0.5, 0.5), b=(0.5, 0.5))
    with trace.recording() as record, trace.stage("score"):
        scores = ReaderScorer(heads).score("why?", ["b", "a", "b"])  # type: ignore[arg-type]
    assert heads.asked == [("why?", "", "b"), ("why?", "", "a"), ("why?", "", "b")]
    assert (scores.shape, scores.dtype.name) == ((3,), "float32")
    assert record.stages[0].counts["read"] == 3


def test_no_texts_have_no_scores() -> None:
    assert scorer().score("q", []).shape == (0,)


@pytest.mark.parametrize("answering", [-0.1, 1.1])
def test_a_share_lies_between_nothing_and_all(answering: float) -> None:
    with pytest.raises(ValueError, match="share"):
        scorer(answering)
