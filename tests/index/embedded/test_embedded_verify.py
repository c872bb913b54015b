"""What `decoct doctor` tells of a library: what was looked at, what of it is not as it was put, and how far an index is behind."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from decoct.index.abilities import Checked
from decoct.index.embedded import EmbeddedStore
from decoct.index.embedded.verify import verified
from decoct_testing.store_corpus import make_entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents a (chunks 1 and 2) and b (chunk 3)."""
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        first = make_entry(
            "a", ["river", "stone"], metadata={"year": 2020}, names=("Alpha",), mentions=(("x",), ("y",))
        )
        store.put([first, make_entry("b", ["bridge"], metadata={"year": 2021})])
    return tmp_path


def change(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "library.db")
    connection.executescript(statement)
    connection.close()


OTHERS = "it holds 3 chunks, the library 3, or others"


def wrong_in(folder: Path) -> dict[str, tuple[str, ...]]:
    return {one.what: one.damaged for one in verified(folder) if one.damaged}


def test_a_sound_library_is_told_with_how_much_was_looked_at(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    found = list(verified(folder, lambda done, of: told.append((done, of))))
    assert told == [(0, 2), (1, 2)]
    assert [one.what for one in found] == [
        "pages", "documents", "texts", "chunks", "vectors", "metadata", "tables", "index lexical", "index vectors",
    ]  # fmt: skip
    assert [one.checked for one in found[1:]] == [2, 2, 2, 2, 2, 9, 3, 3]
    assert [(one.damaged, one.behind) for one in found] == [((), 0)] * 9
    assert found[0].checked > 1


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE texts SET text = replace(text, 'bridge', 'bribge')", {"texts": ("b",)}),
        ("UPDATE documents SET title = 'x' WHERE id = 'a'", {"documents": ("a",)}),
        ("UPDATE chunks SET past = 4 WHERE key = 1", {"chunks": ("a",)}),
        ("UPDATE metadata SET value = '1999' WHERE value = '2021'", {"metadata": ("b",)}),
        ("DELETE FROM sums WHERE document = 2", {"documents": ("b",)}),
        ("UPDATE meta SET value = 7 WHERE name = 'keys'", {"tables": ("the tally of keys",), "index vectors": (OTHERS,)}),
        ("INSERT INTO metadata VALUES ('k', 'v', 99)", {"tables": ("metadata of no document",)}),
        ("UPDATE names SET chunks = 5 WHERE chunks = 1", {"tables": ("names that chunks mention",)}),
        ("UPDATE names SET documents = 5 WHERE documents = 1", {"tables": ("names of documents",)}),
        ("INSERT INTO known_as VALUES (1, 1, 1.0)", {"tables": ("documents known by names",)}),  # of a name that has no row
        ("DROP TABLE known_as", {"tables": ("names of documents", "documents known by names")}),
    ],
)  # fmt: skip
def test_what_was_changed_is_named_and_nothing_else(
    folder: Path, damage: str, told: dict[str, tuple[str, ...]]
) -> None:
    change(folder, damage)
    found = wrong_in(folder)
    assert found.keys() == told.keys()
    for what, named in told.items():
        assert [one.partition(" (the library")[0] for one in found[what]] == list(named)


def test_a_vector_that_was_changed_is_told_of_the_table_and_of_the_files(folder: Path) -> None:
    change(folder, "UPDATE vectors SET vector = zeroblob(24) WHERE key = 3")
    assert wrong_in(folder) == {"vectors": ("b",), "index vectors": ("1 rows differ from the library's vectors",)}


def test_a_lost_row_is_told_wherever_it_is_missed(folder: Path) -> None:
    change(folder, "DELETE FROM chunks WHERE key = 2")
    assert wrong_in(folder) == {
        "chunks": ("a",),
        "tables": ("chunks and vectors", "mentions of chunks"),
        "index vectors": ("1 rows differ from the library's traits",),
    }


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("lexical/decoct.json", {"index lexical": ("lexical/decoct.json",)}),
        ("lexical/meta.json", {"index lexical": ("meta.json",)}),
        ("vectors/manifest.json", {"index vectors": ("vectors/manifest.json",)}),
    ],
)
def test_a_lost_file_of_an_index_is_named(folder: Path, lost: str, told: dict[str, tuple[str, ...]]) -> None:
    (folder / lost).unlink()
    assert wrong_in(folder) == told


def test_an_index_of_before_is_behind_and_not_damaged(folder: Path) -> None:
    for name in ("lexical", "vectors"):
        shutil.copytree(folder / name, folder / "old" / name)
    with EmbeddedStore.open(folder, settings={}) as store:
        store.put([make_entry("c", ["violin"])])
        store.delete(["a"])
    for name in ("lexical", "vectors"):
        shutil.rmtree(folder / name)
        shutil.copytree(folder / "old" / name, folder / name)
    *_, lexical, vectors = verified(folder)
    assert lexical == Checked("index lexical", 3, (), behind=2)
    assert vectors == Checked("index vectors", 3, (), behind=2)


def test_an_index_that_was_never_built_is_no_damage(tmp_path: Path) -> None:
    EmbeddedStore.open(tmp_path, settings={}).close()
    assert wrong_in(tmp_path) == {}
