"""Which values their own statements uphold, and which notices of correction repeat what they correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from decoct.context.casc.candidates import Candidate, Read, candidates_of_pieces
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.upheld import upheld
from decoct.data import Document
from decoct.reading.base import Reading, SentenceRelevance
from decoct.reading.second import SecondReading, StatementToRead
from decoct.reading.small import BUNDLED
from decoct.text.sentences import sentences

QUESTION = "How many berths does the quay have?"


@dataclass(frozen=True)
class Sceptic:
    """A second reader that denies the values of `denied`, and holds no change to those of `wanted` for one that has come about.

    To the values of `strange` it says neither yes nor no.
    """

    denied: Sequence[str] = ()
    wanted: Sequence[str] = ()
    strange: Sequence[str] = ()
    fingerprint: str = field(default="sceptic")

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        return [self._judged(one.question) for one in statements]

    def _judged(self, question: str) -> SecondReading:
        if question.startswith("Has it changed to"):
            return SecondReading(0.9, 0.1 if any(f" {value}?" in question for value in self.wanted) else 0.9, 0.1)
        if any(question.startswith(f"Is it {value}?") for value in self.strange):
            return SecondReading(0.9, 0.01, 0.01)
        said = any(question.startswith(f"Is it {value}?") for value in self.denied)
        return SecondReading(0.9, 0.05 if said else 0.9, 0.9 if said else 0.05)


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
    return [(one.candidate.value.raw, one.reported) for one in upheld(second, QUESTION, *told(*documents))]


PLAIN = Document("plain", "The quay has 24 berths.")


def test_a_value_that_is_denied_gives_way_to_the_one_beside_it_or_to_silence() -> None:
    beside = Document("beside", "The quay has not 24 berths but 42 berths. It is 90 m long.")
    alone = Document("alone", "The quay does not have 42 berths. Its pontoon has 12.")
    assert values(Sceptic(["24"]), beside) == [("24", False)]  # the words before it withdraw it already
    said = Document("said", "Of 24 berths at the quay nothing is true, there are 42. It is 90 m long.")
    assert values(Sceptic(["24"]), said, Document("d", "The quay has 7 berths.")) == [("42", False), ("7", False)]
    assert values(Sceptic(["24", "42"]), said, PLAIN) == [
        ("24", False),
        ("24", False),
    ]  # what is denied everywhere is not
    assert values(Sceptic(["42", "12"]), alone, PLAIN)[-1] == ("24", False)
    assert values(Sceptic(["42"]), Document("d", "Nobody gave the quay 42 berths."), PLAIN) == [("24", False)]


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


def claimed(status: Mapping[str, str], *documents: Document) -> list[Claim]:
    made = []
    for number, (source, (_, one)) in enumerate(zip(handed_over(documents), told(*documents)[0], strict=True)):
        ((span, text),) = source.pieces
        value = one.value
        place = type(span)(span.doc_id, value.start, value.end)
        made.append(Claim(source, text, span, value, place, 0.9 - number / 10, status=status[span.doc_id]))  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(("status", "rule"), [("correction", "correction"), ("reported", "none")])
def test_a_reported_value_decides_no_conflict(status: str, rule: str) -> None:
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
