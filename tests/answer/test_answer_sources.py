"""The sentence that a citation points at."""

from __future__ import annotations

import pytest

from decoct.answer.citations import cited
from decoct.answer.sources import with_documents
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.data import Answer, Context, Draft, Passage, Query, SourceQuote, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ProvenanceError
from decoct_testing.context_contract import CORPUS

BRIDGE, LEITNER = CORPUS["bridge"], CORPUS["leitner"]


def context_of(question: str, *passages: Passage) -> Context:
    return assemble(Query(question), Draft(passages), Budget(500, default_tokenizer()))


def whole(doc_id: str) -> Passage:
    return Passage(CORPUS[doc_id], (Span(doc_id, 0, len(CORPUS[doc_id])),))


@pytest.mark.parametrize(
    ("question", "reply", "quotes"),
    [
        ("When was it opened?", "1906 [1]", ["The stone bridge was opened in 1906."]),
        ("When was it opened?", "It spans the Mur [1].", ["It crosses the river Mur in two arches."]),
        (
            "Who designed it, and until when was a toll taken?",
            "Leitner [1], until 1931 [1].",
            ["Anna Leitner designed it.", "Tolls ended in 1931."],
        ),
        (
            "Who designed it and where did she study?",
            "Anna Leitner [1][2], who studied in Vienna [2].",
            ["Anna Leitner designed it.", "Anna Leitner was an engineer from Graz.", "She studied in Vienna."],
        ),
        ("Why?", "Nobody knows [1].", ["The stone bridge was opened in 1906."]),
    ],
)
def test_a_written_answer_cites_the_nearest_sentence(question: str, reply: str, quotes: list[str]) -> None:
    context = context_of(question, whole("bridge"), whole("leitner"))
    _, citations = cited(reply, context)
    assert [citation.source.quote for citation in citations] == quotes
    for citation in citations:
        source = citation.source
        assert CORPUS[source.doc_id][source.start : source.end] == source.quote


def test_a_quote_of_several_spans_leads_to_the_right_one() -> None:
    spans = (Span("bridge", 37, 76), Span("bridge", 102, len(BRIDGE)))
    passage = Passage(f"{BRIDGE[37:76]}\n{BRIDGE[102:]}", spans)
    _, citations = cited("Until 1931 [1].", context_of("Until when were tolls taken?", passage))
    assert citations[0].source == SourceQuote("bridge", 103, 123, "Tolls ended in 1931.")


def test_behind_a_rewrite_the_documents_are_read() -> None:
    spans = (Span("bridge", 0, 76), Span("leitner", 0, len(LEITNER)))
    context = context_of("q", Passage("An engineer, trained in Vienna, built it.", spans, kind="rewrite"))
    text, citations = cited("She studied in Vienna [1].", context)
    assert citations[0].source == SourceQuote("bridge", 0, 76, "")
    answer = with_documents(Answer(text, citations, context), lambda span: CORPUS[span.doc_id][span.start : span.end])
    assert answer.citations[0].source == SourceQuote("leitner", 40, 62, "She studied in Vienna.")
    assert with_documents(answer, lambda span: "") is answer


def test_a_cited_quote_has_the_length_of_its_place() -> None:
    with pytest.raises(ProvenanceError):
        SourceQuote("a", 0, 3, "four")
    with pytest.raises(ProvenanceError):
        SourceQuote("a", 3, 3, "")
