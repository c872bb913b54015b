"""A library kept equal to folders: what is gone is told by its path, and nothing is removed on a doubt."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.ingest import Report
from decoct.watch import watch
from decoct_testing.hash_embedder import HashEmbedder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("The mill by the river was built long ago.")
    (root / "sub" / "b.txt").write_text("Stones are carried by the water of spring.")
    (root / "sub" / "c.txt").write_text("A bridge of wood leads over it.")
    return root


def ids(library: Library) -> list[str]:
    return [info.id for info in library.documents()]


def test_what_vanished_is_told_and_removed_only_when_asked(library: Library, docs: Path) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    report = library.sync(docs)
    assert (report.gone, report.removed, report.gone_ids) == (1, 0, ["docs/a.txt"])
    assert "docs/a.txt" in ids(library)
    report = library.sync(docs, prune=True)
    assert (report.gone, report.removed, report.unchanged) == (1, 1, 2)
    assert ids(library) == ["docs/sub/b.txt", "docs/sub/c.txt"]
    assert report.as_dict()["removed"] == 1
    assert library.sync(docs, prune=True).gone == 0


def test_the_spelling_of_a_folder_changes_nothing(
    library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.sync(docs)
    (docs.parent / "link").symlink_to(docs)
    monkeypatch.setenv("HOME", str(docs.parent))
    monkeypatch.chdir(docs.parent)
    for spelt in ("docs", "./docs/", "docs/sub/..", "../" + docs.parent.name + "/docs", "link", "~/docs", docs):
        report = library.sync(spelt, prune=True)
        assert (report.unchanged, report.added, report.gone, report.duplicates) == (3, 0, 0, 0), spelt
    monkeypatch.chdir(docs / "sub")
    assert library.sync("..", prune=True).unchanged == 3
    (docs / "a.txt").unlink()
    assert library.sync("..", prune=True).removed == 1


def test_a_folder_is_no_prefix(library: Library, docs: Path) -> None:
    shutil.copytree(docs, docs.parent / "docs-old")
    library.sync([docs, docs.parent / "docs-old"])
    library.add([Document("docs/by-hand", "Given by a program."), Document("docs/other", "Also.", source="docs/other")])
    shutil.rmtree(docs.parent / "docs-old" / "sub")
    (docs / "sub" / "b.txt").unlink()
    report = library.sync(docs, prune=True)
    assert report.gone_ids == ["docs/sub/b.txt"]
    assert {"docs/by-hand", "docs/other", "docs-old/sub/b.txt"} <= set(ids(library))


def test_a_part_of_the_folder_says_nothing_of_the_rest(library: Library, docs: Path) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    (docs / "sub" / "c.txt").unlink()
    report = library.sync(docs / "sub", prune=True)
    assert report.gone_ids == ["docs/sub/c.txt"]
    assert ids(library) == ["docs/a.txt", "docs/sub/b.txt", "sub/b.txt"]


def test_a_missing_or_empty_folder_removes_nothing(library: Library, docs: Path) -> None:
    library.sync(docs)
    docs.rename(docs.parent / "elsewhere")
    report = library.sync(docs, prune=True)
    assert (report.gone, report.removed, [failure.code for failure in report.failures]) == (3, 0, ["missing"])
    docs.mkdir()
    (docs / ".hidden").write_text("not ours")
    report = library.sync(docs, prune=True)
    assert (report.gone, report.removed) == (3, 0)
    assert "there is no file in it" in report.kept[0]
    assert len(ids(library)) == 3


def test_a_folder_unreadable_in_part_removes_nothing(
    library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    real = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    (docs / "new.txt").write_text("Something that can be read.")
    monkeypatch.setattr(os, "scandir", scandir)
    report = library.sync(docs, prune=True)
    assert (report.gone_ids, report.removed) == (["docs/a.txt"], 0)
    assert "could not be read" in report.kept[0]
    monkeypatch.undo()
    assert library.sync(docs, prune=True).removed == 1


def test_a_file_that_the_system_does_not_give_removes_nothing(
    library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    real = os.open

    def refuse(path: str, *rest: int) -> int:
        if str(path).endswith("b.txt"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    report = library.sync(docs, prune=True)
    assert [failure.code for failure in report.failures] == ["unreadable"]
    assert (report.gone, report.removed) == (1, 0)


def test_a_damaged_file_keeps_its_document_and_hinders_no_other(library: Library, docs: Path) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    (docs / "sub" / "b.txt").write_bytes(b"%PDF-1.4 broken")
    (docs / "dangling").symlink_to("nowhere")
    report = library.sync(docs, prune=True)
    assert report.removed == 1
    assert ids(library) == ["docs/sub/b.txt", "docs/sub/c.txt"]


def test_records_that_left_their_file_are_gone(library: Library, docs: Path) -> None:
    rows = [{"id": "x", "text": "The first of them."}, {"id": "y", "text": "The second."}, {"text": "No id here."}]
    file = docs / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    library.sync(docs)
    library.sync(file)  # under another name for the record without an id
    assert {"x", "y", "docs/rows.jsonl#3", "rows.jsonl#3"} <= set(ids(library))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[1:]))
    report = library.sync(docs, prune=True)
    assert sorted(report.gone_ids) == ["docs/rows.jsonl#3", "rows.jsonl#3", "x"]
    assert {"y", "docs/rows.jsonl#2"} <= set(ids(library))
    file.write_text(json.dumps(rows[1]) + "\n{broken\n")
    assert library.sync(docs, prune=True).gone == 0  # what the broken line was is not known


def test_the_same_text_under_other_ids_is_reported(library: Library, docs: Path) -> None:
    library.sync(docs)
    report = library.sync([docs / "a.txt", docs / "sub"])
    assert (report.added, report.duplicates) == (3, 3)
    assert report.same_text["a.txt"] == "docs/a.txt"
    other = [
        Document("m", "The mill by the river was built long ago.", title="Mill"),
        Document("n", "New."),
        Document("o", "New."),
    ]
    report = library.add(other)
    assert set(report.same_text) == {"m", "o"}
    assert library.sync(docs).duplicates == 0


def test_a_file_that_only_moved_is_no_duplicate_after_pruning(library: Library, docs: Path) -> None:
    library.sync(docs)
    (docs / "a.txt").rename(docs / "sub" / "a.txt")
    report = library.sync(docs, prune=True)
    assert (report.added, report.removed, report.duplicates) == (1, 1, 0)


def test_two_folders_of_one_name_do_not_replace_each_other(library: Library, docs: Path) -> None:
    library.sync(docs)
    other = docs.parent / "other" / "docs"
    other.mkdir(parents=True)
    (other / "a.txt").write_text("Quite another text.")
    report = library.sync(other, prune=True)
    assert [failure.code for failure in report.failures] == ["id"]
    assert "mill" in library.document("docs/a.txt").text
    assert len(ids(library)) == 3


def test_a_folder_that_moved_is_taken_over(library: Library, docs: Path) -> None:
    library.sync(docs)
    moved = docs.parent / "new" / "docs"
    moved.parent.mkdir()
    docs.rename(moved)
    vectors = library.store.vectors(library.store.chunk_keys("docs/a.txt"))
    report = library.sync(moved)
    assert (report.unchanged, report.gone) == (3, 0)
    assert library.document("docs/a.txt").source == str(moved / "a.txt")
    assert (library.store.vectors(library.store.chunk_keys("docs/a.txt")) == vectors).all()
    (moved / "a.txt").unlink()
    assert library.sync(moved, prune=True).removed == 1


def test_paths_of_the_first_version_count_from_the_working_directory(
    library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add([Document("docs/old.txt", "An old one.", source="docs/old.txt")])
    library.add([Document("mine", "By a program.", source="docs/notes")])
    monkeypatch.chdir(docs.parent)
    assert library.sync("docs", prune=True).gone_ids == ["docs/old.txt"]
    assert "mine" in ids(library)


def test_nothing_is_half_stored_when_progress_raises(library: Library, docs: Path) -> None:
    for n in range(40):
        (docs / f"n{n:02}.txt").write_text(f"Document number {n} tells of the river. " * 40)

    class StoppedError(Exception):
        pass

    def stop(report: Report) -> None:
        if report.embedded:
            raise StoppedError

    with pytest.raises(StoppedError):
        library.sync(docs, progress=stop)
    assert library.status().chunks == 0
    seen: list[tuple[int, int, str]] = []
    library.sync(docs, progress=lambda report: seen.append((report.done, report.total, report.current)))
    assert seen[0] == (0, 0, "")
    assert seen[-1][:2] == (43, 43)
    assert seen[-1][2] == str(docs / "sub" / "c.txt")


def test_watching_keeps_a_folder_in_sync(library: Library, docs: Path) -> None:
    stop = threading.Event()
    reports = watch(library, [docs], stop=stop)
    assert next(reports).added == 3
    (docs / "a.txt").unlink()
    (docs / "d.txt").write_text("A new one.")
    added = removed = 0
    for report in reports:
        added, removed = added + report.added, removed + report.removed
        if (added, removed) == (1, 1):
            stop.set()
    assert ids(library) == ["docs/d.txt", "docs/sub/b.txt", "docs/sub/c.txt"]


def test_what_was_not_touched_is_not_read_again(library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remembered: dict[str, object] = {}
    library.sync(docs, remembered=remembered)  # type: ignore[arg-type]
    read: list[str] = []
    real = os.open

    def note(path: str, *rest: int) -> int:
        read.append(Path(path).name)
        return real(path, *rest)

    monkeypatch.setattr(os, "open", note)
    (docs / "a.txt").write_text("Changed.")
    report = library.sync(docs, remembered=remembered)  # type: ignore[arg-type]
    assert (report.unchanged, report.replaced, report.gone) == (2, 1, 0)
    assert set(read) & {"a.txt", "b.txt", "c.txt"} == {"a.txt"}


def test_records_that_have_one_id_are_all_kept(library: Library, tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    people, rooms, orders = (tmp_path / "db" / f"{name}.csv" for name in ("people", "rooms", "sales"))
    people.write_text("id,name\n1,Ann\n2,Bo\n")
    rooms.write_text("id,label\n1,Hall\n2,Attic\n")
    orders.write_text("id,item\n9,Bolt\n9,Nut\n9,Bolt\n9,Pin\n")
    report = library.sync(tmp_path / "db")
    assert (report.added, report.failures) == (7, [])
    assert report.notes == [
        f"{rooms}: ids that other records have: 2 (such a record is 'ID in FILE#LINE')",
        f"{orders}: ids that other records have: 2 (such a record is 'ID in FILE#LINE')",
    ]
    assert library.document("2").text == "id: 2\nname: Bo"
    assert library.document("2 in db/rooms.csv#3").text == "id: 2\nlabel: Attic"
    assert library.document("9 in db/sales.csv#3").text == "id: 9\nitem: Nut"
    again = library.sync(tmp_path / "db")
    assert (again.added, again.unchanged, again.gone) == (0, 8, 0)
    assert library.sync(rooms).added == 0


def test_records_on_one_line_keep_apart_from_those_of_another_file(library: Library, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(
            json.dumps([{"id": str(at), "text": f"Valve {name}{at} opens at {at} bar."} for at in (1, 2, 3)])
        )
    library.add([tmp_path / "a.json", tmp_path / "b.json"])
    texts = [library.document(info.id).text for info in library.documents()]
    assert sorted(texts) == [f"Valve {name}{at} opens at {at} bar." for name in "ab" for at in (1, 2, 3)]


def test_records_of_two_files_with_one_id_and_text_are_each_kept(library: Library, tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    for name in "ab":
        (tmp_path / "db" / f"{name}.csv").write_text("id,name\n1,Ann\n2,Bo\n")
    report = library.sync(tmp_path / "db")
    assert (report.added, report.unchanged) == (4, 0)
    assert {info.source.rpartition("/")[2] for info in library.documents()} == {
        "a.csv#2",
        "a.csv#3",
        "b.csv#2",
        "b.csv#3",
    }
    assert (library.sync(tmp_path / "db").unchanged, library.sync(tmp_path / "db" / "b.csv").added) == (4, 0)


def test_records_of_two_files_that_have_one_id_replace_nothing(library: Library, tmp_path: Path) -> None:
    pumps, valves = tmp_path / "a" / "pumps.json", tmp_path / "b" / "valves.json"
    for file, text in ((pumps, "The pump is blue."), (valves, "The valve is red.")):
        file.parent.mkdir()
        file.write_text(json.dumps([{"id": "1", "text": text}]), "utf-8")
    library.sync([pumps])
    assert library.sync([valves]).added == 1
    assert library.document("1").text == "The pump is blue."
    assert library.document("1 in b/valves.json#1").text == "The valve is red."
    pumps.write_text(json.dumps([{"id": "2", "text": "New."}, {"id": "1", "text": "The pump is green."}]), "utf-8")
    assert library.sync([pumps]).replaced == 1
    pumps.unlink()
    assert library.sync([valves]).replaced == 1


def test_a_new_file_that_cannot_be_read_may_be_one_that_vanished(library: Library, docs: Path) -> None:
    library.sync(docs)
    (docs / "a.txt").unlink()
    broken = docs / "broken.docx"
    broken.write_text("no archive")
    report = library.sync(docs, prune=True)
    assert (report.gone_ids, report.removed) == (["docs/a.txt"], 0)
    assert f"{broken} could not be read" in report.kept[0]
    broken.unlink()
    assert library.sync(docs, prune=True).removed == 1
