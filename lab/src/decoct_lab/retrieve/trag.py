"""T-RAG: beside chunks by MMR, where the entities that a question names stand in the tree (Fatehkia et al., 2024).

1. The longest names of the question that are entities of the structure (`decoct structure build t-rag`).
2. For each its path: what it is inside of, and what that is inside of, up to the root, at most `steps` of them.
3. For construction each path is a passage before the chunks: the sentences that state it (a quote), or in the form by a model
   "A is in B. B is in C." with those sentences as its spans. As a ranking of chunks, those that state a path come first.

A question that names no entity of the tree, or only roots, gets the chunks alone (`t-rag.no_entity`). Kept: path beside chunks by MMR.
Ours: the tree is read out of the documents (theirs was drawn by hand), the words of a path, no fine-tuned reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Draft, Hit, Passage, Query, Ranking
from decoct.index.abilities import SupportsNames
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import found_by_of
from decoct.structure.library import Structures
from decoct.text.names import longest_mentions, question_names
from decoct_lab.structure.trag.forest import ContainmentStatement, Entity, path
from decoct_lab.structure.trag.method import read_entities
from decoct_lab.structure.tree import joined_quote, merged_spans

_NAME = "t-rag"
Path = list[tuple[Entity, ContainmentStatement]]


@dataclass(frozen=True, slots=True)
class TRAG:
    """Adds paths of the forest `structure` to what `retriever` finds."""

    retriever: Retriever
    store: SupportsNames
    structures: Structures
    structure: str = "t-rag"
    steps: int = 6

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError("steps must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The chunks that state the paths, then those of the inner retriever; at most `k`."""
        with trace.stage(_NAME):
            inner = self.retriever.retrieve(query, k)
            stating = list(dict.fromkeys(one.chunks[0] for own in self._paths(query) for _, one in own))
            trace.count(stating=len(stating))
            if not stating:
                trace.fallback("t-rag.no_entity")
                return inner
            rest = inner.keys[~np.isin(inner.keys, stating)]
            top = float(inner.scores[0]) if len(inner) else 0.0
            above = top + np.arange(len(stating), 0, -1, dtype=np.float32)
            by_key = dict(zip(inner.keys.tolist(), inner.scores.tolist(), strict=True))
            keys = np.concatenate([np.array(stating, np.int64), rest])[:k]
            scores = np.concatenate([above, np.array([by_key[key] for key in rest.tolist()], np.float32)])[:k]
            found_by = {**inner.found_by, _NAME: dict(zip(stating, above.tolist(), strict=True))}
            return Ranking(keys, scores, found_by_of(found_by, keys))

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`: the paths, then the chunks that the inner retriever found."""
        forest = self.structures.read(self.structure, read_entities)
        shown = [_passage(own, forest.written) for own in self._paths(query)]
        seen: set[str] = set()
        for hit in hits:
            identity = " ".join(hit.chunk.text.casefold().split())
            if set(hit.found_by) - {_NAME} and identity not in seen:
                seen.add(identity)
                shown.append(
                    Passage(hit.chunk.text, (hit.chunk.span,), "quote", hit.score, hit.chunk.title, hit.chunk.place)
                )
        return Draft(tuple(shown))

    def _paths(self, query: Query) -> list[Path]:
        """The path of each entity named, each branch with a statement that the filter lets through; cut where there is none."""
        forest = self.structures.read(self.structure, read_entities)
        named = longest_mentions(one for one in question_names(query.text) if one.name in forest.entities)
        paths = []
        for name in dict.fromkeys(one.name for one in named):
            found: Path = []
            for entity in path(forest.entities, name, self.steps):
                passing = self.store.passing([one.chunks[0] for one in entity.statements], query.where)
                statement = next((one for one, ok in zip(entity.statements, passing, strict=True) if ok), None)
                if statement is None:
                    break
                found.append((entity, statement))
            if found:
                paths.append(found)
        return paths


def _passage(own: Path, written: bool) -> Passage:
    spans = [one.span for _, one in own]
    if written:
        text = " ".join(f"{entity.name} is in {one.parent}." for entity, one in own)
        return Passage(text, merged_spans(spans), "rewrite", 1.0, own[0][0].name)
    text, support = joined_quote({one.span: one.text for _, one in own}.items())
    return Passage(text, support, "quote", 1.0, own[0][0].name)
