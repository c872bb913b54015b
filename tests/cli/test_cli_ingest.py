"""Ingesting and deleting from the command line: sync, progress, stops."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from decoct import Library
from decoct.cli.ingest import ProgressShown, line
from decoct.counted import counted
from decoct.index.embedded.database import Database
from decoct.ingest import Report

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def docs(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sqlite").mkdir(parents=True)
    for name in ("a", "sqlite/b", "sqlite/c[1]"):
        (folder / f"{name}.txt").write_text(f"This is the text of {name}.")
    code, out, _ = run("ingest", "docs", "--library", "lib")  # a busy machine tells its progress on standard error
    assert (code, out.startswith("3 documents: 3 added")) == (0, True)
    return folder


def test_gone_documents_are_told_and_pruned(run: Run, docs: Path) -> None:
    (docs / "a.txt").unlink()
    code, out, err = run("ingest", "docs", "--library", "lib")
    assert code == 0
    assert "2 documents: 0 added, 0 replaced, 2 unchanged" in out
    assert "1 document is gone from the source; --prune removes it" in err
    report = json.loads(run("ingest", "docs", "--library", "lib", "--prune", "--json")[1])
    assert (report["gone"], report["removed"], report["duplicates"]) == (1, 1, 0)
    assert json.loads(run("status", "--library", "lib", "--json")[1])["documents"] == 2


def test_a_missing_folder_is_an_error_and_an_empty_one_keeps_all(run: Run, docs: Path) -> None:
    docs.rename(docs.with_name("away"))
    code, _, err = run("ingest", "docs", "--library", "lib", "--prune")
    assert (code, "nothing removed" in err) == (2, True)
    docs.mkdir()
    code, _, err = run("ingest", "docs", "--library", "lib", "--prune")
    assert "3 documents are gone from the source\n" in err
    assert "there is no file in it" in err
    assert json.loads(run("status", "--library", "lib", "--json")[1])["documents"] == 3


def test_a_language_without_a_stemmer_is_told_of(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The mill was built in 1701.")
    given = ("ingest", "a.txt", "--json", "--library")
    (note,) = json.loads(run(*given, "one", "--language", "ed")[1])["notes"]
    assert "'ed' are not stemmed; those of ar, da, de" in note
    assert json.loads(run(*given, "two", "--language", "de")[1])["notes"] == []


def test_no_library_is_made_in_the_folder_of_its_documents(run: Run, docs: Path) -> None:
    code, _, err = run("ingest", "docs/", "--library", "docs")
    assert (code, "would lie among its own documents" in err) == (2, True)
    assert sorted(path.name for path in docs.iterdir()) == ["a.txt", "sqlite"]
    assert run("ingest", "docs", "--library", "docs/lib")[0] == 0  # a folder of its own below them is passed over
    assert run("ingest", "docs", "--library", "docs/lib")[1].startswith("3 documents: 0 added, 0 replaced, 3 unchanged")


def test_the_same_text_under_other_ids_is_told(run: Run, docs: Path) -> None:
    _, _, err = run("ingest", "docs/a.txt", "--library", "lib")
    assert "1 document is already here under another id (a.txt is the same text as docs/a.txt)" in err
    _, _, err = run("ingest", "docs/sqlite", "--library", "lib")
    assert "2 documents are already here under other ids" in err


def test_numbers_agree_with_their_nouns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("One text.")
    _, out, _ = run("ingest", "one.txt", "--library", "lib")
    assert out == "1 document: 1 added, 0 replaced, 0 unchanged; 1 chunk written\n"
    assert run("documents", "delete", "one.txt", "--library", "lib")[1] == "1 document deleted\n"
    assert (counted(0, "query", "queries"), counted(1, "query", "queries")) == ("0 queries", "1 query")


def test_documents_are_deleted_by_id_then_pattern_and_by_source(run: Run, docs: Path) -> None:
    code, out, _ = run("documents", "delete", "docs/sqlite/*", "--dry-run", "--library", "lib")
    assert (code, out) == (0, "2 documents would be deleted\n  docs/sqlite/b.txt\n  docs/sqlite/c[1].txt\n")
    found = json.loads(run("documents", "delete", "docs/sqlite/c[1].txt", "--dry-run", "--library", "lib", "--json")[1])
    assert found == {"deleted": 0, "unknown": [], "dry_run": True, "ids": ["docs/sqlite/c[1].txt"]}
    code, out, _ = run("documents", "delete", "--source", "./docs/sqlite/../sqlite", "--library", "lib")
    assert (code, out) == (0, "2 documents deleted\n")
    code, _, err = run("documents", "delete", "--source", "doc", "none*", "--library", "lib")
    assert (code, err) == (1, "  no document 'none*'\n  no document 'doc'\n")
    assert run("documents", "delete", "d?cs/*", "--library", "lib")[1] == "1 document deleted\n"
    assert run("documents", "delete", "--library", "lib")[0] == 2


def test_the_library_of_the_environment_counts_for_every_command(
    run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DECOCT_LIBRARY", "lib")
    for command in (
        ["status"],
        ["documents", "list"],
        ["documents", "show", "docs/a.txt"],
        ["context", "text of a"],
        ["search", "text of a"],
        ["ask", "text of a"],
        ["doctor"],
        ["cards", "build"],
        ["cards", "show", "docs/a.txt"],
        ["cards", "export", "cards"],
        ["ingest", "docs"],
        ["ingest", "--rebuild"],
        ["questions", "generate"],
        ["documents", "delete", "docs/a.txt"],
    ):
        code, _, err = run(*command)
        assert code == 0, (command, err)
    assert not Path(".decoct").exists()


def test_a_line_tells_how_far_it_is() -> None:
    report = Report(
        total=240, done=12, seen=20, embedded=310, embedding_seconds=10, seconds=12.0, current="/x/sqlite/lang.html"
    )
    report.characters_seen, report.characters_done, report.share_read = 2000, 1000, 0.2
    assert line(report) == "12 of 240 documents (10 %), 310 chunks, 31 chunks/s, 2 min left: /x/sqlite/lang.html"
    assert line(Report()) == "looking for documents"
    assert line(Report(total=1, current="\x1b[31mred.txt")) == "0 of 1 document: \\x1b[31mred.txt"


def test_without_a_terminal_there_is_a_line_at_once_and_every_few_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("decoct.cli.ingest.EVERY", 0.3)
    said, began = "", time.monotonic()
    with ProgressShown() as shown:
        shown(Report(total=240))
        while said.count("\n") < 3:
            assert time.monotonic() - began < 240, said
            time.sleep(0.02)
            said += capsys.readouterr().err
    lines = said.count("0 of 240 documents\n")
    assert 3 <= lines <= 2 + (time.monotonic() - began) / 0.3
    for quiet, total in ((False, 2), (True, 240)):  # quiet with --json: then an error is all of standard error
        with ProgressShown(quiet) as shown:
            shown(Report(total=total))
            time.sleep(0.3)
        assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_line_that_is_written_over(tmp_path: Path) -> None:
    """What draws it passes what cleans the words of documents for terminals."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "[bold]x.txt").write_text("The mill stands beside the river.")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from decoct.cli import main; main()", "ingest", "docs", "--library", "lib"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 1024):
                said += piece
    os.close(ours)
    assert process.returncode == 0
    text = said.decode()
    assert re.fullmatch(r"(\r[^\r\x1b]* ?\x1b\[K)+", text), text
    assert "\u241b" not in text


def test_progress_begins_anew_with_each_sync_of_a_watch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    shown, said = ProgressShown(), ""
    for number in (1, 2):
        with shown:
            shown(Report(total=240, done=number))
            until = time.monotonic() + 400
            while f"\r{number} of 240 documents" not in said:
                assert time.monotonic() < until, said
                time.sleep(0.02)
                said += capsys.readouterr().err


def _started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from decoct.cli import main; main()", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "DECOCT_THREADS": "1"},
    )  # fmt: skip


def test_ctrl_c_stops_an_ingest_at_once_and_keeps_what_was_stored(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(300):
        (folder / f"{n:03}.txt").write_text(f"Document {n} tells of the river and the mill beside it. " * 60)
    process = _started(tmp_path, "ingest", "docs", "--library", "lib")
    assert process.stderr is not None
    said = ""
    while "chunk" not in said:
        said = process.stderr.readline()
        assert said, "it ended without a line of progress"
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=240)[1]
    assert process.returncode == 130
    assert "interrupted" in rest
    with Library.open(tmp_path / "lib") as library:
        assert library.status().documents < 300  # it did not go on to the end


def test_a_full_disk_is_told_with_what_was_kept(run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = Database._connect

    def limited(self: Database, cache: int) -> sqlite3.Connection:
        connection = connect(self, cache)
        connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the pages that there are: it cannot grow
        return connection

    monkeypatch.setattr(Database, "_connect", limited)
    (docs / "new.txt").write_text("A line that is new. " * 5000)
    code, out, err = run("ingest", "docs", "--library", "lib", "--json")
    told = json.loads(err)["error"]
    assert (code, out, told["code"]) == (1, "", "disk-full")
    assert told["message"].endswith("free space and run it again: what was committed is kept")
    assert json.loads(run("status", "--library", "lib", "--json")[1])["documents"] == 3
    monkeypatch.undo()


def test_watching_from_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("The first text.")
    process = _started(tmp_path, "ingest", "docs", "--watch", "--json", "--library", "lib")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["added"] == 1
    (folder / "b.txt").write_text("The second text.")
    assert json.loads(process.stdout.readline())["added"] == 1
    (folder / "a.txt").unlink()
    assert json.loads(process.stdout.readline())["removed"] == 1
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=400)
    assert process.returncode == 130


def test_only_folders_are_watched(run: Run, docs: Path) -> None:
    code, _, err = run("ingest", "docs/a.txt", "--watch", "--library", "lib")
    assert (code, "keeps folders in sync" in err) == (2, True)
