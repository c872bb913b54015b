"""How a library on a server grows: ingest, size, look-ups, recall and memory of milvus-lite and PostgreSQL; data of `store_growth`.

    nice -n 15 python benchmarks/server_growth.py --kind milvus-lite --sizes 10000,100000
    nice -n 15 python benchmarks/server_growth.py --kind postgresql --sizes 10000,100000
    nice -n 15 python benchmarks/server_growth.py --kind postgresql --sizes 1000000 --folder FOLDER --buffers 2GB

The server is started on loopback and ended at the end. With --folder its library, and the embedded one it is compared with, are kept there,
and a run that was interrupted goes on: what was put before is not timed.

Measured too: both searches under a filter, and what it costs to replace one document and a batch of them (last, since that changes
what has postings). Times are of wall and of processors: this process's and those of the server's processes together, since which of
them works differs. Recall is against all products in single precision, and of words against the embedded store, whose BM25 is exact.
Making the data is not timed.
After every size the result is written; what is above `--most-minutes` is not begun.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from setting import command_line, setting, write
from store_growth import DIMENSION, PER_BATCH, PER_DOCUMENT, SETTINGS, Asked, batch, drawn, memory, queries

from decoct.data import Floats
from decoct.index.abilities import SupportsNames, caught_up
from decoct.index.base import Store
from decoct.index.embedded import EmbeddedStore
from decoct.index.resolve import open_store
from decoct_postgresql.testing import postgresql_server

BEST, TICKS = 200, os.sysconf("SC_CLK_TCK")


def family() -> list[Path]:
    """This process and those that it began, and these began."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(after[1]), []).append(int(path.parent.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        one = waiting.pop()
        found.append(Path(f"/proc/{one}"))
        waiting += parents.get(one, [])
    return found


def processors() -> float:
    """Seconds of processors that the family has used, and what ended in it (as PostgreSQL's workers do)."""
    total = 0.0
    for path in family():
        try:
            after = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, after[11:15])) / TICKS
    return total


def servers_megabytes() -> int:
    """The servers' own memory: what they share is counted once (PSS, of which pages of files are a part)."""
    total = 0
    for path in family()[1:]:
        try:
            lines = dict(line.split(":", 1) for line in (path / "smaps_rollup").read_text().splitlines()[1:])
        except OSError:
            continue
        total += int(lines["Pss"].split()[0])
    return total // 1024


def megabytes(folder: Path, *, logs: bool) -> int:
    """The size of PostgreSQL's write-ahead log, which never grows beyond a limit of its own (1 GB), or of all other files."""
    found = (one for one in folder.rglob("*") if one.is_file() and ("pg_wal" in one.parts) == logs)
    return sum(one.stat().st_size for one in found) >> 20


@contextmanager
def place(kind: str, folder: Path, buffers: str) -> Iterator[tuple[str, Path]]:
    """The address of a library of that kind in the folder, and where its files lie."""
    if kind == "milvus-lite":
        folder.mkdir(exist_ok=True)
        yield f"milvus-lite://{folder / 'library.db'}", folder
    else:
        with postgresql_server(folder, {"shared_buffers": buffers}) as server:
            yield server.url("growth"), server.folder / "data"


class Truth:
    """The best rows of each question among all vectors seen, by (batch, row)."""

    def __init__(self, vectors: Floats) -> None:
        self._vectors = vectors
        self.scores = np.full((len(vectors), BEST), -np.inf, dtype=np.float32)
        self.rows = np.full((len(vectors), BEST), -1, dtype=np.int64)

    def see(self, number: int, vectors: Floats) -> None:
        """Count the batch's vectors, shape (rows, dimension)."""
        scores = np.concatenate([self.scores, self._vectors @ vectors.T], axis=1)
        rows = np.concatenate([self.rows, np.tile(number * PER_BATCH + np.arange(len(vectors)), (len(scores), 1))], 1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :BEST]
        self.scores, self.rows = np.take_along_axis(scores, best, 1), np.take_along_axis(rows, best, 1)


def row_of(doc_id: str, place_: int) -> int:
    """The row of a chunk in `Truth`."""
    _, number, document = doc_id.split("-")
    return int(number) * PER_BATCH + int(document) * PER_DOCUMENT + place_


def grow(store: Store, start: int, end: int, truth: Truth, until: float) -> dict[str, Any]:
    """Put the batches that are missing up to `end` chunks; fewer where the time is over."""
    spent, used, done, there = 0.0, 0.0, start, store.status().chunks
    for number in range(start // PER_BATCH, end // PER_BATCH):
        truth.see(number, drawn(number, PER_BATCH // PER_DOCUMENT)[2].reshape(-1, DIMENSION))
        done = (number + 1) * PER_BATCH
        if done <= there:
            continue
        entries = batch(number, PER_BATCH // PER_DOCUMENT)
        at = time.perf_counter(), processors()
        store.put(entries)
        spent, used = spent + time.perf_counter() - at[0], used + processors() - at[1]
        if time.monotonic() > until:
            break
    at = time.perf_counter(), processors()
    caught_up(store)
    added = max(done - max(there, start // PER_BATCH * PER_BATCH), 1)
    return {
        "chunks": done,
        "put": added,
        "put_ms_per_chunk": round(1000 * spent / added, 3),
        "put_cpu_ms_per_chunk": round(1000 * used / added, 3),
        "until_found_s": round(time.perf_counter() - at[0], 1),
        "until_found_cpu_s": round(processors() - at[1], 1),
    }


def look_ups(store: Store, asked: Sequence[Asked]) -> dict[str, Any]:
    """Milliseconds of a retrieval's look-ups: the median and 95th percentile of wall time, and the mean of all processors'."""
    assert isinstance(store, SupportsNames)
    names = store
    times: dict[str, list[float]] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the look-up returns
        at = time.perf_counter()
        result = call()
        times.setdefault(name, []).append((time.perf_counter() - at) * 1000)
        return result

    def retrieve(text: str, vector: Floats, wanted: tuple[int, ...]) -> None:
        words = timed("lexical_200", lambda: store.lexical(text, BEST))
        near = timed("nearest_200", lambda: store.nearest(vector, BEST))
        timed("vectors_200", lambda: store.vectors(words.keys))
        timed("chunks_10", lambda: store.chunks(near.keys[:10]))
        timed("traits_200", lambda: names.traits(near.keys))
        timed("signatures_200", lambda: names.signatures(near.keys))
        timed("extents_20", lambda: names.extents(near.keys[:20]))
        timed("mentioned_in_50", lambda: names.mentioned_in(wanted, 50))
        timed("named_50", lambda: names.named(wanted, 50))

    for one in asked[:3]:
        retrieve(*one)
    times.clear()
    before = processors()
    for one in asked:
        timed("all", partial(retrieve, *one))
    used = (processors() - before) / len(asked)
    found: dict[str, Any] = {
        name: {"median": round(float(np.median(taken)), 2), "p95": round(float(np.percentile(taken, 95)), 2)}
        for name, taken in times.items()
    }
    found["all"]["cpu_mean"] = round(1000 * used, 2)
    return found


def under_filters(store: Store, asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    """Median milliseconds by the wall of both searches under a filter that a tenth of the documents pass, and under one that none does."""
    found: dict[str, dict[str, float]] = {}
    for name, year in (("a tenth", "2003"), ("none", "1899")):
        where = {"year": (year,)}
        taken: dict[str, list[float]] = {"lexical_200": [], "nearest_200": []}
        for text, vector, _ in asked[:20]:
            at = time.perf_counter()
            store.lexical(text, BEST, where)
            between = time.perf_counter()
            store.nearest(vector, BEST, where)
            taken["lexical_200"].append(1000 * (between - at))
            taken["nearest_200"].append(1000 * (time.perf_counter() - between))
        found[name] = {search: round(float(np.median(own)), 2) for search, own in taken.items()}
    return found


def replacing(store: Store) -> dict[str, dict[str, float]]:
    """Milliseconds to put documents that are there once more, by their number, once the library is warm."""
    entries = batch(0, PER_BATCH // PER_DOCUMENT)
    store.put(entries[:1])
    found = {}
    for count in (1, len(entries)):
        at = time.perf_counter(), processors()
        store.put(entries[:count])
        wall, used = time.perf_counter() - at[0], processors() - at[1]
        found[str(count)] = {"wall": round(1000 * wall, 1), "cpu": round(1000 * used, 1)}
    return found


def recall(store: Store, asked: Sequence[Asked], truth: Truth) -> dict[str, float]:
    """How many of the true best are found."""
    shares: dict[str, list[float]] = {"at_200": [], "at_10": []}
    for (_, vector, _), rows in zip(asked, truth.rows, strict=True):
        found = [row_of(one.doc_id, one.place) for one in store.places(store.nearest(vector, BEST).keys) if one]
        for name, count in (("at_200", BEST), ("at_10", 10)):
            shares[name].append(len(set(found[:count]) & set(rows[:count].tolist())) / count)
    return {name: round(float(np.mean(taken)), 4) for name, taken in shares.items()}


def words_recall(store: Store, asked: Sequence[Asked], folder: Path, size: int) -> float:
    """How many of the 200 chunks that the embedded store finds by words are found."""
    shares = []
    with EmbeddedStore.open(folder, settings=SETTINGS) as model:
        for number in range(model.status().chunks // PER_BATCH, size // PER_BATCH):
            model.put(batch(number, PER_BATCH // PER_DOCUMENT))
        for text, _, _ in asked:
            found, expected = (
                {(place.doc_id, place.place) for place in one.places(one.lexical(text, BEST).keys) if place}
                for one in (store, model)
            )
            shares.append(len(found & expected) / len(expected))
    return round(float(np.mean(shares)), 4)


def main() -> None:
    """Grow, measure, write after every size."""
    parser = command_line(__doc__, questions=50, out="")
    parser.add_argument("--kind", choices=("milvus-lite", "postgresql"), required=True)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--most-minutes", type=float, default=40.0, help="of ingest, all sizes together")
    parser.add_argument("--folder", type=Path, help="where the libraries grow; kept (otherwise a temporary folder)")
    parser.add_argument("--without-words", action="store_true", help="no embedded library is grown beside, to compare")
    parser.add_argument("--buffers", default="128MB", help="PostgreSQL's shared_buffers")
    given = parser.parse_args()
    sizes = [int(one) for one in given.sizes.split(",")]
    asked = list(queries(given.questions, min(sizes)))
    report: dict[str, Any] = {**setting(), "kind": given.kind, "questions": len(asked), "sizes": {}}
    until = time.monotonic() + 60 * given.most_minutes
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="server-growth-")))
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # the server may run as another user
        address, files = stack.enter_context(place(given.kind, folder / "server", given.buffers))
        store = open_store(address, SETTINGS)
        stack.callback(store.close)
        truth = Truth(np.array([vector for _, vector, _ in asked], dtype=np.float32).reshape(-1, DIMENSION))
        start = 0
        for size in sizes:
            built = grow(store, start, size, truth, until)
            start = built["chunks"]
            row: dict[str, Any] = {
                "build": built,
                "look_ups_ms": look_ups(store, asked),
                "megabytes": {
                    "files": megabytes(files, logs=False),
                    "log of changes": megabytes(files, logs=True),
                    "this process": memory()["anonymous"],
                    "servers": servers_megabytes(),
                },
                "recall": recall(store, asked, truth),
            }
            if not given.without_words:
                row["recall"]["words_at_200"] = words_recall(store, asked, folder / "embedded", start)
            row["under_filters_ms"] = under_filters(store, asked)
            row["replacing_ms"] = replacing(store)
            report["sizes"][str(start)] = row
            print(start, row, flush=True)
            write(given.out, report, show=False)
            if time.monotonic() > until:
                break


if __name__ == "__main__":
    main()
