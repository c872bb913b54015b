"""RAPTOR's tree grown, and following its library, with clusters that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from decoct.data import Floats, Span
from decoct_lab.structure.raptor.cluster import Clustering, Group
from decoct_lab.structure.raptor.grow import Tools, tree_above, tree_brought_up_to_date
from decoct_lab.structure.summaries import Summary
from decoct_lab.structure.tree import Node, merged_spans

AXES = {"p": 0, "b": 1, "s": 2}  # painters, bridges, salt


def leaf(key: int, doc_id: str) -> Node:
    """A leaf of document "p1", "b2" …: what it is about is its first letter."""
    return Node(key, 0, doc_id, (Span(doc_id, 0, len(doc_id)),), chunks=(key,))


class ByLetter(Clustering):
    """Groups rows whose vectors point the same way."""

    def groups(self, vectors: Floats, tokens: Sequence[int]) -> list[Group]:
        found: dict[int, list[int]] = {}
        for row, vector in enumerate(vectors):
            found.setdefault(int(np.argmax(vector)), []).append(row)
        return [tuple(rows) for _, rows in sorted(found.items())]


@dataclass
class Bench:
    """Summaries say which documents are below; what was summarised is kept."""

    clustering: Clustering = field(default_factory=lambda: ByLetter(dimensions=2))
    summarised: list[str] = field(default_factory=list)

    def tools(self, layers: int = 5) -> Tools:
        return Tools(self.clustering, layers, self.summaries, self.vectors, lambda nodes: [1000] * len(nodes))

    def summaries(self, groups: Sequence[Sequence[Node]], nodes: Mapping[int, Node]) -> list[Summary]:
        made = []
        for group in groups:
            spans = merged_spans(span for node in group for span in node.spans)
            made.append(Summary("+".join(span.doc_id for span in spans), spans, "rewrite"))
        self.summarised += [one.text for one in made]
        return made

    @staticmethod
    def vectors(layer: int, nodes: Sequence[Node]) -> Floats:
        rows = np.zeros((len(nodes), 3), np.float32)
        for row, node in enumerate(nodes):
            rows[row, AXES[node.text[0]]] = 1
        return rows


def vectors_of(nodes: Mapping[int, Node]) -> dict[int, Floats]:
    return {key: Bench.vectors(0, [node])[0] for key, node in nodes.items()}


LEAVES = [leaf(number, doc_id) for number, doc_id in enumerate(("p1", "p2", "b1", "b2", "s1"))]


def test_layers_stand_above_each_other_until_there_is_nothing_to_cluster() -> None:
    bench = Bench()
    nodes = tree_above(LEAVES, bench.tools())
    assert [(one.layer, one.text, one.children) for one in nodes.values()][5:] == [
        (1, "p1+p2", (0, 1)),
        (1, "b1+b2", (2, 3)),
        (1, "s1", (4,)),
    ]  # three nodes are at most dimensions + 1
    assert tree_above(LEAVES[:3], bench.tools()) == {leaf.key: leaf for leaf in LEAVES[:3]}
    assert tree_above([], bench.tools()) == {}


def test_a_layer_that_does_not_shrink_is_the_last() -> None:
    class Alone(ByLetter):
        def groups(self, vectors: Floats, tokens: Sequence[int]) -> list[Group]:
            return [(row,) for row in range(len(vectors))]

    assert len(tree_above(LEAVES, Bench(Alone(dimensions=2)).tools())) == len(LEAVES)


def test_a_new_leaf_goes_under_the_nearest_summary_and_only_that_is_made_anew() -> None:
    bench = Bench()
    old = tree_above(LEAVES, bench.tools())
    bench.summarised.clear()
    nodes, moved = tree_brought_up_to_date(old, vectors_of(old), [*LEAVES, leaf(99, "b3")], bench.tools())
    assert (moved, bench.summarised) == (1, ["b1+b2+b3"])
    assert nodes[6].children == (2, 3, 8)
    assert (nodes[8].text, nodes[8].chunks) == ("b3", (99,))
    assert {key: nodes[key] for key in (0, 1, 2, 3, 4, 5, 7)} == {key: old[key] for key in (0, 1, 2, 3, 4, 5, 7)}


def test_a_leaf_that_is_gone_takes_its_only_parent_along() -> None:
    bench = Bench()
    old = tree_above(LEAVES, bench.tools())
    bench.summarised.clear()
    nodes, moved = tree_brought_up_to_date(old, vectors_of(old), [LEAVES[0], *LEAVES[2:4]], bench.tools())
    assert moved == 2
    assert sorted(nodes) == [0, 2, 3, 5, 6]
    assert (nodes[5].text, bench.summarised) == ("p1", ["p1"])


def test_nothing_new_is_nothing_done() -> None:
    bench = Bench()
    old = tree_above(LEAVES, bench.tools())
    bench.summarised.clear()
    assert tree_brought_up_to_date(old, vectors_of(old), LEAVES, bench.tools()) == (old, 0)
    assert bench.summarised == []


def test_a_cluster_that_gets_too_long_is_clustered_alone() -> None:
    bench = Bench(ByLetter(dimensions=2, longest=3500))
    one = Node(5, 1, "p+b", merged_spans(span for leaf in LEAVES[:3] for span in leaf.spans), "rewrite", (0, 1, 2))
    top = Node(6, 2, "p top", one.spans, "rewrite", (5,))
    old = {**{leaf.key: leaf for leaf in LEAVES[:3]}, 5: one, 6: top}
    # four leaves of 1,000 tokens are too long for a cluster of 3,500: painters stay, bridges go beside them
    nodes, _ = tree_brought_up_to_date(old, vectors_of(old), [*LEAVES[:3], leaf(9, "b2")], bench.tools())
    assert nodes[5].children == (0, 1)
    assert nodes[8].children == (2, 7)
    assert nodes[6].children == (5, 8)
    assert nodes[6].text == "b1+b2+p1+p2"


def test_clusters_by_mixtures_hold_every_node_and_are_the_same_twice() -> None:
    random = np.random.default_rng(0)
    centres = random.normal(size=(3, 16))
    vectors = (centres[np.arange(30) % 3] + 0.05 * random.normal(size=(30, 16))).astype(np.float32)
    clustering = Clustering("pca", most=6)
    groups = clustering.groups(vectors, [10] * 30)
    assert {row for group in groups for row in group} == set(range(30))
    assert all(len({row % 3 for row in group}) == 1 for group in groups)  # no cluster mixes what is far apart
    assert clustering.groups(vectors, [10] * 30) == groups
    assert clustering.groups(vectors[:11], [10] * 11) == [tuple(range(11))]


def test_a_cluster_that_cannot_be_divided_is_cut_by_its_length() -> None:
    equal = np.full((12, 4), 0.5, np.float32)
    groups = Clustering("pca", dimensions=2, most=2, longest=100).groups(equal, [50] * 12)
    assert all(len(group) <= 2 for group in groups)
    assert {row for group in groups for row in group} == set(range(12))


@pytest.mark.slow
def test_umap_lays_out_the_same_twice() -> None:
    random = np.random.default_rng(0)
    centres = random.normal(size=(3, 16))
    vectors = (centres[np.arange(60) % 3] + 0.05 * random.normal(size=(60, 16))).astype(np.float32)
    clustering = Clustering(most=6)
    groups = clustering.groups(vectors, [10] * 60)
    assert clustering.groups(vectors, [10] * 60) == groups
    assert all(len({row % 3 for row in group}) == 1 for group in groups)
