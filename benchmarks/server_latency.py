"""What one answer over HTTP takes, on a connection that is kept, against the same call of the engine: p50 and p95 in milliseconds.

    python benchmarks/server_latency.py --requests 300 --out benchmarks/results/server_latency.json

One client, one request at a time, over the demo's documents, on loopback. Engine and server are asked the same questions by turns, so that
the machine's other load falls on both. `over_engine` is what HTTP adds; the target is 5 ms.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from setting import command_line, served, setting, write

from decoct import Library
from decoct.server.demo import QUESTIONS, demo_library

BUDGET, K = 2_000, 10
PER_SECOND = 15  # requests a second at most: below the rate of a caller


def main() -> None:
    """Measure, print JSON, and keep it where `--out` says."""
    parser = command_line(__doc__, out="")
    parser.add_argument("--requests", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = demo_library(Path(folder))
        found = _measured(place, asked.requests)
    write(asked.out, {"setting": setting(), "requests": asked.requests, **found})


def _measured(place: Path, count: int) -> dict[str, dict[str, float]]:
    with served(place) as (url, _), httpx.Client(base_url=url, timeout=60) as client, Library.open(place) as library:

        def post(kind: str, **body: object) -> None:
            client.post(f"/api/v1/libraries/demo/{kind}", json=body).raise_for_status()

        return {
            "health": _times(count, [], [lambda _: client.get("/health").raise_for_status()]),
            "search": _times(
                count, [lambda one: library.search(one, K)], [lambda one: post("search", question=one, k=K)]
            ),
            "context": _times(
                count,
                [lambda one: library.context(one, BUDGET)],
                [lambda one: post("context", question=one, budget=BUDGET)],
            ),
        }


def _times(
    count: int, engine: list[Callable[[str], object]], server: list[Callable[[str], object]]
) -> dict[str, float]:
    """Times of the calls by turns, the first ten of each not counted."""
    calls = [*engine, *server]
    seconds: list[list[float]] = [[] for _ in calls]
    for n in range(count + 10):
        question, turn = f"{QUESTIONS[n % len(QUESTIONS)]} ({n})", time.perf_counter()
        for at, call in enumerate(calls):
            began = time.perf_counter()
            call(question)
            seconds[at].append(time.perf_counter() - began)
        time.sleep(max(0.0, 1 / PER_SECOND - (time.perf_counter() - turn)))
    names = ["engine_", "server_"][-len(calls) :]
    told: dict[str, float] = {}
    for name, found in zip(names, seconds, strict=True):
        told[f"{name}p50_ms"] = _ms(statistics.median(found[10:]))
        told[f"{name}p95_ms"] = _ms(statistics.quantiles(found[10:], n=20)[18])
    if engine:
        told["over_engine_p50_ms"] = _ms(
            statistics.median(b - a for a, b in zip(*(one[10:] for one in seconds), strict=True))
        )
    return told


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


if __name__ == "__main__":
    main()
