"""Search by cards: which documents are meant, and which of their chunks to read.

1. *Documents.* With q the question's vector, v_C and v_Q those of the card and of its questions, `part` says what is compared:

       card: dense(d) = q · v_C        questions: q · v_Q        both: max(q · v_C, q · v_Q), Equation 3, reconstructed

   (question-level vectors join the maximum), and the same for words, by BM25, over two fields: the card with its document's whole text
   behind it, and, with the share `card_words`, the card alone, whose few words say what the document is about. Where `passages` names a
   retriever, `full(d)` is the sum of the scores of its best three chunks of d. Each list is scaled to 0 … 1; their weighted mean is the
   score.
2. *Second stage*, off unless set: a scorer rereads the best `rerank_depth` cards, whole or their title and summary (`rerank_part`), and
   has the share `rerank_weight` of their new scores. It is asked with the user's question or, as the authors' code does it, with
   the best card's text (`rerank_query = "anchor"`); `anchor_requery` is their first variant: the best document (by the scorer, where there
   is one) stays, and its card's vector is the query for the rest of the list, which the scorer then rereads.
3. *Chunks.* A card is no evidence. Of the best `documents` documents the best `per_document` chunks are handed on, by the cosine of their
   vectors with q, and those first that the inner retriever found. Where a question of its own is what found a document, the chunk in which
   its answer begins comes first (`found_by["questions"]` tells). A document's best chunk carries the document's score, the others lie
   below it by their distance from it, so that the order of documents is that of the first stage.

What cards cannot know is counted: `cards.missing` documents without a card, `cards.outdated` found ones that were replaced since theirs was
made, `cards.document_gone` found ones that were removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from decoct import trace
from decoct.data import Floats, Keys, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import ChunkPlace, Store
from decoct.retrieve.base import CardSource, Retriever, Scorer
from decoct.retrieve.cards.card import title_and_summary
from decoct.retrieve.cards.index import FIRST_QUESTION, WHOLE, OpenCards
from decoct.retrieve.ranking import EMPTY, min_max, ranked

Scores = dict[str, float]
Part = Literal["card", "questions", "both"]

# Chunks of a document whose scores add up to the full text's: one may be found by chance, three on one subject rarely are.
_BEST_CHUNKS = 3
# A chunk that the inner retriever did not find lies at most this much below its document's best; found ones lie between.
_SPREAD = 0.5


@dataclass(frozen=True, slots=True)
class Cards:
    """Ranks documents by their cards, and hands on their best chunks. `depth` cards are looked at in each list.

    `weights` are those of the card's vectors, of words, and of the inner retriever's chunks; a list that is not searched has none. The
    first two, and `card_words`, were chosen on half the queries of ScisummNet (lab/docs/findings-cards.md); without the documents' text
    in the cards it is 0.
    """

    store: Store
    embedder: Embedder
    cards: CardSource
    search: Literal["dense", "bm25", "hybrid"] = "hybrid"
    part: Part = "card"
    passages: Retriever | None = None
    weights: tuple[float, float, float] = (0.5, 0.5, 0.3)
    card_words: float = 0.25
    scorer: Scorer | None = None
    rerank_query: Literal["user", "anchor"] = "user"
    rerank_depth: int = 20
    rerank_part: Literal["card", "summary"] = "card"
    rerank_weight: float = 1.0
    anchor_requery: bool = False
    documents: int = 20
    per_document: int = 5
    depth: int = 100

    def __post_init__(self) -> None:
        if min(self.weights) < 0 or min(self.documents, self.per_document, self.depth, self.rerank_depth) < 1:
            raise ValueError("weights must not be negative; documents, per_document, depth and rerank_depth at least 1")
        if not (0 <= self.rerank_weight <= 1 and 0 <= self.card_words <= 1):
            raise ValueError("rerank_weight (the scorer's share) and card_words (the card's share) are from 0 to 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks of the best documents; `found_by` has the documents' scores ("cards") and the inner retriever's."""
        with trace.stage("cards"):
            cards = self.cards.opened()
            known = cards.coverage
            if known.missing:
                trace.fallback("cards.missing", known.missing)
            (vector,) = self.embedder.embed([query.text], "query")
            inner = EMPTY if self.passages is None else self.passages.retrieve(query, max(k, self.depth))
            found = self._documents(_Search(cards, query, self.depth * known.chunks, self.part), vector, inner)
            scores = self._second_stage(_Search(cards, query, self.depth * known.chunks, "card"), found.scores)
            best = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))[: self.documents]
            trace.count(documents=len(best))
            if old := cards.outdated(best):
                trace.fallback("cards.outdated", len(old))
            asked = found.questions
            answers = {doc_id: cards.answered_from(doc_id, asked[doc_id]) for doc_id in best if doc_id in asked}
            return self._chunks(vector, {doc_id: scores[doc_id] for doc_id in best}, answers, inner, k)

    # -- documents -------------------------------------------------------------------------------------------------
    def _documents(self, search: _Search, vector: Floats, inner: Ranking) -> _Found:
        lists: list[tuple[_Found, float]] = []
        if self.search != "bm25":
            lists.append((search.nearest(vector), self.weights[0]))
        if self.search != "dense":
            share = self.card_words if self.part == "card" else 0.0
            words, alone = search.lexical()
            lists.append((words, self.weights[1] * (1 - share)))
            if share:
                lists.append((alone, self.weights[1] * share))
        if self.passages is not None:
            lists.append((_Found(_by_document(self.store, inner, _BEST_CHUNKS)), self.weights[2]))
        # The first list that a document is in says which question found it, if one did: vectors before words.
        asked = {doc_id: place for found, _ in reversed(lists) for doc_id, place in found.questions.items()}
        return _Found(_fused([(found.scores, weight) for found, weight in lists]), asked)

    def _second_stage(self, search: _Search, scores: Scores) -> Scores:
        if not scores or (self.scorer is None and not self.anchor_requery):
            return scores
        asked = search.query.text
        if self.anchor_requery:
            anchor = _first(self._reread(search.cards, asked, scores))
            scores = search.nearest(search.cards.vector(anchor)).scores
            scores[anchor] = max(scores.values(), default=0.0) + 1e-3
        if self.rerank_query == "anchor":
            asked = search.cards.card(_first(scores)).text
        return self._reread(search.cards, asked, scores)

    def _reread(self, cards: OpenCards, asked: str, scores: Scores) -> Scores:
        """The best cards in the order of scorer and first stage together, before all others."""
        if self.scorer is None:
            return scores
        head = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))[: self.rerank_depth]
        # Full text may have found a document without a card.
        head = [doc_id for doc_id in head if cards.has(doc_id)]
        if not head:
            return scores
        texts = [cards.card(doc_id).text for doc_id in head]
        read = [title_and_summary(text) for text in texts] if self.rerank_part == "summary" else texts
        before = min_max(np.array([scores[doc_id] for doc_id in head], np.float32))
        given = self.rerank_weight * min_max(self.scorer.score(asked, read)) + (1 - self.rerank_weight) * before
        # Above every score of the first stage, which are at most 1 and a little.
        return {**scores, **{doc_id: 2 + float(score) for doc_id, score in zip(head, given, strict=True)}}

    # -- chunks ----------------------------------------------------------------------------------------------------
    def _chunks(
        self, vector: Floats, documents: Mapping[str, float], answers: Mapping[str, int], inner: Ranking, k: int
    ) -> Ranking:
        found = dict(zip(inner.keys.tolist(), min_max(inner.scores).tolist(), strict=True))
        owned = {doc_id: self.store.chunk_keys(doc_id) for doc_id in documents}
        if gone := sum(not len(own) for own in owned.values()):  # deleted since the cards were built
            trace.fallback("cards.document_gone", gone)
        owned = {doc_id: own for doc_id, own in owned.items() if len(own)}
        if not owned:
            return EMPTY
        every = np.concatenate(list(owned.values()))
        worths = self.store.vectors(every) @ vector
        joined = np.array([found.get(key, 0.0) for key in every.tolist()], np.float32) if found else None
        keys: list[Keys] = []
        scores: list[Floats] = []
        asked: dict[int, float] = {}
        by_card: dict[int, float] = {}
        at = 0
        for doc_id, own in owned.items():
            score, here = documents[doc_id], slice(at, at + len(own))
            at += len(own)
            worth = worths[here] - worths[here].max()
            if joined is not None:
                worth = worth + joined[here]
            if doc_id in answers:
                holding = self._holding(own, answers[doc_id])
                asked[int(own[holding])] = score
                worth[holding] = worth.max() + 1e-3
            order = np.lexsort((own, -worth))[: self.per_document]
            below = np.clip(worth[order[0]] - worth[order], 0, 1) * _SPREAD
            keys.append(own[order])
            scores.append(score - below)
            by_card |= dict.fromkeys(own[order].tolist(), score)
        found_by = {**inner.found_by, "cards": by_card, "questions": asked}
        return ranked(np.concatenate(keys), np.concatenate(scores), k, found_by)

    def _holding(self, own: Keys, start: int) -> int:
        """Which of a document's chunks holds character `start`: the last that begins at or before it."""

        def begins(at: int) -> int:
            chunk = next(iter(self.store.chunks(own[at : at + 1])), None)
            return start + 1 if chunk is None else chunk.span.start  # None: deleted since it was found

        return bisect_right(range(1, len(own)), start, key=begins)


@dataclass(frozen=True, slots=True)
class _Found:
    """Documents' scores, and where a question of its own found a document, which chunk of its card that question is."""

    scores: Scores
    questions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Search:
    """One question to the cards, `depth` chunks deep."""

    cards: OpenCards
    query: Query
    depth: int
    part: Part

    def nearest(self, vector: Floats) -> _Found:
        """By vectors."""
        return _by_part(self.cards.nearest(vector, self.depth, self.query.where), self.part)

    def lexical(self) -> tuple[_Found, _Found]:
        """By words: of what is asked for, and of the card alone."""
        found = self.cards.lexical(self.query.text, self.depth, self.query.where)
        return _by_part(found, self.part), _Found(_by_part(found, "questions").scores)


def _by_part(found: Sequence[tuple[ChunkPlace, float]], part: Part) -> _Found:
    """Each document's best score among the parts of its card that are asked for: max-pooling, since the best come first."""
    scores: Scores = {}
    asked: dict[str, int] = {}
    card, questions = part != "questions", part != "card"
    for (doc_id, place), score in found:
        if (card if place == WHOLE else questions) and doc_id not in scores:
            scores[doc_id] = score
            if place >= FIRST_QUESTION:
                asked[doc_id] = place
    return _Found(scores, asked)


def _first(scores: Scores) -> str:
    return min(scores, key=lambda doc_id: (-scores[doc_id], doc_id))


def _by_document(store: Store, found: Ranking, best: int) -> Scores:
    """Each document's score: the sum of those of its `best` best chunks in the ranking."""
    lists: dict[str, list[float]] = {}
    for place, score in zip(store.places(found.keys), found.scores.tolist(), strict=True):
        if place is not None and len(scores := lists.setdefault(place.doc_id, [])) < best:
            scores.append(score)
    return {doc_id: sum(scores) for doc_id, scores in lists.items()}


def _fused(lists: Sequence[tuple[Scores, float]]) -> Scores:
    """The weighted mean of the lists' scores, each list scaled to 0 … 1; a document missing from a list has 0 there."""
    total = sum(weight for _, weight in lists) or 1.0
    fused: Scores = {}
    for scores, weight in lists:
        scaled = min_max(np.array(list(scores.values()), np.float32))
        for doc_id, score in zip(scores, scaled.tolist(), strict=True):
            fused[doc_id] = fused.get(doc_id, 0.0) + score * weight / total
    return fused
