"""What stores with optional abilities must pass, one class an ability of `decoct.index.abilities` (names: `store_names_contract`)."""

from __future__ import annotations

import pytest

from decoct.errors import StoreBusyError
from decoct.index.abilities import (
    SupportsCompanions,
    SupportsEntries,
    SupportsLanguages,
    SupportsNearWords,
    SupportsRefresh,
    SupportsReplacement,
    SupportsSessions,
    SupportsState,
    SupportsVerify,
    caught_up,
)
from decoct.index.base import Store
from decoct.index.entries import digest_of
from decoct.index.resolve import open_store, remove_store, stored_settings
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_fixtures import StoreFixtures

GERMAN = "Die Brücken der Stadt wurden im Jahr 1932 eröffnet und tragen acht Fahrspuren über den Fluss."
ENGLISH = "The bridges of the city were opened in 1936 and carry eight lanes of traffic over the river."


class LanguagesContract(StoreFixtures):
    """The promises of `SupportsLanguages`."""

    def test_documents_are_stemmed_by_their_language(self, store: Store) -> None:
        """So that other forms of a word find them; a store without documents speaks English."""
        assert isinstance(store, SupportsLanguages)
        assert store.languages() == ("en",)
        store.put([make_entry("de", [GERMAN]), make_entry("en", [ENGLISH])])
        assert set(store.languages()) == {"de", "en"}
        for question, doc_id in [("Wann eröffnete man die Brücke?", "de"), ("bridge opening", "en")]:
            found = store.chunks(store.lexical(question, 5).keys)
            assert [chunk.span.doc_id for chunk in found] == [doc_id]


class NearWordsContract(StoreFixtures):
    """The promises of `SupportsNearWords`."""

    def test_words_typed_wrong_are_near(self, store: Store) -> None:
        """By as many edits as are asked for, a swap of neighbours being one; `k` chunks at the most."""
        assert isinstance(store, SupportsNearWords)
        assert len(store.near_words("rivr", 1, 5)) == 0
        store.put([make_entry("a", ["river stone"]), make_entry("b", ["garden"]), make_entry("c", ["river"])])
        for stem, edits, found in [
            ("rivr", 1, {"a", "c"}),
            ("rievr", 1, {"a", "c"}),
            ("rvr", 1, set()),
            ("rvr", 2, {"a", "c"}),
            ("garden", 0, {"b"}),
            ("gardn", 0, set()),
        ]:
            assert {chunk.span.doc_id for chunk in store.chunks(store.near_words(stem, edits, 5))} == found
        assert len(store.near_words("rivr", 1, 1)) == 1
        assert store.frequencies(["river", "lake"])[0].tolist() == [2, 0]


class SessionsContract(StoreFixtures):
    """The promises of `SupportsSessions`; give `second` too."""

    @pytest.fixture
    def second(self, store: Store) -> Store:
        """Another handle of the same library."""
        raise NotImplementedError("give the fixture 'second'")

    def test_a_session_keeps_other_writers_out(self, store: Store, second: Store) -> None:
        """From its beginning to its end; readers see what is written meanwhile."""
        assert isinstance(store, SupportsSessions)
        with store.session():
            with pytest.raises(StoreBusyError):
                second.put([make_entry("b", ["stone"])])
            store.put([make_entry("a", ["river"])])
            with pytest.raises(StoreBusyError):
                second.put([make_entry("b", ["stone"])])
            assert second.document("a").text == "river"
            store.put([make_entry("c", ["garden"])])
        store.close()
        second.put([make_entry("b", ["stone"])])
        assert [info.id for info in second.documents()] == ["a", "b", "c"]


class RefreshContract(StoreFixtures):
    """The promises of `SupportsRefresh`."""

    def test_refreshed_indexes_hold_every_change(self, store: Store) -> None:
        """Each that the status tells of."""
        assert isinstance(store, SupportsRefresh)
        store.put(corpus())
        store.delete(["doc-003"])
        store.refresh()
        status = store.status()
        assert status.derived
        assert set(status.derived.values()) == {status.sequence}


class VerifyContract(StoreFixtures):
    """The promises of `SupportsVerify` on what is whole; that damage is found is for a backend's own tests."""

    def test_what_was_stored_is_whole(self, store: Store) -> None:
        """Everything is looked at, and nothing told as damaged."""
        assert isinstance(store, SupportsVerify)
        store.put(corpus())
        told: list[tuple[int, int]] = []
        found = {one.what: one for one in store.verify(lambda done, of: told.append((done, of)))}
        assert found["documents"].checked == 30
        assert not [one for one in found.values() if one.damaged]
        assert {of for _, of in told} == {30}


class EntriesContract(StoreFixtures):
    """The promises of `SupportsEntries`."""

    def test_entries_come_back_as_they_were_put(self, store: Store) -> None:
        """By a digest of all of it; unknown ids are left out, and what is put again is the same."""
        assert isinstance(store, SupportsEntries)
        store.put([*corpus(), make_entry("bare", []), make_entry("plain", ["river", "stone"])])
        expected = {entry.document.id: digest_of(entry) for entry in corpus()}
        found = store.entries(["doc-007", "nowhere", "doc-003", "bare", "plain"])
        assert [entry.document.id for entry in found] == ["doc-007", "doc-003", "bare", "plain"]
        for entry in found[:2]:
            assert digest_of(entry) == expected[entry.document.id]
        store.put(found)
        assert list(map(digest_of, store.entries([one.document.id for one in found]))) == list(map(digest_of, found))


class ReplacementContract(StoreFixtures):
    """The promises of `SupportsReplacement`; give `location` too."""

    @pytest.fixture
    def location(self, store: Store) -> str:
        """Where `store` lies."""
        raise NotImplementedError("give the fixture 'location'")

    def test_another_store_in_its_place_is_noticed(self, store: Store, location: str) -> None:
        """One that was removed and made anew; not what is written to it."""
        assert isinstance(store, SupportsReplacement)
        store.put([make_entry("a", ["river"])])
        assert not store.replaced
        remove_store(location)
        made = open_store(location, {})
        made.put([make_entry("b", ["stone"])])
        made.close()
        assert store.replaced


class StateContract(StoreFixtures):
    """The promises of `SupportsState`."""

    def test_every_change_makes_another_state_and_nothing_else_does(self, store: Store) -> None:
        """Putting, replacing and removing; not reading, and not catching up."""
        assert isinstance(store, SupportsState)
        seen = [store.state()]
        store.put([make_entry("a", ["river"]), make_entry("b", ["stone"])])
        seen.append(store.state())
        store.put([make_entry("a", ["river"])])
        seen.append(store.state())
        store.delete(["b"])
        seen.append(store.state())
        assert len(set(seen)) == 4
        assert [one.sequence for one in seen] == sorted(one.sequence for one in seen)
        store.lexical("river", 5)
        store.nearest(unit_rows(1)[0], 5)
        caught_up(store)
        assert store.state() == seen[-1]
        told = store.status()
        assert store.state() == (told.library, told.generation, told.sequence)


class CompanionsContract(StoreFixtures):
    """The promises of `SupportsCompanions`."""

    def test_a_companion_is_a_store_of_its_own(self, store: Store) -> None:
        """Written and removed apart; its bytes count as the library's."""
        assert isinstance(store, SupportsCompanions)
        place = store.companion("notes")
        assert place == store.companion("notes")
        assert place != store.companion("cards")
        assert stored_settings(place) is None
        store.put([make_entry("a", ["river"])])
        before = store.status().bytes
        made = open_store(place, {"embedder": "other"})
        try:
            made.put([make_entry("b", ["stone"])])
            assert stored_settings(place) == {"embedder": "other"}
            assert store.status().bytes >= before + made.status().bytes
        finally:
            made.close()
        assert [info.id for info in store.documents()] == ["a"]
        assert len(store.lexical("stone", 5)) == 0
        remove_store(place)
        assert stored_settings(place) is None
        assert store.document("a").text == "river"
