"""The queue of measurements: which runs of `measure.toml` are missing in the results, and one after the other until none is.

    python benchmarks/measure.py                           # lists every run: done, missing, or what it lacks
    python benchmarks/measure.py --run                     # goes on with what is missing (also: make measure)
    python benchmarks/measure.py --run --only table-1,table-5 --llm local:NAME

One run at a time (a second queue is refused), at low priority, in a folder of its own below --runs. Interrupted, by hand or by a
crash, the same command goes on: runs of `decoct` resume from their own records, scripts from the replies and libraries that they keep.
A run that fails is told with the end of its log, the others are run, and it is tried again next time. What is done is written to
benchmarks/results/measured.json with command, commit, and minutes; a run whose command or instruments have changed since is missing again.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

from setting import RESULTS, commit

HERE = Path(__file__).parent
SUFFIXES = (".json", ".md")
DECOCT = "import sys; from decoct.cli import main; main(sys.argv[1:])"
KEYS = {"id", "what", "program", "command", "results", "data", "recipes", "llm", "minutes"}


@dataclass(frozen=True)
class Work:
    """One run of the table. `program` is "decoct" or a script of this folder; `results` maps names of results to files of the run."""

    id: str
    what: str
    command: tuple[str, ...]
    results: Mapping[str, str]
    minutes: int
    program: str = "decoct"
    data: tuple[str, ...] = ()
    recipes: tuple[str, ...] = ()
    llm: bool = False


@dataclass(frozen=True)
class Queue:
    """The table, what its placeholders stand for, and where things lie."""

    works: tuple[Work, ...]
    instruments: int
    names: Mapping[str, str]
    data: Path
    runs: Path
    results: Path = RESULTS

    def command(self, work: Work) -> list[str]:
        """The work's command as it is kept and compared: models by name, folders as placeholders."""
        return [word.format(**self.names, data="{data}", out="{out}") for word in work.command]

    def state(self, work: Work) -> str:
        """`done`, `missing`, or what it lacks."""
        kept = self.measured().get(work.id, {})
        same = kept.get("command") == self.command(work) and kept.get("instruments") == self.instruments
        if same and all((self.results / f"{name}.json").is_file() for name in work.results):
            return "done"
        return self.lacks(work) or "missing"

    def lacks(self, work: Work) -> str:
        """What the work cannot be run without and is not here; "" for nothing."""
        from decoct.recipe import shipped
        from decoct_local.models import find

        sets = [name for name in work.data if not (self.data / name).is_dir()]
        recipes = [name for name in work.recipes if name not in shipped()]
        asked = {name for name in self.names if any("{" + name + "}" in word for word in work.command)}
        local = [
            self.names[name].removeprefix("local:") for name in sorted(asked) if self.names[name].startswith("local:")
        ]
        models = [name for name in local if not name.endswith(".gguf") and find(name) is None]
        lacking = [f"the data set {name}" for name in sets] + [f"the recipe {name}" for name in recipes]
        lacking += [f"the model {name} (decoct models pull {name})" for name in models]
        return "lacks " + ", ".join(lacking) if lacking else ""

    def measured(self) -> dict[str, Any]:
        """What was done, by id."""
        file = self.results / "measured.json"
        found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        return found

    def arguments(self, work: Work) -> list[str]:
        """What is started for the work."""
        out = self.runs / work.id
        words = [word.format(data=self.data, out=out) for word in self.command(work)]
        if work.program != "decoct":
            return [sys.executable, str(HERE / work.program), *words]
        return [sys.executable, "-c", DECOCT, *words, "--data", str(self.data), "--out", str(out)]

    def keep(self, work: Work, minutes: float) -> None:
        """Take the results over and write down that the work is done."""
        out = self.runs / work.id
        for name, source in work.results.items():
            for suffix in SUFFIXES:
                file = out / f"{source}{suffix}"
                target = self.results / f"{name}{suffix}"
                if file.is_file() and file.resolve() != target.resolve():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, target)
            if not (self.results / f"{name}.json").is_file():
                raise FileNotFoundError(f"{work.id} ended without {source}.json in {out}")
        done = self.measured()
        done[work.id] = {
            "command": self.command(work), "instruments": self.instruments, "results": sorted(work.results),
            "finished": datetime.now(UTC).isoformat(timespec="minutes"), "minutes": round(minutes, 1), "commit": commit(),
        }  # fmt: skip
        self.results.mkdir(parents=True, exist_ok=True)
        file = self.results / "measured.json"
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", "utf-8")
        partial.replace(file)


def read(table: Path, names: Mapping[str, str], data: Path, runs: Path, results: Path = RESULTS) -> Queue:
    """The queue of a table; `names` stand over the table's own. `SystemExit` names a key or an id that is wrong."""
    found = tomllib.loads(table.read_text("utf-8"))
    works = []
    for row in found["run"]:
        if unknown := set(row) - KEYS:
            raise SystemExit(
                f"{table}: {row.get('id')}: unknown key {sorted(unknown)[0]!r}; known: {', '.join(sorted(KEYS))}"
            )
        lists = {key: tuple(row[key]) for key in ("command", "data", "recipes") if key in row}
        works.append(Work(**{**row, **lists}))
    ids = [work.id for work in works]
    if len(set(ids)) < len(ids):
        raise SystemExit(f"{table}: two runs have one id")
    return Queue(tuple(works), found["instruments"], {**found["names"], **names}, data, runs, results)


def listing(queue: Queue, chosen: Sequence[Work]) -> str:
    """A line a run, with the command where it is not done, and what is left."""
    states = {work.id: queue.state(work) for work in chosen}
    lines = []
    for work in chosen:
        lines.append(f"{states[work.id]:<10} {work.id:<26} {work.minutes:>4} min  {work.what}")
        if states[work.id] != "done":
            lines.append(f"           python benchmarks/measure.py --run --only {work.id}")
    missing = [work for work in chosen if states[work.id] == "missing"]
    hours = sum(work.minutes for work in missing) / 60
    left = f"{len(missing)} of {len(chosen)} runs are missing, about {hours:.1f} hours of an idle machine"
    return "\n".join([*lines, left])


def go_on(queue: Queue, chosen: Sequence[Work]) -> int:
    """Run what is missing, one at a time; how many failed."""
    failed = 0
    for work in chosen:
        if queue.state(work) != "missing":
            continue
        out = queue.runs / work.id
        out.mkdir(parents=True, exist_ok=True)
        log = queue.runs / f"{work.id}.log"
        begun = time.monotonic()
        print(f"{work.id}: {work.what} (log: {log})", flush=True)
        steps = [queue.arguments(work)]
        if work.program == "decoct" and work.command[0] == "evaluate":
            steps.append([sys.executable, "-c", DECOCT, "report", str(out)])
        code = next((code for step in steps if (code := _run(step, log))), 0)
        minutes = (time.monotonic() - begun) / 60
        if code:
            failed += 1
            print(
                f"{work.id} failed ({code}) after {minutes:.1f} minutes; the end of its log:\n{_tail(log)}", flush=True
            )
            continue
        queue.keep(work, minutes)
        print(f"{work.id}: done in {minutes:.1f} minutes", flush=True)
    return failed


def _run(arguments: Sequence[str], log: Path) -> int:
    """One command to its end, its output appended to `log`. When this process is ended, the command is ended first."""
    with log.open("ab") as file:
        file.write(f"\n$ {' '.join(arguments[3:])}\n".encode())
        file.flush()
        process = subprocess.Popen(arguments, stdout=file, stderr=subprocess.STDOUT)
        try:
            return process.wait()
        except BaseException:  # an interruption of any kind: the run resumes, so it may end at once
            process.terminate()
            process.wait()
            raise


def _tail(log: Path, lines: int = 12) -> str:
    text = log.read_bytes()[-20_000:].decode("utf-8", "replace").replace("\r", "\n")
    return "\n".join([line for line in text.splitlines() if line.strip()][-lines:])


@contextmanager
def alone(runs: Path) -> Iterator[None]:
    """One queue at a time: runs would share libraries, replies and the two cores. The lock goes with the process."""
    runs.mkdir(parents=True, exist_ok=True)
    with (runs / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(f"another queue is at work in {runs}; wait for it, or end it") from None
        yield


def _ended(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(given: Sequence[str] | None = None) -> int:
    """List, or go on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true", help="go on with what is missing")
    parser.add_argument("--only", default="", help="ids by commas")
    parser.add_argument("--no-llm", action="store_true", help="leave out runs that ask a language model")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder that holds the sets by name")
    parser.add_argument("--runs", type=Path, default=Path("runs/measure"), help="where the runs go")
    parser.add_argument("--table", type=Path, default=HERE / "measure.toml")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--llm", help="the model that reads and merges [default: the table's]")
    parser.add_argument("--small", help="the model where that is too slow [default: the table's]")
    arguments = parser.parse_args(given)
    names = {name: value for name in ("llm", "small") if (value := getattr(arguments, name))}
    queue = read(arguments.table, names, arguments.data.resolve(), arguments.runs.resolve(), arguments.results)
    only = [word.strip() for word in arguments.only.split(",") if word.strip()]
    known = {work.id: work for work in queue.works}
    if wrong := [word for word in only if word not in known]:
        raise SystemExit(f"there is no run {wrong[0]!r}; known: {', '.join(known)}")
    chosen = [work for work in queue.works if (not only or work.id in only) and not (arguments.no_llm and work.llm)]
    print(listing(queue, chosen), flush=True)
    if not arguments.run:
        return 0
    signal.signal(signal.SIGTERM, _ended)
    os.nice(15)
    with alone(queue.runs):
        try:
            return 1 if go_on(queue, chosen) else 0
        except KeyboardInterrupt:
            print("interrupted; the same command goes on where this one was")
            return 130


if __name__ == "__main__":
    sys.exit(main())
