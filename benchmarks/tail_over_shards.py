"""The tail of a question that waits for all of its shards: `python benchmarks/tail_over_shards.py` prints the rows of lab/docs/scale.md."""

from __future__ import annotations

import numpy as np
from setting import command_line

MEDIAN, SIGMA, QUESTIONS = 5.0, 0.5, 200_000


def main() -> None:
    command_line(__doc__).parse_args()
    random = np.random.default_rng(0)
    for shards in (1, 4, 12, 24):
        slowest = np.zeros(QUESTIONS)
        hedged = np.zeros(QUESTIONS)
        p95 = MEDIAN * np.exp(SIGMA * 1.6449)
        for _ in range(shards):
            first, second = (MEDIAN * np.exp(SIGMA * random.standard_normal(QUESTIONS)) for _ in range(2))
            slowest = np.maximum(slowest, first)
            hedged = np.maximum(hedged, np.where(first > p95, np.minimum(first, p95 + second), first))
        numbers = [np.median(slowest), np.quantile(slowest, 0.99), np.quantile(hedged, 0.99)]
        print(f"| {shards} | {1 - 0.99**shards:.0%} | " + " | ".join(f"{number:.1f} ms" for number in numbers) + " |")


if __name__ == "__main__":
    main()
