"""Canonical text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.documents.canonical import canonical, checked, one_line
from decoct.errors import ParseError

ANY = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=60)


def test_line_ends_and_controls() -> None:
    assert canonical("a\r\nb\rc\x0bd\x85e\nf") == "a\nb\nc\nd\ne\nf"
    assert canonical("a\x00b\x07c\x9fd") == "a b c d"
    assert canonical("tab\tpage\fend") == "tab\tpage\fend"
    assert canonical("\ufeffa\ufeffb") == "a\ufeffb"
    assert canonical("a\ud800b") == "a\ufffdb"
    assert (
        canonical("\x1b[31;1mred\x1b[0m \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\ N\x08NA\x08A _\x08m")
        == "red link NA m"
    )
    assert canonical("  caf\u0065\u0301 \u2028 ") == "  caf\u0065\u0301 \u2028 "


@given(ANY)
def test_canonical_is_idempotent_and_can_be_encoded(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once
    once.encode("utf-8")
    assert not any(c < " " and c not in "\t\n\f" for c in once)


def test_one_line_folds_white_space() -> None:
    assert one_line(" A\n\ttitle\x00 here ") == "A title here"


def test_blank_and_too_long_texts_are_no_documents() -> None:
    assert checked("abc", 3) == "abc"
    with pytest.raises(ParseError, match="no text"):
        checked(" \n\f\t", 10)
    with pytest.raises(ParseError, match="4 characters, over the limit of 3"):
        checked("abcd", 3)
