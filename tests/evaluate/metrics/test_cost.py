from __future__ import annotations

import pytest
from words import WordTokenizer

from decoct import trace
from decoct.budget import Budget
from decoct.data import Context
from decoct.errors import EvaluationError
from decoct.evaluate.metrics.cost import cost


def test_sums_over_stages_and_times_of_the_outermost() -> None:
    with trace.recording() as record:
        with trace.stage("retrieve"):
            trace.count(model_calls=1, prompt_tokens=100)
            with trace.stage("expand"):
                trace.count(model_calls=2, prompt_tokens=50, completion_tokens=10)
                trace.count(cache_hits=3, cached_prompt_tokens=70, cached_completion_tokens=9)
        with trace.stage("answer"):
            trace.fallback("reader.json", 2)
    for stage, seconds in zip(record.stages, (2.0, 1.5, 4.0), strict=True):
        stage.seconds = seconds
    made = cost(Context("q?", "three words here", (), Budget(9, WordTokenizer()), record))
    assert (made.context_tokens, made.model_calls, made.prompt_tokens, made.completion_tokens) == (3, 3, 150, 10)
    assert (made.cache_hits, made.fallbacks, made.seconds) == (3, 2, 6.0)  # the inner 1.5 is part of the outer 2
    assert (made.cached_prompt_tokens, made.cached_completion_tokens) == (70, 9)
    assert made.stages == {"retrieve": 2.0, "expand": 1.5, "answer": 4.0}
    # 150 x 0.15 / 1e6 + 10 x 0.60 / 1e6
    assert made.money({"prompt_tokens": 0.15, "completion_tokens": 0.60}) == pytest.approx(28.5e-6)


def test_an_unknown_price_is_an_error() -> None:
    made = cost(Context("q?", "", (), Budget(9, WordTokenizer()), trace.Trace()))
    assert made.seconds == 0
    with pytest.raises(EvaluationError, match="promt_tokens; priced are prompt_tokens"):
        made.money({"promt_tokens": 1.0})
