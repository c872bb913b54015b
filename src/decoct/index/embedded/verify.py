"""Reading everything a library holds and computing every digest again: what `decoct doctor` tells.

Nothing is changed or mended here, and one unreadable page or document does not keep the others from being looked at.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from decoct.errors import StoreError
from decoct.index.abilities import Checked
from decoct.index.embedded import changes, columns, reading, sums
from decoct.index.embedded.database import Database
from decoct.index.embedded.lexical import RECORD, LexicalIndex
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.opening import FILE
from decoct.index.embedded.vectors import VectorIndex
from decoct.index.filters import as_pairs

# Complaints of SQLite about its pages that are listed.
MOST = 100

# Beyond every key.
_BEYOND = 2**63 - 1

_NAMED = {"record": "documents", "text": "texts", "chunks": "chunks", "vectors": "vectors"}

Progress = Callable[[int, int], None]


def verified(folder: Path, progress: Progress | None = None) -> Iterator[Checked]:
    """Each kind of thing in the library, how many were checked and which differ. `progress` is told documents done and of how many."""
    with closing(Database(folder / FILE, read_only=not os.access(folder, os.W_OK))) as database:
        yield from _pages(database)
        yield from _documents(database, progress)
        yield from _tables(database)
        with database.reading() as connection:
            library = changes.library(connection)
            with closing(LexicalIndex(folder / "lexical", library)) as index:
                yield _index("lexical", index, RECORD, connection, folder)
            yield _index("vectors", VectorIndex(folder / "vectors", library), "manifest.json", connection, folder)


def _pages(database: Database) -> Iterator[Checked]:
    """The structure of SQLite's pages."""
    with database.reading() as connection:
        pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
        try:
            told = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MOST})")]
        except sqlite3.DatabaseError as error:
            told = [str(error)]
    yield Checked("pages", pages, () if told == ["ok"] else tuple(" ".join(one.split()) for one in told))


def _documents(database: Database, progress: Progress | None) -> Iterator[Checked]:
    """The digests of every document's parts, each document read by itself."""
    with database.reading() as connection:
        numbers = _listed(connection, "SELECT number, id FROM documents ORDER BY number")
    wrong: dict[str, list[str]] = {name: [] for name in [*_NAMED.values(), "metadata"]}
    for done, (number, doc_id) in enumerate(numbers):
        if progress is not None:
            progress(done, len(numbers))
        try:
            with database.reading() as connection:
                for name in _differing(connection, number):
                    wrong[name].append(doc_id)
        except StoreError:  # a page of it cannot be read
            wrong["documents"].append(doc_id)
    for name, ids in wrong.items():
        yield Checked(name, len(numbers), tuple(ids))


def _differing(connection: sqlite3.Connection, number: int) -> list[str]:
    kept, found = sums.stored_sums(connection, number), sums.computed_sums(connection, number)
    if kept is None:
        return ["documents"]  # it was unreadable when its digests were to be made
    differing = [_NAMED[part] for part in sums.PARTS if kept[part] != found[part]]
    if "documents" in differing:
        return differing
    (metadata,) = connection.execute("SELECT metadata FROM documents WHERE number = ?", (number,)).fetchone()
    rows = ((*pair, number) for pair in as_pairs(json.loads(metadata)))
    asked = "SELECT 1 FROM metadata WHERE name = ? AND value = ? AND document = ?"
    if not all(connection.execute(asked, row).fetchone() for row in rows):
        differing.append("metadata")
    return differing


# Each finds rows that disagree with one another, and says what of.
_DISAGREEING = {
    "the tally of chunks": "SELECT 1 WHERE (SELECT coalesce(sum(chunks), 0) FROM documents) "
    "IS NOT (SELECT value FROM meta WHERE name = 'chunks')",
    "the tally of keys": "SELECT 1 WHERE (SELECT coalesce(sum(chunks * first_key + chunks * (chunks - 1) / 2), 0) FROM documents) "
    "IS NOT (SELECT value FROM meta WHERE name = 'keys')",
    "chunks of no document": "SELECT 1 FROM chunks WHERE document NOT IN (SELECT number FROM documents) LIMIT 1",
    "chunks and vectors": "SELECT 1 WHERE (SELECT count(*) FROM chunks) != (SELECT count(*) FROM vectors)",
    "metadata of no document": "SELECT 1 FROM metadata WHERE document NOT IN (SELECT number FROM documents) LIMIT 1",
    "names that chunks mention": "SELECT 1 FROM names LEFT JOIN (SELECT name, count(*) AS n FROM mentions GROUP BY name) "
    "ON name = id WHERE chunks != coalesce(n, 0) LIMIT 1",
    "names of documents": "SELECT 1 FROM names LEFT JOIN (SELECT name, count(*) AS n FROM known_as GROUP BY name) "
    "ON name = id WHERE documents != coalesce(n, 0) LIMIT 1",
    "mentions of chunks": "SELECT 1 WHERE (SELECT count(*) FROM mentions) != "
    "(SELECT coalesce(sum(length(mentions)), 0) / 8 FROM chunks)",
    "documents known by names": "SELECT 1 WHERE (SELECT count(*) FROM known_as) != "
    "(SELECT coalesce(sum(length(known_as)), 0) / 8 FROM documents)",
}


def _tables(database: Database) -> Iterator[Checked]:
    """Whether the tables agree with one another."""
    wrong = []
    for what, statement in _DISAGREEING.items():
        try:
            with database.reading() as connection:
                if connection.execute(statement).fetchone() is not None:
                    wrong.append(what)
        except StoreError as error:
            wrong.append(f"{what} ({error})")
    yield Checked("tables", len(_DISAGREEING), tuple(wrong))


def _index(
    name: str, index: LexicalIndex | VectorIndex, record: str, connection: sqlite3.Connection, folder: Path
) -> Checked:
    """The files of an index and how many chunks it holds; of the vectors row by row against SQLite."""
    view, now, held = index.load(), reading.number_of(connection, "sequence"), reading.tally(connection)
    if view is None:
        there = (folder / name).is_dir() and held[0]
        return Checked(f"index {name}", 0, tuple(index.damaged() or [f"{name}/{record}"]) if there else (), behind=now)
    found, wrong = view.tally(), ["its faiss file"] if view.lacks_index else []
    if view.sequence > now or (view.sequence == now and found != held[: len(found)]):
        wrong.append(f"it holds {found[0]} chunks, the library {held[0]}{', or others' * (len(found) - 1)}")
    if isinstance(view, VectorView) and view.sequence >= now:
        told = _rows_differing(view, connection).items()
        wrong += [f"{rows} rows differ from the library's {kind}" for kind, rows in told if rows]
    return Checked(f"index {name}", found[0], tuple(wrong), behind=max(now - view.sequence, 0))


def _rows_differing(view: VectorView, connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows hold other vectors, signatures or traits than SQLite; one that lacks is a vector's."""
    wrong = {"vectors": 0, "signatures": 0, "traits": 0}
    for key, vector, mark, traits in changes.stored_rows(connection, 0, _BEYOND):
        at = int(np.searchsorted(view.keys, key))
        if at >= len(view.keys) or int(view.keys[at]) != key:
            wrong["vectors"] += 1
            continue
        wrong["vectors"] += view.rows[at].astype(columns.STORED).tobytes() != vector
        wrong["signatures"] += view.marks[at].tobytes() != mark
        wrong["traits"] += view.row_traits.at(np.array([at])) != [traits]
    return wrong


def _listed(connection: sqlite3.Connection, statement: str) -> list[tuple[int, str]]:
    """As many rows as can be read: what lies behind a broken page is told by `_pages`."""
    found: list[tuple[int, str]] = []
    with suppress(sqlite3.DatabaseError):
        found.extend(connection.execute(statement))
    return found
