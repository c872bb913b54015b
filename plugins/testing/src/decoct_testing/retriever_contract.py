"""What every retriever and every scorer must pass. Subclass in a test module and give the fixtures.

`RetrieverContract` hands the fixture `retriever` a small library (`library()`), as `store` and `embedder`; `ScorerContract` needs only
`scorer`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from decoct.data import Chunk, Document, Query, Span
from decoct.index.base import Entry
from decoct.retrieve.base import Retriever, Scorer
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore

TOPICS = ("painter museum portrait", "bridge river engineer", "battle general regiment", "opera composer aria")
QUESTIONS = ("Which painter has a museum?", "the engineer of the bridge", "zebra", "?!", "opera " * 200)


def library(embedder: HashEmbedder) -> MemoryStore:
    """40 documents on 4 subjects, each of 2 chunks that overlap by half, with the metadata `topic` and `year`; equal chunks give ties."""
    store = MemoryStore()
    for n in range(40):
        words = TOPICS[n % 4].split()
        text = " ".join(f"The {words[i % 3]} of year {1900 + n // 8} was seen." for i in range(4))
        doc_id, half = f"d{n:02}", len(text) // 2
        ranges = ((0, half + half // 2), (half // 2, len(text)))
        chunks = tuple(Chunk(Span(doc_id, a, b), text[a:b], words[0]) for a, b in ranges)
        vectors = embedder.embed([chunk.text for chunk in chunks], "passage")
        metadata = {"topic": n % 4, "year": 1900 + n // 8}
        store.put([Entry(Document(doc_id, text, words[0], metadata=metadata), chunks, vectors, doc_id)])
    return store


class RetrieverContract:
    """Order, number, filter, provenance of scores, and threads."""

    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        """The library's embedder."""
        return HashEmbedder()

    @pytest.fixture
    def store(self, embedder: HashEmbedder) -> MemoryStore:
        """The library."""
        return library(embedder)

    @pytest.fixture
    def retriever(self, store: MemoryStore, embedder: HashEmbedder) -> Retriever:
        """The retriever under test, over `store`."""
        raise NotImplementedError("give the fixture 'retriever'")

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_best_first_none_twice_ties_by_key(self, retriever: Retriever, store: MemoryStore, question: str) -> None:
        """At most k stored chunks by falling score; equal scores by key.

        A ranking does not depend on how many are asked for: neither who comes, nor in which order, nor with which scores.
        """
        found = retriever.retrieve(Query(question), 1000)
        keys, scores = found.keys.tolist(), found.scores.tolist()
        assert found.keys.dtype == np.int64
        assert found.scores.dtype == np.float32
        assert len(keys) == len(scores) == len(set(keys)) <= 1000
        assert len(store.chunks(found.keys)) == len(keys)
        assert np.isfinite(found.scores).all()
        order = [(-score, key) for key, score in zip(keys, scores, strict=True)]
        assert order == sorted(order)
        for k in (1, 2, 5, 10, 20, 30, 60):
            fewer = retriever.retrieve(Query(question), k)
            assert fewer.keys.dtype == np.int64
            assert fewer.scores.dtype == np.float32
            assert fewer.keys.tolist() == keys[:k]
            assert fewer.scores.tolist() == scores[:k]

    def test_somebody_found_every_chunk(self, retriever: Retriever) -> None:
        """`found_by` names a retriever for each chunk of the ranking, and no other chunk."""
        found = retriever.retrieve(Query(QUESTIONS[0]), 10)
        assert len(found) > 0
        told = set().union(*(scores.keys() for scores in found.found_by.values()))
        assert told == set(found.keys.tolist())

    def test_the_filter_is_kept(self, retriever: Retriever, store: MemoryStore) -> None:
        """Only documents that `where` lets through; nothing where it lets none through."""
        found = retriever.retrieve(Query("the painter of the bridge", {"topic": ("1", "2")}), 40)
        topics = {store.document(chunk.span.doc_id).metadata["topic"] for chunk in store.chunks(found.keys)}
        assert topics
        assert topics <= {1, 2}
        assert len(retriever.retrieve(Query("painter", {"topic": ("9",)}), 5)) == 0

    def test_the_same_each_time_in_every_thread(self, retriever: Retriever) -> None:
        """Deterministic and thread-safe; equal objects are equal (they key caches)."""
        expected = retriever.retrieve(Query(QUESTIONS[1]), 20)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: retriever.retrieve(Query(QUESTIONS[1]), 20), range(8)):
                assert found.keys.tolist() == expected.keys.tolist()
                assert found.scores.tolist() == expected.scores.tolist()
        assert hash(retriever) == hash(retriever)


class ScorerContract:
    """One finite number a text, whatever the texts."""

    @pytest.fixture
    def scorer(self) -> Scorer:
        """The scorer under test."""
        raise NotImplementedError("give the fixture 'scorer'")

    @pytest.mark.parametrize(
        "texts", [[], ["One."], ["One.", "", " ", "One.", "Zwei — drei.", "x " * 3000]], ids=["none", "one", "odd"]
    )
    def test_one_number_a_text(self, scorer: Scorer, texts: list[str]) -> None:
        """Shape (len(texts),), finite; equal texts score equally."""
        scores = scorer.score("Which one?", texts)
        assert scores.shape == (len(texts),)
        assert np.isfinite(scores).all()
        assert len(texts) < 4 or scores[0] == pytest.approx(scores[3], abs=1e-5)
