"""What was read of each document, on disk, and what an unfinished `put_together` has done: `parts.db` of a structure's folder.

Documents are written a batch a transaction. A part knows the digest of the document's text and the fingerprint of the method that it was
read by: a part with another is out of date.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import zstandard

from decoct.errors import DamagedStoreError, StoreError
from decoct_lab.structure.base import Part

_SCHEMA = """
CREATE TABLE IF NOT EXISTS parts (
    document BLOB PRIMARY KEY, digest TEXT NOT NULL, fingerprint TEXT NOT NULL, chunks INTEGER NOT NULL, body BLOB NOT NULL,
    failed INTEGER NOT NULL, reasons TEXT NOT NULL, spent TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memory (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""
_SPENT = ("calls", "cached", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class PartRow:
    """One document's part with what it was read from and by, and its share of what reading cost."""

    document: str
    digest: str
    chunks: int
    part: Part
    spent: Mapping[str, float]
    seconds: float


class Parts:
    """The parts in the file `path`. One thread, one writer (`write.lock` of the folder)."""

    def __init__(self, path: Path) -> None:
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            told = f"{path} cannot be opened: {error}; drop the structure and build it again"
            raise (StoreError if isinstance(error, sqlite3.OperationalError) else DamagedStoreError)(told) from error

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    # -- documents ------------------------------------------------------------------------------------------------
    def known(self, fingerprint: str) -> dict[str, tuple[str, int]]:
        """Digest of each document that was read by `fingerprint`, and on how many of its pieces the model failed."""
        rows = self._connection.execute(
            "SELECT document, digest, failed FROM parts WHERE fingerprint = ?", [fingerprint]
        )
        return {_text(document): (digest, failed) for document, digest, failed in rows}

    def ids(self) -> set[str]:
        """Every document that has a part, by whatever it was read."""
        return {_text(document) for (document,) in self._connection.execute("SELECT document FROM parts")}

    def put(self, fingerprint: str, rows: Sequence[PartRow]) -> None:
        """Keep the parts, replacing those of the same documents, in one transaction."""
        pack = zstandard.ZstdCompressor().compress
        with _transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        _blob(row.document),
                        row.digest,
                        fingerprint,
                        row.chunks,
                        pack(row.part.body),
                        len(row.part.failed),
                        json.dumps(row.part.failed[:5]),
                        json.dumps(dict(row.spent)),
                        row.seconds,
                    )
                    for row in rows
                ],
            )
            self._changed()

    def remove(self, documents: Sequence[str]) -> None:
        """Forget the documents."""
        if documents:
            with _transaction(self._connection):
                self._connection.executemany(
                    "DELETE FROM parts WHERE document = ?", [(_blob(one),) for one in documents]
                )
                self._changed()

    def bodies(self, fingerprint: str) -> Iterator[tuple[str, bytes]]:
        """Id and body of every document read by `fingerprint`, by id."""
        unpack = zstandard.ZstdDecompressor().decompress
        asked = "SELECT document, body FROM parts WHERE fingerprint = ? ORDER BY document"
        with closing(self._connection.execute(asked, [fingerprint])) as rows:
            for document, body in rows:
                yield _text(document), unpack(body)

    def totals(self, fingerprint: str) -> tuple[int, int, int, dict[str, int], float]:
        """Documents, chunks, failed pieces, what was spent and the seconds, over the parts read by `fingerprint`."""
        sums = ", ".join(f"coalesce(sum(json_extract(spent, '$.{name}')), 0)" for name in _SPENT)
        (documents, chunks, failed, seconds, *spent) = self._connection.execute(
            f"SELECT count(*), coalesce(sum(chunks), 0), coalesce(sum(failed), 0), coalesce(sum(seconds), 0), {sums} "  # noqa: S608
            "FROM parts WHERE fingerprint = ?",
            [fingerprint],
        ).fetchone()
        return documents, chunks, failed, dict(zip(_SPENT, map(round, spent), strict=True)), seconds

    def failures(self, fingerprint: str) -> dict[str, list[str]]:
        """The documents on which the model failed, each with the first reasons."""
        rows = self._connection.execute(
            "SELECT document, reasons FROM parts WHERE fingerprint = ? AND failed > 0 ORDER BY document", [fingerprint]
        )
        return {_text(document): json.loads(reasons) for document, reasons in rows}

    @property
    def changes(self) -> int:
        """How often parts were put or removed: a structure put together at another count is not of these parts."""
        row = self._connection.execute("SELECT value FROM state WHERE name = 'changes'").fetchone()
        return int(row[0]) if row else 0

    # -- what an unfinished structure has done ---------------------------------------------------------------------
    def vectors(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """Those of the vectors that are kept."""
        found: dict[bytes, bytes] = {}
        for at in range(0, len(digests), 500):
            some = digests[at : at + 500]
            asked = f"SELECT digest, vector FROM vectors WHERE digest IN ({','.join('?' * len(some))})"  # noqa: S608
            found.update(self._connection.execute(asked, some))
        return found

    def keep_vectors(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep vectors by the digest of their text."""
        with _transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def recalled(self, key: str) -> str | None:
        """What was kept under `key`."""
        row = self._connection.execute("SELECT value FROM memory WHERE key = ?", [key]).fetchone()
        return str(row[0]) if row else None

    def keep(self, key: str, value: str) -> None:
        """Keep a text under `key`."""
        with _transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO memory VALUES (?, ?)", [key, value])

    def forget_vectors(self) -> None:
        """A finished structure holds its vectors itself."""
        with _transaction(self._connection):
            self._connection.execute("DELETE FROM vectors")
        self._connection.execute("VACUUM")

    def _changed(self) -> None:
        self._connection.execute(
            "INSERT INTO state VALUES ('changes', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
        )


class _transaction:  # noqa: N801 - reads as a statement
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _blob(document: str) -> bytes:
    return document.encode("utf-8", "surrogatepass")


def _text(document: bytes) -> str:
    return document.decode("utf-8", "surrogatepass")
