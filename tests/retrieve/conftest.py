"""A small library with vectors chosen by hand, and an embedder that knows its questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from decoct.data import Chunk, Document, Floats, Metadata, Query, Ranking, Span
from decoct.index.base import Entry
from decoct_testing.memory_store import MemoryStore


@dataclass(frozen=True)
class TableEmbedder:
    """Looks texts up; `seen` records what was embedded. Unknown texts are an error unless `default` is set."""

    table: Mapping[str, Sequence[float]]
    default: tuple[float, ...] | None = None
    seen: list[tuple[str, str]] = field(default_factory=list, compare=False)

    @property
    def fingerprint(self) -> str:
        return "table"

    @property
    def dimension(self) -> int:
        return 2

    def embed(self, texts: Sequence[str], kind: str) -> Floats:
        self.seen.extend((kind, text) for text in texts)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for n, text in enumerate(texts):
            rows[n] = self.table[text] if self.default is None else self.table.get(text, self.default)
            rows[n] /= np.linalg.norm(rows[n])
        return rows


@dataclass(frozen=True)
class WordTokenizer:
    """One token a word."""

    @property
    def fingerprint(self) -> str:
        return "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        found, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            found.append((at, at + len(word)))
            at += len(word)
        return found


@dataclass(frozen=True)
class FixedRanking:
    """A retriever that always finds the same, or what its table says for a question; `asked` records the questions."""

    found: Sequence[tuple[int, float]]
    name: str = "fixed"
    table: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list, compare=False)

    def retrieve(self, query: Query, k: int) -> Ranking:
        self.asked.append(query.text)
        found = list(self.table.get(query.text, self.found))[:k]
        keys = np.array([key for key, _ in found], np.int64)
        scores = np.array([score for _, score in found], np.float32)
        return Ranking(keys, scores, {self.name: dict(found)})


MakeStore = Callable[..., MemoryStore]


@pytest.fixture
def make_store() -> MakeStore:
    """Call with (document text, chunk ranges, vectors): one document a tuple; chunk keys count from 1."""

    def make(
        *documents: tuple[str, Sequence[tuple[int, int]], Sequence[Sequence[float]]],
        metadata: Sequence[Metadata] = (),
        titles: Sequence[str] = (),
    ) -> MemoryStore:
        store = MemoryStore()
        for n, (text, ranges, vectors) in enumerate(documents):
            doc_id = f"d{n}"
            title = titles[n] if titles else ""
            chunks = tuple(Chunk(Span(doc_id, a, b), text[a:b], title) for a, b in ranges)
            document = Document(doc_id, text, title, metadata=metadata[n] if metadata else {})
            store.put([Entry(document, chunks, np.array(vectors, np.float32), doc_id)])
        return store

    return make


@pytest.fixture
def embedder() -> Callable[..., TableEmbedder]:
    return TableEmbedder


@pytest.fixture
def tokenizer() -> WordTokenizer:
    return WordTokenizer()


@pytest.fixture
def fixed() -> Callable[..., FixedRanking]:
    return FixedRanking
