from __future__ import annotations

from decoct import trace
from decoct.evaluate.run import costs_of


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
    counts, seconds, stages = costs_of(record)
    assert [counts[name] for name in ("model_calls", "prompt_tokens", "completion_tokens")] == [3, 150, 10]
    assert [counts[name] for name in ("cache_hits", "cached_prompt_tokens", "cached_completion_tokens")] == [
        3,
        70,
        9,
    ]
    assert seconds == 6.0  # the inner 1.5 is part of the outer 2
    assert stages == {"retrieve": 2.0, "expand": 1.5, "answer": 4.0}


def test_nothing_recorded_costs_nothing() -> None:
    counts, seconds, stages = costs_of(trace.Trace())
    assert (seconds, counts["model_calls"], stages) == (0, 0, {})
