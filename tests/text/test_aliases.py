"""Names that mean the same, that do not, and that leave it open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.aliases import same_name

SAME = """
J. K. Rowling | Joanne Rowling
JK Rowling | J.K. Rowling
Rowling, J. K. | J. K. Rowling
Ludwig van Beethoven | Beethoven
Vincent van Gogh | van Gogh
Marie Curie | Curie
Dr Marie Curie | Marie Curie
Sir Isaac Newton | Isaac Newton
Bill Gates | William Gates
Kate Winslet | Katherine Winslet
Martin Luther King Jr. | Martin Luther King
Dvořák | Dvorak
Antonín Dvořák | Antonin Dvorak
World Health Organization | WHO
W.H.O. | the World Health Organization
United States of America | USA
University of Oxford | Oxford University
Apple Inc. | Apple
Siemens AG | Siemens
the Field Voles | field vole
The Beatles | Beatles
George W. Bush | George Walker Bush
Jean-Luc Godard | Jean Luc Godard
Strauß | Strauss
new york | New York
""".strip().splitlines()

DIFFERENT = """
Marie Curie | Pierre Curie
John Smith | Jane Smith
Henry VIII | Henry VII
Michael Faraday | James Clerk Maxwell
Microsoft | Apple
Paris | London
Martin Luther King Jr. | Martin Luther King Sr.
North Korea | South Korea
only full-time employees | all employees
United Nations | European Union
Johann Strauss | Richard Strauss
Catherine I | Catherine II
Type I | Type III
""".strip().splitlines()

OPEN = """
York | New York
Georgia | South Georgia
Marie | Marie Curie
Oxford | Oxford University
George W. Bush | George H. W. Bush
field vole | wood mouse
United States | USA
""".strip().splitlines()


@pytest.mark.parametrize(("lines", "expected"), [(SAME, True), (DIFFERENT, False), (OPEN, None)])
def test_names_by_alias(lines: list[str], expected: bool | None) -> None:
    for line in lines:
        one, _, other = line.partition(" | ")
        assert (line, same_name(one, other)) == (line, expected)
        assert (line, same_name(other, one)) == (line, expected)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_names_are_compared_alike_from_both_sides(one: str, other: str) -> None:
    assert same_name(one, other) is same_name(other, one)
    assert same_name(one, one) is True
