"""Local models in this process: generation speed alone and in a batch, and what a shared prefix saves in log-likelihoods.

python benchmarks/llm_local.py smollm2-135m-instruct qwen2.5-coder-0.5b-instruct > benchmarks/results/llm_local.json

Seconds are CPU seconds of this process beside wall time: on a shared machine only ratios within one run mean anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from setting import command_line, setting, write

from decoct.llm.base import Message, Reply, Request
from decoct_local.llama_engine import available_threads
from decoct_local.llamacpp import LlamaCpp
from decoct_local.models import find

PREFIX = "Military instruction started at the university in 1912, by an act of its board of regents. " * 8
TEXTS = [
    f"The campus number {n} lies in Quezon City, and its first president taught law for {n} years." for n in range(8)
]


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"wall_s": round(time.perf_counter() - wall, 3), "cpu_s": round(time.process_time() - cpu, 3)}


def measure(name: str) -> dict[str, Any]:
    path = find(name)
    if path is None:
        raise SystemExit(f"{name} is not on this machine; run: decoct models pull {name}")
    llm = LlamaCpp(path, context=2048, concurrency=4)
    requests = [Request((Message("user", f"Write about the number {n}."),), max_tokens=32) for n in range(4)]
    llm.complete([Request((Message("user", "Hi"),), max_tokens=1)])
    one, alone = timed(lambda: llm.complete(requests[:1]))
    four, batch = timed(lambda: llm.complete(requests))
    written = [sum(r.completion_tokens for r in replies if isinstance(r, Reply)) for replies in (one, four)]
    llm.losses([("a", "b")])
    shared, together = timed(lambda: llm.losses([(PREFIX, text) for text in TEXTS]))
    apart, separate = timed(lambda: [llm.losses([(PREFIX, text)])[0] for text in TEXTS])
    llm.close()
    return {
        "model": llm.fingerprint,
        "generate_1": {**alone, "tokens": written[0], "tokens_per_s": round(written[0] / alone["wall_s"], 1)},
        "generate_4": {**batch, "tokens": written[1], "tokens_per_s": round(written[1] / batch["wall_s"], 1)},
        "losses_shared": together,
        "losses_separate": separate,
        "prefix_tokens": llm.count(PREFIX),
        "continuation_tokens": sum(llm.counts(TEXTS)),
        "speed_up_wall": round(separate["wall_s"] / together["wall_s"], 2),
        "speed_up_cpu": round(separate["cpu_s"] / together["cpu_s"], 2),
        "largest_difference_of_means": round(max(abs(a.mean - b.mean) for a, b in zip(shared, apart, strict=True)), 5),
    }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument(
        "models", nargs="*", default=["smollm2-135m-instruct"], help="names as `decoct models` lists them"
    )
    names = parser.parse_args().models
    write(None, {**setting(), "threads": available_threads(), "models": [measure(name) for name in names]})


if __name__ == "__main__":
    main()
