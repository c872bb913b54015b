"""Bringing the lexical index to the state that SQLite has (`vectors` does the same for its own files)."""

from __future__ import annotations

import sqlite3

from decoct.index.embedded import changes, reading
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.lexical import LexicalIndex


def catch_up_lexical(index: LexicalIndex, connection: sqlite3.Connection, *, keep_writer: bool) -> bool:
    """Write what `connection` sees and the index lacks; True if it was lost and had to be built from nothing.

    For the holder of the library's lock.
    """
    view = index.load(exact=True)
    now, (chunks, _) = reading.number_of(connection, "sequence"), reading.tally(connection)
    if view is not None and view.sequence == now and view.chunks != chunks:
        view = None
    todo = changes.changes_since(connection, view.sequence if view is not None else None)
    lost = todo.afresh
    if view is not None and not todo.afresh and view.sequence == todo.sequence:
        return False
    try:
        _write(index, connection, todo, chunks)
    except DamagedIndexError:  # found while writing, as after a kill that left files which tantivy wants to write
        if todo.afresh:
            raise
        lost, todo = True, changes.changes_since(connection, None)
        _write(index, connection, todo, chunks)
    index.load()
    if not keep_writer:
        index.release()  # its writer would keep others from writing
    return lost


def _write(index: LexicalIndex, connection: sqlite3.Connection, todo: changes.Changes, chunks: int) -> None:
    try:
        if todo.afresh:
            index.clear()
        for one in todo.removed:
            index.remove(one.document)
        for one in todo.added:
            metadata, found = changes.searchables(connection, one)
            index.add(one.document, metadata, found)
        index.commit(todo.sequence, chunks)
    except BaseException:
        index.abandon()
        raise
