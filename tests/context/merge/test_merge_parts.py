"""What merging is made of, each by itself: leaves, pairs, provenance, trimming, asking a model, and the tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from merging_doubles import (
    CountingAffinity,
    Everything,
    FirstSentences,
    Heads,
    Nothing,
    TextScorer,
    Words,
    many,
    passage,
)

from decoct.budget import Budget
from decoct.context.base import FusesWithin
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import (
    Merge,
    MergeNode,
    Pair,
    Tree,
    asymmetric,
    by_document,
    joined_neighbours,
    leaves,
    symmetric,
    titled,
    trimmed,
)
from decoct.context.quotes import check_provenance
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ModelTimeoutError, ProvenanceError, ReplyError
from decoct.llm.base import Message, Reply, Request
from decoct.trace import recording, stage
from decoct_lab.context.merge.outcomes import outcomes
from decoct_testing.scripted import ScriptedLLM

ROOMY = Budget(1000, Words())


# -- leaves ------------------------------------------------------------------------------------------------------
def test_a_leaf_has_rank_score_and_tokens_and_says_where_it_stands() -> None:
    given = [passage("a", "one two", 0.9), passage("b", "   ", 0.8), passage("a", "three", 0.7, start=20)]
    first, second = leaves(given, ROOMY)
    assert (first.id, first.order, first.score, first.tokens) == ("a:0-7", 0, 0.9, 2)
    assert (second.id, second.order, second.score, second.tokens) == ("a:20-25", 1, 0.7, 1)


def test_two_leaves_of_one_place_have_two_names() -> None:
    apart = Passage("one two", (Span("a", 0, 3), Span("a", 8, 11)))  # of several spans: not joined with others
    assert [leaf.id for leaf in leaves([apart, apart], ROOMY)] == ["a:0-11", "a:0-11#1"]


def test_the_weakest_comes_first_of_equals_the_longer_and_then_the_earlier() -> None:
    def node(score: float, tokens: int, order: int) -> MergeNode:
        return MergeNode(str(order), order, passage("a", "x"), score, tokens)

    nodes = [node(0.5, 3, 0), node(0.1, 3, 1), node(0.5, 9, 2), node(0.5, 3, 3)]
    assert [one.order for one in sorted(nodes, key=lambda one: one.key)] == [1, 2, 0, 3]


def test_windows_that_overlap_or_touch_become_one_with_the_rank_of_the_best() -> None:
    """abcdef at 0, efgh at 4 (overlaps), ij at 8 (touches); kl at 11 and another document stand apart."""
    given = [
        passage("b", "other", 0.9, "B"),
        passage("a", "efgh", 0.8, "late", start=4),
        passage("a", "kl", 0.7, start=11),
        passage("a", "abcdef", 0.6, "early"),
        passage("a", "ij", 0.5, start=8),
    ]
    found = joined_neighbours(given)
    assert [(one.text, one.score, one.title) for one in found] == [
        ("other", 0.9, "B"),
        ("abcdefghij", 0.8, "late"),
        ("kl", 0.7, ""),
    ]
    assert found[1].support == (Span("a", 0, 10),)


def test_a_window_within_another_adds_nothing_and_quotes_of_several_places_stay() -> None:
    several = Passage("ab\ncd", (Span("a", 0, 2), Span("a", 9, 11)), "quote", 1.0)
    found = joined_neighbours([several, passage("a", "abcdef", 0.5), passage("a", "cd", 0.4, start=2)])
    assert [one.text for one in found] == ["ab\ncd", "abcdef"]
    assert joined_neighbours([]) == []


def test_a_passage_has_the_titles_of_its_documents_each_once_in_the_order_of_its_text() -> None:
    quote = Passage(
        "ab\nab\ncd\nef", (Span("b", 0, 2), Span("b", 5, 7), Span("a", 0, 2), Span("c", 0, 2)), "quote", 1.0
    )
    assert titled(quote, {"a": "Alpha", "b": "Beta", "c": ""}).title == "Beta; Alpha"


# -- pairs -------------------------------------------------------------------------------------------------------
NODES = [
    MergeNode(f"n{at}", at, passage("a", f"text {at}"), score, 2) for at, score in enumerate((0.9, 0.3, 0.7, 0.1, 0.5))
]


def orders(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    return [(pair.first.order, pair.second.order) for pair in pairs]


def test_symmetric_takes_the_two_weakest_and_so_on_and_leaves_the_best() -> None:
    assert orders(symmetric(NODES, 9)) == [(1, 3), (2, 4)]
    assert orders(symmetric(NODES, 9, better_first=False)) == [(3, 1), (4, 2)]
    assert orders(symmetric(NODES, 1)) == [(1, 3)]
    assert symmetric(NODES[:1], 9) == []


def asked(values: dict[tuple[int, int], float], most: int = 9) -> list[tuple[int, int, float | None]]:
    affinity = CountingAffinity(value=lambda source, anchor: values.get((int(source[-1]), int(anchor[-1])), 5.0))
    pairs = asymmetric(NODES, most, affinity, [f"text {node.order}" for node in NODES])
    return [(pair.first.order, pair.second.order, pair.affinity) for pair in pairs]


def test_asymmetric_gives_the_weakest_its_best_anchor_and_repeats_on_what_is_left() -> None:
    assert asked({(3, 0): 1.0, (1, 4): 2.0}) == [(0, 3, 1.0), (4, 1, 2.0)]
    assert asked({(3, 0): 1.0}, most=1) == [(0, 3, 1.0)]


def test_of_equal_anchors_the_weaker_is_taken_and_no_number_is_the_worst() -> None:
    assert asked({})[0] == (1, 3, 5.0)
    assert asked({(3, 1): math.nan, (3, 4): math.inf})[0] == (2, 3, 5.0)
    everything = {(3, other): math.nan for other in range(5)}
    assert asked(everything)[0] == (1, 3, None)


def test_only_the_rows_of_sources_are_asked_for() -> None:
    affinity = CountingAffinity()
    with recording() as record, stage("pairs"):
        asymmetric(NODES, 9, affinity, ["t"] * 5)
    assert affinity.cells == [4, 2]
    assert record.stages[0].counts["affinity_cells"] == 6


# -- provenance --------------------------------------------------------------------------------------------------
INPUTS = [passage("a", "The river rose.", start=10), passage("a", "rose. It fell.", start=20), passage("b", "It fell.")]


@pytest.mark.parametrize(
    "quote",
    [
        passage("a", "river", start=14),
        passage("a", "rose. It", start=20),
        passage("a", "The river rose. It fell.", start=10),  # of both together
        Passage("The\nIt fell.", (Span("a", 10, 13), Span("b", 0, 8)), "quote", 1.0),
    ],
)
def test_what_the_inputs_hold_may_be_quoted(quote: Passage) -> None:
    check_provenance(quote, INPUTS)


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        (passage("a", "a river", start=12), "differs from its source"),
        (passage("a", "x The", start=8), "neither input holds"),
        (passage("c", "It fell."), "neither input holds"),
        (passage("b", "It fell. And"), "neither input holds"),
    ],
)
def test_what_no_input_holds_is_refused(quote: Passage, told: str) -> None:
    with pytest.raises(ProvenanceError, match=told):
        check_provenance(quote, INPUTS)


# -- trimming ----------------------------------------------------------------------------------------------------
LONG = passage(
    "a", "The weather was fine. The bridge over the Elbe opened in 1893. People came. A band played old songs.", 1.0
)
QUESTION = "When did the bridge over the Elbe open?"


def within(words: int) -> Callable[[Passage], bool]:
    return lambda one: len(one.text.split()) <= words


def test_the_least_relevant_sentences_go_first_and_the_rest_keep_their_order() -> None:
    assert trimmed(QUESTION, LONG, within(8)).text == "The bridge over the Elbe opened in 1893."
    for words in (12, 14, 17):
        kept = trimmed(QUESTION, LONG, within(words))
        check_provenance(kept, [LONG])
        assert within(words)(kept)
        assert "1893" in kept.text
        assert [span.start for span in kept.support] == sorted(span.start for span in kept.support)
    assert trimmed(QUESTION, LONG, within(99)).text == LONG.text


def test_the_best_sentence_is_kept_even_where_it_does_not_fit() -> None:
    assert trimmed(QUESTION, LONG, within(2)).text == "The bridge over the Elbe opened in 1893."


# -- asking a model ----------------------------------------------------------------------------------------------
PAIRS = [(one, two) for one, two in zip(many(6)[:3], many(6)[3:], strict=True)]


def fused(replies: list[Any], read: Callable[[int, Reply], Passage | None]) -> tuple[list[str | None], dict[str, int]]:
    requests = [Request((Message("user", str(n)),), max_tokens=9) for n in range(3)]
    with recording() as record:
        found = outcomes(ScriptedLLM(replies), requests, read, question="q", pairs=PAIRS, fallback=FirstSentences())
    return [one.text if one else None for one in found], dict(record.fallbacks)


def test_what_a_model_made_of_each_pair_stays_in_its_place() -> None:
    texts, fallbacks = fused(["0", "1", "2"], lambda number, reply: PAIRS[int(reply.text)][0] if number else None)
    assert texts == [None, PAIRS[1][0].text, PAIRS[2][0].text]
    assert fallbacks == {}


def test_what_fails_is_merged_otherwise_and_counted_by_its_kind() -> None:
    def read(number: int, reply: Reply) -> Passage | None:
        if reply.text == "bad":
            raise ReplyError("no use", reply.text)
        return PAIRS[number][1]

    texts, fallbacks = fused(["bad", "good", ModelTimeoutError("slow")], read)
    first, third = (FirstSentences().fuse("q", [PAIRS[at]])[0] for at in (0, 2))
    assert first is not None
    assert third is not None
    assert texts == [first.text, PAIRS[1][1].text, third.text]
    assert fallbacks == {f"merge.{ReplyError('').code}": 1, f"merge.{ModelTimeoutError('').code}": 1}


# -- what a fuser may be able to do ------------------------------------------------------------------------------
def test_who_can_be_told_its_room_is_seen_by_what_it_has() -> None:
    assert isinstance(Extract(), FusesWithin)
    assert not isinstance(FirstSentences(), FusesWithin)
    given = many(2)
    (one,) = Extract().fuse_within(
        "What does Doc0 say?", [given], lambda found: 20 - sum(len(p.text.split()) for p in found if p)
    )
    assert one is not None
    assert len(one.text.split()) <= 20
    check_provenance(one, given)


def test_every_line_stands_under_the_title_of_the_one_document_that_says_it() -> None:
    old = Passage("Ask Ada.\nNo.", (Span("old", 10, 18), Span("old", 40, 43)), score=2.0)
    both = Passage("Ask Ada.\nAsk Bo.", (Span("old", 10, 18), Span("new", 5, 12)), score=3.0)
    told = by_document([both, old], {"old": "Rules of 2022", "new": "Rules of 2025"})
    assert [(one.title, one.text, one.score) for one in told] == [
        ("Rules of 2022", "Ask Ada.\nNo.", 3.0),
        ("Rules of 2025", "Ask Bo.", 3.0),
    ]
    assert told[0].support == (Span("old", 10, 18), Span("old", 40, 43))


def test_sentences_that_were_chosen_are_told_by_document_within_the_limit() -> None:
    budget = Budget(45, Words())
    found = Merge(Extract()).apply(Query("What is told of rivers?"), Draft(tuple(many(6))), budget)
    assert found.notes["merges"]
    assert budget.fits(Numbered().render(found))
    assert all({span.doc_id for span in one.support} == {one.support[0].doc_id} for one in found.passages)
    assert len({one.support[0].doc_id for one in found.passages}) == len(found.passages) > 2


# -- the tree ----------------------------------------------------------------------------------------------------
def grown(step: Merge, limit: int, passages: list[Passage] | None = None) -> tuple[Tree, list[MergeNode]]:
    """The tree of `passages`, each of 15 words, under a layout that writes a word a passage: a limit of n holds n of them."""
    budget = Budget(limit, Words())
    tree = Tree(step, "What does Doc3 say?", budget, ())
    return tree, tree.grow(leaves(passages if passages is not None else many(5), budget))


def test_layers_are_made_until_what_is_left_fits() -> None:
    tree, nodes = grown(Merge(FirstSentences(), layout=Heads(), rescore="max"), 2)
    # Of five the best is left: 3 nodes; of three again: 2, and these fit.
    assert (tree.layer, len(tree.records), len(nodes)) == (2, 3, 2)
    assert [record.layer for record in tree.records] == [1, 1, 2]
    assert tree.records[0].inputs[1].startswith("d4:")
    assert [node.score for node in nodes] == [5.0, 4.0]
    same, left = grown(Merge(FirstSentences(), layout=Heads(), schedule="sequential"), 5)
    assert (same.layer, same.records, [node.score for node in left]) == (0, [], [5, 4, 3, 2, 1])


@pytest.mark.parametrize(("rescore", "score"), [("max", 2.0), ("mean", 1.5), ("len_weighted", 1.5)])
def test_a_merge_inherits_its_score(rescore: Any, score: float) -> None:
    tree, nodes = grown(Merge(FirstSentences(), layout=Heads(), schedule="sequential", rescore=rescore), 4)
    (record,) = tree.records
    assert record.scores == (2.0, 1.0)
    assert next(node.score for node in nodes if node.id == "merge-1") == score


def test_the_longer_of_two_weighs_more() -> None:
    passages = [passage("a", "one two three. four", 4.0), passage("b", "five", 1.0)]
    _, nodes = grown(Merge(FirstSentences(), layout=Heads(), rescore="len_weighted"), 1, passages)
    assert [node.score for node in nodes] == [(4.0 * 4 + 1.0) / 5]


def test_a_scorer_scores_leaves_and_what_was_made_of_them() -> None:
    scorer = TextScorer(lambda text: float(len(text)))
    grown(Merge(FirstSentences(), layout=Heads(), schedule="sequential", scorer=scorer), 4)
    assert len(scorer.asked) == 5 + 1
    broken = TextScorer(lambda _: math.nan)
    with recording() as record:
        _, nodes = grown(
            Merge(FirstSentences(), layout=Heads(), schedule="sequential", scorer=broken, rescore="max"), 4
        )
    assert record.fallbacks["merge.score.not_a_number"] == 5
    assert max(node.score for node in nodes) == 5.0


def test_where_nothing_is_relevant_the_best_is_left() -> None:
    with recording() as record:
        tree, nodes = grown(Merge(Nothing(), layout=Heads()), 1, many(4))
    assert record.fallbacks["merge.all_dropped"] == 1
    assert [node.score for node in nodes] == [4.0]
    assert [one.output for one in tree.records] == [None, None]
    assert all(one.dropped for one in tree.records)


def test_a_fuser_that_keeps_everything_is_made_to_shrink_or_cut() -> None:
    with recording() as record:
        tree, _ = grown(Merge(Everything(), layout=Heads(), schedule="sequential"), 4)
    assert record.fallbacks["merge.grew"] == 1
    (one,) = tree.records
    assert one.tokens_after <= one.tokens_before


def test_no_passages_make_no_tree() -> None:
    tree, nodes = grown(Merge(FirstSentences()), 5, [])
    assert (tree.layer, nodes) == (0, [])
