from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from merging_doubles import (
    CountingAffinity,
    Everything,
    FirstSentences,
    Growing,
    Heads,
    Nothing,
    TextScorer,
    Words,
    many,
    passage,
)

from decoct import trace
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.base import Fuser
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import Merge, MergeRecord
from decoct.context.quotes import pieces
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ConfigError, ModelTimeoutError, ProvenanceError

QUERY = Query("What does Doc3 say?")
FUSERS: tuple[Fuser, ...] = (FirstSentences(), Everything(), Nothing(), Growing(), Extract())


def merged(step: Merge, passages: list[Passage], limit: int) -> tuple[Draft, trace.Trace]:
    with trace.recording() as record, trace.stage("merge"):
        draft = step.apply(QUERY, Draft(tuple(passages)), Budget(limit, Words()))
    return draft, record


def records(draft: Draft) -> list[MergeRecord]:
    return [note for note in draft.notes["merges"] if isinstance(note, MergeRecord)]


def test_what_fits_is_left_alone() -> None:
    draft, _ = merged(Merge(FirstSentences()), many(3), 1000)
    assert [p.text for p in draft.passages] == [p.text for p in many(3)]
    assert draft.notes["merges"] == ()


def test_symmetric_merges_the_two_weakest_one_by_one() -> None:
    # 4 passages of 15 words and a head of 3 ("[1]", "Title", "0"): 72. One merge leaves 2 x 18 + the merged 5 + 5 words + head of 5.
    draft, _ = merged(Merge(FirstSentences(), schedule="sequential"), many(4), 51)
    (record,) = records(draft)
    assert record.inputs == (f"d2:0-{len(many(4)[2].text)}", f"d3:0-{len(many(4)[3].text)}")  # the better one first
    assert (record.layer, record.scores, record.affinity, record.tokens_before, record.tokens_after) == (
        1,
        (2.0, 1.0),
        None,
        30,
        10,
    )
    assert [span.doc_id for span in record.dropped] == ["d2", "d2", "d3", "d3"]
    assert [p.title for p in draft.passages] == ["Title 0", "Title 1", "Title 2; Title 3"]


def test_a_layer_pairs_all_and_leaves_the_best_of_an_odd_number() -> None:
    draft, _ = merged(Merge(FirstSentences()), many(5), 60)
    assert [record.inputs[0].split(":")[0] for record in records(draft)] == ["d3", "d1"]
    assert {span.doc_id for p in draft.passages for span in p.support} == {"d0", "d1", "d2", "d3", "d4"}
    assert draft.passages[0].support[0].doc_id == "d0"


def test_asymmetric_folds_the_weakest_into_what_predicts_it_best() -> None:
    near = {("Doc3", "Doc0"): 0.1, ("Doc2", "Doc1"): 0.2}
    affinity = CountingAffinity(value=lambda s, a: near.get((s.split()[2], a.split()[2]), 1.0))
    draft, _ = merged(Merge(FirstSentences(), "asymmetric", affinity=affinity), many(4), 50)
    found = [(r.inputs[0].split(":")[0], r.inputs[1].split(":")[0], r.affinity) for r in records(draft)]
    assert found == [("d0", "d3", 0.1), ("d1", "d2", 0.2)]
    assert affinity.cells == [3, 1]


@pytest.mark.parametrize(("schedule", "cells"), [("sequential", 190), ("hierarchical", 134)])
def test_nll_cells_for_twenty_passages_merged_into_one(schedule: str, cells: int) -> None:
    affinity = CountingAffinity()
    step = Merge(FirstSentences(), "asymmetric", affinity=affinity, schedule=schedule, overflow="paper")  # type: ignore[arg-type]
    merged(step, many(20), 1)
    assert sum(affinity.cells) == cells


@pytest.mark.parametrize(("n", "left", "rounds"), [(20, 5, 3), (20, 1, 6), (40, 5, 6)])
def test_rounds_of_calls_with_eight_at_once(n: int, left: int, rounds: int) -> None:
    # MergeRAG's Algorithm 3 with B = 8: 20 -> 10 takes 8 + 2 calls, 10 -> 5 one round of 5, and so on.
    fuser = FirstSentences()
    draft, _ = merged(Merge(fuser, n=n, layout=Heads()), many(n), left)
    assert len(draft.passages) == left
    assert len(fuser.calls) == rounds
    assert max(fuser.calls) <= 8


def test_scores_decide_only_by_their_order() -> None:
    results = []
    for change in (lambda s: s, lambda s: math.exp(s / 5), lambda s: s**3 - 7):
        scorer = TextScorer(lambda text, change=change: change(sum(map(ord, text)) % 97 / 10))  # type: ignore[misc]
        draft, _ = merged(Merge(FirstSentences(), scorer=scorer), many(9), 40)
        results.append([(r.layer, r.inputs, r.output) for r in records(draft)])
    assert results[0] == results[1] == results[2] != []


@pytest.mark.parametrize("strategy", ["symmetric", "asymmetric"])
def test_neither_concurrency_nor_batches_change_the_result(strategy: str) -> None:
    results = {
        merged(Merge(FirstSentences(), strategy, concurrency=b), many(20), 60)[0].passages  # type: ignore[arg-type]
        for b in (1, 3, 8, 100)
    }
    assert len(results) == 1


def test_nothing_relevant_drops_both_or_keeps_the_anchor() -> None:
    symmetric, record = merged(Merge(Nothing()), many(5), 40)
    assert [p.support[0].doc_id for p in symmetric.passages] == ["d0"]
    assert all(r.output is None and r.how == "nothing" and not r.kept for r in records(symmetric))
    pair, record = merged(Merge(Nothing()), many(2), 20)
    assert [p.support[0].doc_id for p in pair.passages] == ["d0"]
    assert record.fallbacks["merge.all_dropped"] == 1
    asymmetric, _ = merged(Merge(Nothing(), "asymmetric"), many(4), 40)
    assert len(asymmetric.passages) == 2
    assert all(r.output == r.inputs[0] for r in records(asymmetric))


def test_a_merge_that_grows_is_replaced_and_counted() -> None:
    # Each passage has 15 words and a head of 3: both together are over 35.
    draft, record = merged(Merge(Everything()), many(2), 35)
    assert record.fallbacks == {"merge.grew": 1}
    assert records(draft)[0].how == "grew"
    assert records(draft)[0].tokens_after <= records(draft)[0].tokens_before


def test_a_plugins_rewrite_is_replaced() -> None:
    draft, record = merged(Merge(Growing()), many(2, sentences_each=1), 14)
    assert draft.passages[0].kind == "quote"
    assert "and more" not in draft.passages[0].text

    class Inventing:
        def fuse(self, question: str, pairs: list[tuple[Passage, Passage]]) -> list[Passage | None]:
            return [Passage("Pigs can fly.", a.support, "rewrite") for a, _ in pairs]

    draft, record = merged(Merge(Inventing()), many(2), 35)  # type: ignore[arg-type]
    assert record.fallbacks == {"merge.unverified": 1}
    assert records(draft)[0].how == "unverified"
    assert draft.passages[0].kind == "quote"


def test_one_passage_left_is_trimmed_by_relevance_in_its_order() -> None:
    text = "Nothing here at all. Doc3 says something important. The weather was fine today."
    draft, record = merged(Merge(FirstSentences()), [passage("d", text)], 7)
    assert draft.passages[0].text == "Doc3 says something important."
    assert record.fallbacks == {"merge.trimmed": 1}
    cut, record = merged(Merge(FirstSentences(), overflow="paper"), [passage("d", text)], 7)
    assert cut.passages[0].text == text


def test_what_is_far_over_is_not_counted_twice() -> None:
    class Noting(Words):
        longest = 0

        def count(self, text: str) -> int:
            Noting.longest = max(Noting.longest, len(text.split()))
            return super().count(text)

    passages = tuple(many(20))  # 15 words each, and heads of 3: 360 when rendered
    for mode, counted in (("full", False), ("just_enough", True)):
        Noting.longest = 0
        Merge(Extract(), layer_mode=mode).apply(QUERY, Draft(passages), Budget(100, Noting()))  # type: ignore[arg-type]
        assert (Noting.longest == 360) is counted


def test_neighbours_are_joined_before_they_are_merged() -> None:
    text = "One two three. Four five six. Seven eight nine."
    windows = [passage("d", text[15:], 0.9, "T", 15), passage("d", text[:29], 0.8, "T")]
    draft, _ = merged(Merge(FirstSentences()), windows, 1000)
    assert [(p.text, p.support, p.score) for p in draft.passages] == [(text, (Span("d", 0, len(text)),), 0.9)]


def test_rewrites_pass_beside_and_are_counted() -> None:
    rewrite = Passage("Summed up.", (Span("z", 0, 50),), "rewrite")
    draft, record = merged(Merge(FirstSentences()), [*many(4), rewrite], 60)
    assert draft.passages[-1] == rewrite
    assert record.fallbacks == {"merge.rewritten": 1}


def test_a_scorer_that_fails_leaves_the_ranking() -> None:
    class Failing:
        def score(self, question: str, texts: object) -> object:
            raise ModelTimeoutError("too slow")

    draft, record = merged(Merge(FirstSentences(), scorer=Failing()), many(4), 50)  # type: ignore[arg-type]
    assert record.fallbacks["merge.score.model-timeout"] >= 1
    assert draft.passages


def test_merged_passages_are_scored_again() -> None:
    scorer = TextScorer(lambda text: float(len(text)))
    merged(Merge(FirstSentences(), scorer=scorer), many(4), 50)
    assert len(scorer.asked) == 6  # four leaves and two merges
    inherit, _ = merged(Merge(FirstSentences(), scorer=TextScorer(lambda text: 1.0), rescore="mean"), many(4), 50)
    assert {p.score for p in inherit.passages} == {1.0}


def test_a_merged_passage_may_inherit_its_score() -> None:
    # The two weakest of four passages, merged first, have scores 1 and .5 and lengths 15 and 5.
    weak = [*many(3), passage("d3", "Doc3 says three more words.", 0.5, "T")]
    scores = {}
    for rescore in ("max", "mean", "len_weighted"):
        step = Merge(FirstSentences(), schedule="sequential", rescore=rescore)
        draft, _ = merged(step, weak, 60)
        (scores[rescore],) = [p.score for p in draft.passages if len(p.support) == 2]
    assert scores == {"max": 1.0, "mean": 0.75, "len_weighted": (15 * 1 + 5 * 0.5) / 20}


def test_just_enough_merges_fewer_passages() -> None:
    full, _ = merged(Merge(FirstSentences()), many(20), 300)
    enough, _ = merged(Merge(FirstSentences(), layer_mode="just_enough"), many(20), 300)
    assert len(records(enough)) < len(records(full))
    assert len(enough.passages) > len(full.passages)


def test_a_fuser_that_widens_or_falsifies_provenance_is_refused() -> None:
    class Wide:
        def fuse(self, question: str, pairs: list[tuple[Passage, Passage]]) -> list[Passage | None]:
            return [Passage("Elsewhere", (Span("other", 0, 9),)) for _ in pairs]

    class Forged:
        def fuse(self, question: str, pairs: list[tuple[Passage, Passage]]) -> list[Passage | None]:
            return [Passage("Fake1", (Span(a.support[0].doc_id, 0, 5),)) for a, _ in pairs]

    with pytest.raises(ProvenanceError, match="neither input holds"):
        merged(Merge(Wide()), many(4), 50)  # type: ignore[arg-type]
    with pytest.raises(ProvenanceError, match="differs from its source"):
        merged(Merge(Forged()), many(4), 50)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "first"), [("score_desc", "d0"), ("score_asc", "d2"), ("document", "d0"), ("sides", "d0")]
)
def test_order_of_the_result(order: str, first: str) -> None:
    draft, _ = merged(Merge(FirstSentences(), order=order), many(3), 1000)  # type: ignore[arg-type]
    assert draft.passages[0].support[0].doc_id == first


def test_settings_are_checked() -> None:
    with pytest.raises(ConfigError):
        Merge(FirstSentences(), n=0)


def test_a_record_is_written_as_the_interface_says() -> None:
    draft, _ = merged(Merge(FirstSentences()), many(2), 20)
    shown = records(draft)[0].as_dict()
    assert list(shown) == [
        "layer", "inputs", "output", "scores", "affinity", "tokens_before", "tokens_after", "kept", "dropped", "how",
    ]  # fmt: skip
    assert shown["kept"][0] == {"doc_id": "d0", "start": 0, "end": len("Doc0 says0 w0x0x0 w0x0x1 end.")}


@settings(max_examples=150, deadline=None)
@given(
    n=st.integers(0, 12),
    limit=st.integers(8, 120),
    fuser=st.sampled_from(FUSERS),
    strategy=st.sampled_from(["symmetric", "asymmetric"]),
    schedule=st.sampled_from(["sequential", "hierarchical"]),
    mode=st.sampled_from(["full", "just_enough"]),
    order=st.sampled_from(["score_desc", "sides"]),
    each=st.integers(1, 4),
)
def test_it_ends_fits_and_quotes_for_any_operator(
    n: int, limit: int, fuser: Fuser, strategy: str, schedule: str, mode: str, order: str, each: int
) -> None:
    passages = many(n, each)
    step = Merge(fuser, strategy, schedule=schedule, layer_mode=mode, order=order)  # type: ignore[arg-type]
    draft, _ = merged(step, passages, limit)
    assert assemble(QUERY, draft, Budget(limit, Words())).tokens <= limit
    text = {p.support[0].doc_id: p.text for p in passages}
    for found in draft.passages:
        if found.kind == "quote":
            for at, span in pieces(found):
                assert found.text[at : at + span.end - span.start] == text[span.doc_id][span.start : span.end]
            assert Budget(limit, Words()).fits(Numbered().render(Draft((found,))))
    assert bool(draft.passages) == (n > 0)
    layers = {r.layer for r in records(draft)}
    if schedule == "hierarchical" and mode == "full" and n > 1:
        assert len(layers) <= math.ceil(math.log2(n))
    for layer in layers:
        used = [i for r in records(draft) if r.layer == layer for i in r.inputs]
        assert len(used) == len(set(used))
