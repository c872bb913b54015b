"""What is gone, worked out from paths alone: no store but a list of what was removed, no folder but what a feed says of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from decoct.documents.base import Failure
from decoct.feed import Feed, ReadFile, Root
from decoct.ingest import Report
from decoct.sync import BATCH, Origin, finish, is_within, origin_of


class Removals:
    """A store that notes what it is told to remove."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.refreshed = 0

    def delete(self, doc_ids: Sequence[str]) -> int:
        self.calls.append(list(doc_ids))
        return len(doc_ids)

    def refresh(self) -> None:
        self.refreshed += 1


def finished(sources: dict[str, str], feed: Feed, *, prune: bool = True) -> tuple[Report, Removals]:
    report, store = Report(), Removals()
    finish(store, sources, feed, report, prune=prune)  # type: ignore[arg-type]
    return report, store


def fed(*roots: Root, read: dict[str, ReadFile] | None = None, ids: Sequence[str] = ()) -> Feed:
    return Feed([], roots=list(roots), read=read or {}, ids=set(ids))


@pytest.mark.parametrize(
    ("path", "folder", "within"),
    [
        ("/a/b", "/a", True), ("/a", "/a", True), ("/ab", "/a", False), ("/a/b", "/a/", True), ("/a", "/a/b", False), ("/x", "/", True),
    ],
)  # fmt: skip
def test_below_a_folder_is_told_by_whole_names(path: str, folder: str, within: bool) -> None:
    assert is_within(path, folder) is within


def test_a_record_is_its_file_and_line(tmp_path: Path) -> None:
    assert origin_of("/data/notes.jsonl#12") == Origin("/data/notes.jsonl", "12")
    assert origin_of("/data/notes.txt") == Origin("/data/notes.txt")
    assert origin_of("/data/a#b.txt") == Origin("/data/a#b.txt")
    named = tmp_path / "draft#2"
    named.write_text("A file whose name ends so.")
    assert origin_of(str(named)) == Origin(str(named))


def test_a_path_of_the_first_version_counts_from_here_where_the_id_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = str(Path.cwd().resolve() / "docs" / "a.txt")
    assert origin_of("docs/a.txt", "docs/a.txt") == Origin(there)
    assert origin_of("docs/a.txt#3", "docs/a.txt#3") == Origin(there, "3")
    assert origin_of("docs/a.txt", "elsewhere") == Origin("docs/a.txt")
    assert origin_of("https://a.example/docs/a.txt", "docs/a.txt") == Origin("https://a.example/docs/a.txt")


def test_only_what_lies_under_a_root_and_was_not_given_again_is_gone(tmp_path: Path) -> None:
    here = tmp_path / "here.txt"
    here.write_text("Still there.")
    sources = {
        "gone": f"{tmp_path}/gone.txt", "here": str(here), "again": f"{tmp_path}/moved.txt", "elsewhere": "/elsewhere/x.txt", "api": "api",
    }  # fmt: skip
    report, store = finished(sources, fed(Root(str(tmp_path), files=1), ids=["again"]))
    assert (report.gone_ids, store.calls, report.removed, store.refreshed) == (["gone"], [["gone"]], 1, 1)


def test_nothing_is_removed_unless_asked(tmp_path: Path) -> None:
    report, store = finished({"gone": f"{tmp_path}/gone.txt"}, fed(Root(str(tmp_path), files=1)), prune=False)
    assert (report.gone, report.removed, report.kept, store.calls) == (1, 0, [], [])


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (Root("/nowhere", files=0), "nothing of /nowhere is removed: there is no file in it"),
        (
            Root("/nowhere", files=3, unread=["/nowhere/a"]),
            "nothing of /nowhere is removed: /nowhere/a could not be read",
        ),
        (
            Root("/nowhere", files=3, unread=["/nowhere/a", "/nowhere/b", "/nowhere/c"]),
            "nothing of /nowhere is removed: /nowhere/a and 2 more could not be read",
        ),
    ],
)
def test_on_a_doubt_all_is_kept_and_the_report_says_why(root: Root, reason: str) -> None:
    report, store = finished({"gone": "/nowhere/gone.txt"}, fed(root))
    assert (report.gone_ids, report.kept, store.calls) == (["gone"], [reason], [])


def test_a_doubt_without_anything_gone_is_not_told() -> None:
    report, _ = finished({}, fed(Root("/nowhere")))
    assert report.kept == []


@pytest.mark.parametrize("order", [1, -1])
def test_a_doubt_about_a_folder_within_another_counts(order: int) -> None:
    """A disk that is not mounted, named beside the folder that it lies in: the outer folder's files say nothing of it."""
    outer, disk = Root("/nowhere", files=5), Root("/nowhere/disk", files=0)
    report, store = finished({"a": "/nowhere/disk/a.txt", "b": "/nowhere/b.txt"}, fed(*[outer, disk][::order]))
    assert (report.gone_ids, store.calls) == (["a", "b"], [["b"]])


def read(lines: Sequence[str] = (), *, whole: bool = False, failed: bool = False) -> ReadFile:
    failures = [Failure("f", "broken", "parse")] if failed else []
    return ReadFile((), lines=set(lines), whole=whole, failures=failures)


@pytest.mark.parametrize(
    ("doc_id", "line", "found", "gone"),
    [
        ("f#2", "#2", read(["1", "2"]), False),  # its line is there, under another id
        ("f#3", "#3", read(["1", "2"]), True),
        ("own-id", "#2", read(["1", "2"]), True),  # its own id was not given again
        ("f", "", read(["1"]), True),  # the file became records
        ("f", "", read(whole=True), False),  # the file was given under another id
        ("f#3", "#3", read(["1"], failed=True), False),  # what could not be read may hold it
    ],
)
def test_a_file_that_was_read_tells_what_it_still_holds(
    tmp_path: Path, doc_id: str, line: str, found: ReadFile, gone: bool
) -> None:
    path = str(tmp_path / "f")
    report, _ = finished({doc_id: path + line}, fed(Root(str(tmp_path), files=1), read={path: found}))
    assert report.gone_ids == [doc_id] * gone


def test_many_are_removed_a_transaction_at_a_time() -> None:
    sources = {f"{number:04d}": f"/nowhere/{number}" for number in range(2 * BATCH + 1)}
    report, store = finished(sources, fed(Root("/nowhere", files=1)))
    assert [len(call) for call in store.calls] == [BATCH, BATCH, 1]
    assert (report.removed, store.refreshed) == (2 * BATCH + 1, 1)


def test_what_only_moved_is_no_duplicate_of_what_was_removed() -> None:
    report, store = Report(same_text={"new": "old", "copy": "kept"}), Removals()
    finish(store, {"old": "/nowhere/old"}, fed(Root("/nowhere", files=1)), report, prune=True)  # type: ignore[arg-type]
    assert report.same_text == {"copy": "kept"}


def test_a_path_that_cannot_be_looked_at_is_taken_for_there() -> None:
    long = "/" + "x" * 5000
    report, _ = finished({"a": long, "b": "/no\0where"}, fed(Root("/", files=1)))
    assert report.gone_ids == []
