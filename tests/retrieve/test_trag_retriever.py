"""T-RAG: the paths of the entities that a question names, as chunks before others and as passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from decoct.data import Hit, Query, Ranking, Span
from decoct.trace import recording
from decoct_lab.retrieve.trag import TRAG
from decoct_lab.structure.trag.forest import ContainmentStatement, forest
from decoct_lab.structure.trag.method import Forest
from decoct_testing.memory_store import MemoryStore

TEXTS = ("Radiology is part of the Clinic.", "The Clinic belongs to the Trust.", "Tea is a drink.")


def statement(child: str, parent: str, document: int) -> ContainmentStatement:
    return ContainmentStatement(
        child, parent, Span(f"d{document}", 0, len(TEXTS[document])), TEXTS[document], (document + 1,)
    )


STATED = [statement("Radiology", "Clinic", 0), statement("Clinic", "Trust", 1)]


@dataclass(frozen=True)
class OneForest:
    """A library whose only structure is a forest."""

    written: bool = False
    entities: Any = field(default_factory=lambda: forest(STATED), compare=False)

    def read(self, name: str, load: Any) -> Any:
        return Forest(self.entities, self.written)


@pytest.fixture
def store(make_store: Any) -> MemoryStore:
    documents = [(text, [(0, len(text))], [[1, 0]]) for text in TEXTS]
    made: MemoryStore = make_store(*documents, metadata=[{"of": "clinic"}, {"of": "trust"}, {"of": "tea"}])
    return made


@dataclass(frozen=True)
class Found:
    """An inner retriever that always finds chunk 3 and then chunk 2."""

    def retrieve(self, query: Query, k: int) -> Ranking:
        scores = {3: 0.9, 2: 0.4}
        keys = np.array(list(scores)[:k], np.int64)
        return Ranking(keys, np.array(list(scores.values())[:k], np.float32), {"mmr": scores})


def trag(store: MemoryStore, *, written: bool = False, **settings: Any) -> TRAG:
    return TRAG(Found(), store, OneForest(written), **settings)


def test_what_states_a_path_comes_before_what_was_found(store: MemoryStore) -> None:
    ranking = trag(store).retrieve(Query("Where is Radiology?"), 5)
    assert ranking.keys.tolist() == [1, 2, 3]
    assert ranking.scores.tolist() == pytest.approx([2.9, 1.9, 0.9])
    assert ranking.found_by["t-rag"].keys() == {1, 2}
    assert ranking.found_by["mmr"] == {2: 0.4, 3: 0.9}
    assert trag(store).retrieve(Query("Where is Radiology?"), 1).keys.tolist() == [1]


@pytest.mark.parametrize("question", ["Where is tea?", "What is the Trust?"])
def test_a_question_of_no_entity_or_of_a_root_gets_the_chunks_alone(store: MemoryStore, question: str) -> None:
    with recording() as record:
        assert trag(store).retrieve(Query(question), 5).keys.tolist() == [3, 2]
    assert record.fallbacks == {"t-rag.no_entity": 1}


def test_a_path_goes_so_many_steps(store: MemoryStore) -> None:
    assert trag(store, steps=1).retrieve(Query("Where is Radiology?"), 2).keys.tolist() == [1, 3]
    with pytest.raises(ValueError, match="steps must be at least 1"):
        trag(store, steps=0)


def test_a_path_is_cut_where_the_filter_lets_no_statement_through(store: MemoryStore) -> None:
    ranking = trag(store).retrieve(Query("Where is Radiology?", {"of": ("clinic", "tea")}), 9)
    assert ranking.keys.tolist()[0] == 1
    assert "t-rag" in ranking.found_by
    assert ranking.found_by["t-rag"].keys() == {1}
    with recording() as record:
        trag(store).retrieve(Query("Where is Radiology?", {"of": ("trust",)}), 9)
    assert record.fallbacks == {"t-rag.no_entity": 1}


def test_paths_are_shown_as_the_sentences_that_state_them_and_then_the_chunks(store: MemoryStore) -> None:
    retriever = trag(store)
    query = Query("Where is Radiology?")
    ranking = retriever.retrieve(query, 5)
    hits = [
        Hit(chunk, 0.5, {who: scores[chunk.key] for who, scores in ranking.found_by.items() if chunk.key in scores})
        for chunk in store.chunks(ranking.keys)
    ]
    path, *chunks = retriever.passages(query, hits, 9).passages
    assert (path.text, path.kind, path.title) == (f"{TEXTS[0]}\n{TEXTS[1]}", "quote", "Radiology")
    assert path.support == (STATED[0].span, STATED[1].span)
    # The second chunk was found by the inner retriever too; the first only states a path.
    assert [chunk.text for chunk in chunks] == [TEXTS[1], TEXTS[2]]
    (written, *_) = trag(store, written=True).passages(query, [], 9).passages
    assert (written.text, written.kind) == ("Radiology is in Clinic. Clinic is in Trust.", "rewrite")
    assert written.support == path.support
