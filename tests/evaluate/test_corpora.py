from __future__ import annotations

import sqlite3
from pathlib import Path

import tiny

from decoct.evaluate.system import chunker_json
from decoct.library import DEFAULT_CHUNKER, Library
from decoct_lab.corpora import fill, libraries
from decoct_testing.hash_embedder import HashEmbedder

CHUNKER = chunker_json(DEFAULT_CHUNKER)


def _open(cache: Path, told: list[str]) -> tuple[int, str]:
    with libraries(tiny.dataset(), {CHUNKER}, cache, embedder=HashEmbedder(), progress=told.append) as opened:
        status = opened[CHUNKER].status()
        return status.documents, str(status.settings["traits"])


def test_a_library_of_another_version_is_built_anew(tmp_path: Path) -> None:
    told: list[str] = []
    documents, version = _open(tmp_path, told)
    assert documents == 5
    (file,) = tmp_path.glob("*/library.db")
    with sqlite3.connect(file) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        assert "settings" in tables, tables
        database.execute("update settings set value = '0' where name = 'traits'")
    database.close()
    told.clear()
    assert _open(tmp_path, told) == (5, version)
    assert any("built anew" in line for line in told)
    told.clear()
    assert _open(tmp_path, told) == (5, version)
    assert told == []


def test_a_library_whose_filling_was_interrupted_is_filled(tmp_path: Path) -> None:
    """Figures over a part of the passages would be told as those of the set."""
    dataset, told = tiny.dataset(), list[str]()
    with Library.open(tmp_path / "part", embedder=HashEmbedder()) as library:
        library.add(list(dataset.documents())[:2])
        fill(library, dataset, told.append)
        assert library.status().documents == len(dataset.lengths) == 5
        told.clear()
        fill(library, dataset, told.append)
    assert told == []
