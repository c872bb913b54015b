"""An opened library file: searches that need its database and its indexes together; and the folder as a backend."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Range, Ranking
from decoct.errors import ConfigError, StaleIndexError, StoreError
from decoct.index.embedded import EmbeddedStore, opening, reading, store
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.opened import Opened
from decoct.index.embedded.store import Embedded
from decoct_testing.store_corpus import make_entry, unit_rows

YEARS = {"year": (Range(((">=", "2001"),)),)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six documents of one chunk, keys 1 to 6, of the years 2000 to 2005, each with the word river."""
    with EmbeddedStore.open(tmp_path / "lib", settings={}) as filled:
        filled.put([make_entry(f"d{n}", ["river"], seed=n, metadata={"year": 2000 + n}) for n in range(6)])
    return tmp_path / "lib"


@pytest.fixture
def here(folder: Path) -> Iterator[Opened]:
    found = opening.opened(folder, {})
    yield found
    found.close()


def test_both_searches_pass_the_filter(here: Opened) -> None:
    assert here.lexical("rivers", 9, YEARS).keys.tolist() == [2, 3, 4, 5, 6]
    assert sorted(here.nearest(unit_rows(1)[0], 9, YEARS).keys.tolist()) == [2, 3, 4, 5, 6]
    assert here.nearest(unit_rows(1, seed=3)[0], 1, {}).keys.tolist() == [4]


def test_a_query_of_another_length_is_told_with_both(here: Opened) -> None:
    with pytest.raises(StoreError, match=r"have 12 dimensions, the query's has shape \(5,\)"):
        here.nearest(np.zeros(5, np.float32), 3, {})


def test_an_empty_library_has_nothing_near_whatever_the_length(tmp_path: Path) -> None:
    EmbeddedStore.open(tmp_path, settings={}).close()
    empty = opening.opened(tmp_path, {})
    assert len(empty.nearest(np.zeros(5, np.float32), 3, {})) == 0
    assert len(empty.lexical("river", 3, {})) == 0
    empty.close()


def test_a_range_is_worked_out_once_a_state_and_few_are_remembered(here: Opened, folder: Path) -> None:
    first = here.texts(YEARS)
    assert sorted(first["year"]) == ["2001", "2002", "2003", "2004", "2005"]
    assert here.texts(YEARS) is first
    for year in range(20):
        assert here.texts({"year": (Range((("<", str(year)),)),)}) == {"year": ()}
    assert here.texts(YEARS) is not first
    assert here.texts({"year": ("2001", "a\0")}) == {"year": ("2001",)}
    with EmbeddedStore.open(folder, settings={}) as other:
        other.put([make_entry("new", ["river"], metadata={"year": 2010})])
    assert "2010" in here.texts(YEARS)["year"]


def test_vectors_and_signatures_are_the_same_from_the_files_and_from_the_database(here: Opened) -> None:
    keys = np.array([4, 99, 1], np.int64)

    def kept() -> tuple[list[list[float]], list[list[int]]]:
        vectors = here.of_chunks(keys, VectorView.vectors, reading.vectors)
        return vectors.tolist(), here.of_chunks(keys, VectorView.signatures, reading.signatures).tolist()

    before = kept()
    here.nearest(unit_rows(1)[0], 1, {})  # now the files are loaded
    assert kept() == before
    assert before[0][1] == [0] * 12


def test_a_lagging_search_goes_on_until_enough_are_alive(
    here: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddedStore.open(folder, settings={}) as writer:
        here.nearest(unit_rows(1)[0], 1, {})
        here.lexical("river", 1, {})
        writer.delete(["d0", "d1", "d2"])
        asked: list[int] = []
        search = here.derived.lexical.search

        def counted(*given: object) -> Ranking:
            asked.append(given[2])  # type: ignore[arg-type]
            return search(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(here.derived.lexical, "search", counted)
        assert here.lexical("river", 2, {}).keys.tolist() == [4, 5]
        assert asked == [2, 4, 8]
        assert len(here.nearest(unit_rows(1)[0], 9, {})) == 3


def test_an_index_found_damaged_while_it_is_searched_is_built_again(
    here: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, broken = here.derived.lexical.search, [True]

    def once(*given: object) -> Ranking:
        if broken:
            broken.pop()
            raise DamagedIndexError("a page cannot be read")
        return search(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(here.derived.lexical, "search", once)
    with trace.recording() as record:
        assert here.lexical("river", 9, {}).keys.tolist() == [1, 2, 3, 4, 5, 6]
    assert record.fallbacks["store.lexical_rebuilt"] >= 1


# -- the store ---------------------------------------------------------------------------------------------------
def test_a_listing_of_several_pages_misses_and_repeats_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PAGE", 2)
    with EmbeddedStore.open(folder, settings={}) as opened:
        assert [one.id for one in opened.documents()] == [f"d{n}" for n in range(6)]
        assert [one.id for one in opened.documents(YEARS)] == [f"d{n}" for n in range(1, 6)]
        pages = opened.documents()
        next(pages)
        opened.delete(["d1", "d2", "d4"])  # d1 is of the page that is being read
        assert [one.id for one in pages] == ["d1", "d3", "d5"]


def test_which_chunks_exist_and_pass(folder: Path) -> None:
    with EmbeddedStore.open(folder, settings={}) as opened:
        opened.delete(["d3"])
        assert opened.passing([1, 4, 2, 99], {}).tolist() == [True, False, True, False]
        assert opened.passing(np.array([1, 4, 2, 99]), YEARS).tolist() == [False, False, True, False]
        assert opened.companion("cards") == str(folder / "cards")
        assert not opened.replaced


def test_nothing_asked_is_nothing_written(folder: Path) -> None:
    with EmbeddedStore.open(folder, settings={}, read_only=True) as opened:
        opened.put([])
        assert opened.delete([]) == 0
        assert opened.status().sequence == 1


# -- the backend -------------------------------------------------------------------------------------------------
def test_a_folder_or_its_url_is_a_location(folder: Path) -> None:
    backend = Embedded()
    for location in (str(folder), folder.as_uri()):
        opened = backend.open(location, {}, create=False)
        assert opened.status().documents == 6
        opened.close()


def test_the_stored_settings_are_told_without_opening(tmp_path: Path) -> None:
    backend = Embedded()
    assert backend.stored_settings(str(tmp_path / "lib")) is None
    made = backend.open(str(tmp_path / "lib"), {"embedder": "one"})
    assert backend.stored_settings(str(tmp_path / "lib")) is None  # nothing was ever put in it
    made.put([make_entry("a", ["river"])])
    made.close()
    assert backend.stored_settings(str(tmp_path / "lib")) == {"embedder": "one"}
    with pytest.raises(StaleIndexError, match="embedder 'one', not 'two'"):
        backend.open(str(tmp_path / "lib"), {"embedder": "two"})


def test_a_library_is_removed_whole_and_another_folder_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").touch()
    for location in (folder, tmp_path / "photos", tmp_path / "nowhere"):
        Embedded().remove(str(location))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["one.jpg", "photos"]


def test_the_address_of_a_server_is_no_folder() -> None:
    with pytest.raises(ConfigError, match="postgresql://"):
        Embedded().remove("postgresql://user:secret@host/name")
