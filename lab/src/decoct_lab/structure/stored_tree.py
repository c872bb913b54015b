"""A tree on disk: `nodes.json` and, for each layer, the vectors of its nodes (`layer-N.npy`), in the order of their keys.

Read, all vectors are one matrix with a row a node, leaves first; a question is compared with all of them at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from decoct.data import Floats, Keys, Span
from decoct.errors import StaleIndexError
from decoct_lab.structure.base import Workshop
from decoct_lab.structure.tree import Node, leaves_below

FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class StoredTree:
    """Nodes by row; `below` the leaves' rows under each; `parents` the rows above it; `facts` what the method noted."""

    nodes: tuple[Node, ...]
    vectors: Floats
    facts: Mapping[str, Any]
    row_of: Mapping[int, int] = field(init=False)
    below: tuple[Keys, ...] = field(init=False)
    parents: tuple[tuple[int, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        rows = {node.key: row for row, node in enumerate(self.nodes)}
        by_key = {node.key: node for node in self.nodes}
        above: list[list[int]] = [[] for _ in self.nodes]
        for row, node in enumerate(self.nodes):
            for child in node.children:
                above[rows[child]].append(row)
        found = [np.array([rows[leaf] for leaf in leaves_below(by_key, node.key)], np.int64) for node in self.nodes]
        object.__setattr__(self, "row_of", rows)
        object.__setattr__(self, "below", tuple(found))
        object.__setattr__(self, "parents", tuple(map(tuple, above)))

    @property
    def layers(self) -> int:
        """Of the highest node."""
        return max((node.layer for node in self.nodes), default=0)

    def chunk_keys(self) -> Keys:
        """The library's chunks that hold each leaf best, by row."""
        return np.array([node.chunks[0] for node in self.nodes if node.layer == 0], np.int64)


def by_layer(nodes: Iterable[Node]) -> list[Node]:
    """The nodes in the order of rows."""
    return sorted(nodes, key=lambda node: (node.layer, node.key))


def embedded(workshop: Workshop, layer: int, nodes: Sequence[Node]) -> Floats:
    """The vectors of a layer's nodes (sorted by key), written beside the tree. A title is embedded with its text."""
    return workshop.vectors(f"layer-{layer}", [embedded_text(node) for node in nodes])


def embedded_text(node: Node) -> str:
    """What is embedded of a node: as a chunk's, its title, unless the text begins with it, and its text."""
    return node.text if not node.title or node.text.startswith(node.title) else f"{node.title}\n{node.text}"


def write_tree(folder: Path, nodes: Iterable[Node], facts: Mapping[str, Any]) -> None:
    """Write the nodes; their vectors have been written by `embedded`."""
    rows = [
        [
            node.key,
            node.layer,
            node.text,
            [[span.doc_id, span.start, span.end] for span in node.spans],
            node.kind,
            list(node.children),
            node.title,
            list(node.chunks),
        ]
        for node in by_layer(nodes)
    ]
    text = json.dumps({"format": FORMAT, "facts": dict(facts), "nodes": rows}, separators=(",", ":"))
    (folder / "nodes.json").write_text(text, "utf-8")


def read_tree(folder: Path) -> StoredTree:
    """The tree in the folder of a finished structure; `StaleIndexError` where it cannot be read."""
    try:
        found = json.loads((folder / "nodes.json").read_text("utf-8"))
        if found["format"] != FORMAT:
            raise StaleIndexError(
                "the tree was built by another version of Decoct: drop the structure and build it again"
            )
        nodes = [
            Node(key, layer, text, tuple(Span(*span) for span in spans), kind, tuple(below), title, tuple(chunks))
            for key, layer, text, spans, kind, below, title, chunks in found["nodes"]
        ]
        highest = max((node.layer for node in nodes), default=-1)
        parts = [np.load(folder / f"layer-{layer}.npy") for layer in range(highest + 1)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StaleIndexError(f"the tree cannot be read ({error}): drop the structure and build it again") from error
    if found["format"] != FORMAT or len(vectors) != len(nodes):
        raise StaleIndexError(
            "the tree is damaged or of another version of Decoct: drop the structure and build it again"
        )
    return StoredTree(tuple(nodes), vectors, found["facts"])
