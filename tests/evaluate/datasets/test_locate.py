from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct_lab.datasets.locate import locate


@pytest.mark.parametrize(
    ("sentence", "text", "found"),
    [
        ("beta gamma.", "Alpha beta gamma.", "beta gamma."),
        (" beta ", "Alpha beta gamma.", "beta"),  # outer white space of the sentence
        ("beta gamma", "Alpha beta\n\n  gamma.", "beta\n\n  gamma"),
        ("beta\u00a0gamma", "Alpha beta gamma.", "beta gamma"),
        ("ﬁne wine", "Some fine wine.", "fine wine"),  # NFKC of a ligature
        ("fine wine", "Some ﬁne wine.", "ﬁne wine"),
        ("Möller said", "So Mo\u0308ller said.", "Mo\u0308ller said"),  # composed against decomposed
        ("it’s “so”", 'Well, it\'s "so".', 'it\'s "so"'),
    ],
)
def test_found(sentence: str, text: str, found: str) -> None:
    span = locate(sentence, text)
    assert span is not None
    assert text[span[0] : span[1]] == found


def test_nothing_is_guessed() -> None:
    assert locate("beta delta", "Alpha beta gamma.") is None
    assert locate("  ", "Alpha") is None


@given(st.text(max_size=30), st.text(min_size=1, max_size=10), st.text(max_size=30))
def test_what_is_there_is_found(before: str, sentence: str, after: str) -> None:
    span = locate(sentence, before + sentence + after)
    assert (span is None) == (not sentence.strip())
    if span:
        assert (before + sentence + after)[span[0] : span[1]] == sentence.strip()
