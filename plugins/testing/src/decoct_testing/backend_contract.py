"""What every backend must pass: stores are made, opened again, and known by the settings they were built with.

Subclass `BackendContract` and give the fixtures `backend` and `location`: an address at which nothing is yet.
"""

from __future__ import annotations

import pytest

from decoct.errors import StaleIndexError, StoreError
from decoct.index.base import Backend
from decoct_testing.store_corpus import make_entry

SETTINGS = {"embedder": "first", "chunker": '{"use": "fixed"}'}


class BackendContract:
    """The promises of `decoct.index.base.Backend`, one test each."""

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend under test."""
        raise NotImplementedError("give the fixture 'backend'")

    @pytest.fixture
    def location(self) -> str:
        """Where nothing is yet."""
        raise NotImplementedError("give the fixture 'location'")

    def test_where_nothing_is_nothing_is_made_unasked(self, backend: Backend, location: str) -> None:
        """Neither by asking for settings nor by opening without `create`."""
        assert backend.stored_settings(location) is None
        with pytest.raises(StoreError):
            backend.open(location, SETTINGS, create=False)
        assert backend.stored_settings(location) is None

    def test_a_store_is_found_again_with_its_settings(self, backend: Backend, location: str) -> None:
        """And with what was put."""
        made = backend.open(location, SETTINGS)
        made.put([make_entry("a", ["river", "stone"])])
        made.close()
        assert backend.stored_settings(location) == SETTINGS
        again = backend.open(location, SETTINGS, create=False)
        assert again.document("a").text == "river\nstone"
        assert len(again.lexical("stone", 5)) == 1
        assert dict(again.status().settings) == SETTINGS
        again.close()

    def test_other_settings_are_refused(self, backend: Backend, location: str) -> None:
        """Once there are documents; names that are not given are not compared."""
        made = backend.open(location, SETTINGS)
        made.put([make_entry("a", ["river"])])
        made.close()
        with pytest.raises(StaleIndexError, match="embedder"):
            backend.open(location, {**SETTINGS, "embedder": "second"})
        backend.open(location, {}).close()
        backend.open(location, {"chunker": SETTINGS["chunker"]}).close()

    def test_two_handles_see_the_same(self, backend: Backend, location: str) -> None:
        """What one has put the other reads at once."""
        first, second = backend.open(location, SETTINGS), backend.open(location, SETTINGS)
        first.put([make_entry("a", ["river"])])
        assert second.document("a").text == "river"
        assert second.digests(["a"]) == first.digests(["a"])
        first.close()
        second.close()

    def test_what_is_removed_is_gone(self, backend: Backend, location: str) -> None:
        """And removing what is not there is no error."""
        made = backend.open(location, SETTINGS)
        made.put([make_entry("a", ["river"])])
        made.close()
        for _ in range(2):
            backend.remove(location)
            assert backend.stored_settings(location) is None
        empty = backend.open(location, {**SETTINGS, "embedder": "second"})
        assert list(empty.documents()) == []
        empty.close()
