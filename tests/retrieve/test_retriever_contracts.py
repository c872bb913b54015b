"""Every retriever and scorer passes its contract; what somebody found stays told through all stages."""

from __future__ import annotations

from typing import Any

import pytest

from decoct.data import Query
from decoct.retrieve.base import Retriever, Scorer
from decoct.retrieve.dense import Dense
from decoct.retrieve.distinct import Distinct
from decoct.retrieve.exact import Exact
from decoct.retrieve.feedback import Feedback
from decoct.retrieve.fusion import Hybrid
from decoct.retrieve.lexical import BM25
from decoct.retrieve.rerank import Rerank
from decoct.retrieve.reread import Reread
from decoct.retrieve.scorers import SentenceScorer
from decoct_lab.retrieve.rm3 import RM3
from decoct_lab.retrieve.score_llm import LLMScorer
from decoct_lab.retrieve.score_query_likelihood import QueryLikelihoodScorer
from decoct_lab.retrieve.score_yes_no import YesNoScorer
from decoct_lab.retrieve.vector_feedback import VectorFeedback
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import RetrieverContract, ScorerContract
from decoct_testing.scripted import ScriptedLLM


def build(name: str, store: MemoryStore, embedder: HashEmbedder, tokenizer: Any) -> Retriever:
    bm25, dense = BM25(store), Dense(store, embedder)
    hybrid = Hybrid((bm25, dense))
    guards: dict[str, Any] = {
        "second_pass": "rrf",
        "min_overlap": 0.1,
        "keep_first": 2,
        "passes": 2,
    }
    sizes: dict[str, Any] = {"piece_tokens": 8, "query_tokens": 60}
    made: dict[str, Retriever] = {
        "bm25": bm25,
        "dense": dense,
        "rrf": Hybrid((bm25, dense), method="rrf", depth=7),
        "convex": hybrid,
        "feedback": Feedback(dense, store, embedder, tokenizer, **sizes),
        "feedback-guarded": Feedback(hybrid, store, embedder, tokenizer, **sizes, **guards),
        "vector": VectorFeedback(store, embedder),
        "vector-hybrid": VectorFeedback(store, embedder, hybrid),
        "rm3": RM3(store, depth=20),
        "rerank": Rerank(hybrid, SentenceScorer(embedder), store, depth=9, weight=0.5),
        "reread": Reread(hybrid, store, depth=2),
        "distinct": Distinct(hybrid, store, depth=20),
        "exact": Exact(hybrid, store),
    }
    return made[name]


@pytest.mark.parametrize(
    "name",
    [
        "bm25",
        "dense",
        "rrf",
        "convex",
        "feedback",
        "feedback-guarded",
        "vector",
        "vector-hybrid",
        "rm3",
        "rerank",
        "reread",
        "distinct",
        "exact",
    ],
)
class TestRetrievers(RetrieverContract):
    @pytest.fixture
    def retriever(self, name: str, store: MemoryStore, embedder: HashEmbedder, tokenizer: Any) -> Retriever:
        return build(name, store, embedder, tokenizer)


class TestSentences(ScorerContract):
    @pytest.fixture
    def scorer(self) -> Scorer:
        return SentenceScorer(HashEmbedder())


class TestLLM(ScorerContract):
    @pytest.fixture
    def scorer(self) -> Scorer:
        return LLMScorer(ScriptedLLM(lambda request: f'{{"grade": {len(request.messages[-1].content) % 4}}}'))


class TestQueryLikelihood(ScorerContract):
    @pytest.fixture
    def scorer(self) -> Scorer:
        return QueryLikelihoodScorer(ScriptedLLM([]))


class TestYesNo(ScorerContract):
    @pytest.fixture
    def scorer(self) -> Scorer:
        return YesNoScorer(ScriptedLLM([]))


class TestExplain(RetrieverContract):
    @pytest.fixture
    def retriever(self, store: MemoryStore, embedder: HashEmbedder, tokenizer: Any) -> Retriever:
        hybrid = Hybrid((BM25(store), Dense(store, embedder)))
        feedback = Feedback(hybrid, store, embedder, tokenizer, piece_tokens=8, second_pass="rrf")
        return Distinct(Rerank(feedback, SentenceScorer(embedder), store, weight=0.5), store)

    def test_everybody_is_named(self, retriever: Retriever) -> None:
        found = retriever.retrieve(Query("Which painter has a museum?"), 5)
        assert set(found.found_by) == {"bm25", "dense", "feedback", "rerank"}
