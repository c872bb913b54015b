from __future__ import annotations

from decoct.data import Citation, Passage, SourceQuote, Span
from decoct.evaluate.metrics.evidence import CitationScores, citation_scores


def cite(number: int, *spans: Span) -> Citation:
    text = "x" * (spans[0].end - spans[0].start)
    source = SourceQuote(spans[0].doc_id, spans[0].start, spans[0].end, text)
    return Citation(number, 0, 3, Passage(text, spans), source)


def test_by_hand() -> None:
    good, bad = cite(1, Span("a", 0, 10)), cite(2, Span("b", 0, 10))
    gold = [Span("a", 5, 8), Span("a", 9, 12), Span("c", 0, 4)]
    # two passages cited (the first twice), one of them good; two of three gold spans reached
    assert citation_scores([good, bad, good], gold) == CitationScores(1 / 2, 2 / 3)


def test_passages_are_told_apart_by_what_they_are_not_by_their_numbers() -> None:
    good, bad = cite(1, Span("a", 0, 10)), cite(1, Span("b", 0, 10))
    assert citation_scores([good, bad], [Span("a", 5, 8)]) == CitationScores(1 / 2, 1)
    assert citation_scores([good, cite(2, Span("a", 0, 10))], [Span("a", 5, 8)]) == CitationScores(1, 1)


def test_edges() -> None:
    assert citation_scores([], [Span("a", 0, 1)]) == CitationScores(None, 0)
    assert citation_scores([cite(1, Span("a", 0, 1))], []) is None
    assert citation_scores([cite(1, Span("a", 0, 5))], [Span("a", 5, 8)]) == CitationScores(
        0, 0
    )  # touching is not overlapping
