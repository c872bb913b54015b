"""What one answer over HTTP takes, on a connection that is kept, against the same call of the engine: p50 and p95 in milliseconds.

    python benchmarks/server_latency.py --requests 300 --out benchmarks/results/server_latency.json

One client, one request at a time, over the demo's documents, on loopback. Engine and server are asked the same questions by turns, so that
the machine's other load falls on both. `over_engine` is what HTTP adds; the target is 5 ms. `cpu` is the same in processor time, which
other work on the machine does not lengthen: what an engine's call takes of this process, a request of the server's and of the client's.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

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
    with served(place) as (url, pid), Library.open(place) as library:
        client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)

        def answered(method: str, path: str, body: object = None) -> None:
            sent = None if body is None else json.dumps(body)
            client.request(method, path, sent, {"Content-Type": "application/json"} if sent else {})
            reply = client.getresponse()
            told = reply.read()
            if reply.status != 200:
                raise RuntimeError(f"{path}: {reply.status} {told.decode()}")

        def post(kind: str, **body: object) -> None:
            answered("POST", f"/api/v1/libraries/demo/{kind}", body)

        return {
            "health": _times(count, pid, None, lambda _: answered("GET", "/health")),
            "search": _times(
                count, pid, lambda one: library.search(one, K), lambda one: post("search", question=one, k=K)
            ),
            "context": _times(
                count,
                pid,
                lambda one: library.context(one, BUDGET),
                lambda one: post("context", question=one, budget=BUDGET),
            ),
        }


def _times(
    count: int, pid: int, engine: Callable[[str], object] | None, server: Callable[[str], object]
) -> dict[str, float]:
    """Times of the calls by turns, the first ten of each not counted."""
    calls = [server] if engine is None else [engine, server]
    seconds: list[list[float]] = [[] for _ in calls]
    cpu: list[list[float]] = [[] for _ in calls]
    before = 0.0
    for n in range(count + 10):
        if n == 10:
            before = _processor(pid)
        question, turn = f"{QUESTIONS[n % len(QUESTIONS)]} ({n})", time.perf_counter()
        for at, call in enumerate(calls):
            began, used = time.perf_counter(), time.process_time()
            call(question)
            seconds[at].append(time.perf_counter() - began)
            cpu[at].append(time.process_time() - used)
        time.sleep(max(0.0, 1 / PER_SECOND - (time.perf_counter() - turn)))
    of_server = (_processor(pid) - before) / count
    names = ["engine_", "server_"][-len(calls) :]
    told: dict[str, float] = {}
    for name, found in zip(names, seconds, strict=True):
        told[f"{name}p50_ms"] = _ms(statistics.median(found[10:]))
        told[f"{name}p95_ms"] = _ms(statistics.quantiles(found[10:], n=20)[18])
    of_client, of_engine = statistics.mean(cpu[-1][10:]), statistics.mean(cpu[0][10:]) if engine else 0.0
    if engine:
        told["over_engine_p50_ms"] = _ms(
            statistics.median(b - a for a, b in zip(*(one[10:] for one in seconds), strict=True))
        )
        told["engine_cpu_ms"] = _ms(of_engine)
    told["server_cpu_ms"], told["client_cpu_ms"] = _ms(of_server), _ms(of_client)
    told["over_engine_cpu_ms"] = _ms(of_server + of_client - of_engine)
    return told


def _processor(pid: int) -> float:
    """The seconds of processor time that a process has taken (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


if __name__ == "__main__":
    main()
