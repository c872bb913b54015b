"""A word is one word in every form of Unicode, to the index, to questions and to comparisons."""

from __future__ import annotations

import pytest

from decoct.text.analysis import folded, stems
from decoct.text.words import content_stems, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "Cafe\u0301"),
        ("phở", "pho\u031b\u0309"),
        ("office", "o\ufb03ce"),
        ("financial floor", "\ufb01nancial \ufb02oor"),
        ("maintenance", "main\u00adte\u00adnance"),
        ("maintenance", "main\u200btenance\ufeff"),
        ("Pump 12", "\uff30\uff55\uff4d\uff50 \uff11\uff12"),
        ("ガス", "\uff76\uff9e\uff7d"),
        ("ร้านปิด", "ร้าน\u200bปิด"),
        ("میخواهم", "می\u200cخواهم"),
    ],
)
def test_a_word_in_another_form_of_unicode_is_the_same_word(one: str, other: str) -> None:
    assert stems(one) == stems(other)
    assert words(one) == words(other)
    assert content_stems(one) == content_stems(other)
    assert folded(other) == folded(one)


def test_what_is_raised_keeps_its_meaning_and_plain_text_is_untouched() -> None:
    assert folded("12 m² at 5 °C") == "12 m² at 5 °C"
    assert folded("plain") == "plain"
