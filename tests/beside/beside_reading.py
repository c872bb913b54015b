"""Readers that ask a library on and on, and count what was empty, wrong or an error; as threads here, or in a process of their own.

Each document tells the year in which one bridge was opened. Whatever else is written to the library, it is always there, in one wording or
another: a question for it that finds nothing, something else or an error was disturbed by the writer.

As a program: `start FOLDER` on standard input begins, `stop` ends and prints the counts as JSON, and so on until its end.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import traceback
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path

from decoct import Document, Library
from decoct_testing.hash_embedder import HashEmbedder

BRIDGES = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "granite",
    "heron",
    "indigo",
    "juniper",
    "kestrel",
    "larch",
)
LEAST = 3  # questions that each reader asks at least


def told(number: int, version: int = 0) -> Document:
    """What the library says of a bridge, in the wording of a version."""
    name = BRIDGES[number]
    text = f"The {name} bridge was opened in {1900 + number}. The {name} society keeps it; report {version} says how."
    return Document(f"{name}.txt", text, f"The {name} bridge")


@dataclass(slots=True)
class Counts:
    """What readers met."""

    asked: int = 0
    empty: int = 0
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Count together."""
        self.asked, self.empty = self.asked + other.asked, self.empty + other.empty
        self.wrong += other.wrong
        self.errors += other.errors

    def ask(self, library: Library, number: int, *, words: bool) -> None:
        """Ask for one bridge, by a search or for an answer."""
        name, year = BRIDGES[number], str(1900 + number)
        if words:
            hits = library.search(f"the {name} bridge", 3)
            found, right = bool(hits), bool(hits) and name in hits[0].chunk.text
            said = hits[0].chunk.text if hits else ""
        else:
            answer = library.ask(f"In which year was the {name} bridge opened?", caution=0.5)  # found, however sure
            found, right, said = answer.found, year in answer.text, answer.text
        self.asked += 1
        self.empty += not found
        if found and not right:
            self.wrong.append(f"{name}: {said}")


def opened(folder: Path) -> Library:
    """The library for reading."""
    return Library.open(folder, embedder=HashEmbedder(), create=False)


class Readers:
    """Two threads that share a handle, and one that opens the library anew for each question."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.counts = Counts()
        self._folder, self._stopped, self._guard = folder, threading.Event(), threading.Lock()
        self._library = opened(folder)
        shared: list[Library | None] = [self._library, self._library, None]
        self._threads = [
            threading.Thread(target=self._read, args=(library, seed * 10 + n)) for n, library in enumerate(shared)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> Counts:
        """What they met until now."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        self._library.close()
        return self.counts

    def _read(self, library: Library | None, seed: int) -> None:
        drawn, mine = random.Random(seed), Counts()
        while not self._stopped.is_set() or mine.asked + len(mine.errors) < LEAST:
            number, words = drawn.randrange(len(BRIDGES)), drawn.random() < 0.8
            try:
                with nullcontext(library) if library is not None else opened(self._folder) as asked:
                    mine.ask(asked, number, words=words)
            except Exception:  # noqa: BLE001 - whatever it is, a reader met it
                mine.errors.append(traceback.format_exc())
        with self._guard:
            self.counts.add(mine)


def main() -> None:
    """See the module's text."""
    readers: Readers | None = None
    for line in sys.stdin:
        word, _, folder = line.strip().partition(" ")
        if word == "start":
            readers = Readers(Path(folder), seed=7)
        elif readers is not None:
            print(json.dumps(asdict(readers.stop())), flush=True)  # noqa: T201 - to whoever started it


if __name__ == "__main__":
    main()
