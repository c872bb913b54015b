"""Building a library anew: what it keeps, what stands in its way, and that no write is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.errors import ConfigError, StoreBusyError, StoreError
from decoct.rebuild import rebuild
from decoct.retrieve.cards.build import Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.index import outdated, read_cards, write_cards
from decoct.testing.hash_embedder import HashEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as library:
        library.add([Document("a", "One river."), Document("b", "Two rivers.")])
    return tmp_path / "lib"


def test_what_is_not_named_stays_and_a_trailing_slash_is_nothing(folder: Path) -> None:
    assert rebuild(f"{folder}/", embedder=HashEmbedder()).added == 2
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert json.loads(library.status().settings["chunker"])["use"] == "sentence"
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


def test_beside_a_writer_it_is_refused_since_writes_would_be_lost(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.add(Document("c", "Three."))
        with pytest.raises(StoreBusyError):
            rebuild(folder, embedder=HashEmbedder())
        library.add(Document("d", "Four."))
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "b", "c", "d"]


def test_what_an_interrupted_rebuild_left_is_used_or_thrown_away(folder: Path) -> None:
    half = folder.with_name("lib.rebuild")
    with Library.open(half, embedder=HashEmbedder(), chunker="fixed") as library:  # of other settings
        library.add(Document("a", "One river."))
    assert rebuild(folder, embedder=HashEmbedder()).added == 2
    with Library.open(half, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as library:
        library.add([Document("a", "One river."), Document("deleted since", "Gone.")])
    report = rebuild(folder, embedder=HashEmbedder())
    assert (report.added, report.unchanged) == (1, 1)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "b"]


def test_a_copy_of_the_users_is_not_touched(folder: Path) -> None:
    folder.with_name("lib.old").mkdir()
    with pytest.raises(StoreError, match=r"lib\.old is in the way"):
        rebuild(folder, embedder=HashEmbedder())
    assert folder.with_name("lib.old").exists()


def test_without_a_library_there_is_nothing_to_rebuild(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no library"):
        rebuild(tmp_path / "none")


def test_cards_go_along(folder: Path) -> None:
    def cards_of(embedder: HashEmbedder) -> tuple[list[str], int]:
        with Library.open(folder, embedder=embedder) as library:
            cards = read_cards(library.store, embedder)
            texts = [cards.document(info.id).text for info in cards.documents()]
            return texts, Build(library.store, cards, embedder, Rules()).estimate().documents

    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = write_cards(library.store, library.embedder)
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
    before, _ = cards_of(HashEmbedder())
    assert rebuild(folder, embedder=HashEmbedder(), chunker="fixed").failures == []
    assert cards_of(HashEmbedder()) == (before, 0)  # and nothing is to be made again
    assert rebuild(folder, embedder=HashEmbedder(32)).failures == []
    assert cards_of(HashEmbedder(32)) == (before, 0)


def test_cards_that_only_a_model_can_make_are_named(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = write_cards(library.store, library.embedder)
        Build(
            library.store, cards, library.embedder, Rules(questions=3)
        ).run()  # other settings stand for another generator
        cards.close()
    (failure,) = rebuild(folder, embedder=HashEmbedder(32)).failures
    assert (failure.source, failure.code) == ("cards", "stale-index")
    assert "decoct cards build" in failure.reason
    with Library.open(folder, embedder=HashEmbedder(32)) as library:
        assert library.status().documents == 2


def test_a_card_of_an_older_text_stays_one(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = write_cards(library.store, library.embedder)
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
        library.add(Document("b", "Three rivers."))
    rebuild(folder, embedder=HashEmbedder(), chunker="fixed")
    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = read_cards(library.store, library.embedder)
        assert outdated(library.store, cards, ["a", "b"]) == ["b"]
