"""Scorers: by sentence, by a language model's grade, by its probabilities."""

import math
from typing import Any

import numpy as np
import pytest

from decoct.errors import ModelTimeoutError
from decoct.llm.base import Losses
from decoct.retrieve.scorers import SentenceScorer
from decoct.trace import recording
from decoct_lab.retrieve.score_llm import LLMScorer
from decoct_lab.retrieve.score_query_likelihood import QueryLikelihoodScorer
from decoct_lab.retrieve.score_yes_no import YesNoScorer
from decoct_testing.scripted import ScriptedLLM

TABLE = {"q": (1.0, 0.0), "One here.": (0.6, 0.8), "Two there.": (0.8, 0.6), "Three now.": (0.0, 1.0)}


def test_the_best_sentence_counts(embedder: Any) -> None:
    table = embedder(TABLE)
    texts = ["One here. Three now.", "Three now.", "Two there. One here.", "  "]
    assert SentenceScorer(table).score("q", texts).tolist() == pytest.approx([0.6, 0.0, 0.8, -2.0])
    assert [text for kind, text in table.seen if kind == "passage"] == ["One here.", "Three now.", "Two there."]
    assert len(SentenceScorer(table).score("q", [])) == 0


def test_grades() -> None:
    llm = ScriptedLLM(['{"grade": 2}', '{"grade": 0}', '{ "grade": 3 }'])
    assert LLMScorer(llm).score("why?", ["a", "b", "c"]).tolist() == [2, 0, 3]
    request = llm.requests[0]
    assert request.schema is not None
    assert request.prompt.startswith("score_llm:")
    assert "why?" in request.messages[-1].content
    assert request.messages[-1].content.endswith("a")


@pytest.mark.parametrize(
    "reply", ["fine", "{}", '{"grade": 9}', '{"grade": true}', '{"grade": "2"}', "[2]", '{"grade":']
)
def test_a_reply_without_a_grade_is_counted(reply: str) -> None:
    with recording() as trace:
        scores = LLMScorer(ScriptedLLM([reply, '{"grade": 0}'])).score("q", ["a", "b"])
    assert scores.tolist() == [-1, 0]
    assert trace.fallbacks == {"score_llm.reply": 1}


def test_failed_requests() -> None:
    failure = ModelTimeoutError("slow")
    with recording() as trace:
        scores = LLMScorer(ScriptedLLM(['{"grade": 1}'] * 2, {0: failure})).score("q", ["a", "b"])
    assert scores.tolist() == [-1, 1]
    assert trace.fallbacks == {"score_llm.failed": 1}
    with pytest.raises(ModelTimeoutError):
        LLMScorer(ScriptedLLM([failure, failure])).score("q", ["a", "b"])
    assert len(LLMScorer(ScriptedLLM([])).score("q", [])) == 0


def test_query_likelihood_prefers_what_predicts_the_question() -> None:
    llm = ScriptedLLM([])
    scores = QueryLikelihoodScorer(llm).score("red fox", ["a red fox", "a blue hen"])
    assert scores[0] > scores[1]
    prefix, continuation = llm.pairs[0]
    assert continuation == " red fox"
    assert "a red fox" in prefix
    assert scores[0] == pytest.approx(-llm.losses([(prefix, continuation)])[0].mean)


class YesModel:
    """Gives -log P of ' Yes' and ' No' from a table, by the passage in the prefix."""

    def losses(self, pairs: list[tuple[str, str]]) -> list[Losses]:
        table = {"sure": (0.8, 0.1), "unsure": (0.3, 0.3), "unlike": (0.05, 0.9)}
        found = []
        for prefix, answer in pairs:
            passage = next((word for word in table if f"\n{word}\n" in prefix), None)
            values = () if passage is None else (-math.log(table[passage][answer == " No"]),)
            found.append(Losses(values, ((0, len(answer)),) * len(values)))
        return found


def test_yes_no_by_hand() -> None:
    with recording() as trace:
        scores = YesNoScorer(YesModel()).score("q", ["sure", "unsure", "unlike", "silent"])  # type: ignore[arg-type]
    assert scores.tolist() == pytest.approx([math.log(8), 0, math.log(0.05 / 0.9), 0])
    assert scores.dtype == np.float32
    assert trace.fallbacks == {"score_yes_no.no_probabilities": 1}
