"""Chunks begin and end at words, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.chunking.base import Chunker
from decoct.chunking.recursive import Recursive
from decoct.chunking.sentence import SentencePacked
from decoct.chunking.structure import Structure
from decoct.data import Document
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.text.borders import border, words
from decoct.text.sentences import sentences
from decoct_lab.chunking.semantic import Semantic
from decoct_testing.hash_embedder import HashEmbedder

TOKENIZER = WordPieceTokenizer()
CHUNKERS = [
    Structure(TOKENIZER, 40),
    Structure(TOKENIZER, 40, overlap=1),
    SentencePacked(TOKENIZER, 40),
    SentencePacked(TOKENIZER, 40, overlap=2),
    Recursive(TOKENIZER, 40, 10),
    Recursive(TOKENIZER, 200, 60, "characters"),
    Semantic(HashEmbedder(16), TOKENIZER, min_tokens=5, max_tokens=40),
]
# Words of several tokens each; sizes are such that a word always fits.
PARTS = [
    "rebasing",
    "them",
    "in",
    "a",
    "topic-branch",
    "don't",
    "3.14159",
    "--no-ff",
    "Überprüfungsausschuss",
    "Киев",
    "λόγος",
    "한국어는",
]
TEXTS = st.lists(
    st.tuples(st.sampled_from(PARTS), st.sampled_from([" ", "\n", ", ", ". ", "\n\n", "\t", "\u00a0"])),
    min_size=1,
    max_size=300,
)


def pieces(text: str, size: int) -> list[str]:
    found, at = [], 0
    while len(text) - at > size:
        stop = border(text, at, at + size)
        found.append(text[at:stop])
        at = stop
    return [*found, text[at:]]


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@settings(max_examples=30, deadline=None)
@given(parts=TEXTS)
def test_no_chunk_begins_or_ends_inside_a_word(chunker: Chunker, parts: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in parts)
    for chunk in chunker.chunk(Document("d", text)):
        before, after = text[: chunk.span.start], text[chunk.span.end :]
        assert before[-1:].strip() == "", chunk.text
        assert after[:1].strip() in ("", ",", "."), chunk.text


def test_a_long_sentence_of_a_manual_is_cut_between_words() -> None:
    # As fixed windows do it, the second chunk would begin within "rebasing".
    text = "If you keep rebasing them in a topic branch whose commits were prepublished elsewhere " * 20
    for chunk in SentencePacked(TOKENIZER, 30).chunk(Document("d", text)):
        assert set(chunk.text.split()) <= set(text.split())


def test_lines_and_clauses_before_words() -> None:
    assert pieces("alpha beta gamma\ndelta epsilon", 20) == ["alpha beta gamma\n", "delta epsilon"]
    assert pieces("alpha beta, gamma delta epsilon", 18) == ["alpha beta,", " gamma delta ", "epsilon"]
    assert pieces("alpha beta gamma delta", 12) == ["alpha beta ", "gamma delta"]


def test_what_no_space_parts_is_cut_at_unicode_words() -> None:
    assert pieces("https://example.org/a-long-path/and-more", 16) == [
        "https://",
        "example.org/a-",
        "long-path/and-",
        "more",
    ]
    assert pieces("a,b,don't,3.14,e", 8) == ["a,b,", "don't,", "3.14,e"]


def test_a_word_longer_than_a_part_is_cut_between_characters() -> None:
    assert pieces("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    accented = "e\u0301" * 10
    assert pieces(accented, 5) == ["e\u0301" * 2] * 5
    assert pieces("👩‍👩‍👧" * 3, 7) == ["👩‍👩‍👧"] * 3


def test_chinese_and_japanese_are_cut_between_characters_and_by_preference_at_clauses() -> None:
    assert pieces("北京是中华人民共和国的首都，也是全国的政治中心", 16) == [
        "北京是中华人民共和国的首都，",
        "也是全国的政治中心",
    ]
    assert pieces("私は東京へ行きました", 6) == ["私は東京へ", "行きました"]
    # A run of Katakana and a number of digits are one word each.
    assert pieces("中文コンピュータ中文2026年", 9) == ["中文コンピュータ中", "文2026年"]
    assert pieces("文コンピュータ文2026年", 4)[-2:] == ["2026", "年"]


@pytest.mark.parametrize("size", [3, 7, 20])
def test_thai_is_cut_at_spaces_else_between_clusters(size: int) -> None:
    text = "ประเทศไทยมีเมืองหลวงชื่อกรุงเทพมหานคร และมีประชากรมากกว่าหกสิบล้านคน"
    found = pieces(text, size)
    assert "".join(found) == text
    for part in found[1:]:
        assert not unicodedata.category(part[0]).startswith("M"), "a mark stays with its letter"
    assert not any(part[-1] in "เแโใไ" for part in found), "a vowel stays with the consonant behind it"


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@pytest.mark.parametrize(
    "text",
    ["这是一个没有标点的句子" * 120, "これは句読点のない文ですがとても長い" * 80, "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 60],
    ids=["zh", "ja", "th"],
)
def test_scripts_without_spaces_give_chunks_of_the_size_asked_for(chunker: Chunker, text: str) -> None:
    chunks = chunker.chunk(Document("d", text))
    assert len(chunks) > 3
    assert chunks[0].span.start == 0
    assert chunks[-1].span.end == len(text)
    assert not any(unicodedata.category(chunk.text[0]).startswith("M") for chunk in chunks)


def test_an_overlong_sentence_ends_at_a_word() -> None:
    # No clause mark, no space in its first 1,200 characters.
    text = "部分-of-words/" * 300
    assert all(text[start:end].endswith(("/", "-")) for start, end in sentences(text)[:-1])


def test_words_cover_the_range() -> None:
    text = "see no-space,3.14 don't 東京 end"
    found = words(text, 4, len(text) - 4)
    assert "".join(text[a:b] for a, b in found) == text[4:-4]
    assert {"no", "space", "3.14", "don't", "東", "京"} <= {text[a:b] for a, b in found}


def test_letters_that_the_tokenizer_does_not_know_count_all_the_same() -> None:
    # To WordPiece a hundred letters of Thai are one token: 150 such tokens would be 15,000 letters.
    text = "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 400
    assert max(len(chunk.text) for chunk in SentencePacked(TOKENIZER, 150).chunk(Document("d", text))) <= 4 * 150 + 3
