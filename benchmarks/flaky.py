"""Which tests fail by chance: the suite again and again, in random order, beside two busy loops; who failed is told at the end.

    python benchmarks/flaky.py [--runs 20] [--minutes 60] [--folders server index …] [pytest's arguments…]

A round is made of slices, one for each folder of tests. Each slice that ended is noted in `--record`: a later call goes on where this one
was, and tells of all of them; `--again` begins anew. A round of everything takes half an hour on two cores, so `--minutes` lets it end in
time: what is under way is finished, the rest is left to the next call.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent / "tests"
RECORD = TESTS.parent / ".venv" / "flaky.jsonl"
LONGEST = 3_600  # seconds of one slice; what hangs longer is told as failed
# Two of these run beside the tests; each ends when this program is gone, however it ended.
BUSY, LOOP = 2, "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_COUNT = re.compile(r"(\d+) (?:passed|failed)")


def slices(folders: list[str]) -> list[str]:
    """The parts of a round: every folder with tests, and "." for the files beside the folders."""
    found = sorted(one.name for one in TESTS.iterdir() if one.is_dir() and any(one.rglob("test_*.py")))
    return [one for one in [*found, "."] if not folders or one in folders]


def slice_result(seed: int, part: str, arguments: list[str]) -> dict[str, Any]:
    """One slice in the order of `seed`: how many tests, which failed, pytest's exit code (-1: it did not end), seconds."""
    where = [str(one) for one in TESTS.glob("test_*.py")] if part == "." else [str(TESTS / part)]
    order = [
        "-p",
        "randomly",
        f"--randomly-seed={seed}",
        "-n",
        "auto",
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "600",
    ]
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *order, *where, *arguments],
            capture_output=True, text=True, check=False, timeout=LONGEST, cwd=TESTS.parent,
        )  # fmt: skip
        said, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        said, code = str(late.stdout or ""), -1
    return {
        "seed": seed,
        "slice": part,
        "tests": sum(map(int, _COUNT.findall(said.rpartition("\n=")[2] or said[-500:]))),
        "failed": _FAILED.findall(said),
        "code": code,
        "seconds": round(time.monotonic() - began),
    }


@contextmanager
def busy() -> Iterator[None]:
    """Two processes that compute all the time."""
    loops = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


def main() -> None:
    """Run, note and tell; the exit code is 1 where anything failed, 3 where nothing did and slices are left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=0.0, help="begin no slice after so long; 0: until all is done")
    parser.add_argument("--folders", nargs="*", default=[], help="only these slices")
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--again", action="store_true", help="begin anew")
    known, arguments = parser.parse_known_args()
    if known.again:
        known.record.unlink(missing_ok=True)
    known.record.parent.mkdir(parents=True, exist_ok=True)
    lines = known.record.read_text(encoding="utf-8").splitlines() if known.record.exists() else []
    done = {(one["seed"], one["slice"]): one for one in map(json.loads, lines)}
    wanted = [(seed, part) for seed in range(1, known.runs + 1) for part in slices(known.folders)]
    until = time.monotonic() + known.minutes * 60 if known.minutes else float("inf")
    with busy():
        for seed, part in wanted:
            if (seed, part) in done or time.monotonic() > until:
                continue
            found = done[seed, part] = slice_result(seed, part, arguments)
            with known.record.open("a", encoding="utf-8") as record:
                record.write(json.dumps(found) + "\n")
            told = f"{found['tests']} tests, {len(found['failed'])} failed (exit {found['code']}), {found['seconds']} s"
            print(f"run {seed} of {known.runs}, {part}: {told}", flush=True)
    sys.exit(_exit_code([done[one] for one in wanted if one in done], len(wanted)))


def _exit_code(found: list[dict[str, Any]], wanted: int) -> int:
    counted = Counter(name for one in found for name in one["failed"])
    for name, times in counted.most_common():
        print(f"{times:3}  {name}")
    for one in found:
        if one["code"] not in {0, 5} and not one["failed"]:
            print(f"{one['slice']} of run {one['seed']} ended with {one['code']}")
    tests = sum(one["tests"] for one in found)
    print(f"{len(found)} of {wanted} slices, {tests} tests run, {sum(counted.values())} failed")
    if any(one["code"] not in {0, 5} for one in found):
        return 1
    return 0 if len(found) == wanted else 3


if __name__ == "__main__":
    main()
