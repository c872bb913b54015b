"""What an audit advises: one line for the documents that disagree, however many questions show it, and the older editions."""

from __future__ import annotations

from decoct.context.casc.advice import advised, superseded
from decoct.context.casc.claims import Action
from decoct.context.casc.notes import Conflict, Option
from decoct.context.casc.sources import EvidenceSource
from decoct.data import Span


def conflict(chosen: str | None, old: str = "11 h") -> Conflict:
    sides = (Option("12 h", (Span("new", 0, 4),)), Option(old, (Span("old", 0, 4), Span("letter", 3, 7))))
    action: Action = "flagged" if chosen is None else "resolved"
    return Conflict("rest", "numeric", sides, action, "recency", chosen, 0.9, "new is a newer edition of old")


def test_what_several_questions_show_of_the_same_documents_is_one_thing_to_do() -> None:
    first, second = advised([("A?", [conflict("12 h"), conflict(None)]), ("B?", [conflict("12 h", "9 h")]), ("C?", ())])
    assert first.as_dict() == {
        "do": "Put right or withdraw old, letter: new is a newer edition of old",
        "documents": ["old", "letter"],
        "questions": ["A?", "B?"],
    }
    assert second.do == "Ask who knows which value holds, and put the others right: new, old, letter"
    assert second.questions == ("A?",)
    assert not advised([])


def test_an_older_edition_is_told_with_the_next_newer_one() -> None:
    sources = [EvidenceSource("D", f"rules-{year}.txt", ()) for year in (2024, 2021, 2026)]
    assert superseded([*sources, EvidenceSource("D", "letter.txt", ())]) == [
        ("rules-2021.txt", "rules-2024.txt"),
        ("rules-2024.txt", "rules-2026.txt"),
    ]
