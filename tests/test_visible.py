"""What a terminal or page would act on is shown instead."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.visible import visible, visible_json, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext: é 日 🙂", "plain\n\ttext: é 日 🙂"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\rb\x00\x7f", "a␍b␀␡"),
        ("\x9b31m", "\ufffd31m"),
        ("\u202eabc\u2066", "\ufffdabc\ufffd"),
        ("\ud800", "\ufffd"),
    ],
)
def test_by_hand(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_lengths_stay_and_it_is_idempotent(text: str) -> None:
    assert len(visible(text)) == len(text)
    assert visible(visible(text)) == visible(text)
    assert visible(text).encode().decode() == visible(text)
    assert "\n" not in visible_line(text)


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_json_shows_nothing_that_acts_and_reads_back_as_it_was(value: dict[str, str]) -> None:
    written = visible_json(value)
    assert json.loads(written) == value
    assert visible(written) == written
    assert visible_json(value, ascii_only=True).isascii()
