"""A finished graph as a retriever reads it: the catalogue, the walk, and the vectors of names and statements, mapped from their files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from decoct.data import Floats
from decoct_lab.structure.graphs.catalogue import Catalogue, Numbers, Sparse, load_catalogue
from decoct_lab.structure.graphs.entities import ENTITIES, Entities, load_entities
from decoct_lab.structure.graphs.pagerank import Walk, walk
from decoct_lab.structure.graphs.relations import RELATIONS, Relations, load_relations

NAMES, STATEMENTS, GRAPH, SAME = "names", "statements", "graph.npz", "same.npz"


@dataclass(frozen=True)
class Graph:
    """Names (numbers from 0) and passages (after them) as nodes."""

    catalogue: Catalogue
    adjacency: Sparse
    name_vectors: Floats
    statement_vectors: Floats
    same: Sparse | None = None  # names × names: those that mean the same, where a method has kept them

    @cached_property
    def walk(self) -> Walk:
        """The walk over its edges."""
        return walk(self.adjacency)

    @cached_property
    def holders(self) -> Sparse:
        """Names × passages: in which passages a name stands, and how often."""
        return self.catalogue.passage_names.T.tocsr()

    @property
    def names(self) -> int:
        """How many names there are: the number of the first passage's node."""
        return len(self.catalogue.names)


def save_adjacency(adjacency: Sparse, folder: Path) -> None:
    """Write the edges."""
    from scipy.sparse import save_npz

    save_npz(folder / GRAPH, adjacency.astype(np.float32))


def save_same(names: int, first: Numbers, second: Numbers, folder: Path) -> None:
    """Write which names mean the same."""
    from scipy.sparse import coo_matrix, save_npz

    ones = np.ones(2 * len(first), np.float32)
    places = (np.concatenate([first, second]), np.concatenate([second, first]))
    save_npz(folder / SAME, coo_matrix((ones, places), shape=(names, names)).tocsr())


def load_graph(folder: Path) -> Graph:
    """The graph in a structure's folder."""
    from scipy.sparse import load_npz

    return Graph(
        load_catalogue(folder),
        load_npz(folder / GRAPH),
        np.load(folder / f"{NAMES}.npy", mmap_mode="r"),
        np.load(folder / f"{STATEMENTS}.npy", mmap_mode="r"),
        load_npz(folder / SAME) if (folder / SAME).is_file() else None,
    )


@dataclass(frozen=True)
class Described:
    """Entities with descriptions and vectors, statements with vectors, and, in LightRAG's graph, relations with theirs."""

    catalogue: Catalogue
    entities: Entities
    entity_vectors: Floats
    statement_vectors: Floats
    relations: Relations | None
    relation_vectors: Floats | None

    @cached_property
    def holders(self) -> Sparse:
        """Names × passages: in which passages a name stands, and how often."""
        return self.catalogue.passage_names.T.tocsr()


def load_described(folder: Path) -> Described:
    """The entities, statements and relations in a structure's folder."""
    catalogue = load_catalogue(folder)
    has_relations = (folder / f"{RELATIONS}.npz").is_file()
    return Described(
        catalogue,
        load_entities(folder),
        np.load(folder / f"{ENTITIES}.npy", mmap_mode="r"),
        np.load(folder / f"{STATEMENTS}.npy", mmap_mode="r"),
        load_relations(folder, len(catalogue.names)) if has_relations else None,
        np.load(folder / f"{RELATIONS}.npy", mmap_mode="r") if has_relations else None,
    )
