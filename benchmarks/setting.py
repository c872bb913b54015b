"""What every result says of its run, and how it is written: one place, so that no program forgets a field."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PACKAGES = ("decoct", "faiss-cpu", "numpy", "onnxruntime", "tantivy", "tokenizers", "xllamacpp")
PLACES = (
    "--data",
    "--out",
    "--cache",
    "--libraries",
    "--folder",
    "--library",
    "--partial",
    "--readings",
    "--runs",
    "--scratch",
    "--work",
    "--rows",
)
"""Options that say where things lie on this machine: they decide no figure, and are left out of a command."""


def commit() -> str:
    """The commit of this checkout; empty outside one."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()


def command(given: list[str] | None = None) -> str:
    """The program with the options that decide its figures; a place of this machine that is given without an option is DATA."""
    words, kept = list(sys.argv[1:] if given is None else given), []
    while words:
        word = words.pop(0)
        if word in PLACES:
            del words[:1]
        elif not word.startswith(tuple(f"{place}=" for place in PLACES)):
            kept.append("DATA" if Path(word).is_absolute() else word)
    return shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *kept])


def load() -> float:
    """The load of the machine: times mean little where it is above the number of cores."""
    return round(os.getloadavg()[0], 1)


def setting() -> dict[str, Any]:
    """Command, commit, machine, its load, and versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "command": command(),
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load_average": load(),
        "versions": versions,
    }


def command_line(
    text: str | None, *, data: bool = False, questions: int | None = None, out: str | None = None
) -> argparse.ArgumentParser:
    """A program's command line under its docstring, with what many share.

    `data`: --data, the folder that holds the sets by name; `questions`: --questions and how many without it; `out`: --out and its file
    among the results without it ("": none is written then).
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    if data:
        parser.add_argument(
            "--data", type=Path, default=Path("../shared/data"), help="folder that holds the sets by name"
        )
    if questions is not None:
        parser.add_argument("--questions", type=int, default=questions)
    if out is not None:
        parser.add_argument("--out", type=Path, default=RESULTS / out if out else None)
    return parser


def gained(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """By how much `a` is above `b`, question by question, with its 95 % interval (paired bootstrap): difference, low, high."""
    from decoct.evaluate.significance import paired_bootstrap

    found = paired_bootstrap(a, b)
    return [round(one, 4) for one in (found.difference, found.low, found.high)]


def share(values: Sequence[bool]) -> dict[str, Any]:
    """How many of `values` hold, as a share with its 95 % interval (Wilson)."""
    from decoct_lab.reproduce.tellable import wilson

    n, hits = len(values), sum(values)
    return {"n": n, "share": round(hits / max(1, n), 3), "wilson": [round(one, 3) for one in wilson(hits, n)]}


@contextmanager
def served(place: Path) -> Iterator[tuple[str, int]]:
    """`decoct serve` over the library at `place`, called "demo": its address and process id; it ends with the block."""
    command = "from decoct.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--library", f"demo={place}", "--port", "0"],
        cwd=place.parent, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def tell(text: str) -> None:
    """How far long work is, over the line before."""
    print(f"\r{text} \x1b[K", end="", file=sys.stderr, flush=True)


def write(place: Path | str | None, results: Mapping[str, Any], *, show: bool = True) -> None:
    """Print the results and write them, where a place is given, as JSON."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    if show:
        print(text)
    if place is not None:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(text + "\n", encoding="utf-8")
