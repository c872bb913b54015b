"""Traits in mapped files: the same bytes as SQLite's after every change, and files of the format before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from decoct.data import Keys
from decoct.index.embedded import EmbeddedStore, reading, rows
from decoct.index.embedded.rows import FORMAT, KEY, RowTraits, packed_ends
from decoct_testing.store_corpus import corpus, make_entry, unit_rows


def manifest_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "vectors" / "manifest.json").read_text())
    return found


def as_before(folder: Path) -> None:
    """Make the vector files what the format before left: no traits."""
    record = manifest_of(folder)
    checks = record["checks"]
    assert isinstance(checks, dict)
    record["checks"] = {kind: check for kind, check in checks.items() if kind not in {"traits", "ends"}}
    del record["trait_bytes"]
    record["format"] = 3
    (folder / "vectors" / "manifest.json").write_text(json.dumps(record))
    for path in [*folder.glob("vectors/traits-*"), *folder.glob("vectors/ends-*")]:
        path.unlink()


def every_key(store: EmbeddedStore) -> Keys:
    found = [store.chunk_keys(info.id) for info in store.documents()]
    return np.concatenate([*found, np.array([10**12], dtype=np.int64)])[::-1]


def from_files(store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch, keys: Keys) -> list[bytes]:
    """The traits, where SQLite must not be asked for them."""
    with monkeypatch.context() as patch:
        patch.setattr(reading, "traits", lambda *_: pytest.fail("SQLite was asked for traits"))
        return store.traits(keys)


def from_sqlite(store: EmbeddedStore, keys: Keys) -> list[bytes]:
    with store._opened.database.reading() as connection:
        return reading.traits(connection, keys.tolist())


def test_they_are_those_of_sqlite_after_putting_replacing_and_deleting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "FEW_DEAD", 10)
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as store:
        changes = (
            lambda: store.put(corpus()),
            lambda: store.put([make_entry("doc-002", ["garden", "river", "a stone"], seed=5)]),
            lambda: store.delete(["doc-004"]),
            lambda: store.delete([f"doc-{number:03}" for number in range(10, 25)]),  # a quarter: the rows are moved
        )
        for change in changes:
            change()
            store.refresh()
            keys = every_key(store)
            found = from_files(store, monkeypatch, keys)
            assert found == from_sqlite(store, keys)
            assert found[0] == b""
            assert sum(map(bool, found)) == len(keys) - 1
        assert manifest_of(tmp_path / "lib")["generation"] == 2
        gone = make_entry("gone", ["winter"], seed=6)
        store.put([gone])
        key = store.chunk_keys("gone")
        store.delete(["gone"])
        store.refresh()
        assert from_files(store, monkeypatch, key) == [b""]


def test_vector_files_of_the_format_before_are_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lib"
    with EmbeddedStore.open(folder, settings={"embedder": "x"}) as store:
        store.put(corpus())
        store.delete(["doc-003"])
    as_before(folder)
    with EmbeddedStore.open(folder, settings={}, read_only=True) as store:
        keys = every_key(store)
        assert store.traits(keys) == from_sqlite(store, keys)
        assert len(store.nearest(unit_rows(1)[0], 500)) == store.status().chunks  # searched without an index
    assert manifest_of(folder)["format"] == 3
    with EmbeddedStore.open(folder, settings={}) as store:
        store.refresh()
        assert manifest_of(folder)["format"] == FORMAT
        assert from_files(store, monkeypatch, keys) == from_sqlite(store, keys)
        assert {one.damaged for one in store.verify()} == {()}


def test_a_row_whose_traits_are_not_the_librarys_is_told(tmp_path: Path) -> None:
    """Whole by its checksum, but of another state than SQLite."""
    folder = tmp_path / "lib"
    with EmbeddedStore.open(folder, settings={"embedder": "x"}) as store:
        store.put([make_entry("a", ["river", "stone"]), make_entry("b", ["paper"])])
        with store._opened.database.writing() as connection:
            connection.execute("UPDATE chunks SET traits = x'00' WHERE key = 2")
        (told,) = [one for one in store.verify() if one.what == "index vectors"]
        assert told.damaged == ("1 rows differ from the library's traits",)


def test_slices_of_rows_in_any_order_and_twice() -> None:
    blocks = [b"one", b"", b"three", b"four"]
    traits = RowTraits(
        np.frombuffer(b"".join(blocks), dtype=np.uint8),
        np.frombuffer(packed_ends(0, blocks[:2]) + packed_ends(3, blocks[2:]), dtype=KEY),
    )
    assert traits.at(np.array([3, 0, 1, 2, 0])) == [b"four", b"one", b"", b"three", b"one"]
    assert traits.at(np.array([], dtype=np.int64)) == []
