"""What the server needs beyond the engine: its memory with 20 small libraries open, against a process of the engine with the same 20.

    python benchmarks/server_memory.py

Both answer one question of each library; compared is the memory that belongs to each process (resident and not shared), in MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
from setting import command_line

from decoct import Document, Library

LIBRARIES, DOCUMENTS = 20, 30
ASKED = "When was weir 3 built?"
ENGINE = """
import sys
from decoct import Library
held = [Library.open(place) for place in sys.argv[1:]]
for library in held:
    library.context({asked!r}, 500)
print("ready", flush=True)
sys.stdin.read()
"""


def main() -> None:
    """Measure and print JSON."""
    command_line(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / f"library{number}" for number in range(LIBRARIES)]
        for number, place in enumerate(places):
            with Library.open(place) as library:
                library.add(
                    [
                        Document(
                            f"d{one}", f"Weir {one} of river {number} was built in {1800 + one}. " * 5, f"Weir {one}"
                        )
                        for one in range(DOCUMENTS)
                    ]
                )
        engine, server = _engine(places), _server(Path(folder), places)
    print(
        json.dumps(
            {"libraries": LIBRARIES, "engine_mb": engine, "server_mb": server, "beyond_mb": round(server - engine, 1)}
        )
    )


def _engine(places: list[Path]) -> float:
    process = subprocess.Popen(
        [sys.executable, "-c", ENGINE.format(asked=ASKED), *map(str, places)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    own = _own(process.pid)
    process.communicate("")
    return own


def _server(folder: Path, places: list[Path]) -> float:
    given = [part for place in places for part in ("--library", f"{place.name}={place}")]
    process = subprocess.Popen(
        [sys.executable, "-c", "from decoct.cli import main; main()", "serve", "--port", "0", *given],
        cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    try:
        for place in places:
            asked = {"question": ASKED, "budget": 500}
            httpx.post(f"{url}/api/v1/libraries/{place.name}/context", json=asked, timeout=300).raise_for_status()
        return _own(process.pid)
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def _own(pid: int) -> float:
    """MB of a process that are its own."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB")}
    return round((found["Private_Clean"] + found["Private_Dirty"]) / 1024, 1)


if __name__ == "__main__":
    main()
