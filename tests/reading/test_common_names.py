"""Reading under common names: places stay true, and which names a case has decides nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.reading.base import (
    AnswerPlaces,
    AnswerSpan,
    PassageReader,
    Readable,
    Reading,
    SentenceRelevance,
    TitledText,
    languages_read,
)
from decoct.reading.common_names import COMMON, CommonNamesReader, name_words
from decoct.reading.small import BUNDLED, SmallReader
from decoct.text.sentences import sentences
from decoct_testing.passage_reader_contract import PASSAGES, QUESTION, PassageReaderContract


class TestContract(PassageReaderContract):
    @pytest.fixture
    def reader(self) -> PassageReader:
        return CommonNamesReader()


def places_of(words: Sequence[tuple[int, int]]) -> AnswerPlaces:
    begins, stops = (np.asarray(edges, dtype=np.float32) for edges in zip(*words, strict=True))
    none = np.zeros(len(words), dtype=np.float32)
    return AnswerPlaces(begins, stops, none, none)


class EveryWord:
    """Gives every word as a span, a place and a sentence, and keeps what it was asked."""

    fingerprint = "every-word"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        found = []
        for passage in passages:
            self.asked.append((question, passage.title, passage.text))
            words = [match.span() for match in re.finditer(r"\w+", passage.text)]
            found.append(
                Reading(
                    tuple(AnswerSpan(*word, 0.5) for word in words),
                    0.5,
                    0.5,
                    tuple(SentenceRelevance(*word, 0.5) for word in words),
                    places=places_of(words) if words else None,
                )
            )
        return found


TEXT = st.lists(
    st.sampled_from(["Harrow", "Bridge", "Johnson", "opened", "été", "in", "1934", ".", "Harrows", "Harrow's"]),
    max_size=14,
).map(" ".join)


@given(TEXT)
def test_what_is_read_lies_at_its_place_in_the_text_as_it_stands(text: str) -> None:
    (reading,) = CommonNamesReader(EveryWord()).read(QUESTION, [TitledText("", text)])
    words = [match.span() for match in re.finditer(r"\w+", text)]
    assert [(one.start, one.end) for one in reading.spans] == words
    assert [(one.start, one.end) for one in reading.sentences] == words
    if words:
        assert reading.places is not None
        assert list(zip(reading.places.begins.tolist(), reading.places.stops.tolist(), strict=True)) == words


def test_the_same_word_gives_way_to_the_same_name_everywhere() -> None:
    reader = EveryWord()
    CommonNamesReader(reader).read(
        QUESTION, [TitledText("Harrow Bridge", "The Harrow Bridge, not Harrowgate. Harrow's toll.")]
    )
    assert reader.asked == [
        (
            "When was the Johnson Williams opened?",
            "Johnson Williams",
            "The Johnson Williams, not Harrowgate. Johnson's toll.",
        )
    ]


def test_a_name_that_stands_in_the_passage_is_not_taken() -> None:
    reader = EveryWord()
    CommonNamesReader(reader).read(QUESTION, [TitledText("", "Harrow Bridge was built by Johnson."), PASSAGES[0]])
    assert [question for question, _, _ in reader.asked] == [
        "When was the Williams Jones opened?",
        "When was the Johnson Williams opened?",
    ]


def test_a_question_without_names_is_read_as_it_is() -> None:
    reader = SmallReader(threads=1)
    passages = [TitledText("", "Otters eat fish and crabs.")]
    assert CommonNamesReader(reader).read("what do otters eat?", passages) == reader.read(
        "what do otters eat?", passages
    )


def test_other_names_are_read_alike() -> None:
    """Contract of CASC: which names a case has decides nothing."""
    text = "The Harrow Bridge crosses the Lune. The mayor opened it on 3 May 1934. Tolls ended in 1960."
    (one,) = CommonNamesReader().read("When was the Harrow Bridge opened?", [TitledText("Harrow Bridge", text)])
    other = text.replace("Harrow", "Vornathil")
    (two,) = CommonNamesReader().read("When was the Vornathil Bridge opened?", [TitledText("Vornathil Bridge", other)])
    assert text[one.spans[0].start : one.spans[0].end] == "3 May 1934"
    assert [other[s.start : s.end] for s in two.spans] == [text[s.start : s.end] for s in one.spans]
    assert (two.answers, two.relevance) == (one.answers, one.relevance)
    assert [(s.start, s.end) for s in two.sentences] == sentences(other)


def test_name_words_are_the_capitalised_words_of_names_without_short_and_asking_ones() -> None:
    assert name_words("Did Ada Lovelace of the Royal Society meet H. G. Wells in 1840?") == [
        "Lovelace",
        "Royal",
        "Society",
        "Wells",
    ]
    assert name_words("who wrote the first program?") == []


def test_every_common_name_is_one_piece_of_the_vocabulary() -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
    tokenizer.no_padding()
    assert {len(tokenizer.encode(name, add_special_tokens=False).ids) for name in COMMON} == {1}


def test_it_knows_the_languages_of_its_reader_and_has_a_name_of_its_own() -> None:
    assert languages_read(CommonNamesReader()) == frozenset({"en"})
    assert languages_read(CommonNamesReader(EveryWord())) is None
    assert CommonNamesReader(EveryWord()).fingerprint == "every-word:common-names"
