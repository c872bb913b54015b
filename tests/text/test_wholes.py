"""What of a text is one whole."""

from __future__ import annotations

import pytest

from decoct.text.wholes import whole_words, wholes

TEXT = "Room B-241 holds 12 people. Room D-214 holds 55.\n\n1. Weekdays\n   - Cafe: 8 to 17\n2. Weekends\n\n| Shaft | 5 | |"


def test_wholes_are_sentences_items_and_cells_without_their_marks() -> None:
    assert [TEXT[slice(*one)] for one in wholes(TEXT)] == [
        "Room B-241 holds 12 people.", "Room D-214 holds 55.", "Weekdays", "Cafe: 8 to 17", "Weekends", "Shaft", "5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("read", "whole"),
    [
        ("12 people. Room", "12 people."),
        ("17\n2", "17"),
        ("| 5", "5"),
        ("1. Weekdays", "Weekdays"),
        ("1.", None),
        ("| |", None),
    ],
)
def test_words_keep_within_one_whole(read: str, whole: str | None) -> None:
    at = TEXT.index(read)
    place = whole_words(TEXT, at, at + len(read))
    assert (TEXT[slice(*place)] if place else None) == whole


@pytest.mark.parametrize(
    ("text", "said", "whole"),
    [
        ("It defaults to 300 (5 min).", "300 (5 min", "300 (5 min)"),
        ("Take (2 x cores) + 1 of them.", "2 x cores) + 1", "(2 x cores) + 1"),
        ('The default is "~/.init.js", a file.', '"~/.init.js', '"~/.init.js"'),
        (
            "Paid by Bo (a clerk. It rained) then.",
            "Bo (a clerk",
            "Bo (a clerk",
        ),  # its other half is in another sentence
        ("A (small) boat.", "boat", "boat"),
    ],
)
def test_a_bracket_is_taken_with_its_other_half(text: str, said: str, whole: str) -> None:
    place = whole_words(text, text.index(said), text.index(said) + len(said))
    assert place is not None
    assert text[slice(*place)] == whole


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        ("Total due 1,876.67 by May", "1,876", "1,876.67"),
        ("Total due 1,876.67 by May", "876.67", "1,876.67"),
        ("Doors 10:30 for members", "10", "10:30"),
        ("| Sum | 18’400 |", "400", "18’400"),
        ("It took 12, 40 at most.", "12", "12"),
        ("From 8:00-17:30 every day.", "8:00", "8:00"),
        ("Version 4.", "4", "4"),
    ],
)
def test_a_number_is_never_cut(text: str, cut: str, whole: str) -> None:
    start = text.index(cut)
    place = whole_words(text, start, start + len(cut))
    assert place is not None
    assert text[slice(*place)] == whole
