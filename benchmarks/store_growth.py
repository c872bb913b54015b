"""How the embedded store grows: from 1,000 to 1,000,000 chunks, its build time, size, memory, query latency and recall.

    python benchmarks/store_growth.py [--sizes 1000,10000,100000,1000000] [--out benchmarks/results/store_growth.json]
    python benchmarks/store_growth.py --look-up --folder FOLDER --sizes 1000000    # only the look-ups, of a library grown before

Texts are 110 words drawn from Zipf's law over 200,000 words, so about half of a text and of a query are very frequent words. Vectors
have 384 dimensions and cluster by topic and document. Chunks mention 8 of a growing set of names. One library grows through all sizes.
Each growth and each measurement is a process of its own, so that memory is that step's alone. Making the data is not timed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
from numpy.typing import NDArray
from setting import RESULTS, setting, write

from decoct.data import Chunk, Document, Floats, Span
from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore
from decoct.index.embedded.rows import RowFiles
from decoct.structure.traits import name_number

DIMENSION, WORDS, PER_DOCUMENT, PER_BATCH, CHUNK_WORDS = 384, 200_000, 12, 252, 110
Result = TypeVar("Result")
Asked = tuple[str, Floats, tuple[int, ...]]
Taken = dict[str, list[tuple[float, float]]]  # by look-up: milliseconds of wall and of the calling thread
SETTINGS = {"embedder": "synthetic"}
_words = np.array([f"w{n:x}" for n in range(WORDS)])
_share = np.cumsum(1 / np.arange(1, WORDS + 1) ** 1.05)
_share /= _share[-1]
# Variance falls over the dimensions as in a real embedding's principal components.
_spectrum = (np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32)
_topics = np.random.default_rng(1).standard_normal((300, DIMENSION)).astype(np.float32) * _spectrum


def drawn(number: int, documents: int) -> tuple[np.random.Generator, NDArray[np.float64], Floats]:
    """What the `number`-th batch is made of: the rest of its chance, places in `_share`, and vectors; (documents, chunks, …)."""
    random = np.random.default_rng([7, number])
    places = random.random((documents, PER_DOCUMENT, CHUNK_WORDS))
    middle = (
        0.8 * _topics[random.integers(0, 300, documents)]
        + random.standard_normal((documents, DIMENSION)).astype(np.float32) * _spectrum
    )
    vectors = (
        middle[:, None]
        + 0.9 * random.standard_normal((documents, PER_DOCUMENT, DIMENSION)).astype(np.float32) * _spectrum
    )
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    return random, places, vectors


def batch(number: int, documents: int) -> list[Entry]:
    """The `number`-th batch, the same each time it is asked for."""
    random, places, vectors = drawn(number, documents)
    words = _words[np.searchsorted(_share, places)]
    # Names are known to grow with the corpus; frequent ones are mentioned often.
    names = (random.pareto(0.6, (documents, PER_DOCUMENT, 8)) * 3).astype(np.int64) % max(1, (number + 1) * documents)
    entries = []
    for d in range(documents):
        doc_id = f"doc-{number:06}-{d:02}"
        pieces = [" ".join(piece) for piece in words[d]]
        chunks, start = [], 0
        for piece in pieces:
            chunks.append(Chunk(Span(doc_id, start, start + len(piece)), piece, f"Title {words[d, 0, 0]} {number}"))
            start += len(piece) + 1
        document = Document(
            doc_id, "\n".join(pieces), f"Title {words[d, 0, 0]} {number}", f"/corpus/{doc_id}",
            {"year": 2000 + (number + d) % 10, "kind": "report" if d % 2 else "letter"},
        )  # fmt: skip
        mentions = tuple(tuple(sorted({name_number(f"name {n}") for n in row.tolist()})) for row in names[d])
        known = ((name_number(f"name {number * documents + d}"), 1.0),)
        traits = tuple(piece[:400].encode() for piece in pieces)  # about what the real ones take
        marks = random.integers(0, 256, (len(chunks), 128), dtype=np.uint8)
        entries.append(Entry(document, tuple(chunks), vectors[d], doc_id, known, mentions, traits, marks))
    return entries


def queries(count: int, chunks: int) -> Iterator[Asked]:
    """Ten words of a chunk, a vector near to it, and 50 names."""
    random = np.random.default_rng(99)
    for _ in range(count):
        entries = batch(int(random.integers(0, max(1, chunks // PER_BATCH))), PER_BATCH // PER_DOCUMENT)
        entry = entries[int(random.integers(0, len(entries)))]
        at = int(random.integers(0, PER_DOCUMENT))
        words = entry.chunks[at].text.split()
        vector = entry.vectors[at] + 0.03 * random.standard_normal(DIMENSION).astype(np.float32)
        known = [name for one in entries for name, _ in one.names] + [name for one in entry.mentions for name in one]
        yield " ".join(words[20:30]), vector / np.linalg.norm(vector), tuple(dict.fromkeys(known))[:50]


def memory() -> dict[str, int]:
    """Megabytes now: anonymous, mapped from files (which the system can drop), and the highest sum so far."""
    found = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    wanted = {"anonymous": "RssAnon", "mapped": "RssFile", "peak": "VmHWM"}
    return {name: int(found[key].split()[0]) // 1024 for name, key in wanted.items()}


def grow(folder: Path, start: int, end: int) -> dict[str, Any]:
    """Put batches until the library holds `end` chunks."""
    documents = PER_BATCH // PER_DOCUMENT
    base, busy, cpu, slowest, anonymous = memory(), 0.0, 0.0, 0.0, 0
    before = time.perf_counter()
    store = EmbeddedStore.open(folder, settings=SETTINGS)
    for number in range(start // PER_BATCH, end // PER_BATCH):
        entries = batch(number, documents)
        began, worked = time.perf_counter(), time.process_time()
        store.put(entries)
        took = time.perf_counter() - began
        cpu += time.process_time() - worked
        busy, slowest = busy + took, max(slowest, took)
        if number % 20 == 0:
            anonymous = max(anonymous, memory()["anonymous"])
    began = time.perf_counter()
    store.close()
    closing = time.perf_counter() - began
    added = (end // PER_BATCH - start // PER_BATCH) * PER_BATCH
    return {
        "chunks_added": added,
        "put_ms_per_chunk": round(busy / max(added, 1) * 1e3, 4),
        "put_cpu_ms_per_chunk": round(cpu / max(added, 1) * 1e3, 4),
        "with_close_ms_per_chunk": round((busy + closing) / max(added, 1) * 1e3, 4),
        "slowest_put_s": round(slowest, 2),
        "close_s": round(closing, 2),
        "wall_s": round(time.perf_counter() - before, 1),
        "memory_mb": {
            "before": base["anonymous"],
            "highest_anonymous": max(anonymous, memory()["anonymous"]),
            **memory(),
        },
    }


def timed(times: Taken, name: str, call: Callable[..., Result], *words: object) -> Result:
    """What the call returns; its milliseconds are noted in `times`."""
    at = time.perf_counter(), time.thread_time()
    result = call(*words)
    times.setdefault(name, []).append(((time.perf_counter() - at[0]) * 1e3, (time.thread_time() - at[1]) * 1e3))
    return result


def look_ups(store: EmbeddedStore, asked: Sequence[Asked], warm: int, passes: int = 1) -> Taken:
    """Milliseconds of wall and of the calling thread for each look-up of a retrieval, without the first `warm` retrievals.

    With more `passes` all questions are asked again and again, and each look-up counts with the least it took: what other work on the
    machine adds falls away, and no question is asked twice in a row.
    """
    taken = [_look_ups(store, asked, warm) for _ in range(passes)]
    return {
        name: [
            (min(wall for wall, _ in one), min(cpu for _, cpu in one))
            for one in zip(*(found[name] for found in taken), strict=True)
        ]
        for name in taken[0]
    }


def _look_ups(store: EmbeddedStore, asked: Sequence[Asked], warm: int) -> Taken:
    times: Taken = {}

    def retrieve(text: str, vector: Floats, names: tuple[int, ...]) -> None:
        words = timed(times, "lexical_200", store.lexical, text, 200)
        near = timed(times, "nearest_200", store.nearest, vector, 200)
        timed(times, "vectors_200", store.vectors, words.keys)
        timed(times, "chunks_10", store.chunks, near.keys[:10])
        timed(times, "traits_200", store.traits, near.keys)
        timed(times, "signatures_200", store.signatures, near.keys)
        timed(times, "extents_20", store.extents, near.keys[:20])
        timed(times, "mentioned_in_50", store.mentioned_in, names, 50)
        timed(times, "named_50", store.named, names, 50)

    for n, one in enumerate(asked):
        if n == warm:
            times.clear()
        timed(times, "all", retrieve, *one)
    return times


def middles(times: Taken) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of wall time, and the median of the calling thread's own."""
    return {
        name: {
            "median": round(float(np.median([wall for wall, _ in taken])), 3),
            "p95": round(float(np.percentile([wall for wall, _ in taken], 95)), 3),
            "cpu_median": round(float(np.median([cpu for _, cpu in taken])), 3),
        }
        for name, taken in times.items()
    }


def measure(folder: Path, chunks: int, rounds: int = 200) -> dict[str, Any]:
    """Latencies of a retrieval's look-ups, recall of the vector index, cost of changing one document."""
    store, asked = EmbeddedStore.open(folder, settings=SETTINGS), list(queries(rounds + 20, chunks))
    opened = time.perf_counter()
    store.lexical(asked[0][0], 10)
    store.nearest(asked[0][1], 10)
    first = time.perf_counter() - opened
    times = look_ups(store, asked, 20)
    where = {"year": ("2003",)}
    for text, vector, _ in asked[:50]:
        timed(times, "lexical_200_filter_10%", store.lexical, text, 200, where)
        timed(times, "nearest_200_filter_10%", store.nearest, vector, 200, where)
    used = memory()
    recall = _recall(folder, store, asked[:50])
    result: dict[str, Any] = {
        "first_query_ms": round(first * 1e3, 1),
        "latency_ms": middles(times),
        "recall": recall,
        "memory_mb": used,
        "bytes": {path.name: _size(path) for path in sorted(folder.iterdir())},
    }
    entry = batch(0, PER_BATCH // PER_DOCUMENT)[3]
    for name, change in (
        ("replace", lambda: store.put([entry])),
        ("delete", lambda: store.delete([entry.document.id])),
    ):
        at = time.perf_counter()
        change()
        done = time.perf_counter()
        store.refresh()
        result[f"{name}_one_ms"] = {
            "call": round((done - at) * 1e3, 1),
            "searchable_after": round((time.perf_counter() - at) * 1e3, 1),
        }
    store.put([entry])
    store.close()
    return result


def _recall(folder: Path, store: EmbeddedStore, asked: list[Asked]) -> dict[str, float]:
    files = RowFiles(folder / "vectors", json.loads((folder / "vectors" / "manifest.json").read_text())["library"])
    manifest = files.manifest()
    assert manifest is not None
    rows, keys = files.rows(manifest), files.keys(manifest)
    vectors = np.stack([vector for _, vector, _ in asked])
    scores = np.concatenate(
        [np.asarray(rows[at : at + 20_000], np.float32) @ vectors.T for at in range(0, len(rows), 20_000)]
    )
    at_200, at_10 = [], []
    for n, (_, vector, _) in enumerate(asked):
        best = np.argsort(-scores[:, n])[:200]
        found = store.nearest(vector, 200).keys
        at_200.append(len(set(found.tolist()) & set(keys[best].tolist())) / min(200, len(keys)))
        at_10.append(len(set(found[:10].tolist()) & set(keys[best[:10]].tolist())) / 10)
    return {
        "at_200": round(float(np.mean(at_200)), 4),
        "at_10": round(float(np.mean(at_10)), 4),
        "indexed_rows": manifest.indexed,
    }


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def _child(*words: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,30000,100000,300000,1000000")
    parser.add_argument("--out", type=Path, help="else results/store_growth.json, or none with --look-up")
    parser.add_argument("--folder", type=Path, help="where the library grows; kept (otherwise a temporary folder)")
    parser.add_argument("--look-up", action="store_true", help="only read the library in --folder, of that size")
    parser.add_argument("--rounds", type=int, default=200, help="questions with --look-up")
    parser.add_argument("--passes", type=int, default=1, help="with --look-up: times that all questions are asked")
    parser.add_argument("--step", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        kind, folder, start, end = given.step
        print(
            json.dumps(grow(Path(folder), int(start), int(end)) if kind == "grow" else measure(Path(folder), int(end)))
        )
        return
    if given.look_up:
        with EmbeddedStore.open(given.folder, settings=SETTINGS, read_only=True) as store:
            asked = list(queries(given.rounds + 20, int(given.sizes)))
            found = middles(look_ups(store, asked, 20, given.passes))
        about = {"chunks": int(given.sizes), "questions": given.rounds, "passes": given.passes}
        write(given.out, {**setting(), **about, "latency_ms": found})
        return
    folder = Path(given.folder or tempfile.mkdtemp(prefix="store-growth-"))
    report: dict[str, Any] = {
        **setting(),
        "note": "the machine was shared with other jobs: cpu_median is the calling thread's own time, median and p95 are of wall time",
        "sizes": {},
    }
    try:
        start = 0
        for size in (int(one) for one in given.sizes.split(",")):
            grown = _child("--step", "grow", str(folder), str(start), str(size))
            found = _child("--step", "measure", str(folder), "0", str(size))
            report["sizes"][str(size)] = {"build": grown, **found}
            print(
                size,
                json.dumps(
                    {"put": grown["put_ms_per_chunk"], "all": found["latency_ms"]["all"], "recall": found["recall"]}
                ),
                flush=True,
            )
            write(given.out or RESULTS / "store_growth.json", report, show=False)
            start = size
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
