from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.data import Document, Query
from decoct.errors import ModelUnavailableError
from decoct.library import Library
from decoct.retrieve.lexical import BM25
from decoct.trace import recording
from decoct_lab.retrieve.iter_retgen import IterRetgen
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TEXTS = {
    "tower": "The Long Tower was designed by Ada Stone.",
    "stone": "Ada Stone came from Norwick.",
    "sea": "Norwick lies by the sea.",
}
QUERY = Query("Where did the designer of the Long Tower come from?")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path, embedder=HashEmbedder()) as opened:
        opened.add(Document(name, text) for name, text in TEXTS.items())
        yield opened


def _found(library: Library, retriever: IterRetgen) -> list[str]:
    return [chunk.span.doc_id for chunk in library.store.chunks(retriever.retrieve(QUERY, 3).keys)]


def test_what_the_model_writes_is_the_next_query(library: Library) -> None:
    llm = ScriptedLLM(["The designer is Ada Stone.", "Ada Stone came from Norwick, which lies by the sea."])
    found = _found(library, IterRetgen(BM25(library.store), library.store, llm))
    assert "sea" in found, "only the second generation names it"
    assert len(llm.requests) == 2
    assert "Ada Stone" in llm.requests[0].messages[-1].content


def test_one_round_asks_nothing(library: Library) -> None:
    llm = ScriptedLLM([])
    assert _found(library, IterRetgen(BM25(library.store), library.store, llm, rounds=1))[0] == "tower"


def test_a_failed_generation_keeps_the_list_that_is_there(library: Library) -> None:
    llm = ScriptedLLM([ModelUnavailableError("down")])
    with recording() as trace:
        assert _found(library, IterRetgen(BM25(library.store), library.store, llm))[0] == "tower"
    assert trace.fallbacks == {"iter_retgen.failed": 1}
