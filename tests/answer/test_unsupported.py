"""What a written answer says that no cited passage does."""

from __future__ import annotations

import pytest

from decoct.answer.unsupported import denied_by, told_unsupported, unsupported
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
