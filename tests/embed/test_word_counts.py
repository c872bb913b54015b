"""A text's tokens are the sum of its words'."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from decoct.embed import tokenizer
from decoct.embed.minilm.weights import TOKENIZER
from decoct.embed.tokenizer import FEW, WordCounts, WordPieceTokenizer

# Blanks, breaks and marks of every kind between letters: what Python calls white space and the tokenizer deletes, and the other way round.
PARTS = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(
        [
            " ",
            "\n",
            "\r\n",
            "\t",
            "\x0b",
            "\x1c",
            "\x85",
            "\xa0",
            "\u2028",
            "\u3000",
            "\u200d",
            "\u0301",
            "word",
            "Straße",
            "東京",
            "don't",
        ]
    ),
)


@given(st.lists(PARTS, max_size=20).map("".join))
def test_as_many_as_in_the_text_read_at_once(text: str) -> None:
    tokenizer = WordPieceTokenizer()
    assert tokenizer.count(text) == len(tokenizer.offsets(text))
    assert tokenizer.counts([text, text]) == [tokenizer.count(text)] * 2


class Letters:
    """Counts letters, and records what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return [len(text) for text in texts]


def test_a_word_is_read_once() -> None:
    read = Letters()
    counts = WordCounts(read)
    assert counts.of("to be or\nnot to  be") == 13
    assert counts.of("be not") == 5
    assert read.asked == ["to", "be", "or", "not"]


def test_long_words_are_not_kept_and_old_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "MOST", 4)
    read = Letters()
    counts = WordCounts(read)
    for _ in range(2):
        assert counts.of("x" * 41) == 41
    assert read.asked == ["x" * 41] * 2
    assert counts.of("a b c") == 3
    assert counts.of("d e a") == 3
    assert read.asked[2:] == ["a", "b", "c", "d", "e"]
    assert counts.of("a d") == 2
    assert read.asked[7:] == ["a"]


def test_threads_agree() -> None:
    texts = [" ".join(f"word{n * m % 97}" for n in range(200)) for m in range(40)]
    expected = [len(text.replace(" ", "")) for text in texts]
    counts = WordCounts(Letters())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(counts.of, texts)) == expected


@pytest.mark.parametrize("words", [1, FEW, FEW + 1, 10 * FEW])
def test_new_words_count_the_same_read_one_by_one_or_at_once(words: int) -> None:
    text = " ".join(f"Wort{words}x{number}ß's" for number in range(words))
    tokenizer = WordPieceTokenizer()
    assert tokenizer.count(text) == len(tokenizer.offsets(text))
    assert tokenizer.counts([text]) == [tokenizer.count(text)]


def test_words_of_the_vocabulary_are_one_token_each() -> None:
    vocabulary = Tokenizer.from_file(str(TOKENIZER)).get_vocab()
    words = [form for word in sorted(vocabulary) if word.isascii() and word.isalpha() for form in (word, word.upper())]
    assert len(words) > 40_000
    read = WordPieceTokenizer().offsets(" ".join(words))
    assert len(read) == len(words)
    assert WordPieceTokenizer().counts(words) == [1] * len(words)


@given(st.lists(st.lists(PARTS, max_size=60).map("".join), min_size=1, max_size=4).map("\n".join))
def test_lines_that_are_remembered_count_what_their_words_do(text: str) -> None:
    long = text + " and more words than would be read anew" * 3 + "\n" + text
    tokenizer = WordPieceTokenizer()
    assert tokenizer.counts([long, long]) == [len(tokenizer.offsets(long))] * 2


def test_a_long_line_is_read_once_and_old_lines_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "MOST", 1)  # words are forgotten at once, lines are not
    monkeypatch.setattr(tokenizer, "MOST_IN_LINES", 150)
    read = Letters()
    counts = WordCounts(read)
    line, other = "a" * 120, "b" * 120
    assert [counts.of(f"{line}\nx"), counts.of(f"y\n{line}")] == [121, 121]
    assert read.asked == [line, "x", "y"]
    assert [counts.of(other), counts.of(line), counts.of("c" * 120), counts.of(line)] == [120] * 4
    assert read.asked[3:] == [other, "c" * 120, line]
