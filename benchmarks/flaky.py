"""Which tests fail by chance: the suite again and again, in random order, beside two busy loops; who failed is told at the end.

python benchmarks/flaky.py [--runs 20] [pytest's arguments…]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter

# Two of these run beside the tests; each ends when this program is gone, however it ended.
BUSY, LOOP = 2, "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def failed(seed: int, arguments: list[str]) -> tuple[list[str], int]:
    """The tests that failed in one run, in the order of `seed`, and pytest's exit code."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "randomly",
        f"--randomly-seed={seed}",
        "-n",
        "auto",
        "--dist",
        "loadfile",
    ]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    return _FAILED.findall(done.stdout), done.returncode


def main() -> None:
    """Run, count and tell; the exit code is 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    known, arguments = parser.parse_known_args()
    busy = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(BUSY)]
    counted: Counter[str] = Counter()
    broken = 0
    try:
        for seed in range(1, known.runs + 1):
            names, code = failed(seed, arguments)
            counted.update(names)
            broken += code != 0
            print(f"run {seed} of {known.runs}: {len(names)} failed (exit {code})", flush=True)
    finally:
        for one in busy:
            one.kill()
            one.wait()
    for name, times in counted.most_common():
        print(f"{times:3} of {known.runs}  {name}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
