"""A question in a language that an embedder does not know is told; and texts that every tokenizer accepts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.embed.base import FALLBACK, tell_unknown, unknown_language, well_formed
from decoct.trace import recording

ENGLISH, GERMAN = frozenset({"en"}), frozenset({"en", "de"})
ASKED = {
    "en": "What is the height of the bridge?",
    "de": "Wie hoch ist die Brücke über den Fluss?",
    "ko": "다리는 얼마나 높습니까?",
}


@pytest.mark.parametrize(
    ("question", "known", "language"),
    [
        (ASKED["en"], ENGLISH, None),
        (ASKED["de"], ENGLISH, "de"),
        (ASKED["de"], GERMAN, None),
        (ASKED["ko"], GERMAN, "ko"),
        ("Brno", ENGLISH, None),  # a name alone tells no language
        ("", ENGLISH, None),
        (ASKED["en"] + " " + ASKED["en"] * 20 + ASKED["ko"], ENGLISH, None),  # what comes late is not read
    ],
)
def test_the_language_of_a_question_that_is_not_known(
    question: str, known: frozenset[str], language: str | None
) -> None:
    assert unknown_language(question, known) == language


def test_each_question_is_counted_and_the_language_noted() -> None:
    with recording() as record:
        tell_unknown([ASKED["de"], ASKED["en"], ASKED["ko"]], ENGLISH)
    assert record.fallbacks == {FALLBACK: 2}
    assert record.facts == {"question_language": "ko"}
    with recording() as silent:
        tell_unknown([ASKED["en"]], ENGLISH)
        tell_unknown([], ENGLISH)
    assert (silent.fallbacks, silent.facts) == ({}, {})


def test_half_a_surrogate_pair_becomes_one_replacement_character() -> None:
    assert well_formed("a\ud800b\udfffc") == "a\ufffdb\ufffdc"
    assert well_formed("😀 ü") == "😀 ü"


@given(st.text(st.characters() | st.characters(categories=["Cs"]), max_size=20))
def test_every_text_can_be_encoded_and_keeps_its_offsets(text: str) -> None:
    found = well_formed(text)
    found.encode()
    assert len(found) == len(text)
    assert all(a == b for a, b in zip(text, found, strict=True) if b != "\ufffd")
