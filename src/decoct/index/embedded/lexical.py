"""The lexical index: BM25 by tantivy over each chunk's title and text and its file's path (`index.searchable`), derived from SQLite.

Score of a chunk c for query words w (Robertson & Zaragoza 2009), as tantivy computes it:

    sum over w of  ln(1 + (N - n_w + .5) / (n_w + .5)) * f * (k1 + 1) / (f + k1 * (1 - b + b * |c| / mean|c|)),  k1 = 1.2, b = 0.75

Words are those of `decoct.text.analysis`, stemmed by their document's language: the index is handed them one by one, so that
documents and questions cannot be cut apart in different ways; a word asked twice counts twice. |c| is kept in one byte, exact up to
40 words and within 1/16 above; N and n_w still count deleted chunks until their segment is merged. Metadata are untokenised terms
of each chunk, so a filter is part of the query.

The folder is written by tantivy's atomic commits; `decoct.json`, replaced before and after each commit, says which sequence number it
holds and how many chunks that makes. A crash between the two repeats work that is harmless to repeat: the first catch-up of a process
removes a document before adding it.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from decoct.data import Floats, Keys, Metadata, Ranking
from decoct.errors import StoreError
from decoct.index.embedded import changes, fields, reading
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.border import translated as _translated
from decoct.index.embedded.changes import Searchable
from decoct.index.embedded.files import has_whole_footer, replace_json, share
from decoct.index.embedded.reading import Texts
from decoct.index.embedded.waiting import Statistics
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems

# The files of the lexical index: what state they hold, and whether they are as they were written.
#
# tantivy writes a CRC at the end of each file, and `meta.json` names those that count. `decoct.json` is ours: the format, the library, the
# sequence number and how many chunks that makes; before a commit, also how many it will make.
RECORD = "decoct.json"

# Raised when the fields or the analysis change: an index of another format is built again (3 was that with columns of frequent words).
FORMAT = 2


class SegmentFiles:
    """Knows which files were already found whole: tantivy never changes one that it has written."""

    def __init__(self, folder: Path, library: str) -> None:
        self._folder = folder
        self._library = library
        self._whole: set[tuple[str, int]] = set()

    def recorded(self) -> tuple[int, set[int]] | None:
        """The sequence number of the index, and how many chunks it may hold (none are told by the version before).

        None if there is no index, or not one of ours: it is built again.
        """
        record = self._record()
        if record is None:
            return None
        return int(record["sequence"]), {int(record[name]) for name in ("chunks", "pending") if name in record}

    def announce(self, chunks: int) -> None:
        """Note how many chunks there will be after the commit that follows."""
        if found := self._record():
            replace_json(self._folder / RECORD, {**found, "pending": chunks})

    def record(self, sequence: int, chunks: int) -> None:
        """Note what was committed."""
        known = {"format": FORMAT, "library": self._library, "sequence": sequence, "chunks": chunks}
        replace_json(self._folder / RECORD, known)

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        try:
            segments = json.loads((self._folder / "meta.json").read_text())["segments"]
            names = [name for segment in segments for name in self._of(segment)]
        except (OSError, ValueError, KeyError, TypeError):
            return ["meta.json"]
        return [name for name in names if not self._is_whole(self._folder / name)]

    def _record(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # of a list, say
            record: dict[str, Any] = json.loads((self._folder / RECORD).read_text())
            if (record["format"], record["library"]) == (FORMAT, self._library) and int(record["sequence"]) >= 0:
                return record
        return None

    def _of(self, segment: dict[str, object]) -> list[str]:
        stem = str(segment["segment_id"]).replace("-", "")
        deletes = segment.get("deletes")
        names = [path.name for path in self._folder.glob(f"{stem}.*") if path.suffix != ".del"]
        return [*names, f"{stem}.{deletes['opstamp']}.del"] if isinstance(deletes, dict) else names

    def _is_whole(self, path: Path) -> bool:
        try:
            known = (path.name, path.stat().st_mtime_ns)
            if known not in self._whole:
                if not has_whole_footer(path):
                    return False
                self._whole.add(known)
        except OSError:
            return False
        return True


# Bytes in which tantivy collects documents before it writes a segment: its minimum is 15 MB, and fewer segments search faster.
HEAP = 64_000_000

# Ties at the end of a ranking are by key, not by place in the index: hits are asked for until the score falls, `MARGIN` more than
# wanted at first (enough for all but repeated texts), and up to `MOST_TIES` times as many.
MARGIN, MOST_TIES = 16, 16

# Scores are rounded to this many decimals: the order in which tantivy adds up the words moves a score by some units of 2^-23.
DECIMALS = 5

# A reader that opens files while a writer replaces them looks again; what fails this often is damaged.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class LexicalView:
    """The index as it was at `sequence`, with so many `chunks`: what one search works on."""

    searcher: Any
    sequence: int
    chunks: int
    lacks_index: bool = False

    def tally(self) -> tuple[int]:
        """How many chunks there are."""
        return (self.chunks,)


class LexicalIndex:
    """The tantivy index of a library in `folder`. Reading is thread-safe; writing is for the holder of the library's lock."""

    def __init__(self, folder: Path, library: str) -> None:
        self._folder = folder
        self._view: LexicalView | None = None
        self._index: Any = None
        self._writer: Any = None
        self._mirror: tempfile.TemporaryDirectory[str] | None = None
        self._schema = fields.schema()
        self._guard = threading.Lock()
        self._synced = False
        self._files = SegmentFiles(folder, library)

    # -- reading ---------------------------------------------------------------------------------------------------
    def view(self) -> LexicalView | None:
        """The index as last loaded."""
        return self._view

    def load(self, *, exact: bool = False) -> LexicalView | None:
        """Load what is on disk now; None if there is nothing usable.

        Where that fails an older view stays, for a reader beside a writer that replaces the files; not if `exact`, for the writer.
        """
        with self._guard:
            recorded = self._files.recorded()
            if recorded is None or self._view is None or recorded[0] != self._view.sequence:
                loaded = self._loaded()
                if loaded is None:
                    self._index = None
                if loaded is not None or exact:
                    self._view = loaded
            return self._view

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        return self._files.damaged()

    def discard(self) -> None:
        """Forget the view: the library does not hold what it says."""
        with self._guard:
            self._view = self._index = None

    def search(self, view: LexicalView, text: str, k: int, where: Texts) -> Ranking:
        """At most `k` keys by BM25, best first, ties by key."""
        words = stems(text, self.languages(view))
        if not words or k < 1 or not all(where.values()):
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
        with _translated(self._folder):
            keys, scores = self._best(view, words, k, where)
        scores = scores.round(DECIMALS)
        order = np.lexsort((keys, -scores))[:k]
        return Ranking(keys[order], scores[order])

    def languages(self, view: LexicalView) -> tuple[str, ...]:
        """The languages as which documents were stemmed, for the words of questions; English where there are none."""
        return tuple(code for code in (*STEMMERS, UNSTEMMED) if view.searcher.doc_freq("language", code)) or ENGLISH

    def frequencies(self, view: LexicalView, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks each stem occurs, and the number of all."""
        with _translated(self._folder):
            found = np.array([view.searcher.doc_freq("text", stem) for stem in stems], dtype=np.int64)
            return found, int(view.searcher.num_docs)

    def statistics(self, view: LexicalView, stems: Sequence[str]) -> Statistics:
        """What BM25 reckons with here, for whoever scores other chunks by it."""
        with _translated(self._folder):
            mean = self._mean_length(view, stems)
            held = {stem: int(view.searcher.doc_freq("text", stem)) for stem in stems}
            return Statistics(int(view.searcher.num_docs), held, mean)

    def near_words(self, view: LexicalView, stem: str, edits: int, k: int) -> Keys:
        """The keys of at most `k` chunks with a stem at most `edits` from this one, a swap of neighbours being one; the lowest keys."""
        from tantivy import Query

        with _translated(self._folder):
            wanted = Query.fuzzy_term_query(self._schema, "text", stem, edits, transposition_cost_one=True)
            hits = view.searcher.search(wanted, k, count=False).hits
            found = view.searcher.fast_field_values("key", [at for _, at in hits])
            return np.sort(np.array(found, dtype=np.int64))

    # -- writing ---------------------------------------------------------------------------------------------------
    def catch_up(self, connection: sqlite3.Connection, *, keep_writer: bool) -> bool:
        """Write what `connection` sees and the index lacks; True if it was lost and had to be built from nothing."""
        view = self.load(exact=True)
        now, (chunks, _) = reading.number_of(connection, "sequence"), reading.tally(connection)
        if view is not None and view.sequence == now and view.chunks != chunks:
            view = None
        todo = changes.changes_since(connection, view.sequence if view is not None else None)
        lost = todo.afresh
        if view is not None and not todo.afresh and view.sequence == todo.sequence:
            return False
        try:
            self._write(connection, todo, chunks)
        except DamagedIndexError:  # found while writing, as after a kill that left files which tantivy wants to write
            if todo.afresh:
                raise
            lost, todo = True, changes.changes_since(connection, None)
            self._write(connection, todo, chunks)
        self.load()
        if not keep_writer:
            self.release()  # its writer would keep others from writing
        return lost

    def remove(self, document: int) -> None:
        """Take a document's chunks out, by its number."""
        from tantivy import Query

        with _translated(self._folder):
            # By query: `delete_documents_by_term` of tantivy 0.27 passes over unsigned fields.
            self._writing().delete_documents_by_query(Query.term_query(self._schema, "document", document, "basic"))

    def add(self, document: int, metadata: Metadata, chunks: list[Searchable]) -> None:
        """Add a document's chunks."""
        if not self._synced:
            self.remove(document)
        terms = fields.terms(metadata)
        with _translated(self._folder):
            for chunk in chunks:
                self._writing().add_document(fields.row(document, terms, chunk))

    def commit(self, sequence: int, chunks: int) -> None:
        """Make everything added and removed since the last commit visible, as the state of `sequence`, which has so many chunks."""
        with _translated(self._folder):
            self._files.announce(chunks)
            self._writing().commit()
            self._files.record(sequence, chunks)
            share(self._folder, RECORD)
        self._synced = True

    def clear(self) -> None:
        """Start again from nothing."""
        with _translated(self._folder):
            self.release()
            with self._guard:
                self._view = self._index = None
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True, exist_ok=True)
        self._synced = True

    def abandon(self) -> None:
        """Drop what was added since the last commit, after a failure."""
        self._writer, self._synced = None, False

    def release(self) -> None:
        """Give tantivy's writer back, after its merges."""
        writer, self._writer, self._synced = self._writer, None, False
        if writer is not None:
            with _translated(self._folder):
                writer.wait_merging_threads()
                share(self._folder, RECORD)

    def close(self) -> None:
        """Release everything."""
        self.release()
        self._view = self._index = None
        if self._mirror is not None:
            self._mirror.cleanup()
            self._mirror = None

    # -- inside ----------------------------------------------------------------------------------------------------
    def _write(self, connection: sqlite3.Connection, todo: changes.Changes, chunks: int) -> None:
        try:
            if todo.afresh:
                self.clear()
            for one in todo.removed:
                self.remove(one.document)
            for one in todo.added:
                self.add(one.document, *changes.searchables(connection, one))
            self.commit(todo.sequence, chunks)
        except BaseException:
            self.abandon()
            raise

    def _loaded(self) -> LexicalView | None:
        for _ in range(ATTEMPTS):
            recorded = self._files.recorded()
            with suppress(StoreError):  # damaged, or replaced just now
                return self._open(*recorded) if recorded is not None else None
        return None

    def _open(self, sequence: int, chunks: set[int]) -> LexicalView:
        import tantivy

        if wrong := self._files.damaged():
            raise DamagedIndexError(f"the search index {self._folder} is damaged ({', '.join(wrong)})")

        with _translated(self._folder):
            if self._mirror is not None:
                self._index = None  # its links are those of an older state
            if self._index is None:
                self._index = tantivy.Index(self._schema, str(self._readable()), reuse=True)
            self._index.reload()
            searcher = self._index.searcher()
        found = int(searcher.num_docs)
        if chunks and found not in chunks:
            raise DamagedIndexError(
                f"the search index {self._folder} is damaged (it holds {found} chunks, not {max(chunks)})"
            )
        return LexicalView(searcher, sequence, found)

    def _readable(self) -> Path:
        """The folder, or links to its files where nobody can write: tantivy makes a lock file to read."""
        if os.access(self._folder, os.W_OK):
            return self._folder
        if self._mirror is not None:
            self._mirror.cleanup()
        self._mirror = tempfile.TemporaryDirectory(prefix="decoct-")
        for file in self._folder.iterdir():
            if not file.name.endswith(".lock"):
                (Path(self._mirror.name) / file.name).symlink_to(file.absolute())
        return Path(self._mirror.name)

    def _writing(self) -> Any:  # noqa: ANN401 - tantivy's types are not ours to name
        import tantivy

        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = tantivy.Index(self._schema, str(self._folder), reuse=True).writer(HEAP, 1)
        return self._writer

    def _mean_length(self, view: LexicalView, words: Sequence[str]) -> float | None:
        """The mean length of chunks that tantivy reckons with; None where no chunk has any of the words."""
        for word in words:
            asked = fields.query(self._schema, [word], {})
            if hits := view.searcher.search(asked, 1, count=False).hits:
                return dict(_explained_values(json.loads(asked.explain(view.searcher, hits[0][1]).to_json())))["avgdl"]
        return None

    def _best(self, view: LexicalView, words: Sequence[str], k: int, where: Texts) -> tuple[Keys, Floats]:
        """Keys and scores of the `k` best chunks and of all that tie with the last of them (see `MOST_TIES`)."""
        query, most, fetch = fields.query(self._schema, words, where), (k + MARGIN) * MOST_TIES, k + MARGIN
        while True:
            hits = view.searcher.search(query, fetch, count=False).hits
            scores: Floats = np.array([score for score, _ in hits], dtype=np.float32)
            if len(hits) < fetch or fetch >= most or scores[-1].round(DECIMALS) < scores[k - 1].round(DECIMALS):
                break
            fetch = min(fetch * 4, most)
        return np.array(view.searcher.fast_field_values("key", [at for _, at in hits]), dtype=np.int64), scores


def _explained_values(explained: dict[str, Any]) -> list[tuple[str, float]]:
    """The named values of tantivy's explanation (`N`, `n`, `avgdl`, `dl` …)."""
    found = [(str(explained["description"]).split(",")[0], float(explained["value"]))]
    for part in explained.get("details") or ():
        found += _explained_values(part)
    return found
