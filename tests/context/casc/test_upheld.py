"""What a second reading takes for no answer, and whose place a document takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from decoct.context.casc.candidates import Candidate, Read, candidates_of_pieces
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.upheld import answering, replaced
from decoct.data import Document, Span
from decoct.reading.base import Reading, SecondReading, SentenceRelevance, StatementToRead
from decoct.reading.small import BUNDLED
from decoct.reading.verifier import Verifier
from decoct.text.sentences import sentences
from decoct.text.values import parse_values

QUESTION = "How many berths does the quay have?"


def told(*documents: Document) -> list[Candidate]:
    """The first quantity of each document."""
    first: list[Candidate] = []
    for source in handed_over(documents):
        ((span, text),) = source.pieces
        cut = tuple(SentenceRelevance(*place, 0.6) for place in sentences(text))
        (found,) = candidates_of_pieces([Read(source, span, text, Reading((), 0.6, 0.6, cut))], focuses(QUESTION)[0])
        first.append(min((c for c in found if c.value.kind == "number"), key=lambda c: c.value.start))
    return first


@dataclass(frozen=True)
class Doubter:
    """A second reader to which values answer as likely as it is told."""

    likely: Mapping[str, float]
    fingerprint: str = field(default="doubter")

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        said = [one.text[one.start : one.end] for one in statements]
        return [
            SecondReading(next(p for value, p in self.likely.items() if value in words), 0.5, 0.5) for words in said
        ]


PLAIN = Document("plain", "The quay has 24 berths.")


def test_a_value_that_both_readings_doubt_is_silent_beside_a_likelier_one() -> None:
    first = told(PLAIN, Document("other", "The yard has 9 cranes."))

    def heard(sure: float, likely: float) -> list[str]:
        pairs = [(sure, candidate) for candidate in first]
        found = answering(Doubter({"24": 0.4, "9": likely}), QUESTION, pairs, truth=False)
        return [candidate.value.raw for _, candidate in found]

    assert heard(0.3, 0.1) == ["24"]
    assert heard(0.7, 0.1) == ["24", "9"]  # the first reading is sure
    assert heard(0.3, 0.4) == ["24", "9"]  # the second one is in two minds
    assert heard(0.02, 0.1) == ["24"]  # something is always told


@pytest.mark.skipif(not (BUNDLED / "model.onnx").exists(), reason="the bundled reader's weights are not here")
def test_a_change_is_no_range_that_agrees_with_what_was_before() -> None:
    question = "What does a berth at the quay cost?"
    documents = [
        Document("list", "A berth at the quay costs £30 a week."),
        Document("notice", "In May the harbour raised the price of a berth at the quay from £30 to £36 a week."),
    ]
    sources, parts = handed_over(documents), focuses(question)
    (found,) = check(question, sources, parts, ByReader().extract(question, sources, parts).claims).clusters
    assert found.status == "conflict"
    assert {side.best.source.doc_id: side.best.value.high for side in found.sides} == {"list": 30.0, "notice": 36.0}


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("Parking costs 7 pounds. This circular supersedes circular 7.", {"old"}),
        ("Parking costs 7 pounds. Circular 7 is withdrawn.", {"old"}),
        ("Parking costs 7 pounds. See also circular 7.", set[str]()),
        ("Parking costs 7 pounds. This circular supersedes circular 17.", set[str]()),
    ],
)
def test_a_statement_that_names_another_document_may_take_its_place(said: str, gone: set[str]) -> None:
    old = Document("old", "Parking costs 5 pounds a day.", "Circular 7: parking")
    other = Document("new", said, "Circular 9: parking")
    assert replaced(Verifier(), handed_over([old, other])) == gone
    dated = [replace(old, metadata={"date": "2025-01-01"}), replace(other, metadata={"date": "2024-01-01"})]
    assert replaced(Verifier(), handed_over(dated)) == set()  # nothing takes the place of what is newer


@pytest.mark.parametrize(
    "draft",
    [
        Document("draft", "The quay will have 42 berths.", "Quay plan (draft)"),
        Document("draft", "The quay will have 42 berths.", "Quay plan", metadata={"status": "draft"}),
    ],
)
def test_what_a_draft_says_is_told_beside_what_is(draft: Document) -> None:
    sources = handed_over([PLAIN, draft])
    claims = [
        Claim(
            source,
            source.text,
            Span(source.doc_id, 0, len(source.text)),
            (value := parse_values(source.text)[0]),
            Span(source.doc_id, value.start, value.end),
            0.9,
        )
        for source in sources
    ]
    findings = check(QUESTION, sources, focuses(QUESTION), claims)
    assert [side.value for side in findings.clusters[0].sides] == ["24"]
    assert [claim.value.raw for claim in findings.further] == ["42"]
