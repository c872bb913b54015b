"""Cards go along when a library is built anew, as they are or made again; and what a search by cards is handed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from decoct.data import Chunk, Document, Span
from decoct.embed.base import Embedder
from decoct.errors import StaleIndexError
from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore
from decoct.retrieve.base import CardSource
from decoct.retrieve.cards.build import Build, carry_cards
from decoct.retrieve.cards.contributions import MaterialBatch
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.of_library import LibraryCards
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore

OLD, NEW = HashEmbedder(16), HashEmbedder(32)


@dataclass(frozen=True)
class Written(Rules):
    """Cards as a language model would write them: by something that is not at hand when they are taken along."""

    @property
    def fingerprint(self) -> str:
        return "model"

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        return Rules().generate(documents)


def entries(embedder: Embedder, *documents: Document, build: str) -> list[Entry]:
    found = []
    for one in documents:
        chunk = Chunk(Span(one.id, 0, len(one.text)), one.text, one.title)
        found.append(Entry(one, (chunk,), embedder.embed([one.text], "passage"), f"{build} {one.text}"))
    return found


def library(folder: Path, embedder: Embedder, *documents: Document, build: str = "old") -> EmbeddedStore:
    """The library in `folder`, whose documents have digests of this build."""
    store = EmbeddedStore.open(folder, settings={"embedder": embedder.fingerprint})
    store.put(entries(embedder, *documents, build=build))
    return store


def build_cards(store: EmbeddedStore, embedder: Embedder, generator: Rules | None = None) -> None:
    made = LibraryCards(store, embedder).writable().cards
    Build(store, made, embedder, generator or Rules()).run()
    made.close()


def cards_of(store: EmbeddedStore, embedder: Embedder) -> dict[str, tuple[str, str, list[list[float]]]]:
    """Text, digest and vectors of each card."""
    opened = LibraryCards(store, embedder).opened().cards
    found = {}
    for info in opened.documents():
        (digest,) = opened.digests([info.id]).values()
        found[info.id] = (opened.document(info.id).text, digest, opened.vectors(opened.chunk_keys(info.id)).tolist())
    opened.close()
    return found


@pytest.fixture
def other() -> Document:
    return Document("p2", "We present a bridge over the river. It carries eight lanes of traffic.", "A Bridge")


def test_with_the_same_embedder_cards_are_copied_and_belong_to_the_new_texts(
    tmp_path: Path, paper: Document, other: Document
) -> None:
    with library(tmp_path / "old", OLD, paper, other) as source:
        build_cards(source, OLD, Written())
        with library(tmp_path / "new", OLD, paper, other, build="new") as target:
            for _ in range(2):  # again after an interruption, which passes over what is there
                carry_cards(source, target, OLD)
            before, after = cards_of(source, OLD), cards_of(target, OLD)
            assert {one: (text, rows) for one, (text, _, rows) in after.items()} == {
                one: (text, rows) for one, (text, _, rows) in before.items()
            }
            report = Build(target, LibraryCards(target, OLD).writable().cards, OLD, Written()).run()
            assert (report.made, report.unchanged) == (0, 2)


def test_a_card_of_an_older_text_stays_one(tmp_path: Path, paper: Document) -> None:
    with library(tmp_path / "old", OLD, paper) as source:
        build_cards(source, OLD)
        changed = Document(paper.id, paper.text + "\nMore.", paper.title)
        source.put(entries(OLD, changed, build="old"))
        with library(tmp_path / "new", OLD, changed, build="new") as target:
            carry_cards(source, target, OLD)
            assert cards_of(target, OLD) == cards_of(source, OLD)
            assert Build(target, LibraryCards(target, OLD).writable().cards, OLD, Rules()).run().made == 1


def test_cards_by_rules_are_made_again_for_another_embedder(tmp_path: Path, paper: Document, other: Document) -> None:
    with library(tmp_path / "old", OLD, paper, other) as source, library(tmp_path / "new", NEW, paper, other) as target:
        build_cards(source, OLD)
        carry_cards(source, target, NEW)
        build_cards(target, NEW)
        before, after = cards_of(source, OLD), cards_of(target, NEW)
        assert {one: text for one, (text, *_) in after.items()} == {one: text for one, (text, *_) in before.items()}
        assert {len(row) for _, _, rows in after.values() for row in rows} == {32}


def test_cards_by_a_model_cannot_be_made_again_without_it(tmp_path: Path, paper: Document) -> None:
    with library(tmp_path / "old", OLD, paper) as source, library(tmp_path / "new", NEW, paper) as target:
        build_cards(source, OLD, Written())
        with pytest.raises(StaleIndexError, match=r"decoct cards build.*its replies are on disk"):
            carry_cards(source, target, NEW)


def test_a_library_without_cards_or_with_none_left_gives_none(tmp_path: Path, paper: Document) -> None:
    with library(tmp_path / "old", OLD, paper) as source, library(tmp_path / "new", NEW) as target:
        carry_cards(source, target, NEW)
        carry_cards(MemoryStore(), target, NEW)
        build_cards(source, OLD, Written())
        source.delete([paper.id])
        build_cards(source, OLD, Written())  # which removes the only card
        carry_cards(source, target, NEW)
        with pytest.raises(StaleIndexError, match="no cards yet"):
            LibraryCards(target, NEW).opened()


def test_a_search_is_handed_cards_however_they_are_kept(tmp_path: Path, paper: Document) -> None:
    with library(tmp_path / "lib", OLD, paper) as store:
        source: CardSource = LibraryCards(store, OLD)
        with pytest.raises(StaleIndexError, match="run `decoct cards build`"):
            source.opened()
        build_cards(store, OLD)
        opened = source.opened()
        assert source.opened() is opened
        handed: CardSource = opened
        assert handed.opened() is opened
        assert opened.has(paper.id)
        assert not opened.has("nobody")
        with pytest.raises(StaleIndexError, match="another embedder"):
            LibraryCards(store, NEW).opened()
        opened.cards.close()
