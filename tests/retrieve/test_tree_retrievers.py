"""RAPTOR and TreeRAG over one small tree whose scores were chosen by hand: what is shown, what a summary stands for, up and down.

root .7 ── 10 .6 ── leaves 0 .9, 1 .1        (document d0, chunks 1 and 2)
       └── 11 .8 ── leaves 2 .5, 3 .4        (document d1, chunks 3 and 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from word_tokenizer import Words

from decoct.data import Floats, Hit, Query, Span
from decoct_lab.retrieve import tree_nodes
from decoct_lab.retrieve.raptor import Raptor
from decoct_lab.retrieve.treerag import TreeRAG
from decoct_lab.structure.stored_tree import StoredTree
from decoct_lab.structure.tree import Node
from decoct_testing.memory_store import MemoryStore

RANGES = [(0, 2), (2, 4)]
LEAVES = [
    Node(n, 0, "ab" if n % 2 == 0 else "cd", (Span(f"d{n // 2}", *RANGES[n % 2]),), title=f"t{n}", chunks=(n + 1,))
    for n in range(4)
]
SUMMARIES = [
    Node(10, 1, "one two", (LEAVES[0].spans[0], LEAVES[1].spans[0]), "rewrite", (0, 1)),
    Node(11, 1, "three four five", (LEAVES[2].spans[0], LEAVES[3].spans[0]), "rewrite", (2, 3)),
    Node(20, 2, "six", tuple(leaf.spans[0] for leaf in LEAVES), "rewrite", (10, 11)),
]
SCORES = np.array([0.9, 0.1, 0.5, 0.4, 0.6, 0.8, 0.7], np.float32)
TREE = StoredTree((*LEAVES, *SUMMARIES), np.stack([SCORES, np.zeros(7, np.float32)], axis=1), {})
ASKED = Query("q")
SECOND = Query("q", {"half": ("2",)})  # d1 alone


@dataclass(frozen=True)
class Asking:
    """Embeds every question as (1, 0): a node's score is the first number of its vector."""

    fingerprint: str = "asking"
    dimension: int = 2

    def embed(self, texts: Sequence[str], kind: str) -> Floats:
        return np.array([[1, 0]] * len(texts), np.float32)


EMBEDDER = Asking()


@dataclass(frozen=True)
class OneTree:
    """A library whose only structure is a tree."""

    tree: StoredTree = field(default=TREE, compare=False)

    def read(self, name: str, load: Any) -> Any:
        return self.tree


@pytest.fixture
def store(make_store: Any) -> MemoryStore:
    documents = [("abcd", RANGES, [[1, 0], [0, 1]])] * 2
    made: MemoryStore = make_store(*documents, metadata=[{"half": 1}, {"half": 2}])
    return made


def raptor(store: MemoryStore, **settings: Any) -> Raptor:
    return Raptor(store, EMBEDDER, Words(), OneTree(), **settings)


def treerag(store: MemoryStore, **settings: Any) -> TreeRAG:
    return TreeRAG(store, EMBEDDER, OneTree(), **settings)


def ranking(retriever: Raptor | TreeRAG, k: int = 9, query: Query = ASKED) -> tuple[list[int], list[float]]:
    found = retriever.retrieve(query, k)
    return found.keys.tolist(), [round(score, 4) for score in found.scores.tolist()]


def shown(retriever: Raptor | TreeRAG, k: int = 9, query: Query = ASKED, hits: list[Hit] | None = None) -> list[str]:
    return [passage.text for passage in retriever.passages(query, hits or [], k).passages]


# -- what both stand on ------------------------------------------------------------------------------------------
def test_a_summary_may_be_shown_if_all_below_it_passes_and_walked_through_if_some_does(store: MemoryStore) -> None:
    allowed = tree_nodes.allowed_nodes(TREE, store, SECOND)
    assert allowed.shown.tolist() == [False, False, True, True, False, True, False]
    assert allowed.open.tolist() == [False, False, True, True, False, True, True]
    store.delete(["d1"])
    gone = tree_nodes.allowed_nodes(TREE, store, Query("q"))
    assert gone.shown.tolist() == [True, True, False, False, True, False, False]


def test_a_summary_brings_the_best_leaf_below_it_that_is_not_listed_yet() -> None:
    every = tree_nodes.Allowed(np.ones(7, bool), np.ones(7, bool))
    found = tree_nodes.chunks_of(TREE, [6, 6, 0, 6], SCORES, every, 9, who="x")
    assert found.keys.tolist() == [1, 3, 4]  # 1 again as itself is no news
    assert found.found_by == {"x": {1: SCORES[6], 3: SCORES[6], 4: SCORES[6]}}


def test_ties_beyond_what_is_asked_for_are_by_key() -> None:
    every = tree_nodes.Allowed(np.ones(7, bool), np.ones(7, bool))
    equal = np.full(7, 0.5, np.float32)
    assert tree_nodes.chunks_of(TREE, [3, 2, 1], equal, every, 1, who="x").keys.tolist() == [2]


def test_rows_are_the_first_of_different_texts() -> None:
    assert tree_nodes.distinct_rows(TREE, [2, 0, 1, 3, 6], 9) == [
        2,
        1,
        6,
    ]  # leaves 0 and 2 have one text, 1 and 3 another
    assert tree_nodes.distinct_rows(TREE, [2, 0, 1, 3, 6], 2) == [2, 1]
    assert tree_nodes.distinct_rows(TREE, [2], 0) == []


def test_rows_end_before_the_first_that_does_not_fit() -> None:
    assert list(tree_nodes.while_they_fit(TREE, [0, 1, 2], [3, 4, 1], 7)) == [0, 1]
    assert list(tree_nodes.while_they_fit(TREE, [0, 1, 2], [3, 5, 1], 7)) == [0]


def test_the_best_rows_come_first_ties_by_row() -> None:
    scores = np.array([1, 3, 2, 3], np.float32)
    assert tree_nodes.best_first(scores, np.array([True, True, True, True])) == [1, 3, 2, 0]
    assert tree_nodes.best_first(scores, np.array([True, False, False, True])) == [3, 0]


# -- RAPTOR ------------------------------------------------------------------------------------------------------
def test_leaves_and_summaries_of_all_layers_compete(store: MemoryStore) -> None:
    """Leaf 0; summary 11 for leaf 2; the root for leaf 3; summary 10 for leaf 1."""
    assert ranking(raptor(store)) == ([1, 3, 4, 2], [0.9, 0.8, 0.7, 0.6])
    assert shown(raptor(store)) == ["ab", "three four five", "six", "one two", "cd"]


def test_a_traversal_looks_only_below_what_it_kept(store: MemoryStore) -> None:
    """The root, of its children 11, of whose children leaf 2; as chunks, the root stands for leaf 0, the best below it."""
    one = raptor(store, search="traversal", per_layer=1)
    assert shown(one) == ["three four five", "six", "ab"]
    assert ranking(one) == ([3, 1], [0.8, 0.7])
    assert shown(raptor(store, search="traversal", per_layer=2)) == ["ab", "three four five", "six", "one two"]


def test_the_authors_own_way_is_by_layers_within_nodes_and_tokens(store: MemoryStore) -> None:
    native = {"search": "traversal", "per_layer": 2, "nodes": 4}
    assert shown(raptor(store, **native)) == ["six", "three four five", "one two", "ab"]
    assert shown(raptor(store, **native, tokens=5)) == ["six", "three four five"]
    assert shown(raptor(store, **{**native, "nodes": 2})) == ["six", "three four five"]


def test_a_filter_rules_out_summaries_of_what_it_keeps_back(store: MemoryStore) -> None:
    assert shown(raptor(store), query=SECOND) == ["three four five", "ab", "cd"]
    assert ranking(raptor(store), query=SECOND) == ([3, 4], [0.8, 0.4])
    # The traversal goes through the root, which may not be shown, and the root stands for what passes below it.
    walking = raptor(store, search="traversal")
    assert shown(walking, query=SECOND) == ["three four five", "ab", "cd"]
    assert ranking(walking, query=SECOND) == ([3, 4], [0.8, 0.7])


@pytest.mark.parametrize("search", ["collapsed", "traversal"])
def test_no_place_depends_on_how_many_are_asked_for(store: MemoryStore, search: str) -> None:
    for retriever in (raptor(store, search=search), treerag(store)):
        keys, scores = ranking(retriever)
        assert [ranking(retriever, k) for k in range(5)] == [(keys[:k], scores[:k]) for k in range(5)]


def test_an_empty_tree_has_nothing(store: MemoryStore) -> None:
    empty = OneTree(StoredTree((), np.zeros((0, 0), np.float32), {}))
    for retriever in (Raptor(store, EMBEDDER, Words(), empty), TreeRAG(store, EMBEDDER, empty)):
        assert ranking(retriever) == ([], [])
        assert shown(retriever) == []


@pytest.mark.parametrize("wrong", [{"per_layer": 0}, {"nodes": -1}, {"tokens": -1}])
def test_settings_of_raptor_that_cannot_be_are_refused(store: MemoryStore, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="per_layer at least 1"):
        raptor(store, **wrong)


# -- TreeRAG -----------------------------------------------------------------------------------------------------
def test_up_while_the_mean_below_is_good_enough_and_down_to_leaves_that_are(store: MemoryStore) -> None:
    """Leaf 0 (.9): the mean of its section is .5, below .54, so it comes alone. Section 11 (.8): leaf 2, as leaf 3 (.4) is below .48.

    The root brings no more (at least .42). Section 10 (.6) goes up, as the mean of all is .475 (at least .36): leaf 3. Leaf 1 by itself.
    """
    assert ranking(treerag(store, small=0)) == ([1, 3, 4, 2], [0.9, 0.8, 0.6, 0.1])
    assert ranking(treerag(store, small=0, up=0)) == ([1, 3, 4, 2], [0.9, 0.8, 0.4, 0.1])
    assert ranking(treerag(store, small=0, hits=2)) == ([1, 3], [0.9, 0.8])


def test_a_small_section_comes_whole(store: MemoryStore) -> None:
    """Section 11 has two leaves; the root, to which section 10 goes up, has four: leaf 1 comes with it once four are small."""
    assert ranking(treerag(store, small=2)) == ([1, 3, 4, 2], [0.9, 0.8, 0.8, 0.1])
    assert ranking(treerag(store, small=4)) == ([1, 3, 4, 2], [0.9, 0.8, 0.8, 0.7])


def test_a_higher_bar_keeps_a_hit_to_itself(store: MemoryStore) -> None:
    strict = treerag(store, small=0, tau=1.0, delta=1.0)
    assert ranking(strict) == ([1, 3, 4, 2], [0.9, 0.5, 0.4, 0.1])


def test_just_as_good_is_good_enough_to_go_up_and_down(store: MemoryStore) -> None:
    level = OneTree(StoredTree(TREE.nodes, np.full((7, 2), 0.5, np.float32), {}))
    assert ranking(TreeRAG(store, EMBEDDER, level, hits=1, tau=1.0, delta=1.0, small=0)) == ([1, 2, 3, 4], [0.5] * 4)


def test_sections_stand_for_leaves_that_pass_the_filter(store: MemoryStore) -> None:
    assert ranking(treerag(store), query=SECOND) == ([3, 4], [0.8, 0.8])


def test_chunks_are_shown_with_their_paths_in_the_order_of_hits(store: MemoryStore) -> None:
    hits = [Hit(chunk, score) for chunk, score in zip(store.chunks([4, 1, 3]), (0.3, 0.2, 0.1), strict=True)]
    passages = treerag(store).passages(Query("q"), hits, 9).passages
    assert [(one.text, one.title, one.score) for one in passages] == [("cd", "t3", 0.3), ("ab", "t0", 0.2)]
    assert [passage.title for passage in treerag(store).passages(Query("q"), hits, 1).passages] == ["t3"]


@pytest.mark.parametrize("wrong", [{"hits": -1}, {"up": -1}, {"tau": 0}, {"delta": 1.1}])
def test_settings_of_treerag_that_cannot_be_are_refused(store: MemoryStore, wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="tau and delta"):
        treerag(store, **wrong)


def test_the_name_of_the_structure_is_handed_on(store: MemoryStore) -> None:
    asked: list[str] = []

    @dataclass(frozen=True)
    class Noting:
        def read(self, name: str, load: Any) -> Any:
            asked.append(name)
            return TREE

    Raptor(store, EMBEDDER, Words(), Noting(), structure="mine").retrieve(Query("q"), 1)
    TreeRAG(store, EMBEDDER, Noting()).retrieve(Query("q"), 1)
    assert asked == ["mine", "treerag"]
