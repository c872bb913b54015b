"""Approximate search among many vectors: faiss's inverted file with 8-bit scalar quantisation (IVF, SQ8).

k-means on a sample cuts the space into lists; each vector is stored in the list of its nearest centre, one byte a dimension; a query
looks into the lists nearest to it. (Jégou, Douze & Schmid 2011; Douze et al. 2024, the faiss library.) Chosen over HNSW for
its build time: 5-9 microseconds a row against 250 or more, for the same recall after exact rescoring.

Below `EXACT` rows a brute-force product is as fast, and exact. Above, the rows that came since the file was written are searched
exactly as well, until they are many enough to be added (`is_index_due`). The file is mapped into memory, so opening it reads almost
nothing.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys
from decoct.errors import StoreError
from decoct.index.embedded.files import sync

# Up to this many rows are searched exactly: 20,000 rows of 384 dimensions are 30 MB, under a millisecond on one core.
EXACT = 20_000

# Rows beyond the file that are searched exactly before they are added to it, at least; a larger index waits for a 32nd of itself, so
# that rewriting the file stays a small share of what is written.
TAIL, TAIL_SHARE = 16_384, 1 / 32

# The same when writing comes to rest (`refresh`, `close`): few rows are worth a rewrite then, since each costs every query to come.
REST, REST_SHARE = 2048, 1 / 256

# Train again when there are this many times the rows that were there at the last training: the lists have become too long.
RETRAIN = 4

# k-means: sample points a list and rounds. faiss asks for 39 points or more; more rounds than 10 did not change recall.
POINTS, ROUNDS = 64, 10

# Codes that a query compares, at about 30 nanoseconds each; and the lists it looks into at least, when these hold more. Among 300,000
# synthetic vectors clustered by topic and document, in 1,024 lists, 32 of them held .93 of the true best 200 and .995 of the best 10,
# 64 held .96 and .998. Small libraries get more lists for the same time.
CODES, PROBES = 24_000, 32

# Candidates a result wanted, to be rescored exactly: quantisation rarely moves a vector further than that.
SLACK = 1.25

# Rows read, assigned and added at a time: 24 MB of single precision.
BLOCK = 16_384


# Reads rows from the first number up to, not including, the second: shape (rows, dimension).
ReadRows = Callable[[int, int], Floats]


@dataclass(frozen=True, slots=True)
class Ivf:
    """An opened index over the first `rows` rows."""

    index: Any
    rows: int

    def search(self, vector: Floats, k: int, allowed: NDArray[np.uint8] | None) -> Keys:
        """About the `k` best row numbers, best first; `allowed` has one bit a row (little-endian), None for all."""
        import faiss

        settings: Any = faiss.IVFSearchParameters()
        settings.nprobe = min(self.index.nlist, max(PROBES, math.ceil(CODES * self.index.nlist / self.rows)))
        if allowed is not None:
            selector = faiss.IDSelectorBitmap(len(allowed) * 8, faiss.swig_ptr(allowed))
            settings.sel = selector
        with _translated(), _one_thread():
            found = self.index.search(vector[None], min(math.ceil(k * SLACK), self.rows), params=settings)[1][0]
        rows: Keys = found[found >= 0]
        return rows


def is_index_due(rows: int, indexed: int, *, resting: bool = False) -> bool:
    """Whether a file over all `rows` should replace one over the first `indexed`; `resting`: nothing more will come for now."""
    if not indexed:
        return rows > EXACT
    least, share = (REST, REST_SHARE) if resting else (TAIL, TAIL_SHARE)
    return rows - indexed > max(least, indexed * share)


def build(read: ReadRows, rows: int, old: Path | None, kept: int, new: Path) -> int:
    """Write the index over all `rows` to `new`: `old`, which holds the first `kept`, and the rest; or trained afresh. Its size in bytes."""
    import faiss

    trim()
    with _translated():
        index: Any = _train(read, rows) if old is None else faiss.read_index(str(old), faiss.IO_FLAG_MMAP)
        if old is not None:
            if index.ntotal != kept:
                raise StoreError(f"{old.name} holds {index.ntotal} rows, not {kept}")
            index.replace_invlists(_owned(faiss.ArrayInvertedLists(index.nlist, index.code_size)), True)
        for start in range(kept, rows, BLOCK):
            index.add(read(start, min(start + BLOCK, rows)))
        if old is not None:
            _put_before(old, index)
        draft = new.with_suffix(".new")
        faiss.write_index(index, str(draft))
        del index
        trim()
        sync(draft)
        draft.replace(new)
        return new.stat().st_size


def _put_before(old: Path, index: Any) -> None:  # noqa: ANN401 - faiss ships no types
    """Put the lists of `old` before those of `index`, which has the same centres.

    Each list gets the room that it needs and no more, and the pages of the old file are let go list by list: adding to the old index itself
    takes 1.5 times its size, since every list grows to twice its room.
    """
    import faiss

    mapped: Any = faiss.read_index(str(old), faiss.IO_FLAG_MMAP)
    before, after, found = mapped.invlists, index.invlists, faiss.ArrayInvertedLists(index.nlist, index.code_size)
    for number in range(index.nlist):
        first, more = before.list_size(number), after.list_size(number)
        found.resize(number, first + more)
        if first:
            codes = before.get_codes(number)
            found.update_entries(number, 0, first, before.get_ids(number), codes)
            let_go(int(codes), first * index.code_size)
        if more:
            found.update_entries(number, first, more, after.get_ids(number), after.get_codes(number))
    index.replace_invlists(_owned(found), True)


def _owned(lists: Any) -> Any:  # noqa: ANN401 - faiss ships no types
    """The lists, for faiss to free."""
    lists.this.disown()
    return lists


def load(path: Path, rows: int) -> Ivf:
    """Open the index, mapped into memory; `StoreError` if the file is not whole."""
    import faiss

    with _translated():
        index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
        if index.ntotal != rows:
            raise StoreError(f"{path.name} holds {index.ntotal} rows, not {rows}")
        # Mapped lists are read ahead by 32 threads started for each query, which takes six times as long as the search itself.
        lists: Any = faiss.downcast_InvertedLists(index.invlists)
        lists.prefetch_nthread = 0
        return Ivf(index, rows)


def _train(read: ReadRows, rows: int) -> Any:  # noqa: ANN401 - faiss ships no types
    import faiss

    lists = 2 ** round(math.log2(2 * math.sqrt(rows)))
    # Evenly spread over the rows, so over the corpus: the same rows give the same index.
    chosen = np.unique(np.linspace(0, rows - 1, min(rows, lists * POINTS)).astype(np.int64))
    sample = np.concatenate(
        [
            read(start, min(start + BLOCK, rows))[chosen[(chosen >= start) & (chosen < start + BLOCK)] - start]
            for start in range(0, rows, BLOCK)
        ]
    )
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(sample.shape[1]),
        sample.shape[1],
        lists,
        faiss.ScalarQuantizer.QT_8bit_uniform,  # one range for all dimensions: compared in two thirds of the time
        faiss.METRIC_INNER_PRODUCT,
    )
    index.cp.niter, index.cp.max_points_per_centroid = ROUNDS, POINTS
    index.train(sample)
    return index


@contextmanager
def _one_thread() -> Iterator[None]:
    """Search on the calling thread alone: the setting is this thread's own, and threads that meet cost more than they save here."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


@contextmanager
def _translated() -> Iterator[None]:
    """The border: faiss raises RuntimeError for files it cannot read or write."""
    try:
        yield
    except RuntimeError as error:
        raise StoreError(
            f"the vector index failed ({error}); it is built again when the library is next written"
        ) from error


def trim() -> None:
    """Have the C library return what it keeps for later.

    Writing a million chunks leaves some 300 MB of small holes behind. Only glibc can do it; others are left alone.
    """
    if (found := getattr(_c_library(), "malloc_trim", None)) is not None:
        found(0)


def let_go(address: int, size: int) -> None:
    """Forget the pages of a file that is mapped for reading at `address`: what is read there again is read from the file.

    Advice, so nothing is raised where a system does not take it.
    """
    start = address - address % mmap.PAGESIZE
    _c_library().madvise(start, address + size - start, mmap.MADV_DONTNEED)


@cache
def _c_library() -> ctypes.CDLL:
    found = ctypes.CDLL(None)
    found.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found
