"""What an audit advises: one line for the documents that disagree, however many questions show it, and the older editions."""

from __future__ import annotations

import pytest

from decoct.context.casc.advice import advised, set_apart, superseded
from decoct.context.casc.check import check
from decoct.context.casc.claims import Action, Claim
from decoct.context.casc.focus import focuses
from decoct.context.casc.notes import Conflict, Option
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.synthesise import synthesise
from decoct.data import Span
from decoct.text.values import quantities


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


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Depot rules, Ashby", "Depot rules, Wexcombe", True),
        ("Kettle K20 – user guide", "Kettle K30 – user guide", True),
        ("Depot rules, Ashby 2021", "Depot rules, Ashby 2024", False),
        ("Kettle K20 – user guide", "How to boil water with the Kettle K20", False),
        ("Club meeting, 8 May", "Club meeting, 11 June", False),
        ("Depot rules", "Depot rules, Ashby", False),
        ("", "", False),
    ],
)
def test_documents_on_two_things_do_not_conflict(one: str, other: str, apart: bool) -> None:
    question = "When does the gate close?"
    claims = []
    for label, title, hour in (("a", one, "19:30"), ("b", other, "21:00")):
        text = f"The gate closes at {hour}."
        source = EvidenceSource(label, label, ((Span(label, 0, len(text)), text),), title)
        (value,) = quantities(text)
        claims.append(Claim(source, text, Span(label, 0, len(text)), value, Span(label, value.start, value.end), 1.0))
    parts = focuses(question)
    found = check(question, [claim.source for claim in claims], parts, claims)
    assert found.clusters[0].status == "conflict"
    (cluster,) = set_apart(found).clusters
    assert (cluster.status == "conditional") is apart
    made = synthesise(set_apart(found), ())
    assert bool(made.conflicts) is not apart
    assert {fact.value for fact in made.facts} == ({"19:30", "21:00"} if apart else set())
