from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from words import WordTokenizer, words_of

from decoct.data import Span
from decoct.errors import EvaluationError
from decoct.evaluate.metrics.evidence import TokenMap

TEXT = "aa bb cc dd ee"  # tokens 0..4 at 0-2, 3-5, 6-8, 9-11, 12-14


def test_a_span_covers_the_tokens_it_touches() -> None:
    tokens = words_of(d=TEXT)
    assert tokens.covered([Span("d", 0, 14)]) == {("d", at) for at in range(5)}
    assert tokens.covered([Span("d", 4, 7)]) == {("d", 1), ("d", 2)}  # cut tokens count
    assert tokens.covered([Span("d", 2, 3)]) == frozenset()  # a blank holds none
    assert tokens.covered([Span("d", 12, 14), Span("d", 0, 3), Span("d", 3, 6)]) == {("d", 0), ("d", 1), ("d", 4)}


def test_each_document_is_tokenised_once() -> None:
    asked = []

    def text(doc_id: str) -> str:
        asked.append(doc_id)
        return TEXT

    tokens = TokenMap(text, WordTokenizer())
    tokens.covered([Span("d", 0, 2), Span("d", 3, 5), Span("e", 0, 2)])
    tokens.covered([Span("d", 6, 8)])
    assert asked == ["d", "e"]


def test_a_tokenizer_out_of_order_is_named() -> None:
    class Backwards(WordTokenizer):
        def offsets(self, text: str) -> list[tuple[int, int]]:
            return super().offsets(text)[::-1]

    with pytest.raises(EvaluationError, match="'d' are not in text order"):
        TokenMap(lambda _: TEXT, Backwards()).covered([Span("d", 0, 2)])


spans = st.lists(
    st.tuples(st.sampled_from("de"), st.integers(0, 13), st.integers(1, 8)).map(
        lambda t: Span(t[0], t[1], min(14, t[1] + t[2]))
    ),
    max_size=6,
)


@given(spans)
def test_what_is_covered_is_every_token_that_a_span_overlaps(a: list[Span]) -> None:
    tokens = words_of(d=TEXT, e=TEXT)

    def as_set(chosen: list[Span]) -> set[tuple[str, int]]:
        offsets = WordTokenizer().offsets(TEXT)
        return {
            (span.doc_id, i)
            for span in chosen
            for i, (start, end) in enumerate(offsets)
            if start < span.end and end > span.start
        }

    assert tokens.covered(a) == as_set(a)
