from __future__ import annotations

from words import words_of

from decoct.data import Span
from decoct.evaluate.metrics.evidence import all_gold, passage_recall

TEXT = "aa bb cc dd"  # 4 tokens, 11 characters


def test_half_the_tokens_make_a_passage_present() -> None:
    tokens = words_of(a=TEXT, b=TEXT, c=TEXT)
    gold = [Span("a", 0, 11), Span("b", 0, 11)]
    shown = [Span("a", 0, 5), Span("b", 0, 2), Span("c", 0, 11)]  # 2 of 4 tokens of a, 1 of 4 of b
    assert passage_recall(shown, gold, tokens) == 0.5
    assert all_gold(shown, gold, tokens) == 0
    assert all_gold([*shown, Span("b", 3, 5)], gold, tokens) == 1


def test_edges() -> None:
    tokens = words_of(a=TEXT)
    assert passage_recall([Span("a", 0, 5)], [], tokens) is None
    assert all_gold([], [], tokens) is None
    assert passage_recall([], [Span("a", 0, 11)], tokens) == 0
