"""Files that replicas hand each other through their tables: in parts, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.server.tables import SqliteTables
from decoct_postgresql import job_files as handed
from decoct_postgresql.job_files import HandedFiles


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[SqliteTables]:
    made = SqliteTables(tmp_path / "jobs.db")
    made.run("PRAGMA synchronous = OFF")
    made.run(
        "CREATE TABLE files (job TEXT, path TEXT, part INTEGER, body BLOB, at REAL, PRIMARY KEY (job, path, part))"
    )
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    (folder / "run").mkdir(parents=True)
    (folder / "manifest.json").write_bytes(b"[]")
    (folder / "run" / "rows").write_bytes(bytes(range(256)))
    (folder / "empty").write_bytes(b"")
    return folder


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("part", [50, 128, 255, 256, 257])
def test_what_is_sent_is_what_is_fetched(
    tables: SqliteTables, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(handed, "_PART", part)
    files = HandedFiles(tables)
    files.send("j", here)
    (rows,) = tables.run("SELECT count(*) AS n FROM files WHERE path = 'run/rows'")
    assert rows["n"] == -(-256 // part)
    files.fetch("j", tmp_path / "there", None)
    assert held(tmp_path / "there") == held(here)


def test_sending_again_replaces_what_was_sent(
    tables: SqliteTables, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handed, "_PART", 100)
    files = HandedFiles(tables)
    files.send("j", here)
    (here / "run" / "rows").write_bytes(b"short")
    (here / "manifest.json").unlink()
    files.send("j", here)
    files.fetch("j", tmp_path / "there", None)
    assert held(tmp_path / "there") == {"run/rows": b"short", "empty": b""}


def test_a_version_that_is_here_is_not_fetched_again(tables: SqliteTables, here: Path, tmp_path: Path) -> None:
    files, there = HandedFiles(tables), tmp_path / "there"
    files.send("j", here)
    files.fetch("j", there, 1)
    (there / "manifest.json").write_bytes(b"changed here")
    files.fetch("j", there, 1)
    assert (there / "manifest.json").read_bytes() == b"changed here"
    files.fetch("j", there, 2)
    assert (there / "manifest.json").read_bytes() == b"[]"
    files.send("j", there)  # its own mark of the version is not handed on
    assert not tables.run("SELECT path FROM files WHERE path LIKE '%version%'")


def test_without_a_version_a_folder_that_is_here_stays(tables: SqliteTables, here: Path) -> None:
    before = held(here)
    HandedFiles(tables).fetch("j", here, None)
    assert held(here) == before


def test_jobs_do_not_mix_and_can_be_forgotten(tables: SqliteTables, here: Path, tmp_path: Path) -> None:
    files = HandedFiles(tables)
    files.send("a", here)
    files.send("b", here)
    files.remove("a")
    files.fetch("a", tmp_path / "a", None)
    files.fetch("b", tmp_path / "b", None)
    assert (held(tmp_path / "a"), held(tmp_path / "b")) == ({}, held(here))


def test_what_a_broken_request_left_is_cleared_after_a_day(tables: SqliteTables, here: Path) -> None:
    files = HandedFiles(tables)
    for job in ("new", "old", "known"):
        files.send(job, here)
    tables.run("UPDATE files SET at = at - 90000 WHERE job IN ('old', 'known')")
    tables.run("INSERT INTO jobs (id, library, state, sources, created) VALUES ('known', 'notes', 'queued', 1, 0)")
    HandedFiles(tables)
    assert {row["job"] for row in tables.run("SELECT DISTINCT job FROM files")} == {"new", "known"}
