"""Questions beside the chunk that answers and near chunks that do not: what contrastive training compares.

A hard negative stands high in the library's own hybrid ranking, is of another place than the right chunk, and its cosine to the question is
below `_SAFE` of the right chunk's: what is nearer is too often another right place (Moreira et al., 2024, "NV-Retriever", section 3.2).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from decoct.data import Chunk, Query
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.ingest import search_text
from decoct.retrieve.base import Retriever
from decoct_lab.train.embedder.questions import ChunkQuestion

_SAFE = 0.95
_DEPTH = 30
_HELD_BACK = 15  # of a hundred documents


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """A question, the key and the search text of its chunk, and the search texts of near chunks that do not answer."""

    question: str
    doc_id: str
    key: int
    passage: str
    negatives: tuple[str, ...]

    @property
    def held_back(self) -> bool:
        """Whether it is judged by and not trained on: decided by the digest of its document's id."""
        return int.from_bytes(hashlib.sha256(self.doc_id.encode()).digest()[:4], "big") % 100 < _HELD_BACK


def question_pairs(
    asked: Iterable[ChunkQuestion], store: Store, retriever: Retriever, embedder: Embedder, *, each: int, seed: int
) -> list[QuestionPair]:
    """The questions whose chunk is still in the library, each with at most `each` hard negatives."""
    chance = random.Random(seed)
    made: list[QuestionPair] = []
    for question in asked:
        right = _chunk(store, question)
        if right is None:
            continue
        ranking = retriever.retrieve(Query(question.question), _DEPTH)
        near = [c for c in store.chunks(ranking.keys) if c.key != right.key and not _touch(c, right)]
        (vector,) = embedder.embed([question.question], "query")
        least = float(store.vectors([right.key])[0] @ vector) * _SAFE
        cosines = store.vectors([c.key for c in near]) @ vector if near else []
        fitting = [c for c, cosine in zip(near, cosines, strict=True) if cosine < least]
        chosen = chance.sample(fitting[:10], min(each, len(fitting[:10])))
        made.append(
            QuestionPair(
                question.question, question.doc_id, right.key, search_text(right), tuple(search_text(c) for c in chosen)
            )
        )
    return made


def _chunk(store: Store, question: ChunkQuestion) -> Chunk | None:
    """The chunk that holds most of the question's place, None where the document has changed."""
    held: Sequence[tuple[int, Chunk]] = [
        (min(c.span.end, question.end) - max(c.span.start, question.start), c)
        for c in store.chunks(store.chunk_keys(question.doc_id))
    ]
    best = max(held, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] > 0 else None


def _touch(one: Chunk, other: Chunk) -> bool:
    return one.span.doc_id == other.span.doc_id and one.span.start < other.span.end and other.span.start < one.span.end
