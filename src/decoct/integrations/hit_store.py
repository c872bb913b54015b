"""A store of what another framework found, so that any recipe's steps work on it.

Documents are put together of the hits that say where they begin: their texts at their offsets, line breaks for what is not known
between. A hit that does not say it, or whose characters contradict another's at the same place, becomes a document of its own, and its
spans count within its text; such a document is called as it was named where that name is free, else `NAME#2` and so on.

It is its own retriever: the ranking is the order in which the hits were handed over. Nothing can be searched in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any, NoReturn

import numpy as np

from decoct import trace
from decoct.data import Chunk, Document, Keys, Passage, Query, Ranking, Span
from decoct.errors import ProvenanceError, StoreError, UnknownDocumentError
from decoct.index.base import Store
from decoct.index.filters import is_filterable
from decoct.integrations.hits import HandedHit, handed_hits

FARTHEST = 20_000_000  # characters: a document that is said to be longer would fill memory with what is not known of it
_UNKNOWN = "\n"


@dataclass(slots=True)
class _Laid:
    """One document as far as it was handed over: texts at their offsets, from whichever hit brought them."""

    first: HandedHit
    alone: bool
    texts: dict[int, str] = field(default_factory=dict)

    def agrees(self, start: int, text: str) -> bool:
        """Whether `text` at `start` contradicts no character that is there already."""
        for at, there in self.texts.items():
            low, high = max(start, at), min(start + len(text), at + len(there))
            if low < high and text[low - start : high - start] != there[low - at : high - at]:
                return False
        return True

    def text(self) -> str:
        """The document's text up to the last character that is known."""
        parts: list[str] = []
        end = 0
        for at, text in sorted(self.texts.items()):
            parts.append(_UNKNOWN * (at - end))
            parts.append(text[max(0, end - at) :])
            end = max(end, at + len(text))
        return "".join(parts)


class HandedOver:
    """The hits as a store and as the retriever that found them; what it does not hold, a `StoreError` names."""

    def __init__(self, hits: Iterable[object]) -> None:
        self._laid: dict[str, _Laid] = {}
        self._chunks: list[tuple[Chunk, float]] = []
        self._apart = 0
        given = handed_hits(hits)
        placed: dict[int, list[tuple[Span, str]]] = {}
        # Those that know their place first, so that a name means the document wherever any hit knows it.
        for rank, hit in enumerate(given):
            if parts := hit.parts():
                placed[rank] = [self._place(hit, span, text) for span, text in parts]
        for rank, hit in enumerate(given):
            if rank not in placed:
                placed[rank] = [self._own(hit, hit.text)]
        for rank, hit in enumerate(given):
            score = hit.score if hit.score is not None else 1 / (1 + rank)
            for span, text in placed[rank]:
                self._chunks.append((Chunk(span, text, hit.title, len(self._chunks) + 1), score))

    def _place(self, hit: HandedHit, span: Span, text: str) -> tuple[Span, str]:
        if span.end > FARTHEST:
            self._apart += 1
            return self._own(hit, text)
        for name in _names(span.doc_id):
            laid = self._laid.setdefault(name, _Laid(hit, alone=False))
            if laid.agrees(span.start, text):
                break
        self._apart += name != span.doc_id
        if len(laid.texts.get(span.start, "")) < len(text):
            laid.texts[span.start] = text
        return Span(name, span.start, span.end), text

    def _own(self, hit: HandedHit, text: str) -> tuple[Span, str]:
        name = hit.doc_id or f"text-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        for free in _names(name):
            laid = self._laid.setdefault(free, _Laid(hit, True, {0: text}))
            if laid.alone and laid.texts[0] == text:
                return Span(free, 0, len(text)), text
        raise AssertionError

    # -- as the retriever -----------------------------------------------------------------------------------------
    def retrieve(self, query: Query, k: int) -> Ranking:
        """The first `k` in the order in which they were handed over."""
        if self._apart:
            trace.fallback("handed.apart", self._apart)
        if len(self._chunks) > k:
            trace.fallback("handed.beyond_depth", len(self._chunks) - k)
        scores = [score for _, score in self._chunks[:k]]
        return Ranking(np.arange(1, len(scores) + 1, dtype=np.int64), np.array(scores, np.float32))

    def origin(self, passage: Passage) -> HandedHit:
        """The hit that brought the document of the passage's first span: its metadata is that of the passage."""
        return self._laid[passage.support[0].doc_id].first

    # -- as the store ---------------------------------------------------------------------------------------------
    def document(self, doc_id: str) -> Document:
        """The document as far as it was handed over; `UnknownDocumentError` for one of which nothing was."""
        if doc_id not in self._laid:
            raise UnknownDocumentError(f"nothing of a document {doc_id!r} was handed over")
        laid = self._laid[doc_id]
        told = laid.first.metadata
        metadata = {str(key): value for key, value in told.items() if is_filterable(value)}
        return Document(doc_id, laid.text(), laid.first.title, str(told.get("source", "")), metadata)

    def text(self, span: Span) -> str:
        """The text at `span`; `ProvenanceError` where a character of it was not handed over."""
        laid = self._laid.get(span.doc_id)
        at = span.start
        for start, text in sorted(laid.texts.items()) if laid else ():
            if start <= at < start + len(text):
                at = start + len(text)
        if at < span.end:
            raise ProvenanceError(f"not all of {span} was handed over")
        return self.document(span.doc_id).text[span.start : span.end]

    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The hits' texts by number, from 1."""
        return [self._chunks[int(key) - 1][0] for key in keys if 0 < int(key) <= len(self._chunks)]

    def close(self) -> None:
        """Nothing is held open."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any other method of `Store`
        if name.startswith("_") or not hasattr(Store, name):
            raise AttributeError(name)

        def refused(*_: object, **__: object) -> NoReturn:
            raise StoreError(
                f"hits that were handed over have no {name!r}: this recipe's steps need a library; open one and ask it"
            )

        return refused


def _names(doc_id: str) -> Iterator[str]:
    yield doc_id
    for number in count(2):
        yield f"{doc_id}#{number}"
