"""Which values their own statements uphold, and which notices of correction repeat what they correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from decoct.context.casc.candidates import Candidate, Read, candidates_of_pieces
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Status
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.upheld import answering, replaced, upheld
from decoct.data import Document, Span
from decoct.reading.base import Reading, SentenceRelevance
from decoct.reading.second import SecondReading, StatementToRead
from decoct.reading.small import BUNDLED
from decoct.reading.verifier import Verifier
from decoct.text.sentences import sentences
from decoct.text.values import parse_values

QUESTION = "How many berths does the quay have?"


@dataclass(frozen=True)
class Sceptic:
    """A second reader that denies the values of `denied`, and holds no change to those of `wanted` for one that has come about.

    To the values of `strange` it says neither yes nor no, and takes the statements with those of `proposed` for proposals.
    """

    denied: Sequence[str] = ()
    wanted: Sequence[str] = ()
    strange: Sequence[str] = ()
    proposed: Sequence[str] = ()
    fingerprint: str = field(default="sceptic")

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        return [self._judged(one.question, one.text[one.start : one.end]) for one in statements]

    def _judged(self, question: str, said: str) -> SecondReading:
        if "propos" in question:
            wanted = any(value in said for value in self.proposed)
            return SecondReading(0.9, 0.9, 0.1) if wanted else SecondReading(0.01, 0.1, 0.9)
        if question.startswith("Has it changed to"):
            return SecondReading(0.9, 0.1 if any(f" {value}?" in question for value in self.wanted) else 0.9, 0.1)
        if any(question.startswith(f"Is it {value}?") for value in self.strange):
            return SecondReading(0.9, 0.001, 0.001)
        denied = any(question.startswith(f"Is it {value}?") for value in self.denied)
        return SecondReading(0.9, 0.05 if denied else 0.9, 0.9 if denied else 0.05)


def told(*documents: Document) -> tuple[list[tuple[float, Candidate]], list[tuple[float, Candidate]]]:
    """The first quantity of each document, and all of them."""
    first: list[tuple[float, Candidate]] = []
    every: list[tuple[float, Candidate]] = []
    for source in handed_over(documents):
        ((span, text),) = source.pieces
        cut = tuple(SentenceRelevance(*place, 0.6) for place in sentences(text))
        (found,) = candidates_of_pieces([Read(source, span, text, Reading((), 0.6, 0.6, cut))], focuses(QUESTION)[0])
        mine = sorted(((0.6, c) for c in found if c.value.kind == "number"), key=lambda pair: pair[1].value.start)
        first += mine[:1]
        every += mine
    return first, every


def values(second: Sceptic, *documents: Document) -> list[tuple[str, bool]]:
    return [(one.candidate.value.raw, one.status == "reported") for one in upheld(second, QUESTION, *told(*documents))]


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


def test_a_value_that_is_denied_gives_way_to_the_one_beside_it_or_to_silence() -> None:
    beside = Document("beside", "The quay has not 24 berths but 42 berths. It is 90 m long.")
    alone = Document("alone", "The quay does not have 42 berths. Its pontoon has 12.")
    assert values(Sceptic(["24"]), beside) == [("42", False)]
    assert values(Sceptic(["24", "42"]), beside) == [("24", False)]  # neither is nearer to yes
    said = Document("said", "Of 24 berths at the quay nothing is true, there are 42. It is 90 m long.")
    assert values(Sceptic(["24"]), said, Document("d", "The quay has 7 berths.")) == [("42", False), ("7", False)]
    assert values(Sceptic(["24", "42"]), said, PLAIN) == [
        ("24", False),
        ("24", False),
    ]  # what is denied everywhere is not
    assert values(Sceptic(["42", "12"]), alone, PLAIN)[-1] == ("24", False)
    assert values(Sceptic(["42"]), Document("d", "Nobody gave the quay 42 berths."), PLAIN) == [("24", False)]


def test_a_value_that_both_readings_doubt_is_silent_beside_a_likelier_one() -> None:
    first, _ = told(PLAIN, Document("other", "The yard has 9 cranes."))

    def heard(sure: float, likely: float) -> list[str]:
        pairs = [(sure, candidate) for _, candidate in first]
        found = answering(Doubter({"24": 0.4, "9": likely}), QUESTION, pairs, truth=False)
        return [candidate.value.raw for _, candidate in found]

    assert heard(0.3, 0.1) == ["24"]
    assert heard(0.7, 0.1) == ["24", "9"]  # the first reading is sure
    assert heard(0.3, 0.3) == ["24", "9"]  # the second one is in two minds
    assert heard(0.02, 0.1) == ["24"]  # something is always told


def test_a_value_of_another_thing_is_silent_beside_one_that_is_asked_for() -> None:
    other = Document("other", "The yard has 9 cranes.")
    assert values(Sceptic(strange=["9"]), PLAIN, other) == [("24", False)]
    assert values(Sceptic(strange=["9"]), other) == [("9", False)]
    notice = Document("notice", "Correction: It should have read 42.")
    assert values(Sceptic(strange=["42"]), PLAIN, notice)[-1] == ("42", False)


def test_a_notice_of_correction_does_not_repeat_what_another_source_says() -> None:
    notice = Document("notice", "Correction: Last week we gave the quay 24 berths. There are 42. The pier has 7.")
    assert values(Sceptic(), PLAIN, notice) == [("24", False), ("42", False)]
    assert values(Sceptic(), notice) == [("24", False)]  # nobody is corrected
    letter = Document("letter", "Last week we gave the quay 24 berths. There are 42.")
    assert values(Sceptic(), PLAIN, letter) == [("24", False), ("24", False)]


def test_what_was_only_wanted_is_reported_and_corrects_nothing() -> None:
    change = Document("change", "The number of berths at the quay was raised to 42.")
    assert values(Sceptic(), change) == [("42", False)]
    assert values(Sceptic(wanted=["42"]), change) == [("42", True)]
    assert values(Sceptic(wanted=["24"]), PLAIN) == [("24", False)]  # it takes no other's place


def test_what_is_only_proposed_is_told_beside_what_is_said_to_be() -> None:
    idea = Document("idea", "Somebody proposed a quay with 42 berths.")
    read = upheld(Sceptic(proposed=["42"]), QUESTION, *told(PLAIN, idea))
    assert [(one.candidate.value.raw, one.status) for one in read] == [("24", "stated"), ("42", "proposed")]
    alike = upheld(Sceptic(proposed=["42", "24"]), QUESTION, *told(PLAIN, idea))
    assert [one.status for one in alike] == ["stated", "stated"]  # of some questions the reading says so of all
    sources = handed_over([PLAIN, idea])
    (cluster,) = check(QUESTION, sources, focuses(QUESTION), claimed({"idea": "proposed"}, PLAIN, idea)).clusters
    assert (cluster.status, [side.value for side in cluster.sides]) == ("single", ["24"])


def test_a_statement_that_denies_another_sources_value_decides() -> None:
    letter = Document("letter", "The quay has 42 berths and of the 24 nothing is true.")
    (one,) = upheld(Sceptic(["24"]), QUESTION, *told(letter))
    assert ([value.raw for value in one.over], one.candidate.value.raw) == (["24"], "42")
    assert upheld(Sceptic(), QUESTION, *told(PLAIN, letter))[-1].over == ()
    sources = handed_over([PLAIN, letter])
    claims = claimed({}, PLAIN, letter)
    claims[1] = replace(claims[1], over=one.over)
    (cluster,) = check(QUESTION, sources, focuses(QUESTION), claims).clusters
    assert cluster.verdict is not None
    assert cluster.verdict.chosen is not None
    assert (cluster.verdict.rule, cluster.sides[cluster.verdict.chosen].value) == ("correction", "42")


def claimed(status: Mapping[str, Status], *documents: Document) -> list[Claim]:
    made = []
    for number, (source, (_, one)) in enumerate(zip(handed_over(documents), told(*documents)[0], strict=True)):
        ((span, text),) = source.pieces
        value = one.value
        place = type(span)(span.doc_id, value.start, value.end)
        made.append(
            Claim(source, text, span, value, place, 0.9 - number / 10, status=status.get(span.doc_id, "stated"))
        )
    return made


@pytest.mark.parametrize(("status", "rule"), [("correction", "correction"), ("reported", "none")])
def test_a_reported_value_decides_no_conflict(status: Status, rule: str) -> None:
    wish = Document("wish", "The harbour master wants it to be raised to 42 berths.")
    claims = claimed({"plain": "stated", "wish": status}, PLAIN, wish)
    (found,) = check(QUESTION, handed_over([PLAIN, wish]), focuses(QUESTION), claims).clusters
    assert found.verdict is not None
    assert found.verdict.rule == rule


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
