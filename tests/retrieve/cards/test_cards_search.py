"""Cards as a retriever: the contract, Equation 3, both of the authors' variants, and from documents to chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from decoct.data import Chunk, Document, Floats, Query, Ranking, Span
from decoct.index.base import Entry, Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.cards.build import Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.index import OpenCards, card_questions
from decoct.retrieve.cards.search import Cards
from decoct.retrieve.fusion import Hybrid
from decoct.retrieve.lexical import BM25
from decoct.trace import recording
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import RetrieverContract

KINDS: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "dense": {"search": "dense", "part": "both"},
    "bm25": {"search": "bm25", "documents": 3, "per_document": 1},
    "anchor": {"anchor_requery": True},
}


def with_cards(store: MemoryStore, embedder: HashEmbedder, *, question_vectors: bool = False) -> OpenCards:
    cards = MemoryStore()
    Build(store, cards, embedder, Rules(), question_vectors=question_vectors).run()
    return OpenCards(store, cards)


@pytest.mark.parametrize("name", list(KINDS))
class TestCards(RetrieverContract):
    @pytest.fixture
    def retriever(self, name: str, store: MemoryStore, embedder: HashEmbedder) -> Retriever:
        return Cards(store, embedder, with_cards(store, embedder), **KINDS[name])


class TestCardsWithPassages(RetrieverContract):
    @pytest.fixture
    def retriever(self, store: MemoryStore, embedder: HashEmbedder) -> Retriever:
        cards = with_cards(store, embedder, question_vectors=True)
        return Cards(store, embedder, cards, passages=Hybrid((BM25(store),)))


class Lengths:
    """A scorer that likes long texts, and records what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.read: list[str] = []

    def score(self, question: str, texts: Any) -> Floats:
        self.asked.append(question)
        self.read = list(texts)
        return np.array([len(text) for text in texts], np.float32)


@pytest.fixture
def small(make_store: Any) -> tuple[Store, OpenCards, HashEmbedder]:
    """Three documents of two chunks each."""
    store, embedder = MemoryStore(), HashEmbedder()
    texts = {
        "verbs": "We propose a method that moves German verbs. It is used before decoding a clause.",
        "sound": "We propose a recogniser of speech sounds. It was trained on telephone calls of strangers.",
        "names": "We show that lists of names help a tagger. A longer text than the others stands here, with gazetteers.",
    }
    for doc_id, text in texts.items():
        cut = text.index(". ") + 1
        chunks = tuple(Chunk(Span(doc_id, a, b), text[a:b], doc_id) for a, b in ((0, cut), (cut + 1, len(text))))
        rows = embedder.embed([c.text for c in chunks], "passage")
        store.put([Entry(Document(doc_id, text, doc_id), chunks, rows, doc_id)])
    return store, with_cards(store, embedder), embedder


def put(store: Store, embedder: HashEmbedder, doc_id: str, text: str) -> None:
    """A document of one chunk."""
    chunk = Chunk(Span(doc_id, 0, len(text)), text, doc_id)
    store.put([Entry(Document(doc_id, text, doc_id), (chunk,), embedder.embed([text], "passage"), doc_id)])


def ids(store: Store, found: Ranking) -> list[str]:
    return list(dict.fromkeys(chunk.span.doc_id for chunk in store.chunks(found.keys)))


@pytest.mark.parametrize("search", ["dense", "bm25", "hybrid"])
def test_finds_the_document_and_its_best_chunk_first(small: Any, search: Any) -> None:
    store, cards, embedder = small
    found = Cards(store, embedder, cards, search=search).retrieve(Query("speech trained on telephone calls"), 4)
    assert ids(store, found)[0] == "sound"
    assert store.chunks(found.keys[:1])[0].text.startswith("It was trained")
    assert found.found_by["cards"][int(found.keys[0])] == pytest.approx(float(found.scores[0]))


@pytest.mark.parametrize(("part", "rows"), [("card", [0]), ("questions", [1]), ("both", [0, 1])])
def test_equation_3_is_the_larger_cosine(small: Any, part: Any, rows: list[int]) -> None:
    store, cards, embedder = small
    question = "names help a tagger"
    (vector,) = embedder.embed([question], "query")
    best = {
        doc_id: float((cards.cards.vectors(cards.cards.chunk_keys(doc_id)) @ vector)[rows].max())
        for doc_id in ("verbs", "sound", "names")
    }
    low, high = min(best.values()), max(best.values())
    found = Cards(store, embedder, cards, search="dense", part=part).retrieve(Query(question), 10)
    by_card = {store.chunks([key])[0].span.doc_id: score for key, score in found.found_by["cards"].items()}
    assert by_card == pytest.approx({doc_id: (score - low) / (high - low) for doc_id, score in best.items()}, abs=1e-4)


@pytest.mark.parametrize(("card_words", "first"), [(0.0, "thanks"), (1.0, "about")])
def test_words_count_in_the_card_alone_by_their_share(small: Any, card_words: float, first: str) -> None:
    store, _, embedder = small
    body = "We propose a way to move verbs. It is good. " * 8
    put(store, embedder, "thanks", f"{body}\n\nReferences\n\nWe thank Gudrun. Gudrun. Gudrun. Gudrun.")
    put(store, embedder, "about", f"We propose a tagger for letters of Gudrun. {body}")
    cards = with_cards(store, embedder)
    found = Cards(store, embedder, cards, search="bm25", card_words=card_words).retrieve(Query("Gudrun"), 10)
    assert ids(store, found)[0] == first


def test_full_text_joins_the_documents_scores(small: Any) -> None:
    store, cards, embedder = small
    cards_only = Cards(store, embedder, cards, weights=(1, 1, 0))
    with_text = Cards(store, embedder, cards, passages=BM25(store), weights=(0, 0, 1))
    found = with_text.retrieve(Query("gazetteers"), 3)
    assert store.chunks(found.keys[:1])[0].text.endswith("gazetteers.")
    assert set(found.found_by) == {"cards", "bm25"}
    assert "bm25" not in cards_only.retrieve(Query("gazetteers"), 3).found_by


def test_the_authors_second_stages(small: Any) -> None:
    store, cards, embedder = small
    scorer = Lengths()
    longest = max(("verbs", "sound", "names"), key=lambda doc_id: len(cards.card(doc_id).text))
    found = Cards(store, embedder, cards, scorer=scorer).retrieve(Query("German verbs"), 6)
    assert ids(store, found)[0] == longest
    Cards(store, embedder, cards, scorer=scorer, rerank_query="anchor").retrieve(Query("German verbs"), 6)
    assert scorer.asked == ["German verbs", cards.card("verbs").text]
    requeried = Cards(store, embedder, cards, anchor_requery=True).retrieve(Query("German verbs"), 6)
    assert ids(store, requeried)[0] == "verbs"
    # Their first variant whole: reread for the question, search again from the best card, reread for that card.
    scorer.asked.clear()
    whole = Cards(store, embedder, cards, part="questions", scorer=scorer, rerank_query="anchor", anchor_requery=True)
    assert ids(store, whole.retrieve(Query("German verbs"), 6))[0] == longest
    assert scorer.asked == ["German verbs", cards.card(longest).text]


def test_a_scorer_may_read_title_and_summary_alone(small: Any) -> None:
    store, cards, embedder = small
    scorer = Lengths()
    Cards(store, embedder, cards, scorer=scorer, rerank_part="summary").retrieve(Query("German verbs"), 6)
    assert len(scorer.read) == 3
    for text in scorer.read:
        title, _, summary = text.partition("\n")
        whole = next(c.text for c in map(cards.card, ("verbs", "sound", "names")) if c.text.startswith(f"# {title}\n"))
        assert summary.startswith("We ")
        assert summary in whole
        assert "#" not in text
        assert len(text) < len(whole)


def test_the_scorer_shares_the_decision(small: Any) -> None:
    store, cards, embedder = small
    alone = ids(store, Cards(store, embedder, cards).retrieve(Query("German verbs"), 6))
    longest = max(("verbs", "sound", "names"), key=lambda doc_id: len(cards.card(doc_id).text))
    assert alone[0] == "verbs" != longest
    for weight, first in ((0.0, "verbs"), (0.1, "verbs"), (1.0, longest)):
        found = Cards(store, embedder, cards, scorer=Lengths(), rerank_weight=weight).retrieve(Query("German verbs"), 6)
        assert ids(store, found)[0] == first
    with pytest.raises(ValueError, match="rerank_weight"):
        Cards(store, embedder, cards, rerank_weight=1.1)


def test_a_question_leads_to_the_chunk_that_answers_it(small: Any) -> None:
    store, _, embedder = small
    cards = with_cards(store, embedder, question_vectors=True)
    chunks = {
        chunk.key: chunk for doc_id in ("verbs", "sound", "names") for chunk in store.chunks(store.chunk_keys(doc_id))
    }
    for doc_id in ("verbs", "sound", "names"):
        card = cards.card(doc_id)
        for question in card_questions(card):
            text = card.text[question.start : question.end].partition(": ")[2]
            found = Cards(store, embedder, cards, search="dense", part="questions").retrieve(Query(text), 6)
            first = chunks[int(found.keys[0])].span
            assert first.doc_id == doc_id
            assert first.start <= question.answer.start < first.end
            assert int(found.keys[0]) in found.found_by["questions"]


def test_questions_are_pooled_by_their_maximum(small: Any) -> None:
    store, _, embedder = small
    cards = with_cards(store, embedder, question_vectors=True)
    (vector,) = embedder.embed(["names help a tagger"], "query")
    best = {
        d: float((cards.cards.vectors(cards.cards.chunk_keys(d)) @ vector)[1:].max())
        for d in ("verbs", "sound", "names")
    }
    low, high = min(best.values()), max(best.values())
    found = Cards(store, embedder, cards, search="dense", part="questions").retrieve(Query("names help a tagger"), 10)
    by_card = {store.chunks([key])[0].span.doc_id: score for key, score in found.found_by["cards"].items()}
    assert by_card == pytest.approx({d: (score - low) / (high - low) for d, score in best.items()}, abs=1e-4)


def test_what_cards_do_not_know_is_counted(small: Any) -> None:
    from dataclasses import replace

    from decoct.data import Chunk, Span
    from decoct.index.base import Entry

    store, cards, embedder = small
    for doc_id, text in (("new", "Zebras run."), ("sound", "Zebras stand.")):
        rows = embedder.embed([text], "passage")
        store.put([Entry(Document(doc_id, text), (Chunk(Span(doc_id, 0, len(text)), text),), rows, text)])
    cards = OpenCards(store, cards.cards)  # as a later process opens them
    with recording() as trace:
        Cards(store, embedder, cards).retrieve(Query("speech sounds"), 6)
    assert trace.fallbacks == {"cards.missing": 1, "cards.outdated": 1}
    Build(store, cards.cards, embedder, Rules()).run()
    cards = OpenCards(store, cards.cards)
    with recording() as trace:
        found = replace(Cards(store, embedder, cards), search="bm25").retrieve(Query("zebras"), 6)
    assert trace.fallbacks == {}
    assert set(ids(store, found)) == {"new", "sound"}


def test_documents_removed_since_are_passed_over(small: Any) -> None:
    store, cards, embedder = small
    store.delete(["sound"])
    with recording() as trace:
        found = Cards(store, embedder, cards).retrieve(Query("speech sounds"), 6)
    assert "sound" not in ids(store, found)
    assert trace.fallbacks == {"cards.document_gone": 1}


def test_bad_settings_are_refused(small: Any) -> None:
    store, cards, embedder = small
    with pytest.raises(ValueError, match="weights"):
        Cards(store, embedder, cards, weights=(-1, 1, 1))
