from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from words import WordTokenizer

from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.evaluate.contexts import Counting

TEXT = st.text(max_size=200) | st.lists(
    st.sampled_from(["naïve", "Ünï", "a\u0301b", "x\x0by", "\u00a0", "中文字", "don't", "\x1c", "[UNK]"]), max_size=20
).map(" ".join)


@settings(deadline=None, max_examples=300)
@given(st.lists(TEXT, max_size=4))
def test_counts_are_the_tokenizers_own_to_the_token(texts: list[str]) -> None:
    assert Counting(WordPieceTokenizer()).counts(texts) == WordPieceTokenizer().counts(texts)


def test_remembered_counts_are_the_same() -> None:
    counting = Counting(WordPieceTokenizer())
    first = counting.count("Unbelievable  things\nhappen.")
    assert (
        counting.count("Unbelievable  things\nhappen.")
        == first
        == WordPieceTokenizer().count("Unbelievable  things\nhappen.")
    )


def test_other_tokenizers_count_whole_texts() -> None:
    asked: list[str] = []

    class Spy(WordTokenizer):
        def count(self, text: str) -> int:
            asked.append(text)
            return super().count(text)

    counting = Counting(Spy())
    assert counting.counts(["a b", "a b", "c"]) == [2, 2, 1]
    assert counting.count("a b") == 2
    assert asked == ["a b", "c"]
