"""Reading a passage by its parts, under what stands over them."""

from __future__ import annotations

from collections.abc import Sequence

from decoct.data import Passage, Span
from decoct.reading.base import AnswerSpan, Readable, Reading, SentenceRelevance
from decoct.reading.placed import read_by_parts, read_parts, title_of_part
from decoct.reading.small import SmallReader

FEES = "# Fees\n\n* Adults\n    * Day ticket: 12 euros\n* Children\n    * Day ticket: 5 euros\n"


class ByTitle:
    """Answers with all of a text whose title ends in `wanted`."""

    fingerprint = "by-title"
    reads_parts = True

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        sure = [0.9 if one.title.endswith(self.wanted) else 0.2 for one in passages]
        return [
            Reading((AnswerSpan(0, len(one.text), p),), p, p, (SentenceRelevance(0, len(one.text), p),))
            for one, p in zip(passages, sure, strict=True)
        ]


class WholeOnly(ByTitle):
    reads_parts = None  # type: ignore[assignment]


def passage(text: str, title: str = "Fees") -> Passage:
    return Passage(text, (Span("d", 0, len(text)),), title=title)


def test_a_part_is_read_under_its_heading_and_item_and_told_at_its_place() -> None:
    (reading,) = read_by_parts(ByTitle("Fees: Children"), "?", [passage(FEES)])
    best = reading.spans[0]
    assert FEES[best.start : best.end] == "    * Day ticket: 5 euros"
    assert (reading.answers, best.answers, reading.spans[1].answers) == (0.9, 0.9, 0.2)
    assert [FEES[one.start : one.end].strip() for one in reading.sentences] == [
        "* Day ticket: 12 euros",
        "* Day ticket: 5 euros",
    ]


def test_an_item_that_only_names_what_is_below_it_is_its_title_alone() -> None:
    assert [part.above for part in read_parts(FEES)] == [("Fees", "Adults"), ("Fees", "Children")]
    text = "- Open the lid\n  - gently\n- Close it"
    assert len(read_parts(text)) == 2


def test_the_nearest_name_is_kept_where_a_title_is_too_long() -> None:
    assert title_of_part("Fees", ("Fees", "Children")) == "Fees: Children"
    assert title_of_part("T" * 100, ("U" * 100, "E-1402")) == "T" * 100 + ": E-1402"
    assert title_of_part("T" * 119, ("E-1402",)) == "E-1402"


def test_the_small_reader_tells_whose_room_it_is() -> None:
    text = "# Staff\n\n## Irena Kovac\n\nHead of purchasing. Room 4.12.\n\n## Pavel Dusek\n\nCaretaker. Room 0.03."
    (whole,) = SmallReader().read("Which room is Irena Kovac in?", [passage(text, "Staff")])
    (reading,) = read_by_parts(SmallReader(), "Which room is Irena Kovac in?", [passage(text, "Staff")])
    assert text[reading.spans[0].start : reading.spans[0].end] == "Room 4.12"
    assert reading.answers > whole.answers + 0.2


def test_nothing_is_read_in_nothing() -> None:
    (reading,) = read_by_parts(SmallReader(), "How much?", [passage("# Fees\n\n")])
    assert reading.spans == ()
