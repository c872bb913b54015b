"""From locations to stores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from decoct import registry
from decoct.config import Resources, resolve
from decoct.data import Document
from decoct.errors import ConfigError, MissingAbilityError, MissingDistributionError
from decoct.index.base import Entry, Store
from decoct.index.embedded import EmbeddedStore
from decoct.index.resolve import folder_of, open_store, remove_store, stored_settings, without_password
from decoct.library import Library
from decoct.rebuild import rebuild
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry


class Plain:
    """A store that can only what every store must."""

    def __init__(self) -> None:
        self._inner = MemoryStore()

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") or not hasattr(Store, name):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def put(self, entries: list[Entry]) -> None:
        assert not any(part for entry in entries for part in (entry.names, entry.traits, entry.mentions))
        self._inner.put(entries)


class Shelf:
    """A backend whose stores live as long as the test."""

    stores: ClassVar[dict[str, tuple[Plain, Mapping[str, str]]]] = {}

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> Plain:
        return self.stores.setdefault(location, (Plain(), dict(settings)))[0]

    def stored_settings(self, location: str) -> dict[str, str] | None:
        return dict(self.stores[location][1]) if location in self.stores else None

    def remove(self, location: str) -> None:
        self.stores.pop(location, None)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a library on a backend that is registered by its scheme."""
    known = {**registry.STAGES["store"], "shelf": f"{__name__}:Shelf"}
    monkeypatch.setitem(registry.STAGES, "store", known)
    monkeypatch.setattr(registry, "names", lambda stage: registry.STAGES[stage])
    monkeypatch.setattr(Shelf, "stores", {})
    return "shelf://reader:secret@host/books"


def test_a_folder_and_its_url_are_one_store(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/my%20library"
    made = open_store(tmp_path / "my library", {"embedder": "e"})
    made.put([make_entry("a", ["river"])])
    made.close()
    assert isinstance(made, EmbeddedStore)
    assert stored_settings(url) == stored_settings(str(tmp_path / "my library")) == {"embedder": "e"}
    remove_store(url)
    assert not (tmp_path / "my library").exists()


def test_a_folder_that_is_no_library_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    remove_store(tmp_path)
    assert (tmp_path / "notes.txt").exists()


@pytest.mark.parametrize("location", ["", 5, None])
def test_what_names_no_place_makes_no_library(location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The empty name was the folder in which the program ran."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"name the library|location is to be"):
        Library.open(location, embedder=HashEmbedder())
    assert not list(tmp_path.iterdir())


def test_an_unknown_scheme_names_the_known_and_no_password() -> None:
    with pytest.raises(ConfigError, match="no store for flie:// addresses; did you mean 'file'") as caught:
        open_store("flie://me:secret@host/x", {})
    assert "secret" not in str(caught.value)
    assert without_password("postgresql://me:secret@host/x") == "postgresql://me:…@host/x"
    assert without_password("/a/b:c@d") == "/a/b:c@d"


@pytest.mark.parametrize("password", ["p@se/cret", "pa/se@cret", "p?se@cret", "p#se@cret", "a?b=c&se@cret"])
def test_a_password_that_is_not_encoded_is_not_shown_as_a_host(password: str) -> None:
    with pytest.raises(ConfigError, match=r"postgresql://me:…@host/x.*percent-encode") as caught:
        open_store(f"postgresql://me:{password}@host/x", {})
    assert "cret" not in str(caught.value)


def test_an_at_sign_elsewhere_is_no_password(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends with \.db"):
        open_store(f"milvus-lite://{tmp_path}/a@b.file", {})


def test_what_needs_a_folder_says_so(tmp_path: Path, shelf: str) -> None:
    assert folder_of(tmp_path, "this") == tmp_path
    with pytest.raises(ConfigError, match="building anew works on a library in a folder") as caught:
        rebuild(shelf)
    assert "secret" not in str(caught.value)


def test_a_library_lives_at_any_registered_address(shelf: str) -> None:
    with Library.open(shelf, embedder=HashEmbedder(), chunker={"use": "fixed", "tokens": 20}) as library:
        library.add([Document("a", "The stone bridge over the river was opened in 1906."), Document("b", "A garden.")])
        assert library.search("When was the bridge opened?", recipe="bm25")[0].chunk.span.doc_id == "a"
        assert library.context("When was the bridge opened?", recipe="hybrid").passages
    with Library.open(shelf, embedder=HashEmbedder()) as again:
        assert [info.id for info in again.documents()] == ["a", "b"]


def test_links_on_a_store_without_names_say_what_to_do(shelf: str) -> None:
    with Library.open(shelf, embedder=HashEmbedder()) as library:
        with pytest.raises(MissingAbilityError, match=r"'links' needs a store that keeps the names.*hybrid"):
            library.search("Who opened the bridge?", recipe={"retrieve": {"use": "links"}})
        with pytest.raises(MissingAbilityError, match="cards are kept in a store beside"):
            library.cards.opened()


def test_links_are_handed_a_store_that_has_names() -> None:
    store = MemoryStore()
    built = resolve("links", "retrieve", "links").build(Resources(store=store, embedder=HashEmbedder()))
    assert built.store is store


def test_an_address_of_a_store_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "names", lambda _stage: {"file": "decoct.index.embedded.store:Embedded"})
    with pytest.raises(MissingDistributionError, match="pip install decoct-postgresql") as told:
        open_store("postgresql://me:secret@host/db?library=notes", {})
    assert "secret" not in str(told.value)
