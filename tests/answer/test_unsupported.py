"""What a written answer says that no cited passage does."""

from __future__ import annotations

import pytest

from decoct.answer.unsupported import denied_by, of_another, told_unsupported, unmet, unsupported
from decoct.data import Citation, Passage, SourceQuote, Span

TEXT = "The pump KX-4410 was built by Ada Green in 1934 and lifts 2,300 litres an hour."
PASSAGE = Passage(TEXT, (Span("d", 0, len(TEXT)),), title="Harrow works")
CITED = [Citation(1, 0, 3, PASSAGE, SourceQuote("d", 0, len(TEXT), TEXT))]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Ada Green built KX 4410 in 1934 [1].", ()),
        ("It lifts 2300 litres an hour at the Harrow works [1].", ()),
        ("It was built in 1943 [1].", ("1943",)),
        ("The pump KX-4401 lifts 2,300 litres [1].", ("KX-4401",)),
        ("It was built by Niels Bohr [1].", ("Niels Bohr",)),
        ("In Oslo it is so [1].", ()),  # the question's own word
    ],
)
def test_numbers_codes_and_names_stand_in_a_cited_passage(answer: str, found: tuple[str, ...]) -> None:
    assert unsupported(answer, CITED, "Who built it in Oslo?") == found


LIFT = "The lift carries 8 people. It is serviced in May. Lunch is free in the hall for 12 people."
LIFTED = [
    Citation(1, 0, 3, Passage(LIFT, (Span("l", 0, len(LIFT)),), title="House"), SourceQuote("l", 0, 26, LIFT[:26]))
]


@pytest.mark.parametrize(
    ("answer", "question", "denied"),
    [
        ("Yes, it does [1].", "Does the lift carry 12 people?", "The lift carries 8 people."),
        ("Yes, it does [1].", "Does the lift carry 8 people?", ""),
        ("No, it carries 8 [1].", "Does the lift carry 12 people?", ""),
        ("Yes, in June [1].", "Is the lift serviced in June?", "It is serviced in May."),
        ("Yes [1].", "Is the lift red?", ""),
        ("Yes [1].", "Is the swimming pool heated to 28 degrees?", ""),
    ],
)
def test_a_yes_whose_passage_has_another_value_is_told(answer: str, question: str, denied: str) -> None:
    found = denied_by(answer, LIFTED, question)
    assert found == denied
    assert told_unsupported((), found) == (f" (A cited passage says otherwise: “{denied}”)" if denied else "")


def test_an_answer_without_citations_is_counted_elsewhere() -> None:
    assert unsupported("It was 1943.", [], "When?") == ()
    assert told_unsupported(()) == ""
    assert told_unsupported(("1943", "KX-1")) == " (In no cited passage: 1943, KX-1.)"


def cited(*places: tuple[str, str]) -> tuple[list[Citation], list[Passage]]:
    """A citation of each text under its title."""
    passages = [Passage(text, (Span(title, 0, len(text)),), title=title) for title, text in places]
    return [
        Citation(n, 0, 3, one, SourceQuote(one.support[0].doc_id, 0, len(one.text), one.text))
        for n, one in enumerate(passages, 1)
    ], passages


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How severe is CVE-2024-3904?", ("CVE-2024-3904",)),
        ("How severe is CVE-2024-3094?", ()),
        ("Where does tram 9 stop?", ("tram 9",)),
        ("Where does tram 4 stop?", ()),
        ("What did it cost in May 2021?", ("May 2021",)),
        ("What did it cost in March 2024?", ()),
        ("What does bus 9 cost?", ()),  # no bus has a number there
    ],
)
def test_what_the_question_names_stands_in_a_cited_passage(question: str, found: tuple[str, ...]) -> None:
    told, _ = cited(("Notes", "CVE-2024-3094 is critical. Tram 4 stops at the port. In March 2024 it cost 3 euros."))
    assert unmet(told, question) == found


NORTH, SOUTH = ("North depot", "The depot opens at six."), ("South depot", "The depot opens at nine.")


@pytest.mark.parametrize(
    ("question", "places", "other"),
    [
        ("When does the North depot open?", (SOUTH,), "South depot"),
        ("When does the South depot open?", (SOUTH,), ""),
        ("When does the North depot open?", (SOUTH, NORTH), ""),
        ("When does the depot open?", (SOUTH,), ""),
    ],
)
def test_an_answer_of_a_sibling_alone_is_told(question: str, places: tuple[tuple[str, str], ...], other: str) -> None:
    told, passages = cited(*places)
    assert of_another("It opens at nine [1].", told, question, [*passages, *cited(NORTH, SOUTH)[1]]) == other


def test_an_answer_of_a_replaced_edition_alone_is_told() -> None:
    told, passages = cited(("Shift rules 2023", "The night shift has ten hours."))
    later = cited(("Shift rules 2025", "The night shift has eight hours."))[1]
    said = "It has ten hours [1]."
    assert of_another(said, told, "How long is the night shift?", [*passages, *later]) == "Shift rules 2023"
    assert of_another(said, told, "How long was the night shift in 2023?", [*passages, *later]) == ""
    assert told_unsupported((), "", "Shift rules 2023") == " (The cited passages are of another: “Shift rules 2023”)"
