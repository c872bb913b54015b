"""Links: a second hop is found by the name that leads to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from decoct.chunking.fixed import Fixed
from decoct.data import Document, Query, Ranking
from decoct.embed.minilm import MiniLM
from decoct.embed.tokenizer import default_tokenizer
from decoct.ingest import Ingest
from decoct.retrieve import links
from decoct.retrieve.links import WEIGHTS, Edges, LinkCandidates, Links
from decoct.structure.traits import name_number
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry

FILLERS = [f"The committee of district {n} discussed roads and where a poet was born in {1700 + n}." for n in range(30)]
DOCUMENTS = [
    Document(
        "film",
        "Silent Harbour is a drama film directed by Marta Kellner.",
        title="Silent Harbour",
        metadata={"kind": "film"},
    ),
    Document(
        "kellner",
        "Marta Kellner grew up in Graz and trained as a nurse.",
        title="Marta Kellner",
        metadata={"kind": "person"},
    ),
    Document("graz", "Graz is a city on the river Mur.", title="Graz", metadata={"kind": "city"}),
    *(Document(f"filler{n}", text, metadata={"kind": "filler"}) for n, text in enumerate(FILLERS)),
]
NO_KEYS, NO_SCORES = np.empty(0, np.int64), np.empty(0, np.float32)
QUESTION = "Where did the director of the film Silent Harbour grow up?"


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    Ingest(store, Fixed(default_tokenizer()), MiniLM(threads=1), "1").run(DOCUMENTS)
    return store


def found(store: MemoryStore, question: str, k: int = 5) -> list[str]:
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(question), k)
    return [chunk.span.doc_id for chunk in store.chunks(ranking.keys)]


def test_the_second_hop_comes_right_after_the_first(store: MemoryStore) -> None:
    assert found(store, QUESTION, 2) == ["film", "kellner"]


def test_it_is_told_who_found_what(store: MemoryStore) -> None:
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(QUESTION), 2)
    second = int(ranking.keys[1])
    assert second in ranking.found_by["links"]
    assert set(ranking.found_by) == {"dense", "bm25", "links"}


def test_scores_fall_and_no_chunk_comes_twice(store: MemoryStore) -> None:
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(QUESTION), 50)
    assert (ranking.scores[1:] <= ranking.scores[:-1]).all()
    assert len(set(ranking.keys.tolist())) == len(ranking)


def test_links_stay_inside_the_filter(store: MemoryStore) -> None:
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(QUESTION, {"kind": ("film", "filler")}), 50)
    assert "kellner" not in [chunk.span.doc_id for chunk in store.chunks(ranking.keys)]


def test_a_followed_chunk_never_stands_before_the_best_direct_one(store: MemoryStore) -> None:
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(QUESTION), 40)
    first, second = ranking.scores[:2].tolist()
    assert first > second
    assert ranking.keys[0] not in ranking.found_by["links"]


def test_without_names_the_order_is_that_of_cosine_and_words() -> None:
    store = MemoryStore()
    texts = ["rivers carry sand", "sand and stone", "a stone bridge", "bread and salt", "salt from the sea"]
    documents = [Document(f"d{n}", text) for n, text in enumerate(texts)]
    Ingest(store, Fixed(default_tokenizer()), MiniLM(threads=1), "1").run(documents)
    linked = Links(store, MiniLM(threads=1)).retrieve(Query("what do rivers carry"), 5)
    # river and carry are all of the question's words and stand in one chunk once; the others have none
    rarity = np.log1p((5 - 1 + 0.5) / (1 + 0.5))
    words = {key: score / (2.2 * 2 * rarity) for key, score in linked.found_by["bm25"].items()}
    direct = {
        key: WEIGHTS.cosine * cosine + WEIGHTS.words * words.get(key, 0)
        for key, cosine in linked.found_by["dense"].items()
    }
    assert dict(zip(linked.keys.tolist(), linked.scores.tolist(), strict=True)) == pytest.approx(direct, rel=1e-5)
    assert "links" not in linked.found_by


def test_where_nothing_matches_nothing_is_found(store: MemoryStore) -> None:
    assert found(store, "xylophone zeppelin quorum") == []
    assert len(Links(store, MiniLM(threads=1), least=0.0).retrieve(Query("xylophone zeppelin quorum"), 5)) == 5


def test_a_filter_says_what_is_meant_where_no_word_does() -> None:
    store = MemoryStore()
    records = [
        Document("a", "The gate jams.", metadata={"state": "open"}),
        Document("b", "A lamp.", metadata={"state": "shut"}),
    ]
    Ingest(store, Fixed(default_tokenizer()), MiniLM(threads=1), "1").run(records)
    linked = Links(store, MiniLM(threads=1))
    assert len(linked.retrieve(Query("xylophone zeppelin", where={"state": ("open",)}), 5)) == 1
    assert len(linked.retrieve(Query("xylophone zeppelin", where={"state": ("none",)}), 5)) == 0
    assert len(linked.retrieve(Query("xylophone zeppelin"), 5)) == 0


def test_an_empty_library_gives_nothing() -> None:
    assert len(Links(MemoryStore(), MiniLM(threads=1)).retrieve(Query("anything"), 5)) == 0


def test_a_name_of_many_documents_leads_nowhere_new(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "FREQUENT", 0)
    ranking = Links(store, MiniLM(threads=1)).retrieve(Query(QUESTION), 40)
    assert "links" not in ranking.found_by


def test_a_bridge_is_weighed_as_the_formula_says() -> None:
    """One source, one target: the numbers of the module's text by hand."""
    found = LinkCandidates(MemoryStore(), {}, np.zeros(0, np.float32), ["a", "b"], Ranking(NO_KEYS, NO_SCORES))
    found.keys = np.array([3, 7])
    found.cosine, found.words = np.array([0.6, 0.2], np.float32), np.array([0.5, 0.1], np.float32)
    found.named = np.array([1.0, 0.0], np.float32)
    found.covered, found.weights = np.array([[True, False], [False, True]]), np.array([0.7, 0.3], np.float32)
    edge = Edges(np.array([3]), np.array([7]), np.array([0.25], np.float32))
    scores, bridges = links.linked_scores(found, edge)
    # together both stems are covered: 0.3 of the weight is new; the target's own words are taken off
    bridge = 0.25 + WEIGHTS.residual * 0.3 + WEIGHTS.joint * 1.0 - WEIGHTS.credit * 0.1
    first = WEIGHTS.cosine * 0.6 + WEIGHTS.words * 0.5 + WEIGHTS.named + WEIGHTS.lift * bridge
    gap = first - (WEIGHTS.cosine * 0.2 + WEIGHTS.words * 0.1)
    assert bridges == {7: pytest.approx(bridge)}
    assert scores.tolist() == pytest.approx([first, first - gap + gap * bridge / (gap + bridge)])


def test_of_several_documents_that_bear_a_name_one_is_meant(store: MemoryStore) -> None:
    """Three more are called "Graz": one of two chunks that answers best, one that only may be called so, one that the filter keeps out."""
    texts = {"band": ["Graz plays jazz.", "Graz plays loud jazz."], "alias": ["Jazz, jazz."], "out": ["All jazz."]}
    for doc_id, chunks in texts.items():
        strength = 0.8 if doc_id == "alias" else 1.0
        entry = make_entry(doc_id, chunks, title="Graz")
        known, vectors = ((name_number("graz"), strength),), np.zeros((len(chunks), 384), np.float32)
        store.put([replace(entry, names=known, vectors=vectors, signatures=np.zeros((len(chunks), 128), np.uint8))])
    links_ = Links(store, MiniLM(threads=1))
    meant, unnamed = links_._meant("Which jazz is played in Graz?")
    assert not unnamed
    found = LinkCandidates(store, {}, np.zeros(384, np.float32), [], Ranking(NO_KEYS, NO_SCORES))
    at = {one: store.chunk_keys(one) for one in ("graz", "band", "alias", "out")}
    found.add(np.concatenate([at["graz"], at["band"], at["alias"]]))
    found.cosine[found.at(at["band"])] = 0.1, 0.9
    found.cosine[found.at(at["graz"])] = 0.8
    found.cosine[found.at(at["alias"])] = 1.0
    links_._name(found, meant)
    named = {one: found.named[found.at(at[one])].tolist() for one in ("band", "graz", "alias")}
    half = 0.5**0.5
    assert named == {"band": pytest.approx([half, half]), "graz": [0.5], "alias": pytest.approx([0.8 / 3])}


def test_behind_the_first_eight_a_chunk_stands_by_the_better_of_two_places() -> None:
    found = LinkCandidates(MemoryStore(), {}, np.zeros(0, np.float32), ["a"], Ranking(NO_KEYS, NO_SCORES))
    found.keys = np.arange(12)
    # by directness 0, 1, … 11; links bring the last six before all but the first two
    found.cosine = np.linspace(0.9, 0.3, 12).astype(np.float32)
    found.words = found.named = np.zeros(12, np.float32)
    scores = np.array([12, 11, 4, 3.5, 3, 2.5, 10, 9, 8, 7, 6, 5], np.float32)
    dealt = links.by_better_place(found, scores)
    order = np.lexsort((found.keys, -dealt)).tolist()
    assert order[:8] == [0, 1, 6, 7, 8, 9, 10, 11]
    assert order[8:] == [2, 3, 4, 5]
    assert dealt[order].tolist() == np.sort(scores)[::-1].tolist()


def test_what_answers_by_itself_is_not_pushed_back_for_ever() -> None:
    found = LinkCandidates(MemoryStore(), {}, np.zeros(0, np.float32), ["a"], Ranking(NO_KEYS, NO_SCORES))
    found.keys = np.arange(20)
    found.cosine = np.linspace(0.9, 0.3, 20).astype(np.float32)
    found.words = found.named = np.zeros(20, np.float32)
    scores = np.arange(20, 0, -1).astype(np.float32)
    scores[10:] += 30  # ten followed chunks before the ten direct ones
    order = np.lexsort((found.keys, -links.by_better_place(found, scores))).tolist()
    assert order[:8] == list(range(10, 18))
    assert order[8:10] == [0, 1]
    assert sorted(order) == list(range(20))
