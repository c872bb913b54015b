"""Grow RAPTOR's tree, and let it follow the library.

*Anew*: the nodes of a layer are clustered, each cluster's summary is a node above them, until `layers` stand above the leaves or a layer
has too few nodes to be clustered (at most the clustering's `dimensions` + 1).

*Joining* (ours; the paper has no such step): a new leaf goes under the summary of the first layer that is nearest to it. A cluster that so
gets too long is clustered alone, and its parts stand where it stood. Leaves that are gone are taken out, and nodes that lose all
their children with them. Then the summaries above what changed are written anew, from below. The cost is that of the documents: at most
one summary for each new or removed leaf and layer. Once more leaves have joined or gone than were clustered, the whole tree is grown anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from decoct.data import Floats
from decoct_lab.structure.raptor.cluster import Clustering, Group
from decoct_lab.structure.summaries import Summary
from decoct_lab.structure.tree import Node, title_of

Summarised = Callable[[Sequence[Sequence[Node]], Mapping[int, Node]], list[Summary]]


@dataclass(frozen=True, slots=True)
class Tools:
    """What growing needs: the clustering, summaries of groups, the vectors of a layer's nodes and lengths in tokens."""

    clustering: Clustering
    layers: int
    summarised: Summarised
    vectors: Callable[[int, Sequence[Node]], Floats]
    lengths: Callable[[Sequence[Node]], list[int]]


def tree_above(leaves: Sequence[Node], tools: Tools) -> dict[int, Node]:
    """The tree above `leaves` (keys from 0, in order), by key; every layer's vectors have been asked for."""
    nodes = {leaf.key: leaf for leaf in leaves}
    current = list(leaves)
    for layer in range(1, tools.layers + 1):
        vectors = tools.vectors(layer - 1, current)
        if len(current) <= tools.clustering.dimensions + 1:
            return nodes
        groups = tools.clustering.groups(vectors, tools.lengths(current))
        if len(groups) >= len(current):  # nodes in several clusters: a layer that does not shrink would grow for ever
            return nodes
        below = [[current[row] for row in group] for group in groups]
        first = len(nodes)
        current = [
            _above(first + number, layer, summary, group)
            for number, (summary, group) in enumerate(zip(tools.summarised(below, nodes), below, strict=True))
        ]
        nodes |= {node.key: node for node in current}
    tools.vectors(tools.layers, current)
    return nodes


def _above(key: int, layer: int, summary: Summary, group: Sequence[Node]) -> Node:
    children = tuple(node.key for node in group)
    return Node(key, layer, summary.text, summary.spans, summary.kind, children, title_of(group))


@dataclass(slots=True)
class _Following:
    """A tree while it is brought up to date; `dirty` the inner nodes whose children changed."""

    nodes: dict[int, Node]
    parents: dict[int, set[int]]
    dirty: set[int]
    next: int

    def number(self) -> int:
        self.next += 1
        return self.next - 1

    def put(self, node: Node) -> None:
        self.nodes[node.key] = node
        for child in node.children:
            self.parents.setdefault(child, set()).add(node.key)

    def take_out(self, key: int) -> None:
        """Remove a node, and those above it that have no other child."""
        for above in self.parents.pop(key, set()):
            node = self.nodes[above]
            left = tuple(child for child in node.children if child != key)
            self.nodes[above] = replace(node, children=left)
            self.dirty.add(above)
            if not left:
                self.take_out(above)
        for child in self.nodes.pop(key).children:
            self.parents.get(child, set()).discard(key)
        self.dirty.discard(key)


def tree_brought_up_to_date(
    old: Mapping[int, Node], vectors_of: Mapping[int, Floats], leaves: Sequence[Node], tools: Tools
) -> tuple[dict[int, Node], int]:
    """The tree `old` with these `leaves` now, and how many joined or went; keys stay those of before.

    A leaf is one of before where span and text are the same. The keys of `leaves` say nothing. `vectors_of` are those of `old`.
    """
    tree = _Following(dict(old), {}, set(), max(old, default=-1) + 1)
    for node in old.values():
        for child in node.children:
            tree.parents.setdefault(child, set()).add(node.key)
    known = {(node.spans, node.text): node.key for node in old.values() if node.layer == 0}
    present = {(leaf.spans, leaf.text) for leaf in leaves}
    gone = [key for identity, key in known.items() if identity not in present]
    fresh: list[Node] = []
    for leaf in leaves:
        if (key := known.get((leaf.spans, leaf.text))) is not None:
            tree.nodes[key] = replace(leaf, key=key)
        else:
            fresh.append(replace(leaf, key=tree.number()))
            tree.nodes[fresh[-1].key] = fresh[-1]
    for key in gone:
        tree.take_out(key)
    vectors = tools.vectors(0, _layer(tree.nodes, 0))
    rows = {node.key: vectors[row] for row, node in enumerate(_layer(tree.nodes, 0))}
    homes = _layer(tree.nodes, 1)
    if homes:
        _join(tree, fresh, homes, np.stack([vectors_of[node.key] for node in homes]), rows)
        _split(tree, rows, tools)
    for layer in range(1, max((node.layer for node in tree.nodes.values()), default=0) + 1):
        _renew(tree, layer, tools)
    return tree.nodes, len(gone) + len(fresh)


def _layer(nodes: Mapping[int, Node], layer: int) -> list[Node]:
    return sorted((node for node in nodes.values() if node.layer == layer), key=lambda node: node.key)


def _join(
    tree: _Following, fresh: Sequence[Node], homes: Sequence[Node], near: Floats, rows: Mapping[int, Floats]
) -> None:
    for leaf in fresh:
        home = tree.nodes[homes[int(np.argmax(near @ rows[leaf.key]))].key]
        tree.put(replace(home, children=(*home.children, leaf.key)))
        tree.dirty.add(home.key)


def _split(tree: _Following, rows: Mapping[int, Floats], tools: Tools) -> None:
    for node in [tree.nodes[key] for key in sorted(tree.dirty) if tree.nodes[key].layer == 1]:
        children = [tree.nodes[child] for child in node.children]
        lengths = tools.lengths(children)
        if sum(lengths) <= tools.clustering.longest:
            continue
        groups: list[Group] = tools.clustering.groups(np.stack([rows[child.key] for child in children]), lengths)
        above = [tree.nodes[key] for key in sorted(tree.parents.get(node.key, ()))]
        for child in children:
            tree.parents[child.key].discard(node.key)
        for number, group in enumerate(groups):
            key = node.key if number == 0 else tree.number()
            tree.put(replace(node, key=key, children=tuple(children[row].key for row in group)))
            tree.dirty.add(key)
            for one in above if number else ():
                tree.put(replace(tree.nodes[one.key], children=(*tree.nodes[one.key].children, key)))


def _renew(tree: _Following, layer: int, tools: Tools) -> None:
    """Write the summaries of a layer's changed nodes anew; those above them change with them."""
    changed = [node for node in _layer(tree.nodes, layer) if node.key in tree.dirty]
    groups = [[tree.nodes[child] for child in node.children] for node in changed]
    for node, group, summary in zip(changed, groups, tools.summarised(groups, tree.nodes), strict=True):
        tree.nodes[node.key] = _above(node.key, layer, summary, group)
        tree.dirty |= tree.parents.get(node.key, set())
    tools.vectors(layer, _layer(tree.nodes, layer))
