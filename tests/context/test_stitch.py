from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_tokenizer import Words

from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.stitch import Stitch
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ConfigError
from decoct.index.base import Store

QUERY = Query("q")
TEXT = "Alpha one two. Beta three four. Gamma five six. Delta seven eight. "  # 15 + 17 + 16 + 19 characters


@dataclass(frozen=True)
class Texts:
    """As much of a store as stitching reads."""

    texts: dict[str, str]

    def text(self, span: Span) -> str:
        return self.texts[span.doc_id][span.start : span.end]


class Characters(Words):
    fingerprint = "characters"

    def count(self, text: str) -> int:
        return len(text)


def store(**texts: str) -> Store:
    return cast("Store", Texts(texts))


def quote(start: int, end: int, doc: str = "d", text: str = TEXT, score: float = 0.0) -> Passage:
    return Passage(text[start:end], (Span(doc, start, end),), score=score)


def spans(draft: Draft) -> list[tuple[str, int, int]]:
    return [(span.doc_id, span.start, span.end) for passage in draft.passages for span in passage.support]


def test_overlapping_and_touching_chunks_join_at_the_best_rank_in_text_order() -> None:
    draft = Draft((quote(32, 48, score=3), quote(0, 10, "e", score=2), quote(40, 66, score=1), quote(15, 32, score=0)))
    joined = Stitch().apply(QUERY, draft, Budget(1000, Words()))
    assert spans(joined) == [("d", 15, 66), ("e", 0, 10)]
    assert joined.passages[0].text == TEXT[15:66]
    assert [passage.score for passage in joined.passages] == [3, 2]


def test_counting_after_merging_pays_for_an_overlap_once() -> None:
    draft = Draft((quote(0, 31), quote(15, 47), quote(32, 66)))
    # Heads are one word ("[3]"): post-merge 6 + 1, 3, 3 = 13 words; pre-merge 7 + 7 + 7.
    budget = Budget(14, Words())
    assert spans(Stitch("post_merge", "skip").apply(QUERY, draft, budget)) == [("d", 0, 66)]
    assert spans(Stitch("pre_merge", "skip").apply(QUERY, draft, budget)) == [("d", 0, 47)]


def test_the_last_is_truncated_after_a_sentence() -> None:
    draft = Draft((quote(0, 14), quote(15, 66)))
    joined = Stitch().apply(
        QUERY, draft, Budget(12, Words())
    )  # [n] Alpha one two. = 4; [n] + 3 + 3 = 7; Delta does not fit
    assert spans(joined) == [("d", 0, 14), ("d", 15, 47)]


def test_skipping_goes_on_to_smaller_ones_and_stops_after_max_skips() -> None:
    draft = Draft((quote(0, 14), quote(15, 66), quote(0, 31, "e"), quote(32, 47, "f")))
    assert spans(Stitch(overflow="skip").apply(QUERY, draft, Budget(8, Words()))) == [("d", 0, 14), ("f", 32, 47)]
    two = Stitch(overflow="skip", max_skips=2).apply(QUERY, draft, Budget(8, Words()))
    assert spans(two) == [("d", 0, 14), ("f", 32, 47)]  # the second and third are the two that may be left out
    assert spans(Stitch(overflow="skip", max_skips=1).apply(QUERY, draft, Budget(8, Words()))) == [("d", 0, 14)]


def test_the_first_passage_always_reaches_assemble() -> None:
    draft = Draft((quote(0, 66),))
    assert Stitch().apply(QUERY, draft, Budget(1, Words())) == draft


def test_white_space_between_chunks_does_not_keep_them_apart_with_a_store() -> None:
    draft = Draft((quote(15, 31), quote(0, 14)))
    assert spans(Stitch().apply(QUERY, draft, Budget(99, Words()))) == [("d", 15, 31), ("d", 0, 14)]
    joined = Stitch(store=store(d=TEXT)).apply(QUERY, draft, Budget(99, Words()))
    assert joined.passages == (quote(0, 31),)


def test_a_gap_is_bridged_only_within_reach_and_budget() -> None:
    draft = Draft((quote(0, 14), quote(32, 48)))
    step = Stitch(bridge_gap=20, store=store(d=TEXT))
    assert spans(step.apply(QUERY, draft, Budget(99, Words()))) == [("d", 0, 48)]
    assert spans(step.apply(QUERY, draft, Budget(9, Words()))) == [("d", 0, 14), ("d", 32, 48)]  # 4 + 4, gap 3 - head 1
    assert spans(step.apply(QUERY, draft, Budget(10, Words()))) == [("d", 0, 48)]
    exactly = Stitch(bridge_gap=18, store=store(d=TEXT))  # the gap's own length
    assert spans(exactly.apply(QUERY, draft, Budget(99, Words()))) == [("d", 0, 48)]
    near = Stitch(bridge_gap=17, store=store(d=TEXT))
    assert len(near.apply(QUERY, draft, Budget(99, Words())).passages) == 2


def test_rewrites_and_quotes_of_several_spans_pass_as_they_are() -> None:
    rewrite = Passage("said", (Span("d", 0, 66),), "rewrite")
    two = Passage("Alpha\nBeta", (Span("d", 0, 5), Span("d", 15, 19)))
    draft = Draft((quote(0, 14), rewrite, two, quote(14, 31)))
    assert Stitch().apply(QUERY, draft, Budget(99, Words())).passages == (quote(0, 31), rewrite, two)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ConfigError, match="needs the library's store"):
        Stitch(bridge_gap=10)
    with pytest.raises(ConfigError, match="negative"):
        Stitch(max_skips=-1)


DOCS = {name: "".join(f"{name}{i} word. " for i in range(40)) for name in "abc"}
chunks = st.builds(
    lambda doc, start, length: quote(start, min(start + length, len(DOCS[doc])), doc, DOCS[doc]),
    st.sampled_from("abc"),
    st.integers(0, 300),
    st.integers(1, 80),
)
drafts = st.lists(chunks, min_size=1, max_size=25).map(lambda passages: Draft(tuple(passages)))
counts: st.SearchStrategy[Literal["post_merge", "pre_merge"]] = st.sampled_from(["post_merge", "pre_merge"])
overflows: st.SearchStrategy[Literal["truncate_last", "skip"]] = st.sampled_from(["truncate_last", "skip"])


def characters(draft: Draft) -> set[tuple[str, int]]:
    return {(span.doc_id, at) for p in draft.passages for span in p.support for at in range(span.start, span.end)}


@given(drafts, counts)
def test_with_room_enough_nothing_is_lost_added_or_repeated(draft: Draft, count: Any) -> None:
    step, budget = Stitch(count), Budget(10**6, Characters())
    joined = step.apply(QUERY, draft, budget)
    assert characters(joined) == characters(draft)
    assert sum(len(passage.text) for passage in joined.passages) == len(characters(draft))
    for passage in joined.passages:
        (span,) = passage.support
        assert passage.text == DOCS[span.doc_id][span.start : span.end]
    assert step.apply(QUERY, joined, budget) == joined


def slow_groups(draft: Draft) -> list[tuple[str, int, int]]:
    """The definition: merge any two that touch until none do; the order is that of the best member."""
    groups = [(rank, span.doc_id, span.start, span.end) for rank, p in enumerate(draft.passages) for span in p.support]
    merged = True
    while merged:
        merged = False
        for i, (r, d, a, b) in enumerate(groups):
            for j in range(i + 1, len(groups)):
                s, e, x, y = groups[j]
                if d == e and x <= b and a <= y:
                    groups[i], merged = (min(r, s), d, min(a, x), max(b, y)), True
                    del groups[j]
                    break
            if merged:
                break
    return [(d, a, b) for _, d, a, b in sorted(groups)]


@given(drafts)
def test_groups_are_those_of_the_definition(draft: Draft) -> None:
    assert spans(Stitch().apply(QUERY, draft, Budget(10**6, Characters()))) == slow_groups(draft)


@settings(max_examples=200)
@given(drafts, counts, overflows, st.integers(1, 900), st.sampled_from([0, 30]))
def test_under_any_budget_it_is_exact_idempotent_and_leaves_assemble_little(
    draft: Draft, count: Any, overflow: Any, limit: int, bridge: int
) -> None:
    budget = Budget(limit, Characters())
    step = Stitch(count, overflow, bridge_gap=bridge, store=store(**DOCS))
    joined = step.apply(QUERY, draft, budget)
    for passage in joined.passages:
        (span,) = passage.support
        assert passage.text == DOCS[span.doc_id][span.start : span.end]
    if not bridge:
        assert characters(joined) <= characters(draft) | {
            (doc, at) for doc, text in DOCS.items() for at, letter in enumerate(text) if letter.isspace()
        }
    if joined.passages != draft.passages:  # where no sentence fits, all are handed on and `assemble` says what it takes
        assert assemble(QUERY, joined, budget).passages == joined.passages  # the estimate never overshoots here
    if count == "post_merge" and overflow == "truncate_last" and not bridge:
        assert step.apply(QUERY, joined, budget) == joined
