"""What stands between retrieval and construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.budget import Budget
from decoct.context.layouts import Unnumbered
from decoct.data import Context, Draft, Hit, Passage, Query, Ranking
from decoct.embed.tokenizer import default_tokenizer
from decoct.pipeline import Construction, Retrieval, retrieved_context
from decoct.retrieve.dense import Dense
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import library


@dataclass(frozen=True, slots=True)
class Telling:
    """Dense, and in the place of its hits one passage that says how many of them there are."""

    inner: Dense

    def retrieve(self, query: Query, k: int) -> Ranking:
        return self.inner.retrieve(query, k)

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        return Draft((Passage(f"{len(hits)} of {k} about {query.text}", (hits[0].chunk.span,), "rewrite"),))


def context(store: MemoryStore, retriever: Dense | Telling, query: Query, budget: Budget) -> Context:
    return retrieved_context(query, budget, Retrieval(store, retriever, depth=7), Construction((), Unnumbered()))


def test_construction_begins_with_what_the_retriever_has_to_show() -> None:
    embedder = HashEmbedder()
    store = library(embedder)
    dense = Dense(store, embedder)
    query, budget = Query("opera"), Budget(500, default_tokenizer())
    (told,) = context(store, Telling(dense), query, budget).passages
    assert (told.text, told.kind) == ("7 of 7 about opera", "rewrite")
    shown = context(store, dense, query, budget).passages
    assert all(passage.kind == "quote" for passage in shown)
    assert [hit.chunk.text for hit in Retrieval(store, Telling(dense), depth=7).search(query, 1)] == [shown[0].text]
