"""From ranges to chunks, and a text measured in tokens: where tokens begin, how many a range has, and parts of so many."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.chunking.cut import LETTERS, LONGEST, Ruler, cut
from decoct.data import Document, Span


@dataclass(frozen=True)
class Words:
    """A token is a run of anything but spaces."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        found, start = [], None
        for at, one in enumerate(f"{text} "):
            if one == " " and start is not None:
                found.append((start, at))
                start = None
            elif one != " " and start is None:
                start = at
        return found


@dataclass(frozen=True)
class Given:
    """Tokens wherever the test wants them."""

    places: tuple[tuple[int, int], ...]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return list(self.places)


# -- ranges ------------------------------------------------------------------------------------------------------
def test_chunks_have_no_white_space_at_their_ends_and_blank_ranges_give_none() -> None:
    document = Document("d", "  one two \n\t three", "Title")
    chunks = cut(document, [(0, 10), (9, 13), (10, 18), (4, 5)])
    assert [(chunk.text, chunk.span) for chunk in chunks] == [
        ("one two", Span("d", 2, 9)),
        ("three", Span("d", 13, 18)),
        ("e", Span("d", 4, 5)),
    ]
    assert {chunk.title for chunk in chunks} == {"Title"}
    assert cut(document, []) == []


# -- measuring ---------------------------------------------------------------------------------------------------
TEXT = "one two  three four"  # tokens at 0, 4, 9, 15


def test_a_token_counts_where_it_begins() -> None:
    ruler = Ruler(TEXT, Words())
    assert len(ruler) == 4
    assert ruler.tokens(0, 19) == 4
    assert ruler.tokens(0, 4) == 1
    assert ruler.tokens(0, 5) == 2
    assert ruler.tokens(1, 9) == 1
    assert ruler.tokens(5, 9) == 0


def test_the_border_of_a_token_is_where_it_begins_and_the_ends_are_the_texts() -> None:
    ruler = Ruler("  one two", Words())
    assert [ruler.border(token) for token in (-1, 0, 1, 2, 9)] == [0, 0, 6, 9, 9]


def test_a_very_long_token_counts_as_many() -> None:
    text = "x" * (LONGEST + 1)
    assert len(Ruler(text, Words())) == -(-(LONGEST + 1) // LETTERS)
    assert len(Ruler("x" * LONGEST, Words())) == 1
    assert len(Ruler(text, Words(), longest=0)) == 1


def test_a_text_without_a_token_still_has_one() -> None:
    ruler = Ruler("\x00\x01", Given(()))
    assert (len(ruler), ruler.tokens(0, 2), ruler.split(0, 2, 1)) == (1, 1, [(0, 2)])


# -- parts -------------------------------------------------------------------------------------------------------
def test_parts_hold_at_most_so_many_tokens_and_are_cut_between_words() -> None:
    ruler = Ruler(TEXT, Words())
    assert ruler.split(0, 19, 4) == [(0, 19)]
    assert [TEXT[a:b] for a, b in ruler.split(0, 19, 2)] == ["one two  ", "three four"]
    assert [TEXT[a:b].strip() for a, b in ruler.split(0, 19, 1)] == ["one", "two", "three", "four"]
    assert [TEXT[a:b] for a, b in ruler.split(4, 14, 9)] == ["two  three"]
    assert ruler.split(7, 7, 2) == []


def test_tokens_that_begin_at_one_character_stay_together() -> None:
    """A Hangul syllable may be three tokens: no part of one token can hold it, and none is empty."""
    ruler = Ruler("가 나", Given(((0, 1), (0, 1), (0, 1), (2, 3))))
    assert ruler.split(0, 3, 1) == [(0, 2), (2, 3)]


@settings(max_examples=60)
@given(st.text("ab ,\n가", max_size=60), st.integers(1, 5))
def test_parts_are_the_range_in_order_without_gaps(text: str, size: int) -> None:
    ruler = Ruler(text, Words())
    parts = ruler.split(0, len(text), size)
    assert "".join(text[a:b] for a, b in parts) == text
    assert all(a < b for a, b in parts)
    assert all(ruler.tokens(a, b) <= size for a, b in parts)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_one_word_longer_than_a_part_is_cut_inside(size: int) -> None:
    text = "x" * 100
    parts = Ruler(text, Words()).split(0, 100, size)
    assert {b - a for a, b in parts[:-1]} == {size * LETTERS}
    assert parts[-1][1] == 100
