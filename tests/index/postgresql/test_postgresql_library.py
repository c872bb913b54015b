"""A library in PostgreSQL answers as one in a folder does: the same recipes, the same contexts, the same provenance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct import Library
from decoct.embed.base import Embedder
from decoct.index.abilities import SupportsNames
from decoct.retrieve.base import Retriever
from decoct.retrieve.links import Links
from decoct_postgresql import PostgreSQLStore
from decoct_postgresql.testing import PostgreSQLServer
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import RetrieverContract, library

pytestmark = pytest.mark.services

DOCUMENTS = Path(__file__).parents[3] / "examples" / "documents"
QUESTIONS = [
    "When was the bridge opened?",
    "Who built it, and what did it cost?",
    "lighthouse",
    "energy use of the town hall",
]


@pytest.fixture(scope="module")
def both(server: PostgreSQLServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, Library]]:
    places = (tmp_path_factory.mktemp("library"), server.url("whole_library"))
    here, there = (Library.open(place, embedder=HashEmbedder()) for place in places)
    for one in (here, there):
        report = one.add([DOCUMENTS])
        assert not report.failures
    assert there.add([DOCUMENTS]).unchanged == report.added
    yield here, there
    here.close()
    there.close()


@pytest.mark.parametrize("recipe", ["default", "hybrid", "bm25", "dense"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_contexts_are_equal(both: tuple[Library, Library], recipe: str, question: str) -> None:
    ours, theirs = (one.context(question, 400, recipe) for one in both)
    assert ours.text == theirs.text
    assert [passage.support for passage in ours.passages] == [passage.support for passage in theirs.passages]


def test_the_trace_says_how_words_are_found(both: tuple[Library, Library]) -> None:
    assert both[1].context(QUESTIONS[0], 400, "bm25").trace.facts["store.words"] == "BM25 on tsvector"


class TestLinks(RetrieverContract):
    """Links over a store on a server."""

    @pytest.fixture
    def store(self, embedder: HashEmbedder, url: str) -> Iterator[SupportsNames]:
        memory: MemoryStore = library(embedder)
        with PostgreSQLStore.open(url, settings={}) as store:
            store.put(list(memory._version.entries.values()))
            yield store

    @pytest.fixture
    def retriever(self, store: SupportsNames, embedder: Embedder) -> Retriever:
        return Links(store, embedder)
