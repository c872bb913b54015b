"""All notes of a library as arrays: passages, names and statements by number, and which holds which.

Files in a structure's folder: `passages.npz` (keys, spans, documents), `names.json`, `statements.npz` (passage, span, weight),
`texts.bin` with `texts.npy` (statements' texts), and the incidences `passage-names.npz` (how often) and `statement-names.npz` (subject
first). Numbers follow the order of documents, so that a structure does not depend on the order in which documents came.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys, Span
from decoct_lab.structure.graphs.notes import ChunkNotes, unpacked

Numbers = NDArray[np.int32]
Sparse = Any  # scipy.sparse.csr_matrix, which has no types


@dataclass(frozen=True)
class Catalogue:
    """A library's notes as arrays. `passage_names` (passages × names) counts; `said` lists each statement's names, from `first` on."""

    keys: Keys
    places: Numbers  # (passages, 3): document, start, end
    documents: Sequence[str]
    names: Sequence[str]
    passage_names: Sparse
    statements: Numbers  # (statements, 3): passage, start, end
    weights: Floats
    first: NDArray[np.int64]
    said: Numbers
    text_ends: NDArray[np.int64]
    texts: NDArray[np.uint8]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> Mapping[int, int]:
        """The number of the passage of each chunk."""
        return {key: row for row, key in enumerate(self.keys.tolist())}

    @cached_property
    def statement_names(self) -> Sparse:
        """Statements × names, 1 where the name is in the statement."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.said), np.float32)
        return csr_matrix((ones, self.said, self.first), shape=(len(self.statements), len(self.names)))

    @cached_property
    def name_statements(self) -> Sparse:
        """Names × statements."""
        return self.statement_names.T.tocsr()

    @cached_property
    def spread(self) -> Floats:
        """In how many passages each name stands."""
        return np.asarray(self.passage_names.getnnz(axis=0), np.float32)

    def names_of(self, statement: int) -> Numbers:
        """The names of a statement, the subject first."""
        return self.said[self.first[statement] : self.first[statement + 1]]

    def text_of(self, statement: int) -> str:
        """A statement's text."""
        start = int(self.text_ends[statement - 1]) if statement else 0
        return bytes(self.texts[start : int(self.text_ends[statement])]).decode("utf-8", "surrogatepass")

    def span_of(self, statement: int) -> Span:
        """The characters on which a statement rests."""
        passage, start, end = self.statements[statement].tolist()
        return Span(self.documents[self.places[passage, 0]], start, end)


def catalogued(parts: Iterable[tuple[str, bytes]], folder: Path) -> tuple[Catalogue, list[str]]:
    """The catalogue of parts (their bodies `notes.packed`), written to `folder`, and the texts of its statements."""
    from scipy.sparse import csr_matrix, save_npz

    keys: list[int] = []
    places: list[tuple[int, int, int]] = []
    documents: list[str] = []
    numbers: dict[str, int] = defaultdict(lambda: len(numbers))
    rows: list[int] = []
    columns: list[int] = []
    counts: list[int] = []
    statements: list[tuple[int, int, int]] = []
    weights: list[float] = []
    first: list[int] = [0]
    said: list[int] = []
    texts: list[str] = []
    for document, body in parts:
        for notes in unpacked(body):
            passage = len(keys)
            keys.append(notes.key)
            places.append((len(documents), notes.start, notes.end))
            for one in notes.names:
                rows.append(passage)
                columns.append(numbers[one.name])
                counts.append(one.count)
            for statement in notes.statements:
                statements.append((passage, statement.start, statement.end))
                weights.append(statement.weight)
                said.extend(numbers[name] for name in statement.names)
                first.append(len(said))
                texts.append(statement.text)
        documents.append(document)
    shape = (len(keys), len(numbers))
    incidence = csr_matrix((np.array(counts, np.float32), (rows, columns)), shape=shape)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    np.savez(
        folder / "passages.npz",
        keys=np.array(keys, np.int64),
        places=np.array(places, np.int32).reshape(-1, 3),
    )
    np.savez(
        folder / "statements.npz",
        statements=np.array(statements, np.int32).reshape(-1, 3),
        weights=np.array(weights, np.float32),
        first=np.array(first, np.int64),
        said=np.array(said, np.int32),
        text_ends=np.cumsum([len(text) for text in encoded], dtype=np.int64),
    )
    (folder / "texts.bin").write_bytes(b"".join(encoded))
    (folder / "names.json").write_text(json.dumps({"documents": documents, "names": list(numbers)}), "utf-8")
    save_npz(folder / "passage-names.npz", incidence)
    return load_catalogue(folder), texts


def load_catalogue(folder: Path) -> Catalogue:
    """The catalogue in a structure's folder."""
    from scipy.sparse import load_npz

    passages, statements = np.load(folder / "passages.npz"), np.load(folder / "statements.npz")
    named = json.loads((folder / "names.json").read_text("utf-8"))
    size = (folder / "texts.bin").stat().st_size
    return Catalogue(
        keys=passages["keys"],
        places=passages["places"],
        documents=named["documents"],
        names=named["names"],
        passage_names=load_npz(folder / "passage-names.npz"),
        statements=statements["statements"],
        weights=statements["weights"],
        first=statements["first"],
        said=statements["said"],
        text_ends=statements["text_ends"],
        texts=np.memmap(folder / "texts.bin", np.uint8, "r") if size else np.empty(0, np.uint8),
    )


def notes_of(parts: Iterable[tuple[str, bytes]]) -> Iterable[tuple[str, ChunkNotes]]:
    """Every chunk's notes with its document's id."""
    return ((document, notes) for document, body in parts for notes in unpacked(body))
