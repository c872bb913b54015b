"""A graph of four names, four passages and four statements, laid out by hand, for the retrievers over graphs.

statement   passage   names        cosine with (1, 0)
0           0         a, b         .9
1           1         b, c         .8
2           2         a, d         .6
3           3         e            .1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from decoct.data import Chunk, Document, Floats, Query, Span
from decoct.index.base import Entry
from decoct_lab.structure.graphs.catalogue import Catalogue, catalogued
from decoct_lab.structure.graphs.entities import Entities
from decoct_lab.structure.graphs.loaded import Described, Graph
from decoct_lab.structure.graphs.notes import ChunkNotes, Noted, Statement, packed
from decoct_lab.structure.graphs.pagerank import bipartite
from decoct_testing.memory_store import MemoryStore

SAID = (("a", "b"), ("b", "c"), ("a", "d"), ("e",))
COSINES = (0.9, 0.8, 0.6, 0.1)
NAMES = ("a", "b", "c", "d", "e")
QUESTION = Query("question")


def unit(cosine: float) -> list[float]:
    """The vector of length 1 with this cosine with (1, 0)."""
    return [cosine, float(np.sqrt(1 - cosine**2))]


VECTORS = np.array([unit(cosine) for cosine in COSINES], np.float32)


@dataclass(frozen=True)
class ToTheRight:
    """Embeds every text as (1, 0), so that the cosine of a vector with a question is its first number."""

    fingerprint: str = "right"
    dimension: int = 2

    def embed(self, texts: Sequence[str], kind: str) -> Floats:
        return np.array([[1, 0]] * len(texts), np.float32).reshape(-1, 2)


@dataclass(frozen=True)
class Only:
    """A library whose only structure is this one."""

    structure: Any

    def read(self, name: str, load: Any) -> Any:
        return self.structure


def text_of(number: int) -> str:
    """The text of passage and statement `number`."""
    return f"{' and '.join(SAID[number])} met"


def store() -> MemoryStore:
    """A library with a document (of its passage's number) and a chunk (its key from 1) for each passage."""
    made = MemoryStore()
    for number in range(4):
        text = text_of(number)
        chunk = Chunk(Span(f"d{number}", 0, len(text)), text, f"t{number}")
        document = Document(f"d{number}", text, metadata={"n": number})
        made.put([Entry(document, (chunk,), VECTORS[number : number + 1], f"d{number}")])
    return made


def catalogue(folder: Path) -> Catalogue:
    """The catalogue of the table above; statement n is all of passage n."""
    parts = []
    for number, names in enumerate(SAID):
        text = text_of(number)
        noted = tuple(Noted(name, name, text.index(name), text.index(name) + 1) for name in names)
        notes = ChunkNotes(number + 1, 0, len(text), noted, (Statement(text, 0, len(text), names),))
        parts.append((f"d{number}", packed([notes])))
    return catalogued(parts, folder)[0]


def graph(folder: Path) -> Graph:
    """Names and passages as nodes, an edge of weight 1 where a name stands in a passage."""
    found = catalogue(folder)
    return Graph(found, bipartite(found.passage_names), np.array([unit(0)] * len(found.names), np.float32), VECTORS)


def described(folder: Path) -> Described:
    """The same with entities: a has the cosine .9, b .8, c .3, the others 0."""
    found = catalogue(folder)
    vectors = np.array([unit(cosine) for cosine in (0.9, 0.8, 0.3, 0, 0)], np.float32)
    kinds, about = ["person", "", "", "", ""], [f"{name} is told of" for name in found.names]
    return Described(found, Entities(kinds, about), vectors, VECTORS, None, None)
