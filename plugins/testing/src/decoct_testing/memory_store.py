"""A complete store in memory that computes everything the slow and obvious way.

It is the reference that other stores are tested against, and a double for tests that need a store and no disk.

- Writing copies the tables, changes the copy and swaps it in: a reader holds one version from start to end of its call.
- BM25 in Lucene's form (Robertson and Zaragoza 2009; the form of Kamphuis et al., ECIR 2020, with Robertson's constant factor k1 + 1):
  `sum over the query's words of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))`,
  `idf = ln(1 + (N - df + .5) / (df + .5))`, over `index.searchable` as one field. N, df and the mean length are those of the whole
  library, whatever the filter; a word twice in the query counts twice.
- Words are cut and stemmed as in every index (`decoct.text.analysis`): one built with tantivy agrees up to its rounding of lengths.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from decoct.data import Chunk, Document, Floats, Keys, Metadata, Ranking, Span
from decoct.errors import ProvenanceError, UnknownDocumentError
from decoct.index.abilities import Mentions, Named, StoreState
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Mask, Signatures, Status, Where
from decoct.index.filters import keeps
from decoct.index.one_state import noted
from decoct.index.searchable import searched
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems
from decoct.text.languages import AUTO, stemmed_as
from decoct_testing.entry_checks import check_entry

K1 = 1.2
B = 0.75


def bm25(tf: int, df: int, chunks: int, length: int, mean_length: float) -> float:
    """What one word adds to a chunk's score."""
    idf = math.log(1 + (chunks - df + 0.5) / (df + 0.5))
    return idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / mean_length))


@dataclass(frozen=True, slots=True)
class _Row:
    """One stored chunk."""

    chunk: Chunk
    vector: Floats
    words: Counter[str]
    mentions: tuple[int, ...]
    traits: bytes
    signature: Signatures | None
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class _Version:
    """Everything the store holds at one moment; never changed once it is visible."""

    entries: dict[str, Entry] = field(default_factory=dict)
    keys: dict[str, tuple[int, ...]] = field(default_factory=dict)
    rows: dict[int, _Row] = field(default_factory=dict)
    next_key: int = 1
    sequence: int = 0

    def draft(self) -> _Version:
        """A copy that may be changed."""
        return replace(self, entries=dict(self.entries), keys=dict(self.keys), rows=dict(self.rows))

    def drop(self, doc_id: str) -> bool:
        """Remove one document from a draft; False if there was none."""
        for key in self.keys.pop(doc_id, ()):
            del self.rows[key]
        return self.entries.pop(doc_id, None) is not None


class MemoryStore:
    """Implements `decoct.index.base.Store`, `SupportsNames`, `SupportsLanguages` and `SupportsState`; see there for the promises."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._settings = dict(settings or {})
        self._version = _Version()
        self._writing = threading.Lock()

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add or replace documents, all or none; of two entries with one id the later stays."""
        for entry in entries:
            check_entry(entry)
        with self._writing:
            draft = self._version.draft()
            key = draft.next_key
            for entry in entries:
                doc_id = entry.document.id
                language = stemmed_as(entry.document.text, self._settings.get("language", AUTO))
                draft.drop(doc_id)
                mentions = entry.mentions or ((),) * len(entry.chunks)
                traits = entry.traits or (b"",) * len(entry.chunks)
                for n, chunk in enumerate(entry.chunks):
                    draft.rows[key + n] = _Row(
                        replace(chunk, key=key + n),
                        np.array(entry.vectors[n], np.float32),
                        Counter(stems(searched(entry.document, chunk), (language,))),
                        tuple(mentions[n]),
                        traits[n],
                        None if entry.signatures is None else np.array(entry.signatures[n], np.uint8),
                        dict(entry.document.metadata),
                    )
                draft.keys[doc_id] = tuple(range(key, key + len(entry.chunks)))
                draft.entries[doc_id] = entry
                key += len(entry.chunks)
            self._version = replace(draft, next_key=key, sequence=draft.sequence + len(entries))

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove documents; how many there were."""
        with self._writing:
            draft = self._version.draft()
            gone = sum(draft.drop(doc_id) for doc_id in doc_ids)
            self._version = replace(draft, sequence=draft.sequence + gone)
        return gone

    def close(self) -> None:
        """Nothing is open."""

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """The digests of those that are stored."""
        entries = self._version.entries
        return {doc_id: entries[doc_id].digest for doc_id in doc_ids if doc_id in entries}

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The ids of the documents whose digests begin so."""
        entries = self._version.entries
        found = {s: tuple(sorted(i for i, entry in entries.items() if entry.digest.startswith(s))) for s in starts}
        return {start: ids for start, ids in found.items() if ids}

    def document(self, doc_id: str) -> Document:
        """The document, or `UnknownDocumentError`."""
        try:
            return self._version.entries[doc_id].document
        except KeyError:
            raise UnknownDocumentError(
                f"the library has no document {doc_id!r}; list them with `decoct documents list`"
            ) from None

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents by id."""
        for doc_id, entry in sorted(self._version.entries.items()):
            document = entry.document
            if keeps(document.metadata, where or {}):
                yield DocumentInfo(
                    doc_id, document.title, document.source, len(document.text), len(entry.chunks), document.metadata
                )

    def metadata_keys(self) -> list[str]:
        """The keys of all documents."""
        return sorted({name for entry in self._version.entries.values() for name in entry.document.metadata})

    def text(self, span: Span) -> str:
        """The text at `span`."""
        text = self.document(span.doc_id).text
        if span.end > len(text):
            raise ProvenanceError(f"{span} reaches past the end of its document, which has {len(text)} characters")
        return text[span.start : span.end]

    def state(self) -> StoreState:
        """How many changes there were."""
        return StoreState("", 0, self._version.sequence)

    def status(self) -> Status:
        """Counts; `bytes` are those of the texts, `names` all that are mentioned or that documents are known by."""
        version = self._version
        names = {name for entry in version.entries.values() for name, _ in entry.names}
        names |= {name for row in version.rows.values() for name in row.mentions}
        size = sum(len(one.document.text.encode()) for one in version.entries.values())
        return Status(len(version.entries), len(version.rows), size, self._settings, version.sequence, len(names))

    # -- chunks ---------------------------------------------------------------------------------------------------
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks that exist, in the order of `keys`."""
        rows = self._version.rows
        return noted(keys, [rows[int(key)].chunk for key in keys if int(key) in rows])

    def chunk_keys(self, doc_id: str) -> Keys:
        """A document's chunks in text order."""
        return np.array(self._version.keys.get(doc_id, ()), np.int64)

    def places(self, keys: Keys | Sequence[int]) -> list[ChunkPlace | None]:
        """The document and place of each chunk."""
        version = self._version
        owners = [version.rows[int(key)].chunk.span.doc_id if int(key) in version.rows else None for key in keys]
        return [
            None if owner is None else ChunkPlace(owner, version.keys[owner].index(int(key)))
            for key, owner in zip(keys, owners, strict=True)
        ]

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """One row a key; zeros for a key that is gone. The width is 0 while the store is empty."""
        rows = self._version.rows
        width = next((len(row.vector) for row in rows.values()), 0)
        found = np.zeros((len(keys), width), np.float32)
        for n, key in enumerate(keys):
            if int(key) in rows:
                found[n] = rows[int(key)].vector
        return found

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 of every chunk that holds a word of `text`."""
        rows = self._version.rows
        query = stems(text, self.languages())
        df = {word: sum(word in row.words for row in rows.values()) for word in set(query)}
        lengths = {key: row.words.total() for key, row in rows.items()}
        mean_length = sum(lengths.values()) / len(rows) if rows else 0.0
        scores = {
            key: sum(
                bm25(row.words[word], df[word], len(rows), lengths[key], mean_length)
                for word in query
                if word in row.words
            )
            for key, row in rows.items()
            if keeps(row.metadata, where or {}) and not row.words.keys().isdisjoint(query)
        }
        return _ranking(scores, k)

    def languages(self) -> tuple[str, ...]:
        """Those of the documents that are there."""
        setting = self._settings.get("language", AUTO)
        found = {stemmed_as(entry.document.text, setting) for entry in self._version.entries.values() if entry.chunks}
        spoken = {code if code in STEMMERS else UNSTEMMED for code in found}
        return tuple(code for code in (*STEMMERS, UNSTEMMED) if code in spoken) or ENGLISH

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """The dot product with every chunk."""
        rows = self._version.rows
        scores = {key: float(row.vector @ vector) for key, row in rows.items() if keeps(row.metadata, where or {})}
        return _ranking(scores, k)

    # -- words and names ------------------------------------------------------------------------------------------
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """Chunks that hold each stem, and all."""
        rows = self._version.rows.values()
        return np.array([sum(stem in row.words for row in rows) for stem in stems], np.int64), len(rows)

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """The bytes that came with each chunk."""
        rows = self._version.rows
        return [rows[int(key)].traits if int(key) in rows else b"" for key in keys]

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """The signature that came with each chunk."""
        rows = self._version.rows
        width = next((len(row.signature) for row in rows.values() if row.signature is not None), 0)
        found = np.zeros((len(keys), width), np.uint8)
        for n, key in enumerate(keys):
            if int(key) in rows and (signature := rows[int(key)].signature) is not None:
                found[n] = signature
        return found

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention each name."""
        rows = self._version.rows
        found = {int(name): sorted(key for key, row in rows.items() if int(name) in row.mentions) for name in names}
        pairs = sorted((name, key) for name, keys in found.items() if least <= len(keys) <= most for key in keys)
        table = np.array(pairs, np.int64).reshape(-1, 2)
        return Mentions(table[:, 0], table[:, 1], {name: len(keys) for name, keys in found.items()})

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by each name."""
        version = self._version
        triples = []
        for name in {int(name) for name in names}:
            strengths = {
                d: dict(entry.names)[name] for d, entry in version.entries.items() if name in dict(entry.names)
            }
            if len(strengths) <= most:
                triples += [(name, key, strength) for d, strength in strengths.items() for key in version.keys[d]]
        triples.sort()
        found = [[triple[at] for triple in triples] for at in range(3)]
        return Named(np.array(found[0], np.int64), np.array(found[1], np.int64), np.array(found[2], np.float32))

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """First and past key of each chunk's document."""
        version = self._version
        own = [version.keys[version.rows[int(k)].chunk.span.doc_id] if int(k) in version.rows else () for k in keys]
        return np.array([(keys[0], keys[-1] + 1) if keys else (0, 0) for keys in own], np.int64).reshape(-1, 2)

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Whether each chunk's document has the metadata."""
        rows = self._version.rows
        return np.array([int(k) in rows and keeps(rows[int(k)].metadata, where) for k in keys], bool)


def _ranking(scores: Mapping[int, float], k: int) -> Ranking:
    keys = np.array(list(scores), np.int64)
    values = np.array(list(scores.values()), np.float32)
    best = np.lexsort((keys, -values))[: max(k, 0)]
    return Ranking(keys[best], values[best])
