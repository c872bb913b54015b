"""What an answer cost: context tokens, model calls, tokens in and out, seconds a stage, and money at given prices.

All from the context's trace. A stage's counts are written at one level only, so sums over stages count everything once; the
total time is that of the outermost stages (inner ones are part of it). Money = sum over counts of amount × price / 1,000,000,
with prices a million by the count's name, e.g. {"prompt_tokens": 0.15, "completion_tokens": 0.60}. Cached replies cost nothing
here: they are in `cache_hits`, `cached_prompt_tokens` and `cached_completion_tokens`, not in the counts that have a price;
`fallbacks` tells how often a step did less than asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from decoct.data import Context
from decoct.errors import EvaluationError
from decoct.trace import Trace

PRICED = ("prompt_tokens", "completion_tokens", "model_calls")
"""The counts of a trace that may have a price."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run used."""

    context_tokens: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    cache_hits: int
    fallbacks: int
    seconds: float
    stages: Mapping[str, float] = field(default_factory=dict)
    cached_prompt_tokens: int = 0
    cached_completion_tokens: int = 0

    def money(self, prices: Mapping[str, float]) -> float:
        """The price of it, in the currency of `prices` (a million each); an unknown name is an `EvaluationError`."""
        if unknown := set(prices) - set(PRICED):
            raise EvaluationError(
                f"no price can be set for {', '.join(sorted(unknown))}; priced are {', '.join(PRICED)}"
            )
        return sum(float(getattr(self, name)) * price for name, price in prices.items()) / 1_000_000


def cost(context: Context) -> Cost:
    """The cost of a context and, if it was answered in the same recording, of its answer."""
    return from_trace(context.trace, context.tokens)


def from_trace(trace: Trace, context_tokens: int = 0) -> Cost:
    """The cost that a trace records."""
    total: Counter[str] = Counter()
    stages: dict[str, float] = {}
    for stage in trace.stages:
        total.update(stage.counts)
        stages[stage.name] = stages.get(stage.name, 0.0) + stage.seconds
    return Cost(
        context_tokens=context_tokens,
        model_calls=total["model_calls"],
        prompt_tokens=total["prompt_tokens"],
        completion_tokens=total["completion_tokens"],
        cache_hits=total["cache_hits"],
        fallbacks=sum(trace.fallbacks.values()),
        seconds=sum(stage.seconds for stage in trace.stages if stage.depth == 0),
        stages=stages,
        cached_prompt_tokens=total["cached_prompt_tokens"],
        cached_completion_tokens=total["cached_completion_tokens"],
    )
