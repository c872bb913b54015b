"""Recursive splitting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.chunking.recursive import Recursive
from decoct.data import Document
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ConfigError
from decoct_testing.chunker_contract import TEXTS

TOKENIZER = WordPieceTokenizer()


def texts(size: int, overlap: int, text: str) -> list[str]:
    return [chunk.text for chunk in Recursive(TOKENIZER, size, overlap, "characters").chunk(Document("d", text))]


def test_a_text_that_fits_is_one_chunk() -> None:
    assert texts(11, 0, "hello\nworld") == ["hello\nworld"]


def test_paragraphs_are_packed_before_anything_finer_is_cut() -> None:
    assert texts(10, 0, "aaa\n\nbbb\n\nccc") == ["aaa\n\nbbb", "ccc"]


def test_each_kind_of_border_in_turn() -> None:
    # Paragraph 1 fits. Paragraph 2 (32 characters) is cut at its line break; its second line at the sentence; the second sentence at
    # spaces; its long word into slices of 12.
    text = "First part.\n\nsecond line\nA cat. The antidisestablish dog"
    assert texts(12, 0, text) == ["First part.", "second line", "A cat.", "The", "antidisestab", "lish", "dog"]


def test_overlap_repeats_whole_parts_within_the_size() -> None:
    # Words of 3 and a space: three make 11 characters; up to 7 characters of overlap are two words.
    assert texts(11, 7, "aaa bbb ccc ddd eee") == ["aaa bbb ccc", "bbb ccc ddd", "ccc ddd eee"]
    assert texts(11, 3, "aaa bbb ccc ddd eee") == ["aaa bbb ccc", "ccc ddd eee"]
    assert texts(11, 2, "aaa bbb ccc ddd eee") == ["aaa bbb ccc", "ddd eee"]


def test_a_text_without_borders_is_cut_every_250_of_350() -> None:
    # The setting of question compression: slices of gcd(350, 100) = 50 make 350 with 100 repeated.
    chunks = Recursive(TOKENIZER, 350, 100, "characters").chunk(Document("d", "x" * 900))
    assert [(c.span.start, c.span.end) for c in chunks] == [(0, 350), (250, 600), (500, 850), (750, 900)]


def test_sizes_in_tokens() -> None:
    chunks = Recursive(TOKENIZER, 4, 0).chunk(
        Document("d", "one two three\nfour five six\n\nseven eight nine ten eleven")
    )
    assert [c.text for c in chunks] == ["one two three", "four five six", "seven eight nine ten", "eleven"]


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(1, 60), st.integers(0, 59))
def test_no_chunk_is_longer_than_the_size(text: str, size: int, overlap: int) -> None:
    assert all(len(chunk) <= size for chunk in texts(size, min(overlap, size - 1), text))


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match="0 <= overlap < size"):
        Recursive(TOKENIZER, 100, 100)
