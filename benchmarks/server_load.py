"""What HTTP costs: contexts asked by 32 clients of `decoct serve`, against the same contexts by threads of the engine itself.

    python benchmarks/server_load.py --questions 320

Both answer the same questions over the same library (the demo's documents), on loopback, one after the other in one run; compared is the
throughput a second of processor time, of the server's process and of this one, as the machine's other load changes the wall clock.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from setting import served

from decoct import Library
from decoct.server.demo import QUESTIONS, demo_library

CLIENTS = 32
BUDGET = 2_000


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=320)
    count = parser.parse_args().questions
    asked = [f"{QUESTIONS[n % len(QUESTIONS)]} ({n})" for n in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        place = demo_library(Path(folder))
        engine = _engine(place, asked)
        server = _server(place, asked)
    share = server["contexts_per_cpu_second"] / engine["contexts_per_cpu_second"]
    print(json.dumps({"cpus": os.cpu_count(), "engine": engine, "server": server, "share": round(share, 3)}, indent=1))


def _engine(place: Path, asked: list[str]) -> dict[str, float]:
    with Library.open(place) as library, ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as threads:
        library.context(QUESTIONS[0], BUDGET)
        cpu, wall = time.process_time(), time.perf_counter()
        list(threads.map(lambda question: library.context(question, BUDGET).tokens, asked))
        return _rates(len(asked), time.process_time() - cpu, time.perf_counter() - wall)


def _server(place: Path, asked: list[str]) -> dict[str, float]:
    seconds: list[float] = []
    with (
        served(place) as (url, pid),
        httpx.Client(base_url=url, timeout=120, limits=httpx.Limits(max_connections=CLIENTS)) as client,
    ):

        def ask(question: str) -> None:
            began = time.perf_counter()
            body = {"question": question, "budget": BUDGET}
            while (answer := client.post("/api/v1/libraries/demo/context", json=body)).status_code == 429:
                time.sleep(0.05)  # the rate of a key, which a fast machine reaches
            answer.raise_for_status()
            seconds.append(time.perf_counter() - began)

        ask(QUESTIONS[0])
        seconds.clear()
        cpu, wall = _cpu(pid), time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as threads:
            list(threads.map(ask, asked))
        told = _rates(len(asked), _cpu(pid) - cpu, time.perf_counter() - wall)
    return {**told, "p50_ms": _ms(statistics.median(seconds)), "p95_ms": _ms(statistics.quantiles(seconds, n=20)[18])}


def _rates(count: int, cpu: float, wall: float) -> dict[str, float]:
    return {
        "contexts": count,
        "contexts_per_cpu_second": round(count / cpu, 1),
        "contexts_per_second": round(count / wall, 1),
    }


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


if __name__ == "__main__":
    main()
