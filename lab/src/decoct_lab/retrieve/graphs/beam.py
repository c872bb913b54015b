"""Beam search over paths of statements that share names (PropRAG); deterministic: ties by number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from decoct.data import Floats
from decoct.embed.base import Embedder
from decoct_lab.structure.graphs.loaded import Graph

# The best of all statements may follow on any path: some questions need two facts side by side, not one behind the other.
_PARALLEL = 3
# Statements that may follow one: more share only names that are everywhere.
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Path:
    """Statements in their order, and the cosine of the question with them together."""

    statements: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class Beam:
    """A search for one question `vector`; `cosines` are those of all statements with it."""

    graph: Graph
    embedder: Embedder
    vector: Floats
    cosines: Floats
    width: int
    length: int
    reread: int

    def paths(self, among: Any) -> list[Path]:  # noqa: ANN401 - an array of numbers, or None for all
        """The best paths of each length, best first; of the statements `among` only, where they are given."""
        allowed = np.arange(len(self.cosines)) if among is None else among
        if not len(allowed):
            return []
        order = allowed[np.lexsort((allowed, -self.cosines[allowed]))]
        first = [Path((int(one),), float(self.cosines[one])) for one in order[: max(self.width, _PARALLEL)]]
        beam, parallel = first[: self.width], [path.statements[0] for path in first[:_PARALLEL]]
        inside = np.zeros(len(self.cosines), bool)
        inside[allowed] = True
        found, seen = list(beam), {frozenset(path.statements) for path in beam}
        for _ in range(1, self.length):
            longer: dict[frozenset[int], tuple[int, ...]] = {}
            for path in beam:
                for following in (*self._following(path.statements[-1], inside), *parallel):
                    statements = (*path.statements, following)
                    members = frozenset(statements)
                    if following not in path.statements and members not in seen:
                        longer.setdefault(members, statements)
            if not longer:
                break
            seen.update(longer)
            beam = self._best(list(longer.values()))
            found += beam
        return sorted(found, key=lambda path: (-path.score, path.statements))

    def _following(self, statement: int, inside: Any) -> list[int]:  # noqa: ANN401
        catalogue = self.graph.catalogue
        names = catalogue.names_of(statement)
        if self.graph.same is not None:
            names = np.union1d(names, self.graph.same[names].indices)
        connected = catalogue.name_statements[names].indices
        connected = np.unique(connected[inside[connected]])
        if len(connected) > _MOST:
            connected = connected[np.lexsort((connected, -self.cosines[connected]))[:_MOST]]
        return [int(one) for one in connected if one != statement]

    def _best(self, paths: Sequence[tuple[int, ...]]) -> list[Path]:
        """The best of the paths, all of one length."""
        rows = np.array(paths)
        vectors = np.asarray(self.graph.statement_vectors[rows.ravel()]).reshape(*rows.shape, -1).mean(axis=1)
        scores = vectors @ self.vector / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)
        best = np.argsort(-scores, kind="stable")[: max(self.reread, self.width)]
        if self.reread and len(best) > self.width:
            texts = [" ".join(self.graph.catalogue.text_of(one) for one in paths[row]) for row in best.tolist()]
            again = self.embedder.embed(texts, "passage") @ self.vector
            best, scores = (
                best[np.argsort(-again, kind="stable")],
                dict(zip(best.tolist(), again.tolist(), strict=True)),
            )
        return [Path(paths[row], float(scores[row])) for row in best[: self.width].tolist()]


def best_names(graph: Graph, paths: Sequence[Path]) -> list[tuple[int, list[float]]]:
    """The names in the paths, each with the scores of the paths that it is in, the largest sum first."""
    scores: dict[int, list[float]] = defaultdict(list)
    for path in paths:
        for statement in path.statements:
            for name in graph.catalogue.names_of(statement).tolist():
                scores[name].append(path.score)
    return sorted(scores.items(), key=lambda item: (-sum(item[1]), item[0]))
