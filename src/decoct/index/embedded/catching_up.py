"""Bringing the lexical index to the state that SQLite has (`vectors` does the same for its own files)."""

from __future__ import annotations

import logging
import sqlite3

from decoct.index.embedded import changes, frequent, reading
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.frequent import FrequentWords
from decoct.index.embedded.lexical import LexicalIndex, LexicalView

_log = logging.getLogger(__name__)


def catch_up_lexical(
    index: LexicalIndex, connection: sqlite3.Connection, *, keep_writer: bool, resting: bool = False
) -> bool:
    """Write what `connection` sees and the index lacks; True if it was lost and had to be built from nothing.

    For the holder of the library's lock. A library that has outgrown its list of frequent words is written anew too: at once while it is
    growing, and one that was large before when writing comes to rest (`resting`).
    """
    view = index.load(exact=True)
    now, (chunks, _) = reading.number_of(connection, "sequence"), reading.tally(connection)
    if view is not None and view.sequence == now and view.chunks != chunks:
        view = None
    todo = changes.changes_since(connection, view.sequence if view is not None else None)
    lost = todo.afresh
    if view is not None and not lost and _is_outgrown(index, view, connection, chunks, resting=resting):
        _log.info("the lexical index is written anew, with the words that are frequent among %d chunks", chunks)
        todo = changes.changes_since(connection, None)
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
            index.clear(_learned(index, connection, todo, chunks))
        for one in todo.removed:
            index.remove(one.document)
        for one in todo.added:
            metadata, found = changes.searchables(connection, one)
            index.add(one.document, metadata, found)
        index.commit(todo.sequence, chunks)
    except BaseException:
        index.abandon()
        raise


def _learned(
    index: LexicalIndex, connection: sqlite3.Connection, todo: changes.Changes, chunks: int
) -> FrequentWords | None:
    if chunks < frequent.LEAST:
        return None
    index.looked_at = chunks
    return FrequentWords.learned(frequent.sampled(connection, todo.added), chunks)


def _is_outgrown(
    index: LexicalIndex, view: LexicalView, connection: sqlite3.Connection, chunks: int, *, resting: bool
) -> bool:
    due = frequent.threshold(view.frequent)
    if chunks < max(due, 2 * index.looked_at) or not (resting or chunks < 2 * due):
        return False
    index.looked_at = chunks
    every = changes.changes_since(connection, None).added
    return frequent.is_outgrown(view.frequent, frequent.sampled(connection, every), chunks)
