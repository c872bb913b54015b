"""Relations between two names, merged of all statements that connect them: LightRAG's edges.

`relations.npz`: the pairs of names (smaller number first), their summed weights, and which statements each rests on; `relations.json`:
descriptions and keywords; `relations.npy`: vectors of keywords, names and description, or, without a model, the mean of the statements'
vectors.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from decoct.data import Floats
from decoct.llm.base import LLM
from decoct_lab.structure.base import Workshop
from decoct_lab.structure.graphs.catalogue import Catalogue, Numbers, Sparse, notes_of
from decoct_lab.structure.graphs.entities import as_one

RELATIONS = "relations"


@dataclass(frozen=True)
class Relations:
    """The relations of a catalogue; `first` tells where each one's statements begin in `rests`."""

    pairs: Numbers
    weights: Floats
    first: Numbers
    rests: Numbers
    about: Sequence[str]
    keywords: Sequence[str]
    names: int

    def statements_of(self, relation: int) -> list[int]:
        """The statements that a relation rests on."""
        found: list[int] = self.rests[self.first[relation] : self.first[relation + 1]].tolist()
        return found

    @cached_property
    def of_name(self) -> Sparse:
        """Names × relations: 1 where the name is an end of the relation."""
        from scipy.sparse import csr_matrix

        count = len(self.pairs)
        ends = (self.pairs.ravel(), np.repeat(np.arange(count), 2))
        return csr_matrix((np.ones(2 * count, np.float32), ends), shape=(self.names, count))

    @cached_property
    def degrees(self) -> Numbers:
        """How many relations each name has."""
        return np.asarray(self.of_name.getnnz(axis=1), np.int32)


def write_relations(workshop: Workshop, catalogue: Catalogue, llm: LLM | None, statements: Floats) -> None:
    """Write the relations of the catalogue to the workshop's folder."""
    resting: dict[tuple[int, int], list[int]] = defaultdict(list)
    for statement in range(len(catalogue.statements)):
        subject, *others = catalogue.names_of(statement).tolist() or [0]
        for other in others:
            resting[min(subject, other), max(subject, other)].append(statement)
    pairs = sorted(resting)
    rests = [statement for pair in pairs for statement in resting[pair]]
    first = np.cumsum([0, *(len(resting[pair]) for pair in pairs)], dtype=np.int64)
    weights = np.array([catalogue.weights[resting[pair]].sum() for pair in pairs], np.float32)
    np.savez(
        workshop.folder / f"{RELATIONS}.npz",
        pairs=np.array(pairs, np.int32).reshape(-1, 2),
        weights=weights,
        first=first,
        rests=np.array(rests, np.int32),
    )
    if llm is None:
        about, keywords = [""] * len(pairs), [""] * len(pairs)
        vectors = np.zeros((len(pairs), statements.shape[1]), np.float32)
        for row, pair in enumerate(pairs):
            vectors[row] = statements[resting[pair]].mean(axis=0)
        np.save(
            workshop.folder / f"{RELATIONS}.npy",
            vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12),
        )
    else:
        about, keywords = _described(workshop, catalogue, llm, pairs, resting)
        names = catalogue.names
        texts = [
            f"{words}\t{names[a]}\n{names[b]}\n{told}"
            for (a, b), words, told in zip(pairs, keywords, about, strict=True)
        ]
        workshop.vectors(RELATIONS, texts)
    (workshop.folder / f"{RELATIONS}.json").write_text(json.dumps({"about": about, "keywords": keywords}), "utf-8")


def load_relations(folder: Path, names: int) -> Relations:
    """The relations in a structure's folder."""
    arrays = np.load(folder / f"{RELATIONS}.npz")
    told = json.loads((folder / f"{RELATIONS}.json").read_text("utf-8"))
    return Relations(
        arrays["pairs"], arrays["weights"], arrays["first"], arrays["rests"], told["about"], told["keywords"], names
    )


def _described(
    workshop: Workshop,
    catalogue: Catalogue,
    llm: LLM,
    pairs: Sequence[tuple[int, int]],
    resting: dict[tuple[int, int], list[int]],
) -> tuple[list[str], list[str]]:
    said = [one.relation for _, notes in notes_of(workshop.parts()) for one in notes.statements]
    about, keywords = [], []
    for row, (a, b) in enumerate(pairs):
        if row % 200 == 0:
            workshop.tell("describing relations", row, len(pairs))
        own = resting[a, b]
        name = f"{catalogue.names[a]} and {catalogue.names[b]}"
        about.append(as_one(workshop, llm, name, [catalogue.text_of(one) for one in own]))
        words = [word.strip() for one in own for word in said[one].split(",")]
        keywords.append(", ".join(dict.fromkeys(filter(None, words))))
    return about, keywords
