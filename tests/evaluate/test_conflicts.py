from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct.data import Span
from decoct_lab.dataset import Question, load
from decoct_lab.measures.conflicts import labelled_pairs, reported_pairs


def _labels(*labels: tuple[str, str, str]) -> Question:
    return Question("1", "?", extra={"doc_labels": [{"id": i, "label": kind, "answer": a} for i, kind, a in labels]})


def test_a_planted_answer_conflicts_with_right_ones_and_right_ones_with_none() -> None:
    question = _labels(("b", "correct", "X"), ("a", "misinfo", "Z"), ("c", "correct", "Y"), ("d", "noise", "unknown"))
    assert labelled_pairs(question) == frozenset({("a", "b"), ("a", "c")})
    assert labelled_pairs(_labels(("a", "conflicting", "X"), ("b", "conflicting", "Y"))) == frozenset({("a", "b")})
    assert labelled_pairs(_labels(("a", "misinfo", "X"), ("b", "misinfo", "X"))) == frozenset()
    assert labelled_pairs(Question("1", "?")) is None


@pytest.mark.parametrize("name", ["scidocs-conflicts", "wikicontradict", "ramdocs", "conflictqa-strategyqa"])
def test_conflict_sets_have_labels_on_every_question(name: str, excerpts: Path) -> None:
    questions = load(name, excerpts).questions
    assert all(labelled_pairs(question) is not None for question in questions)
    assert any(labelled_pairs(question) for question in questions)


def test_every_document_of_a_side_disagrees_with_every_document_of_another() -> None:
    def side(*ids: str) -> Any:
        return SimpleNamespace(support=tuple(Span(i, 0, 1) for i in ids))

    conflict = SimpleNamespace(sides=(side("b", "c"), side("a"), side("a", "d")))
    # a stands on two sides: it does not disagree with itself
    assert reported_pairs({"conflicts": (conflict,)}) == frozenset(
        {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")}
    )
    assert reported_pairs({}) is None
