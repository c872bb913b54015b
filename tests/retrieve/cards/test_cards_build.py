"""Building: incremental, resumable, failures named; what is stored for a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from decoct.data import Chunk, Document, Span
from decoct.errors import DecoctError, MissingAbilityError, ModelTimeoutError, StaleIndexError
from decoct.index.base import Entry, Store
from decoct.index.embedded import EmbeddedStore
from decoct.index.resolve import remove_store
from decoct.retrieve.cards.build import BATCH, Build
from decoct.retrieve.cards.contributions import CardMaterial, MaterialBatch, MaterialCost
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.index import OpenCards, Vectors, card_alone, card_questions
from decoct.retrieve.cards.of_library import LibraryCards
from decoct.retrieve.cards.search import Cards
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore

EMBEDDER = HashEmbedder()


def put(store: Store, *documents: Document) -> None:
    for document in documents:
        text = document.text
        chunk = Chunk(Span(document.id, 0, len(text)), text, document.title)
        store.put([Entry(document, (chunk,), EMBEDDER.embed([text], "passage"), digest=text)])


@dataclass
class Failing:
    """Rules that fail for some documents, and record what they were asked for."""

    bad: set[str] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)
    fingerprint: str = "failing"

    def estimate(self, document: Document) -> MaterialCost:
        return MaterialCost(documents=1, calls=4, prompt_tokens=100)

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        self.seen += [d.id for d in documents]
        good = Rules().generate(documents).outcomes
        outcomes: list[CardMaterial | DecoctError] = [
            ModelTimeoutError("too slow") if d.id in self.bad else outcome
            for d, outcome in zip(documents, good, strict=True)
        ]
        return MaterialBatch(tuple(outcomes), MaterialCost(documents=len(documents), calls=4 * len(documents)))


def test_what_is_stored(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, paper)
    report = Build(library, cards, EMBEDDER, Rules()).run()
    assert (report.made, report.unchanged, report.removed, report.failed) == (1, 0, 0, {})
    card = cards.document("p1")
    assert card.title == "Clause Restructuring"
    assert card.metadata == {"year": 2005}
    assert card.source == "papers/p1.md"
    assert card.text.startswith("# Clause Restructuring\n\n# In its own words\nS1: ")
    whole, questions = cards.chunks(cards.chunk_keys("p1"))
    assert whole.text == card.text
    alone = OpenCards(library, cards).card("p1").text
    assert card.text == f"{alone}\f\n{paper.text}"  # words find a card by all that its document says
    assert len(alone.encode()) <= 3100
    assert questions.text == alone  # and by the card alone
    vectors = cards.vectors(cards.chunk_keys("p1"))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-3)
    for n, question in enumerate(card_questions(card), 1):
        assert card.text[question.start : question.end].startswith(f"S{n}: ")
        assert library.text(question.answer)


def test_without_the_full_text_a_card_is_found_by_what_it_says_alone(paper: Document) -> None:
    library, cards, alone = MemoryStore(), MemoryStore(), MemoryStore()
    put(library, replace(paper, text=f"{paper.text}\nReferences\nWe thank Ursula."))
    Build(library, cards, EMBEDDER, Rules()).run()
    build = Build(library, alone, EMBEDDER, Rules(), full_text=False)
    build.run()
    assert [place.doc_id for place, _ in OpenCards(library, cards).lexical("Ursula", 3)] == ["p1"]
    assert OpenCards(library, alone).lexical("Ursula", 3) == []
    assert alone.document("p1").text == OpenCards(library, cards).card("p1").text
    _, questions = alone.chunks(alone.chunk_keys("p1"))
    assert questions.text.startswith("S1: ")
    assert questions.text in alone.document("p1").text
    assert replace(build, full_text=True).estimate().documents == 1  # cards of the other kind are made anew


def test_question_vectors_add_a_chunk_each(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, paper)
    Build(library, cards, EMBEDDER, Rules(), question_vectors=True).run()
    questions = card_questions(cards.document("p1"))
    keys = cards.chunk_keys("p1")
    assert len(keys) == 2 + len(questions)
    third = cards.chunks(keys[2:3])[0]
    assert third.text.startswith("S1: ")
    expected = EMBEDDER.embed([third.text.removeprefix("S1: ")], "passage")[0]
    assert cards.vectors(keys[2:3])[0] == pytest.approx(expected, abs=1e-3)
    opened = OpenCards(library, cards)
    found = opened.nearest(expected, 1)[0]
    assert found[0] == ("p1", 2)
    assert [opened.answered_from("p1", 2 + n) for n in range(len(questions))] == [q.answer.start for q in questions]


@pytest.mark.parametrize("kind", ["pooled", "paper"])
def test_a_document_without_words_has_a_card_of_one_vector(kind: Vectors) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, Document("d", "1 2 3 4"), Document("e", "Some text without any cue at all stands here."))
    assert Build(library, cards, EMBEDDER, Rules(), kind).run().made == 2
    assert len(cards.chunk_keys("d")) == 1
    assert OpenCards(library, cards).card("d").text == "# d\n\n## Problem, methods and main results\n1 2 3 4\n"


def test_the_papers_vectors_are_those_of_the_texts(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, paper)
    Build(library, cards, EMBEDDER, Rules(), "paper").run()
    card = cards.document("p1")
    joined = " - ".join(card.text[q.start : q.end].partition(": ")[2] for q in card_questions(card))
    expected = EMBEDDER.embed([card_alone(card).text, joined], "passage")
    assert cards.vectors(cards.chunk_keys("p1")) == pytest.approx(expected, abs=1e-3)


def test_only_what_changed_is_made_again(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    papers = [replace(paper, id=f"p{n}", text=paper.text + f"Year {n}.") for n in range(BATCH + 3)]
    put(library, *papers)
    generator = Failing()
    build = Build(library, cards, EMBEDDER, generator)
    assert build.estimate() == MaterialCost(documents=19, calls=76, prompt_tokens=1900)
    steps: list[int] = []
    assert build.run(lambda report: steps.append(report.made)).made == 19
    assert steps == [BATCH, 19]
    assert build.run().as_dict() | {"seconds": 0} == {
        "made": 0, "unchanged": 19, "removed": 0, "failed": 0, "failures": [], "seconds": 0,
        "calls": 0, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0,
    }  # fmt: skip
    generator.seen.clear()
    put(library, replace(papers[4], text="Another text about something else entirely."))
    library.delete(["p7"])
    report = build.run()
    assert (report.made, report.unchanged, report.removed) == (1, 17, 1)
    assert generator.seen == ["p4"]
    assert "Another text" in cards.document("p4").text
    assert replace(build, question_vectors=True).estimate().documents == 18


def test_an_interrupted_build_is_resumed(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, *(replace(paper, id=f"p{n:02}") for n in range(2 * BATCH)))
    build = Build(library, cards, EMBEDDER, Failing())

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build.run(stop)
    assert build.run().made == BATCH


def test_failures_are_named_and_tried_again(paper: Document) -> None:
    library, cards = MemoryStore(), MemoryStore()
    put(library, paper, replace(paper, id="p2"))
    generator = Failing()
    build = Build(library, cards, EMBEDDER, generator)
    build.run()
    put(library, replace(paper, id="p2", text="A new text."))
    generator.bad = {"p2"}
    report = build.run()
    assert report.failed == {"p2": "too slow"}
    assert report.as_dict()["failures"] == [{"document": "p2", "reason": "too slow"}]
    assert report.made == 0
    assert cards.digests(["p2"]) == {}  # the old card would speak of another text
    generator.bad = set()
    assert build.run().made == 1


def test_cards_live_beside_the_librarys_store(tmp_path: Path, paper: Document) -> None:
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as library:
        put(library, paper)
        kept = LibraryCards(library, EMBEDDER)
        with pytest.raises(StaleIndexError, match="run `decoct cards build`"):
            kept.opened()
        assert not kept.usable()
        cards = kept.writable().cards
        Build(library, cards, EMBEDDER, Rules()).run()
        cards.close()
        assert kept.location == str(tmp_path / "lib" / "cards")
        assert kept.opened() is kept.opened()
        assert kept.opened().card("p1").title == "Clause Restructuring"
        kept.close()
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as library:
        kept = LibraryCards(library, HashEmbedder(32))
        with pytest.raises(StaleIndexError, match="another embedder"):
            kept.opened()
        other = kept.writable().cards  # removes what cannot be used
        assert other.status().documents == 0
        other.close()


def test_cards_that_another_process_made_anew_are_opened_again(tmp_path: Path, paper: Document) -> None:
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as library:
        put(library, paper)
        reading, building = LibraryCards(library, EMBEDDER), LibraryCards(library, EMBEDDER)
        for title in ("First", "Second"):
            put(library, replace(paper, title=title))
            remove_store(building.location)
            cards = building.writable().cards
            Build(library, cards, EMBEDDER, Rules()).run()
            cards.close()
            assert reading.opened().card("p1").title == title
        reading.close()


def test_retrievers_that_search_other_cards_are_not_equal() -> None:
    library, cards, other = MemoryStore(), MemoryStore(), MemoryStore()
    first = Cards(library, EMBEDDER, OpenCards(library, cards))
    assert first == Cards(library, EMBEDDER, OpenCards(library, cards))
    assert first != Cards(library, EMBEDDER, OpenCards(library, other))


def test_a_store_beside_which_nothing_can_be_kept_is_told() -> None:
    with pytest.raises(MissingAbilityError, match="folder"):
        LibraryCards(MemoryStore(), EMBEDDER).opened()


def test_a_title_that_looks_like_the_questions_misleads_no_offset(paper: Document) -> None:
    (outcome,) = Rules().generate([paper]).outcomes
    assert isinstance(outcome, CardMaterial)
    library, cards = MemoryStore(), MemoryStore()
    put(library, replace(paper, title=f"S1: {outcome.questions[0].text}"))
    Build(library, cards, EMBEDDER, Rules()).run()
    card = cards.document("p1")
    (at, *_) = card_questions(card)
    assert card.text[: at.start].endswith("# In its own words\n")


def test_what_cards_lack_and_what_they_take_is_known(tmp_path: Path, paper: Document) -> None:
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as library:
        put(library, paper, replace(paper, id="p2"))
        kept = LibraryCards(library, EMBEDDER)
        made = kept.writable()
        Build(library, made.cards, EMBEDDER, Rules()).run()
        stored = made.storage(kept.location)
        made.cards.close()
        assert (stored["cards"]["vectors"], stored["chunks"]["vectors"]) == (4, 2)
        assert min(stored["cards"]["bytes"], stored["chunks"]["bytes"]) > 0
        put(library, replace(paper, id="p3"), replace(paper, id="p2", text="Another text."))
        cards = kept.opened()
        assert (cards.coverage.missing, cards.coverage.chunks) == (1, 2)
        assert cards.outdated(["p1", "p2", "p3"]) == ["p2"]
        made = kept.writable()
        assert Build(library, made.cards, EMBEDDER, Rules()).run().made == 2
        assert made.coverage.missing == 0
        made.cards.close()
