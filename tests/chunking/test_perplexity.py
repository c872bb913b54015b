"""PPL chunking and margin sampling with scripted losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log, nan

import pytest

from decoct.data import Document
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ConfigError
from decoct.llm.base import Losses
from decoct_lab.chunking.margin import MarginSampling, below_running_mean
from decoct_lab.chunking.perplexity import Perplexity, minima
from decoct_lab.chunking.ranges import grouped, merged_ranges

TOKENIZER = WordPieceTokenizer()


@pytest.mark.parametrize(
    ("losses", "theta", "found"),
    [
        ([3, 1, 3], 0, [1]),  # a minimum
        ([3, 1, 1, 3], 0, [1]),  # falls, then equal: the first of the two
        ([1, 1, 1], 0, []),  # level
        ([3, 2, 1], 0, []),  # ends never cut
        ([1, 2, 3], 0, []),
        ([1.25, 1, 1.5, 1, 1.125], 0.5, [1, 3]),  # one side of .5 is enough
        ([1.25, 1, 1.5, 1, 1.125], 0.75, []),
        ([1.3, 1, 1, 2], 0.5, []),  # a fall of .3 to a level is less than theta
        ([1.5, 1, 1, 2], 0.5, [1]),
        ([3, nan, 3, 1, 3], 0, [3]),  # what has no loss is no minimum
        ([], 0, []),
        ([1, 0], 0, []),
    ],
)
def test_minima(losses: list[float], theta: float, found: list[int]) -> None:
    assert minima(losses, theta, dynamic=False) == found


def test_dynamic_theta_is_the_smallest_drop_of_the_last_100_cuts() -> None:
    # 100 minima 1 below their neighbours raise theta from 0 to 1: then a minimum that is .5 deep is none, one of 1 is.
    losses = [2, 1] * 100 + [2, 1.5] + [2, 1] + [2]
    assert minima(losses, 0, dynamic=False) == list(range(1, 204, 2))
    assert minima(losses, 0, dynamic=True) == [*range(1, 200, 2), 203]


def test_grouping_and_joining() -> None:
    pieces = [(0, 4), (5, 9), (10, 14), (15, 19)]
    assert grouped(pieces, [1], shared=False) == [(0, 9), (10, 19)]
    assert grouped(pieces, [1], shared=True) == [(0, 9), (5, 19)]
    assert grouped([], [], shared=False) == []
    text = "a b. c d. e f. g h."
    assert merged_ranges(text, pieces, 4) == [(0, 9), (10, 19)]
    assert merged_ranges(text, pieces, 5) == [(0, 9), (10, 19)]
    assert merged_ranges(text, pieces, 0) == pieces


@dataclass(frozen=True)
class WordLosses:
    """Each word of the table has its loss wherever it stands; a model's tokens begin with the white space before the word."""

    table: Mapping[str, float]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        self.asked.extend(pairs)
        return [self._losses(text) for _, text in pairs]

    def _losses(self, text: str) -> Losses:
        values, offsets, at = [], [], 0
        for word in text.split():
            end = text.index(word, at) + len(word)
            values.append(self.table[word.strip(".")])
            offsets.append((at, end))
            at = end
        return Losses(tuple(values), tuple(offsets))


TEXT = "Odd odd. Odd plain. Odd odd. Plain odd. Odd odd. Odd odd."
TABLE = {"Odd": 4.0, "odd": 4.0, "plain": 2.0, "Plain": 1.0}  # sentence means: 4 3 4 2.5 4 4


def texts(chunker: Perplexity | MarginSampling, text: str = TEXT) -> list[str]:
    return [chunk.text for chunk in chunker.chunk(Document("d", text))]


def test_cuts_after_the_sentences_of_lowest_loss() -> None:
    expected = ["Odd odd. Odd plain.", "Odd odd. Plain odd.", "Odd odd. Odd odd."]
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER)) == expected
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, theta=1.2)) == [" ".join(expected[:2]), expected[2]]
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, theta=2.0)) == [TEXT]


def test_the_minimum_sentence_can_belong_to_both_sides() -> None:
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, shared=True)) == [
        "Odd odd. Odd plain.",
        "Odd plain. Odd odd. Plain odd.",
        "Plain odd. Odd odd. Odd odd.",
    ]


def test_neighbours_are_merged_up_to_a_number_of_words() -> None:
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, merge_words=8)) == [
        "Odd odd. Odd plain. Odd odd. Plain odd.",
        "Odd odd. Odd odd.",
    ]


def test_long_chunks_are_packed_from_sentences() -> None:
    # 3 tokens a sentence: at most two in 6 tokens.
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, theta=9, max_tokens=6)) == [
        "Odd odd. Odd plain.",
        "Odd odd. Plain odd.",
        "Odd odd. Odd odd.",
    ]
    assert texts(Perplexity(WordLosses(TABLE), TOKENIZER, theta=9, max_tokens=0)) == [TEXT]


def test_long_texts_are_read_in_batches_with_what_stands_before() -> None:
    model = WordLosses(TABLE)
    whole = texts(Perplexity(WordLosses(TABLE), TOKENIZER))
    assert texts(Perplexity(model, TOKENIZER, batch=6, prefix=3)) == whole
    assert model.asked == [
        ("", "Odd odd. Odd plain."),
        ("Odd plain.", " Odd odd. Plain odd."),
        ("Plain odd.", " Odd odd. Odd odd."),
    ]


def test_shared_sentences_of_long_chunks_stay_in_order() -> None:
    # Chunks 1-2, 2-4, 4-6; no two sentences fit in 3 tokens: each sentence stands once.
    model = WordLosses(TABLE)
    expected = ["Odd odd.", "Odd plain.", "Odd odd.", "Plain odd.", "Odd odd.", "Odd odd."]
    assert texts(Perplexity(model, TOKENIZER, shared=True, max_tokens=3)) == expected


def test_a_text_of_two_sentences_asks_nothing() -> None:
    model = WordLosses(TABLE)
    assert texts(Perplexity(model, TOKENIZER), "Odd odd. Plain.") == ["Odd odd. Plain."]
    assert model.asked == []


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ConfigError, match="perplexity chunks"):
        Perplexity(WordLosses({}), TOKENIZER, theta=-1)
    with pytest.raises(ConfigError, match="margin chunks"):
        MarginSampling(WordLosses({}), TOKENIZER, max_tokens=0)


@dataclass(frozen=True)
class Separates:
    """Answers " 1" (separate) with .8 where the second part names one of `words`, else with .2."""

    words: tuple[str, ...]

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        found = []
        for prompt, option in pairs:
            second = prompt.partition("Second part:")[2].partition("Option 1")[0]
            separate = 0.8 if any(word in second for word in self.words) else 0.2
            found.append(Losses((-log(separate if option == " 1" else 1 - separate),), ((0, 2),)))
        return found


def test_margins_below_their_running_mean_cut() -> None:
    # Thresholds: 0, .6, .6, (.6 + .6 - .6) / 3 = .2, ...
    assert below_running_mean([0.6, 0.6, -0.6, 0.1, 0.5]) == [2, 3]
    assert below_running_mean([-0.1, 0.0]) == [0]
    assert below_running_mean([]) == []


def test_margin_sampling_cuts_where_the_model_would() -> None:
    text = "Cats sleep. Cats hunt. Bonds fell. Bonds yield."
    assert texts(MarginSampling(Separates(("Bonds fell",)), TOKENIZER), text) == [
        "Cats sleep. Cats hunt.",
        "Bonds fell. Bonds yield.",
    ]
    assert texts(MarginSampling(Separates(()), TOKENIZER), text) == [text]
    assert texts(MarginSampling(Separates(()), TOKENIZER), "Cats.") == ["Cats."]
