"""Sentences judged by a reader: what counts, by the numbers of the module's text; languages it does not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from decoct import trace
from decoct.context import sentence_judge
from decoct.context.merge.fuse_extract import Extract
from decoct.context.sentence_judge import NAMES, ByReading, features, judged, log_odds_of, signals
from decoct.data import Passage, Span
from decoct.reading.base import AnswerSpan, Readable, Reading, SentenceRelevance
from decoct.trace import recording

TEXT = "Bread is baked daily. The kiln is lit at six in the morning. Visitors come later."
QUESTION = "When do they start the fire?"


def passage(text: str, number: int = 0) -> Passage:
    return Passage(text, (Span(f"d{number}", 0, len(text)),), "quote", 1.0 - number, "Pottery")


@dataclass(frozen=True)
class OneSentence:
    """A reader to which only the sentence with `word` is relevant; it knows English."""

    word: str = "kiln"
    languages: frozenset[str] = frozenset({"en"})
    fingerprint: str = "one-sentence"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        found = []
        for one in passages:
            at = one.text.index(self.word)
            start, end = one.text.rfind(".", 0, at) + 2, one.text.index(".", at) + 1
            rest = [SentenceRelevance(0, start - 1, 0.1), SentenceRelevance(start, end, 0.9)]
            found.append(Reading((AnswerSpan(at, at + len(self.word), 0.8),), 0.7, 0.6, tuple(rest)))
        return found


def test_what_the_reader_finds_relevant_is_worth_most_though_it_shares_no_word() -> None:
    _, (by_features,) = judged(QUESTION, [passage(TEXT)])
    _, (by_reading,) = ByReading(OneSentence()).judged(QUESTION, [passage(TEXT)])
    assert int(np.argmax(by_reading)) == 1
    assert by_reading[1] - by_reading[0] > by_features[1] - by_features[0]


def test_a_sentence_is_weighed_as_the_formula_says() -> None:
    given = [passage(TEXT)]
    places, rows = features(QUESTION, given)
    told = signals(places, rows, OneSentence().read(QUESTION, given))
    odds = float(log_odds_of(rows)[1])
    assert told[1].tolist() == pytest.approx(
        [odds, np.log(9), np.log(1.5), np.log(0.8), rows[1, NAMES.index("rank")], 1.0], rel=1e-4
    )
    s = sentence_judge
    expected = (
        s.FEATURES * odds + s.SENTENCE * np.log(9) + s.PASSAGE * np.log(1.5) + s.PLACE * np.log(0.8) + s.FIRST + s.BIAS
    )
    _, (worth,) = ByReading(OneSentence()).judged(QUESTION, given)
    assert worth[1] == pytest.approx(1 / (1 + np.exp(-expected)), rel=1e-4)


def test_a_sentence_without_the_answers_place_is_bounded_below() -> None:
    given = [passage(TEXT)]
    places, rows = features(QUESTION, given)
    told = signals(places, rows, OneSentence().read(QUESTION, given))
    assert told[0, 3] == told[2, 3] == -9.0
    assert told[2, 1] == -9.0


def test_passages_in_a_language_that_the_reader_does_not_know_are_judged_by_features() -> None:
    german = passage(
        "Der Ofen wird um sechs Uhr morgens angezündet, und die Besucher kommen am Nachmittag in die Werkstatt."
    )
    with recording() as run:
        found = ByReading(OneSentence()).judged(QUESTION, [german])
    assert run.fallbacks == {"sentences.language": 1}
    expected = judged(QUESTION, [german])
    assert found[0] == expected[0]
    assert found[1][0].tolist() == expected[1][0].tolist()


def test_how_many_passages_were_read_is_counted() -> None:
    with recording() as run, trace.stage("construct"):
        ByReading(OneSentence()).judged(QUESTION, [passage(TEXT), passage(TEXT, 1)])
    assert [(one.name, one.counts["read"]) for one in run.stages] == [("construct", 2)]


def test_passages_are_read_once_also_where_nothing_fits() -> None:
    groups = [[passage(TEXT), passage(TEXT, 1)]]
    with recording() as run, trace.stage("construct"):
        found = Extract(judge=ByReading(OneSentence())).fuse_within(QUESTION, groups, lambda fused: -1)
    assert [one is not None for one in found] == [True]
    assert run.stages[0].counts["read"] == 2
