"""The bench on which a structure is put together: its folder, its parts, and a memory for what is dear (vectors, a model's texts).

Vectors are kept by the digest of their text: those of finished structures are read from their files (the last one of this name, and
others of the library, which often hold the same names and sentences), those that an interrupted run embedded from `parts.db`, and only
the rest is embedded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from decoct.data import Floats
from decoct.embed.base import Embedder
from decoct_lab.structure.byte_vectors import ByteRows
from decoct_lab.structure.parts import Parts
from decoct_lab.workforce import Here, Item, Result, Workforce

# Texts embedded between two commits: a few seconds of work.
_BLOCK = 512
_DIGEST = 16


@dataclass(frozen=True, slots=True)
class EmbeddingBy:
    """Embeds passages by `embedder`."""

    embedder: Embedder

    def __call__(self, texts: Sequence[str]) -> Floats:
        """A row a text."""
        return self.embedder.embed(texts, "passage").astype(np.float32)


@dataclass(frozen=True, slots=True)
class Bench:
    """Implements `decoct_lab.structure.base.Workshop`."""

    folder: Path
    before: Path | None
    kept: Parts
    fingerprint: str
    embedder: Embedder
    others: tuple[Path, ...] = ()
    telling: Callable[[str, int, int], None] | None = None
    workforce: Workforce = field(default_factory=Here)

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """See `Workshop.parts`."""
        return self.kept.bodies(self.fingerprint)

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """See `Workshop.results`."""
        return self.workforce.results(work, items)

    def tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        """See `Workshop.tell`."""
        if self.telling is not None:
            self.telling(doing, done, total)

    def remembered(self, key: str, make: Callable[[], str]) -> str:
        """See `Workshop.remembered`."""
        if (found := self.kept.recalled(key)) is None:
            found = make()
            self.kept.keep(key, found)
        return found

    def vectors(self, name: str, texts: Sequence[str]) -> Floats:
        """See `Workshop.vectors`. The digests of the texts lie beside them, so that the next structure finds them."""
        rows = PlainRows(self.folder, name, (len(texts), self.embedder.dimension))
        self._fill(name, texts, rows)
        return rows.rows

    def byte_vectors(self, name: str, texts: Sequence[str]) -> None:
        """See `Workshop.byte_vectors`."""
        self._fill(name, texts, ByteRows(self.folder, name, (len(texts), self.embedder.dimension)))

    def _fill(self, name: str, texts: Sequence[str], rows: PlainRows | ByteRows) -> None:
        digests = [
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest() for text in texts
        ]
        np.save(self.folder / f"{name}.texts.npy", np.frombuffer(b"".join(digests), np.uint8).reshape(-1, _DIGEST))
        missing = self._known(name, digests, rows)
        blocks = [missing[at : at + _BLOCK] for at in range(0, len(missing), _BLOCK)]
        embedded = self.results(EmbeddingBy(self.embedder), ([texts[row] for row in some] for some in blocks))
        done = len(texts) - len(missing)
        for some in blocks:
            self.tell(f"embedding {name}", done, len(texts))
            _, new = next(embedded)
            done += len(some)
            rows.put(some, new)
            self.kept.keep_vectors(
                [(self._mark(digests[row]), vector.tobytes()) for row, vector in zip(some, new, strict=True)]
            )
        rows.finish()

    def _known(self, name: str, digests: Sequence[bytes], rows: PlainRows | ByteRows) -> list[int]:
        """Fill in what was embedded before; the rows that were not."""
        missing = list(range(len(digests)))
        for folder in (*([self.before] if self.before is not None else []), *self.others):
            if not rows.readable(folder, name):
                continue
            places = {digest: row for row, digest in enumerate(_rows_of(folder / f"{name}.texts.npy"))}
            found = [(row, places[digests[row]]) for row in missing if digests[row] in places]
            if found:
                here, there = zip(*found, strict=True)
                rows.copy(list(here), folder, list(there))
                missing = [row for row in missing if digests[row] not in places]
        marks = {row: self._mark(digests[row]) for row in missing}
        kept = self.kept.vectors(list(marks.values()))
        again = [row for row, mark in marks.items() if mark in kept]
        for at in range(0, len(again), _BLOCK):
            some = again[at : at + _BLOCK]
            rows.put(some, np.stack([np.frombuffer(kept[marks[row]], np.float32) for row in some]))
        return [row for row, mark in marks.items() if mark not in kept]

    def _mark(self, digest: bytes) -> bytes:
        """What a text's vector is kept under until the structure is finished: the embedder may be another one by the next run."""
        return hashlib.blake2b(digest + self.embedder.fingerprint.encode(), digest_size=_DIGEST).digest()


class PlainRows:
    """Vectors in single precision while they are written to `folder`, as `name.npy`."""

    def __init__(self, folder: Path, name: str, shape: tuple[int, int]) -> None:
        self._path, self._name = folder / f"{name}.npy", name
        self.rows: Floats = np.zeros(shape, np.float32)  # nothing can be mapped that has no bytes
        if shape[0]:
            self.rows = open_memmap(self._path, mode="w+", dtype=np.float32, shape=shape)

    @staticmethod
    def readable(folder: Path, name: str) -> bool:
        """Whether vectors of that name are kept there, in this form."""
        return (folder / f"{name}.npy").is_file() and not ByteRows.readable(folder, name)

    def put(self, at: list[int], vectors: Floats) -> None:
        """Set rows."""
        self.rows[at] = vectors

    def copy(self, at: list[int], folder: Path, there: list[int]) -> None:
        """Set rows to those of a finished folder."""
        self.rows[at] = np.load(folder / f"{self._name}.npy", mmap_mode="r")[there]

    def finish(self) -> None:
        """Write what is not written."""
        if isinstance(self.rows, np.memmap):
            self.rows.flush()
        else:
            np.save(self._path, self.rows)


def _rows_of(path: Path) -> list[bytes]:
    return [row.tobytes() for row in np.load(path)] if path.is_file() else []
