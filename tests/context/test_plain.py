from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct_lab.datasets.plain import plain


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("as it is", "as it is"),
        ("two  blanks\n\tand lines", "two blanks and lines"),
        ("“quoted” – it’s", '"quoted" - it\'s'),
        ("ﬁne … ½\u00a0m", "fine ... 1⁄2 m"),
        ("e\u0301te\u0301", "été"),
        ("ｆｕｌｌ 日本", "full 日本"),
    ],
)
def test_normal_forms(text: str, normal: str) -> None:
    assert plain(text).text == normal


def test_ranges_map_back_to_whole_original_characters() -> None:
    text = "a  ﬁne… day"  # normal: "a fine... day"
    found = plain(text)
    assert found.text == "a fine... day"
    assert found.origin(2, 6) == (3, 6)  # "fine" <- "ﬁne"
    assert found.origin(3, 4) == (3, 4)  # half a ligature is the ligature
    assert found.origin(6, 9) == (6, 7)
    assert found.origin(10, 13) == (8, 11)
    assert found.origin(0, 13) == (0, 11)


def test_quotes_and_dashes_move_nothing() -> None:
    text = "“été” – it’s"
    found = plain(text)
    assert found.text == '"été" - it\'s'
    assert [found.origin(at, at + 1) for at in range(len(text))] == [(at, at + 1) for at in range(len(text))]


@given(st.text(st.sampled_from("ab  \n\u00a0ﬁ…é\u0301“日½")))
def test_every_character_maps_to_what_it_was_made_of(text: str) -> None:
    found = plain(text)
    assert "  " not in found.text.replace(" \u0301", "")
    for at, letter in enumerate(found.text):
        start, end = found.origin(at, at + 1)
        source = text[start:end]
        assert start < end
        assert letter in {" ", '"', *unicodedata.normalize("NFKC", source)}
