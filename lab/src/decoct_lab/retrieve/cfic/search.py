"""CFIC: evidence without chunks (Qian et al., "Grounding Language Model with Chunking-Free In-Context Retrieval", ACL 2024).

Nothing is indexed. The first `documents` documents of `retriever` are read one by one:

1. *Constrained decoding.* With the document and the question in its context the model writes the evidence, and may only write what begins
   as a sentence of the document (`trie`). Beam search gives the `spans` best beginnings.
2. *Skip decoding.* The body is not written. Of the sentence ends within `longest` tokens the one is taken after which the model most
   probably closes the quotation.
3. Spans that overlap are one. They are shown document after document, in each the best first.

It asks for log-probabilities (a local model, a vLLM server): one batch a document for the beginnings, one for the ends. Without a model
(ours) the beginnings are the sentences nearest to the question by vectors, and a span goes on while the sum of what its sentences are
nearer than `share` of its first one grows. With a model that gives none, or that fails on a document, the same, and it is counted
(`cfic.no_logprobs`, `cfic.failed`).

Kept: the two decodings, 3 spans of at most 256 tokens. Ours: which documents are read (the paper is given one); a closing quotation mark
for their end-of-text token; no fine-tuned weights, so figures are not the paper's. Of a document of more than `window` tokens the part
around its best chunk is read (`cfic.document_cut`). As a ranking of chunks it is its retriever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Draft, Hit, Passage, Query, Ranking, Span
from decoct.embed.base import Embedder
from decoct.errors import ModelError
from decoct.index.base import Store
from decoct.llm.base import LLM, SupportsLogprobs
from decoct.llm.prompts import Prompt, load_prompt
from decoct.retrieve.base import Retriever
from decoct.text.sentences import sentences
from decoct_lab.retrieve.cfic.trie import decoded, prefixes

CLOSING = '"\n'
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Read:
    """A document's text from `at` on, as it is read, and its sentences there."""

    doc_id: str
    title: str
    at: int
    text: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class CFIC:
    """Shows spans of whole sentences of the first documents that `retriever` finds."""

    retriever: Retriever
    store: Store
    embedder: Embedder
    tokenizer: Tokenizer
    llm: LLM | None = None
    logprobs: SupportsLogprobs | None = None
    documents: int = 5
    spans: int = 3
    longest: int = 256
    window: int = 3000
    share: float = 0.8

    def __post_init__(self) -> None:
        if min(self.documents, self.spans, self.longest) < 1 or self.window < self.longest or not 0 < self.share <= 1:
            raise ValueError(
                "documents, spans and longest at least 1, window at least longest, share above 0 and at most 1"
            )

    def retrieve(self, query: Query, k: int) -> Ranking:
        """That of the inner retriever."""
        return self.retriever.retrieve(query, k)

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`."""
        if self.llm is not None and self.logprobs is None:
            trace.fallback("cfic.no_logprobs")
        best: dict[str, Hit] = {}
        for hit in hits:
            best.setdefault(hit.chunk.span.doc_id, hit)
        found: list[Passage] = []
        for hit in list(best.values())[: self.documents]:
            read = self._read(hit)
            for number, (start, end) in enumerate(self._evidence(read, query.text)):
                span = Span(read.doc_id, read.at + start, read.at + end)
                found.append(Passage(read.text[start:end], (span,), "quote", hit.score - number * 1e-3, read.title))
        return Draft(tuple(found[:k]))

    def _read(self, hit: Hit) -> _Read:
        """The document of a hit, or the sentences around the hit that `window` holds."""
        document = self.store.document(hit.chunk.span.doc_id)
        places = sentences(document.text)
        counts = self.tokenizer.counts([document.text[start:end] for start, end in places])
        first = next((n for n, (_, end) in enumerate(places) if end > hit.chunk.span.start), 0)
        past, room = first, self.window
        while past < len(places) and (counts[past] <= room or past == first):
            room -= counts[past]
            past += 1
        while first > 0 and counts[first - 1] <= room:
            first -= 1
            room -= counts[first]
        if past - first < len(places):
            trace.fallback("cfic.document_cut")
        at = places[first][0] if places else 0
        kept = tuple((start - at, end - at) for start, end in places[first:past])
        return _Read(document.id, document.title, at, document.text[at : at + kept[-1][1]] if kept else "", kept)

    def _evidence(self, read: _Read, question: str) -> list[Place]:
        """The spans of one document, best first, as characters of what is read; none overlap."""
        if not read.places:
            return []
        if self.logprobs is not None:
            try:
                return _apart(self._decoded(self.logprobs, read, question))
            except ModelError:
                trace.fallback("cfic.failed")
        return _apart(self._nearest(read, question))

    def _decoded(self, model: SupportsLogprobs, read: _Read, question: str) -> list[Place]:
        values = {"title": read.title or "(none)", "document": read.text, "question": question}
        asked = _prompt().render(values)[0].content
        texts = [read.text[start:end] for start, end in read.places]
        choices = prefixes(texts)
        losses = model.losses([(asked, texts[one.sentence][: one.ends[-1]]) for one in choices])
        begun = [prefix.sentence for prefix, _ in decoded(choices, losses, self.spans)]
        ends = [(first, last) for first in begun for last in self._ends(read, first)]
        closing = model.losses(
            [(asked + read.text[read.places[first][0] : read.places[last][1]], CLOSING) for first, last in ends]
        )
        found = []
        for begin in begun:
            own = [(loss.values[0], last) for (first, last), loss in zip(ends, closing, strict=True) if first == begin]
            _, last = min(own)
            found.append((read.places[begin][0], read.places[last][1]))
        return found

    def _ends(self, read: _Read, first: int) -> list[int]:
        """The sentences with which a span that begins with `first` may end; itself at least."""
        found = [first]
        room = self.longest - self.tokenizer.count(read.text[slice(*read.places[first])])
        for last in range(first + 1, len(read.places)):
            room -= self.tokenizer.count(read.text[slice(*read.places[last])])
            if room < 0:
                break
            found.append(last)
        return found

    def _nearest(self, read: _Read, question: str) -> list[Place]:
        texts = [f"{read.title}\n{read.text[start:end]}".strip() for start, end in read.places]
        (vector,) = self.embedder.embed([question], "query")
        near = np.round(self.embedder.embed(texts, "passage") @ vector, 6)
        found = []
        for first in np.argsort(-near, kind="stable")[: self.spans].tolist():
            ends = self._ends(read, first)
            gains = np.cumsum(near[ends] - self.share * near[first])
            found.append((read.places[first][0], read.places[ends[int(np.argmax(gains))]][1]))
        return found


def _apart(places: Sequence[Place]) -> list[Place]:
    """The places in their order, those that overlap one before them joined to it."""
    found: list[Place] = []
    for start, end in places:
        meets = [one for one in found if one[0] < end and start < one[1]]
        if meets:
            place = (min(start, *(one[0] for one in meets)), max(end, *(one[1] for one in meets)))
            found[found.index(meets[0])] = place
            found = [one for one in found if one not in meets[1:]]
        else:
            found.append((start, end))
    return found


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve.cfic", "cfic", ("title", "document", "question"))
