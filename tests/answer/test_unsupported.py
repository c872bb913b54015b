"""What a written answer says that no cited passage does."""

from __future__ import annotations

import pytest

from decoct.answer.unsupported import told_unsupported, unsupported
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


def test_an_answer_without_citations_is_counted_elsewhere() -> None:
    assert unsupported("It was 1943.", [], "When?") == ()
    assert told_unsupported(()) == ""
    assert told_unsupported(("1943", "KX-1")) == " (In no cited passage: 1943, KX-1.)"
