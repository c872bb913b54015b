"""Which documents of a folder bear most on a question, by hand."""

from __future__ import annotations

import math

import pytest

from decoct.context.casc.sources import _gain, relevant
from decoct.data import Document

QUESTION = "When was the red lantern bought?"
DOCUMENTS = [
    Document("hall", "The hall is warm."),
    Document("once", "A lantern hangs there."),
    Document("all", "The red lantern was bought in 1934."),
    Document("title", "It is old.", "The red lantern"),
]


def found(most: int, question: str = QUESTION) -> list[str]:
    return [document.id for document in relevant(question, DOCUMENTS, most)]


def test_documents_without_a_word_of_the_question_are_left_out() -> None:
    assert found(9) == ["once", "all", "title"]


def test_the_best_are_taken_and_stand_in_the_order_given() -> None:
    assert found(1) == ["all"]
    assert found(2) == ["all", "title"]


def test_words_count_by_their_stems() -> None:
    assert found(9, "Which lanterns?") == ["once", "all", "title"]


@pytest.mark.parametrize("question", ["", "What is it?", "Where are the bicycles?"])
def test_a_question_that_shares_no_word_finds_nothing(question: str) -> None:
    assert found(9, question) == []


def test_no_documents() -> None:
    assert relevant(QUESTION, [], 3) == []


def test_bm25_by_hand() -> None:
    """One of four documents holds the word twice and is of mean length: ln(1 + 3.5 / 1.5) * 2 * 2.2 / (2 + 1.2)."""
    assert _gain(2, 1, 4, 1.0) == pytest.approx(math.log(1 + 3.5 / 1.5) * 2 * 2.2 / 3.2)


def test_a_longer_document_gains_less() -> None:
    assert _gain(1, 1, 4, 2.0) < _gain(1, 1, 4, 1.0) < _gain(1, 1, 4, 0.5)
