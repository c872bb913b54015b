"""What a context or an answer cost, from its trace: counts such as model calls and tokens, and seconds.

A stage's counts are written at one level only, so sums over stages count everything once; the total time is that of the outermost stages
(inner ones are part of it). Cached replies cost nothing here: they are in `cache_hits`, `cached_prompt_tokens` and
`cached_completion_tokens`, not in the counts that have a price.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from decoct.trace import Trace


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run used: `counts` by name, seconds of it all, and of each stage."""

    counts: Counter[str]
    seconds: float
    stages: Mapping[str, float]


def from_trace(trace: Trace) -> Cost:
    """The cost that a trace records."""
    counts: Counter[str] = Counter()
    stages: dict[str, float] = {}
    for stage in trace.stages:
        counts.update(stage.counts)
        stages[stage.name] = stages.get(stage.name, 0.0) + stage.seconds
    return Cost(counts, sum(stage.seconds for stage in trace.stages if stage.depth == 0), stages)
