"""What of a text is matter and no prose."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.documents.matter import is_matter, matter, without_matter

CONTENTS = "## Contents\n\n- [Start](#start)\n- [Use](#use)\n- [End](#end)\n"
PRINTED = "Table of contents\n1 Safety ...... 2\n2 Use . . . . . 10\n3 Care ........ iv\n"


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in matter(text)]


def test_front_matter_with_the_licence_badges_and_trail_behind_it() -> None:
    opening = (
        "---\ntitle: A\nauthor: B\n---\n\n<!-- Licensed under\nthe MIT License -->\n[![build](x.svg)](x) ![y](y.svg)\n\n"
        "[Home](/) > [Policies](/p) > Travel\n"
    )
    assert parts(opening + "\nBody text.") == [opening]
    assert parts('+++\ntitle = "A"\n+++\nBody.') == ['+++\ntitle = "A"\n+++\n']


def test_contents_are_told_by_their_links_or_dots() -> None:
    assert parts(f"# Guide\n\n{CONTENTS}\n# Start\n\nText.") == [CONTENTS]
    assert parts(f"GUIDE\n\n{PRINTED}\n1 Safety\nText.") == [PRINTED]


def test_contents_right_behind_the_opening_are_one_range_with_it() -> None:
    text = f"---\na: b\n---\n\n{CONTENTS}"
    assert parts(text + "\nText.") == [text]


def test_lists_of_links_elsewhere_and_single_lines_are_text() -> None:
    for text in (
        "- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n",
        "- [A](#a)\n- [B](#b)\n\nText.",
        "Wait ...... 5\nText.",
        "Contents\n\nThe box holds a pump.",
        "See [Home](/) and [Start](/s).",
        "---\n\nA rule and text.\n---\n",
    ):
        assert matter(text) == ()


def test_every_other_character_stays_where_it_is() -> None:
    text = f"---\na: b\n---\n# Guide\n\n{CONTENTS}\nText."
    bare = without_matter(text)
    assert len(bare) == len(text)
    assert (bare.split(), bare.count("\n")) == (["#", "Guide", "Text."], text.count("\n"))
    assert is_matter(CONTENTS)
    assert not is_matter(text)
    assert not is_matter(" \n")


@given(st.text(alphabet="-+:.[]()#!<> \nab1", max_size=200))
def test_ranges_are_in_order_and_hold_characters(text: str) -> None:
    found = matter(text)
    edges = [edge for one in found for edge in one]
    assert edges == sorted(edges)
    assert all(text[start:end].strip() for start, end in found)


INDEX = """Index

A

abort, 12
access, 45, 89
archive, 7, 12–14, 230
arguments
of functions, 33
of options, 40, 41
119
B

backup, see also archive, 12, 13
badges, 90,
107
batch, 3
border, 14f, 15
border (of a page), 15
buffer, 8, 9
bundle 77
C

cache, 20, 21, 22
cards, 5
chunks, 6, 8
"""
DOTTED = """Options Index

–

--abbrev-len INT . . . . . . . . . . . . . 73
--account STR . . . . . . . 54, 66, 73, 85

133

--budget-format FORMAT_STRING . . . . 74,
107
--color . . . . . . . . . 75
"""


def test_an_index_is_told_by_the_order_of_its_lines_and_their_pages() -> None:
    book = "The book.\n\nIts text ends here, on page 7.\n\n"
    assert parts(f"{book}{INDEX}\nThe press printed it.") == [INDEX]
    assert parts(f"{book * 9_000}{DOTTED}") == [DOTTED]
    assert is_matter(INDEX)
    assert is_matter(DOTTED)


NUMBERED = """1 Pumps 4
1.1 Setting up a pump, and what is needed for it beforehand 4
1.2 Oil 7
2 Seals 12
2.1 Rubber 12
3 Index 31
"""
CELLS = """1 | Pumps |  | 4
| 1.1 Setting up | . . . . . . . . . . | 4 |
| 1.2 Oil . . . . . . . . . . . . . . . | 7
2 | Seals | 12
| 2.1 Rubber . . . . . . . . | 12
3 | Index |  | 31
"""


@pytest.mark.parametrize("contents", [NUMBERED, CELLS])
def test_contents_without_dots_or_in_cells_are_told_by_their_numbers_on_several_levels(contents: str) -> None:
    assert parts(f"The book.\n\nIts first part ends on page 7.\n\n{contents}\nThe press printed it.") == [contents]


@pytest.mark.parametrize(
    "table",
    [
        "1 Rotor 4\n2 Seal 7\n3 Pump 12\n4 Shaft 12\n5 Oil 31\n6 Lamp 40\n",  # rows that are counted
        "1.1 Oil 2001\n1.2 Oil 2003\n2.0 Seals 2004\n2.1 Seals 2008\n3.0 Pumps 2009\n3.1 Pumps 2011\n",  # editions
        "1 Pumps 40\n1.1 Rotors 12\n1.2 Oil 28\n2 Seals 9\n2.1 Rubber 4\n2.2 Steel 5\n",  # sums and their parts
    ],
)
def test_tables_whose_rows_are_numbered_are_no_contents(table: str) -> None:
    assert parts(f"The stock.\n\n{table}\nThat is all.") == []


def test_a_long_index_is_several_ranges_each_of_them_told_by_itself() -> None:
    pages = {f"{one}{two} of this book": at for at, (one, two) in enumerate(product("abcdefghijk", repeat=2), 1)}
    lines = [f"{term}, {at}, {at + 3}" if at % 3 else f"{term}, {at}" for term, at in pages.items()]
    text = "\n".join(["The text.", "", "Index", *lines, ""])
    found = parts(text)
    assert "".join(found) == text[text.index("Index") :]
    assert len(found) > 1
    assert all(map(is_matter, found))


@pytest.mark.parametrize(
    "row",
    [
        "{name}, {n}",  # a count each
        "{name}, {n}, {m}",  # as many values in each row
        "{name},{m},{n}",
        "{name}: {n}, {m}",
        "{name} | {n} | {m}",
        "{name} has {n} of {m}.",
        "{name} 0{i}:15, 1{i}:45",
        "{name}, {n}.50",
        "{name} ........ {x}",  # in no order
        "{name} ........ 0",
        "{name} ........ 4",
        "{i}. Turn the key by {n}, {m}",
        "Step {i}",
        "{name}, A., On the order of things in the long run of the years: Annals {n}, {m}",
    ],
)
def test_lists_and_tables_of_numbers_are_text(row: str) -> None:
    names = "Zurich Bern Wil Chur Zug Aarau Luzern Brig Thun Basel Uster Genf Sion Aigle Davos Cham".split()
    if "........" not in row:
        names.sort()
    rows = [
        row.format(name=name, i=i, n=i * 7 % 5 + 1, m=20 + i, x=(i * 7) % 16 + 1) for i, name in enumerate(names, 1)
    ]
    assert matter("\n".join(["Towns", "", *rows, "", "The end."])) == ()
