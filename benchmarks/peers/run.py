"""Ingest and search against llama-index, haystack and bm25s with numpy: same passages, same weights, same chunk size, one run.

    python -m venv ../peers && ../peers/bin/pip install -r benchmarks/peers/requirements.txt
    ../peers/bin/python benchmarks/peers/run.py --data ../shared/data

Each measurement is a process of its own; systems take turns, each repetition in another order. With `instant` vectors what is timed is the
system's own work, with `minilm` the whole. Times are of the wall and of the processor (all threads of the process): on a shared machine
believe the ratios of the latter. A ratio is the peer's over Decoct's of the same repetition; above 1 Decoct is ahead. Peers keep their
indexes in memory, so their `save` is timed apart; Decoct's ingest ends on the disk. All searches fuse BM25 and vectors for 10 chunks,
their question already embedded; `default` is Decoct's own, which follows links as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from decoct_lab.dataset import load

Run = dict[str, Any]
HERE = Path(__file__).parent
SYSTEMS = ("decoct_library", "llama_index_hybrid", "haystack_hybrid", "bm25s_numpy")
PACKAGES = ("decoct", "numpy", "onnxruntime", "llama-index-core", "llama-index-retrievers-bm25", "haystack-ai", "bm25s")
QUESTIONS = 30


def prepare(data: str, passages: int, file: Path) -> None:
    """The supporting passages of the first questions of HotpotQA, and others in the order of the file."""
    dataset = load("hotpotqa", data, {"setting": "distractor"})
    questions = [question for question in dataset.questions if question.supporting_ids][:QUESTIONS]
    gold = {id_ for question in questions for id_ in question.supporting_ids}
    documents = sorted(dataset.documents(), key=lambda document: document.id not in gold)[:passages]
    content = {
        "questions": [(question.question, question.supporting_ids) for question in questions],
        "passages": [(document.id, document.title, document.text) for document in documents],
    }
    file.write_text(json.dumps(content))


def race(embedder: str, file: Path, repetitions: int) -> dict[str, Any]:
    """Every system `repetitions` times."""
    runs: dict[str, list[Run]] = {system: [] for system in SYSTEMS}
    for repetition in range(repetitions):
        for place in range(len(SYSTEMS)):
            system = SYSTEMS[(place + repetition) % len(SYSTEMS)]
            command = [sys.executable, str(HERE / "worker.py"), system, embedder, str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{system} failed:\n{done.stderr[-3000:]}")
            runs[system].append(json.loads(done.stdout.splitlines()[-1]))
            _show(f"{embedder} {repetition + 1}/{repetitions}", system, runs[system][-1])
    return {"runs": runs, "summary": {system: summary(of, runs["decoct_library"]) for system, of in runs.items()}}


def summary(runs: list[Run], ours: list[Run]) -> dict[str, Any]:
    """Medians over repetitions, and the ratios to Decoct's run of the same repetition."""
    figures: dict[str, Any] = {
        "chunks": runs[0]["chunks"],
        "start_mb": round(median(run["start_mb"] for run in runs), 1),
        "ingest_peak_mb": round(median(run["ingest_peak_mb"] for run in runs), 1),
        "peak_mb": round(median(run["peak_mb"] for run in runs), 1),
    }
    for clock in ("wall", "cpu"):
        figures[f"chunks_per_s_{clock}"] = round(median(run["chunks"] / run["ingest"][clock] for run in runs), 1)
        figures[f"save_s_{clock}"] = round(median(run["save"][clock] for run in runs), 3)
        figures[f"ingest_ratio_{clock}"] = _ratios(
            [_a_chunk(run, clock) for run in runs], [_a_chunk(run, clock) for run in ours]
        )
        saved = [_a_chunk(run, clock) + run["save"][clock] / run["chunks"] for run in runs]
        figures[f"ingest_and_save_ratio_{clock}"] = _ratios(saved, [_a_chunk(run, clock) for run in ours])
    figures["searches"] = {
        name: {key: round(median(run["searches"][name][key] for run in runs), 4) for key in runs[0]["searches"][name]}
        | {
            f"ratio_{clock}": _ratios(
                [run["searches"][name][f"{clock}_ms"] for run in runs],
                [run["searches"]["hybrid"][f"{clock}_ms"] for run in ours],
            )
            for clock in ("wall", "cpu")
        }
        for name in runs[0]["searches"]
    }
    return figures


def _a_chunk(run: Run, clock: str) -> float:
    return float(run["ingest"][clock] / run["chunks"])


def _ratios(theirs: list[float], ours: list[float]) -> dict[str, float]:
    ratios = sorted(their / our for their, our in zip(theirs, ours, strict=True))
    return {"median": round(median(ratios), 2), "least": round(ratios[0], 2), "most": round(ratios[-1], 2)}


def _show(when: str, system: str, run: Run) -> None:
    searches = ", ".join(
        f"{name} {one['wall_ms']:.1f} ms ({one['cpu_ms']:.1f} CPU)" for name, one in run["searches"].items()
    )
    ingest = run["ingest"]
    print(
        f"{when} {system:<20} {run['chunks']} chunks, {run['chunks'] / ingest['wall']:.0f}/s "
        f"({run['chunks'] / ingest['cpu']:.0f}/s CPU), {searches}, {run['peak_mb']:.0f} MB",
        flush=True,
    )


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data", help="folder that holds hotpotqa")
    parser.add_argument("--passages", type=int, default=1500, help="passages with instant vectors")
    parser.add_argument("--embedded", type=int, default=250, help="passages with MiniLM's")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", default=str(HERE.parent / "results" / "peers.json"))
    arguments = parser.parse_args()
    sizes = f"--passages {arguments.passages} --embedded {arguments.embedded} --repetitions {arguments.repetitions}"
    setting = {
        "command": f"python benchmarks/peers/run.py {sizes}",
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip(),
        "data": f"hotpotqa, setting distractor, {QUESTIONS} questions and their supporting passages first",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load_average_at_start": round(os.getloadavg()[0], 1),
        "versions": {package: version(package) for package in PACKAGES},
    }
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for embedder, passages in (("instant", arguments.passages), ("minilm", arguments.embedded)):
            file = Path(folder) / f"{embedder}.json"
            prepare(arguments.data, passages, file)
            results[embedder] = {"passages": passages, **race(embedder, file, arguments.repetitions)}
    setting["load_average_at_end"] = round(os.getloadavg()[0], 1)
    Path(arguments.out).write_text(json.dumps({**setting, "embedders": results}, indent=1) + "\n")
    print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
