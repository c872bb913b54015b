from __future__ import annotations

import pytest

from decoct.evaluate.metrics.answers import normalise, tokens


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The A-Team!", "ateam"),  # punctuation goes first, so "A-" is no article
        ("an apple a day", "apple day"),
        ("  The  \n Beatles ", "beatles"),
        ("Theatre", "theatre"),  # "the" only as a whole word
        ("U.S.A.", "usa"),
        ("3.5%", "35"),
        ("l'été", "lété"),  # accents stay
        ("The!", ""),
        ("“A”", "“ ”"),  # only ASCII punctuation is dropped
    ],
)
def test_lower_then_punctuation_then_articles_then_space(text: str, form: str) -> None:
    assert normalise(text) == form


def test_tokens_are_the_words_of_the_form() -> None:
    assert tokens("The quick, brown fox.") == ["quick", "brown", "fox"]
