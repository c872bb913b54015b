from __future__ import annotations

import pytest

from decoct.context.quotes import narrowed, pieces, quote_of, support_of
from decoct.data import Passage, Span
from decoct.errors import ProvenanceError


def test_touching_spans_join_without_a_break_and_others_with_one() -> None:
    parts = [(Span("a", 0, 3), "abc"), (Span("a", 3, 5), "de"), (Span("a", 7, 8), "h"), (Span("b", 8, 9), "x")]
    text, support = quote_of(parts)
    assert text == "abcde\nh\nx"
    assert support == (Span("a", 0, 5), Span("a", 7, 8), Span("b", 8, 9))
    assert pieces(Passage(text, support)) == [(0, support[0]), (6, support[1]), (8, support[2])]


def test_narrowing_keeps_exactly_the_characters_left() -> None:
    passage = Passage("abcde\nhij", (Span("a", 10, 15), Span("b", 2, 5)))
    assert narrowed(passage, 2, 8) == Passage("cde\nhi", (Span("a", 12, 15), Span("b", 2, 4)))
    assert narrowed(passage, 5, 7) == Passage("h", (Span("b", 2, 3),))  # a break at the edge is no text
    assert support_of(passage, 4, 7) == [(4, Span("a", 14, 15)), (6, Span("b", 2, 3))]


def test_a_quote_whose_spans_do_not_make_up_its_text_is_refused() -> None:
    with pytest.raises(ProvenanceError, match="cannot be its spans"):
        pieces(Passage("abc", (Span("a", 0, 1), Span("a", 5, 6), Span("a", 9, 12))))
    with pytest.raises(ProvenanceError, match="hold nothing"):
        narrowed(Passage("ab\nc", (Span("a", 0, 2), Span("b", 0, 1))), 2, 3)
