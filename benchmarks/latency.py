"""What a question costs besides embedding it, what a passage costs besides embedding it, and how long the program takes to start.

    python benchmarks/latency.py --data ../shared/data

A library of the first 7,500 passages of HotpotQA (about 10,000 chunks of 150 tokens, half overlapping) and the set's own questions. For
each question, one after the other: embed it; retrieve with it embedded (the retriever alone, 100 chunks); the whole of `search` (10
chunks) and of `context` (5,400 tokens), also with it embedded. Each is done `REPEATED` times, the fastest counts, and recipes take turns.
The clocks are the wall and the processor (this thread); a ratio is the median over questions of the figure over the same question's
embedding. Added to 1 it is the retrieval stage as the targets count it.

Ingest: passages that are not in that library, added to a new one, against the embedder alone on the same texts, in turns; the processor's
clock counts all threads. Memory is the highest resident size of a process that does only that.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from setting import command_line, load, setting, write

from decoct import Library
from decoct.data import Document, Query
from decoct.embed.minilm import MiniLM
from decoct.ingest import search_text
from decoct.recipe import load_recipe
from decoct_lab.dataset import load as load_set

RECIPES: Mapping[str, Any] = {
    "naive": "naive",
    "hybrid": {"retrieve": {"use": "hybrid", "retrievers": ["bm25", "dense"]}},
    "recall": "recall",
    "default": "default",
}
CHUNKS, BUDGET, DEPTH = 10, 5400, 100
REPEATED = 2
Timed = tuple[float, float]  # milliseconds of the wall and of the processor


def timed(work: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> Timed:
    """The fastest of `REPEATED` runs by each clock."""
    runs = []
    for _ in range(REPEATED):
        wall, cpu = time.perf_counter(), clock()
        work()
        runs.append((time.perf_counter() - wall, clock() - cpu))
    return 1000 * min(run[0] for run in runs), 1000 * min(run[1] for run in runs)


def questions(library: Library, asked: Sequence[str]) -> dict[str, Any]:
    """The cost of every stage of every recipe."""
    embedder = MiniLM()  # the library's own would remember the question
    loaded = {name: load_recipe(recipe) for name, recipe in RECIPES.items()}
    stages: dict[str, dict[str, list[Timed]]] = {
        name: {stage: [] for stage in ("retrieval", "search", "context")} for name in loaded
    }
    embedding: list[Timed] = []
    pipelines = {name: library.pipeline(recipe) for name, recipe in loaded.items()}
    for recipe in loaded.values():  # opens indexes
        library.context(asked[0], BUDGET, recipe)
    for question in asked:
        embedding.append(timed(lambda: embedder.embed([question], "query")))  # noqa: B023 - called at once
        library.embedder.embed([question], "query")
        for name, recipe in loaded.items():
            work: dict[str, Callable[[], object]] = {
                "retrieval": lambda: pipelines[name].retrieval.retriever.retrieve(Query(question), DEPTH),  # noqa: B023
                "search": lambda: library.search(question, CHUNKS, recipe),  # noqa: B023
                "context": lambda: library.context(question, BUDGET, recipe),  # noqa: B023
            }
            for stage, run in work.items():
                stages[name][stage].append(timed(run))
    return {
        "questions": len(asked),
        "embedding": figures(embedding, embedding),
        "recipes": {
            name: {stage: figures(times, embedding) for stage, times in by.items()} for name, by in stages.items()
        },
    }


def figures(times: Sequence[Timed], embedding: Sequence[Timed]) -> dict[str, float]:
    """Median, 95th percentile and the median ratio to the embedding, by both clocks."""
    found = {}
    for at, clock in enumerate(("wall", "cpu")):
        values = sorted(one[at] for one in times)
        found[f"{clock}_ms"] = round(median(values), 2)
        found[f"{clock}_ms_p95"] = round(values[int(0.95 * len(values))], 2)
        found[f"{clock}_ratio"] = round(
            median(one[at] / base[at] for one, base in zip(times, embedding, strict=True)), 2
        )
    return found


def ingest(documents: Sequence[Document], repetitions: int) -> dict[str, Any]:
    """Chunks a second of a whole ingest and of the embedder alone, in turns."""
    embedder = MiniLM()
    embedder.embed(["loaded"], "passage")
    runs = []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder, Library.open(folder) as library:
            whole = _once(lambda: library.add(documents))
            texts = [
                search_text(chunk)
                for document in documents
                for chunk in library.store.chunks(library.store.chunk_keys(document.id))
            ]
        alone = _once(lambda: embedder.embed(texts, "passage"))  # noqa: B023
        runs.append((whole, alone))
    return {
        "chunks": len(texts),
        "repetitions": repetitions,
        **{
            clock: {
                "ingest_chunks_per_s": round(median(len(texts) / whole[at] for whole, _ in runs), 1),
                "embedder_chunks_per_s": round(median(len(texts) / alone[at] for _, alone in runs), 1),
                "share_of_embedder": [round(alone[at] / whole[at], 3) for whole, alone in runs],
            }
            for at, clock in enumerate(("wall", "cpu"))
        },
    }


def _once(work: Callable[[], object]) -> Timed:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def memory(what: str, arguments: argparse.Namespace) -> float:
    """Megabytes at the peak of a process that does only `what`."""
    command = [sys.executable, __file__, "--only", what, "--data", str(arguments.data), "--library", arguments.library]
    command += ["--added", str(arguments.added)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


def starting(command: Sequence[str], repetitions: int = 5) -> dict[str, float]:
    """Seconds of a command from its start to its end; the processor's are those of the child, and include starting Python."""
    walls, cpus = [], []
    for _ in range(repetitions):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(time.perf_counter() - start)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {
        "wall_s": round(median(walls), 3),
        "wall_s_least": round(min(walls), 3),
        "cpu_s": round(median(cpus), 3),
        "cpu_s_least": round(min(cpus), 3),
    }


def main() -> None:
    """Run, print, write."""
    parser = command_line(__doc__, data=True, questions=100, out="latency.json")
    parser.add_argument("--library", default="runs/latency", help="where the library is kept")
    parser.add_argument("--passages", type=int, default=7500)
    parser.add_argument("--added", type=int, default=400, help="passages that are ingested")
    parser.add_argument("--repetitions", type=int, default=3, help="of the ingest")
    parser.add_argument("--only", choices=("open", "search", "ingest"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    dataset = load_set("hotpotqa", arguments.data, {"setting": "distractor"})
    documents = list(dataset.documents())
    asked = [question.question for question in dataset.questions[: arguments.questions]]
    added = documents[-arguments.added :]
    if arguments.only:
        _alone(arguments, asked, added)
        return
    begun = {**setting(), "data": "hotpotqa, setting distractor"}
    interpreter = str(Path(sys.executable).with_name("decoct"))
    results: dict[str, Any] = {
        "start": {
            "python": starting([sys.executable, "-c", "pass"]),
            "import decoct": starting([sys.executable, "-c", "import decoct"]),
            "decoct --help": starting([interpreter, "--help"]),
        }
    }
    print(json.dumps(results["start"], indent=1), flush=True)
    with Library.open(arguments.library) as library:
        library.add(documents[: arguments.passages])
        results["library"] = {"documents": library.status().documents, "chunks": library.status().chunks}
        results["search"] = questions(library, asked)
    print(json.dumps(results["search"], indent=1), flush=True)
    results["ingest"] = ingest(added, arguments.repetitions)
    results["peak_mb"] = {what: memory(what, arguments) for what in ("open", "search", "ingest")}
    print(json.dumps([results["ingest"], results["peak_mb"]], indent=1), flush=True)
    write(arguments.out, {**begun, "load_average_at_end": load(), **results}, show=False)
    print(f"written to {arguments.out}")


def _alone(arguments: argparse.Namespace, asked: Sequence[str], added: Sequence[Document]) -> None:
    if arguments.only == "ingest":
        with tempfile.TemporaryDirectory() as folder, Library.open(folder) as library:
            library.add(added)
    else:
        with Library.open(arguments.library, create=False) as library:
            for question in asked if arguments.only == "search" else ():
                library.context(question, BUDGET)
    print(_peak())


def _peak() -> float:
    """Megabytes; not `ru_maxrss`, which a child takes over from the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
