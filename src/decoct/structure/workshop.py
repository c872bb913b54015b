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
from decoct.structure.parts import Parts
from decoct.workforce import Here, Item, Result, Workforce

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
    """Implements `decoct.structure.base.Workshop`."""

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
        digests = [
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest() for text in texts
        ]
        np.save(self.folder / f"{name}.texts.npy", np.frombuffer(b"".join(digests), np.uint8).reshape(-1, _DIGEST))
        shape = (len(texts), self.embedder.dimension)
        if not texts:  # nothing can be mapped that has no bytes
            empty = np.zeros(shape, np.float32)
            np.save(self.folder / f"{name}.npy", empty)
            return empty
        rows = open_memmap(self.folder / f"{name}.npy", mode="w+", dtype=np.float32, shape=shape)
        missing = self._known(name, digests, rows)
        blocks = (missing[at : at + _BLOCK] for at in range(0, len(missing), _BLOCK))
        embedded = self.results(EmbeddingBy(self.embedder), ([texts[row] for row in some] for some in blocks))
        for at in range(0, len(missing), _BLOCK):
            self.tell(f"embedding {name}", len(texts) - len(missing) + at, len(texts))
            some = missing[at : at + _BLOCK]
            _, new = next(embedded)
            rows[some] = new
            self.kept.keep_vectors(
                [(self._mark(digests[row]), vector.tobytes()) for row, vector in zip(some, new, strict=True)]
            )
        rows.flush()
        return rows

    def _known(self, name: str, digests: Sequence[bytes], rows: Floats) -> list[int]:
        """Fill in what was embedded before; the rows that were not."""
        missing = list(range(len(digests)))
        for folder in (*([self.before] if self.before is not None else []), *self.others):
            places = {digest: row for row, digest in enumerate(_rows_of(folder / f"{name}.texts.npy"))}
            found = [(row, places[digests[row]]) for row in missing if digests[row] in places]
            if found:
                here, there = zip(*found, strict=True)
                rows[list(here)] = np.load(folder / f"{name}.npy", mmap_mode="r")[list(there)]
                missing = [row for row in missing if digests[row] not in places]
        marks = {row: self._mark(digests[row]) for row in missing}
        kept = self.kept.vectors(list(marks.values()))
        for row, mark in marks.items():
            if (vector := kept.get(mark)) is not None:
                rows[row] = np.frombuffer(vector, np.float32)
        return [row for row, mark in marks.items() if mark not in kept]

    def _mark(self, digest: bytes) -> bytes:
        """What a text's vector is kept under until the structure is finished: the embedder may be another one by the next run."""
        return hashlib.blake2b(digest + self.embedder.fingerprint.encode(), digest_size=_DIGEST).digest()


def _rows_of(path: Path) -> list[bytes]:
    return [row.tobytes() for row in np.load(path)] if path.is_file() else []
