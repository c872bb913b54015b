"""The contexts of one question: rankings that are shared, conditions that look at gold, failures that are outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tiny

from decoct import Library
from decoct.budget import Budget
from decoct.data import Context, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelTimeoutError
from decoct.evaluate.answers import CLOSED_BOOK
from decoct.evaluate.contexts import Contexts, error_of, oracle_context
from decoct.evaluate.system import System, systems
from decoct.pipeline import Pipeline
from decoct.trace import Trace
from decoct_testing.hash_embedder import HashEmbedder

BRIDGE, _, _, CAKES = tiny.QUESTIONS


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("contexts") / "lib", embedder=HashEmbedder()) as opened:
        opened.add(tiny.read())
        yield opened


def contexts(library: Library, names: str) -> tuple[Contexts, tuple[System, ...]]:
    chosen = systems(names.split(","))
    return Contexts({one.chunker: library for one in chosen}, chosen, tiny.dataset().gold), chosen


def test_systems_that_differ_only_in_their_steps_share_one_ranking(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_by, (naive, dos) = contexts(library, "naive,dos")
    searched: list[str] = []
    plain = Pipeline.search

    def counted(self: Pipeline, query: Query, depth: int) -> Any:
        searched.append(query.text)
        return plain(self, query, depth)

    monkeypatch.setattr(Pipeline, "search", counted)
    first, second, third = made_by.make(BRIDGE, [(naive, 60), (dos, 60), (naive, 20)])
    assert searched == [BRIDGE.question]
    assert first.hits == second.hits == third.hits
    assert [(one.system.name, one.budget) for one in (first, second, third)] == [
        ("naive", 60),
        ("dos", 60),
        ("naive", 20),
    ]
    assert isinstance(first.context, Context)
    assert isinstance(second.context, Context)
    assert isinstance(third.context, Context)
    assert third.context.tokens <= 20 < first.context.tokens <= 60
    assert first.context.trace is not second.context.trace
    assert first.context.trace.stages[0] == second.context.trace.stages[0]  # the time of the one ranking, told in each


def test_other_retrievers_have_rankings_of_their_own(library: Library) -> None:
    made_by, (naive, bm25) = contexts(library, "naive,hybrid")
    dense, both = made_by.make(CAKES, [(naive, 60), (bm25, 60)])
    assert {name for hit in dense.hits for name in hit.found_by} == {"dense"}
    assert {name for hit in both.hits for name in hit.found_by} == {"dense", "bm25"}


def test_gold_passages_are_shown_whole_and_in_their_order(library: Library) -> None:
    made_by, (gold, nothing) = contexts(library, "gold-passages,no-retrieval")
    two = tiny.QUESTIONS[2]
    shown, bare = made_by.make(two, [(gold, 200), (nothing, 200)])
    assert isinstance(shown.context, Context)
    assert [one.text for one in shown.context.passages] == ["She was born in Norwick", "designed by Ada Stone"]
    assert [one.title for one in shown.context.passages] == ["Stone", "Tower"]
    assert isinstance(bare.context, Context)
    assert (bare.context.passages, bare.context.text) == ((), "")
    assert bare.context.notes == {CLOSED_BOOK: (True,)}
    assert CLOSED_BOOK not in shown.context.notes


def test_a_budget_in_chunks_is_measured_by_what_was_found(library: Library) -> None:
    made_by, (naive, gold) = contexts(library, "naive,gold-passages")
    found, shown = made_by.make(BRIDGE, [(naive, "2x"), (gold, "2x")])
    tokens = default_tokenizer()
    counts = [tokens.count(hit.chunk.text) for hit in found.hits]
    assert isinstance(found.context, Context)
    assert found.context.limit == -(-2 * sum(counts) // len(counts))  # twice the mean, rounded up
    assert isinstance(shown.context, Context)
    assert shown.context.limit == 2 * tokens.count(tiny.TEXTS["bridge"])  # its document is one chunk


def test_where_nothing_fits_the_context_is_empty_and_it_is_counted(library: Library) -> None:
    made_by, (naive, gold) = contexts(library, "naive,gold-passages")
    for made in made_by.make(BRIDGE, [(naive, 1), (gold, 1)]):
        assert isinstance(made.context, Context)
        assert (made.context.text, made.context.limit) == ("", 1)
        assert made.context.trace.fallbacks["context.nothing_fits"] == 1


def test_a_failed_search_is_the_outcome_of_every_system_that_shares_it_and_is_tried_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_by, (naive, dos, nothing) = contexts(library, "naive,dos,no-retrieval")
    tried: list[int] = []

    def failing(*_: object) -> None:
        tried.append(1)
        raise ModelTimeoutError("too slow")

    monkeypatch.setattr(Pipeline, "search", failing)
    first, second, third = made_by.make(BRIDGE, [(naive, 60), (dos, 60), (nothing, 60)])
    assert len(tried) == 1
    assert first.context is second.context
    assert isinstance(first.context, ModelTimeoutError)
    assert first.hits == ()
    assert isinstance(third.context, Context)


def test_a_budget_that_is_none_is_an_outcome_too(library: Library) -> None:
    made_by, (naive,) = contexts(library, "naive")
    (made,) = made_by.make(BRIDGE, [(naive, "many")])
    assert isinstance(made.context, Exception)
    assert error_of(made.context)["code"] == "config"


def test_what_a_recipe_lacks_is_said_before_the_first_question(library: Library) -> None:
    with pytest.raises(Exception, match="language model"):
        contexts(library, "recomp-abstractive")


def test_spans_as_a_context_spend_the_budget_on_the_rendered_text(library: Library) -> None:
    spans = [Span("cakes", 0, 43), Span("bridge", 0, 34)]
    made = oracle_context(Query("q"), spans, library, Budget(200, default_tokenizer()), Trace())
    assert [one.support for one in made.passages] == [(spans[0],), (spans[1],)]
    assert made.tokens == default_tokenizer().count(made.text)


def test_an_error_as_a_row_keeps_it() -> None:
    noted = ModelTimeoutError("too slow")
    noted.add_note("in retrieve")
    noted.add_note("after 3 tries")
    assert error_of(noted) == {"code": noted.code, "message": "too slow (in retrieve; after 3 tries)"}
    assert error_of(ZeroDivisionError("by nought")) == {"code": "internal:ZeroDivisionError", "message": "by nought"}
    assert len(error_of(ValueError("x" * 5_000))["message"]) == 1_000
