"""Identifiers and labels, and which of them are rivals."""

from __future__ import annotations

import pytest

from decoct.text.identifiers import identifiers, labels


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What does CVE-2024-3904 concern?", ["CVE-2024-3904"]),
        ("alarm code X-771, F50 and KX 4410", ["X-771", "F50", "KX 4410"]),
        ("`read_line()` calls readAll() and max_size", ["read_line()", "readAll()", "max_size"]),
        ("Pass --dry-run or -n.", ["--dry-run", "-n"]),
        ("Flight LH 1938 by ISO 27107 in Python 3.11.2", ["LH 1938", "ISO 27107", "3.11.2"]),
        ("a 25-metre pool, 12-month plans, 10kg, 60Hz, 8am, the 20th, 1990s, mid-1990s, 5 May 2019, EUR 300", []),
    ],
)
def test_what_is_an_identifier_is_told_by_its_form(text: str, found: list[str]) -> None:
    assert [one.written for one in identifiers(text)] == found


def test_a_label_is_a_word_with_a_number_or_letter() -> None:
    told = labels("Tram 9 needs 25 minutes in zone A, on 5 May and in 2015 as I said")
    assert [one.parts for one in told] == [("tram", "9"), ("need", "25"), ("zone", "a")]


@pytest.mark.parametrize(
    ("one", "other", "same", "rival"),
    [
        ("X-771", "x771", True, False),
        ("KX 4410", "KX-4410", True, False),
        ("read_line()", "read_line", True, False),
        ("X-771", "X-717", False, True),
        ("OPS-99", "OPS-100", False, True),
        ("B-241", "D-214", False, True),
        ("read_line()", "readAll()", False, True),
        ("min_size", "max_size", False, True),
        ("--dry-run", "--force", False, True),
        ("E-1402", "M4", False, False),  # a screw
        ("CVE-2024-3904", "F50", False, False),
    ],
)
def test_rivals_are_others_of_the_same_kind(one: str, other: str, same: bool, rival: bool) -> None:
    (a,), (b,) = identifiers(one), identifiers(other)
    assert (a.is_same(b), a.is_rival(b), b.is_rival(a)) == (same, rival, rival)


def test_a_label_of_another_number_is_a_rival_and_another_word_none() -> None:
    tram, other, room, zone = labels("Tram 9 meets tram 4 in room 4 of zone B.")
    assert tram.is_rival(other)
    assert not tram.is_rival(room)
    assert not tram.is_rival(zone)
