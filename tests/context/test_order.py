from __future__ import annotations

from typing import Literal

from word_tokenizer import Words

from decoct.budget import Budget
from decoct.context.steps import Order
from decoct.data import Draft, Passage, Query, Span


def passages() -> Draft:
    places = [("b", 50, 0.5), ("a", 90, 0.9), ("b", 10, 0.7), ("a", 0, 0.1), ("c", 5, 0.2)]
    return Draft(tuple(Passage("two words", (Span(doc, at, at + 9),), score=score) for doc, at, score in places))


def order(by: Literal["score", "document", "sides"], limit: int = 99) -> list[tuple[str, int]]:
    draft = Order(by).apply(Query("q"), passages(), Budget(limit, Words()))
    return [(passage.support[0].doc_id, passage.support[0].start) for passage in draft.passages]


def test_document_order_restores_each_document_and_keeps_documents_by_rank() -> None:
    assert order("document") == [("b", 10), ("b", 50), ("a", 0), ("a", 90), ("c", 5)]


def test_sides_puts_the_best_at_both_ends() -> None:
    assert order("sides") == [("b", 50), ("b", 10), ("c", 5), ("a", 0), ("a", 90)]


def test_score_puts_the_best_first() -> None:
    assert order("score") == [("a", 90), ("b", 10), ("b", 50), ("c", 5), ("a", 0)]


def test_the_budget_is_spent_by_rank_before_the_order_changes() -> None:
    assert order("document", 9) == [("b", 10), ("b", 50), ("a", 90)]  # three blocks of three words
    assert order("sides", 6) == [("b", 50), ("a", 90)]
