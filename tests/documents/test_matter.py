"""What of a text is matter and no prose."""

from __future__ import annotations

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
