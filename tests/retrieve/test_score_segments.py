"""The segment-aware scorer: values by hand, and what it decides that unions cannot."""

from __future__ import annotations

from math import log

import pytest

from decoct.retrieve.base import Scorer
from decoct_lab.retrieve.score_segments import SegmentScorer
from decoct_testing.retriever_contract import ScorerContract


def test_by_hand() -> None:
    texts = ["the director", "director of the film film", "sea"]
    scores = SegmentScorer().score("Who was the director of the film?", texts)
    idf_director, idf_film = log(1 + 1.5 / 2.5), log(1 + 2.5 / 1.5)
    assert scores[0] == pytest.approx(idf_director / 2.2 + 0.25 * idf_director)
    assert scores[1] == pytest.approx(idf_director / 2.2 + 0.25 * idf_director + idf_film * 2 / 3.2 + 0.25 * idf_film)
    assert scores[2] == 0


def test_a_whole_segment_is_ahead_of_as_many_words_of_several() -> None:
    texts = ["the stone bridge", "a stone seen by Rome", "a bridge near Rome"]
    question = "stone bridge in Rome"
    plain = SegmentScorer(bonus=0).score(question, texts)
    assert plain == pytest.approx(plain[0])
    scores = SegmentScorer().score(question, texts)
    # Every word is in two of three: the first holds a segment of two words, the others one of one word.
    assert scores[0] > scores[1] == pytest.approx(scores[2])


def test_years_count() -> None:
    scores = SegmentScorer().score("Which film (1983)?", ["a film of 1983", "a film of 1984"])
    assert scores[0] > scores[1]


class TestContract(ScorerContract):
    @pytest.fixture
    def scorer(self) -> Scorer:
        return SegmentScorer()
