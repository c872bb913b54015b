"""What a user named, read one by one: what each file gave, what could not be read, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from decoct.data import Document
from decoct.documents.base import Failure
from decoct.errors import CorpusError
from decoct.feed import Feed
from decoct.ingest import Report


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.txt").write_text("The mill by the river.")
    (root / "b.txt").write_text("Stones are carried by water.")
    return root


def fed(*given: str | Path | Document, **settings: object) -> tuple[Feed, Report, list[Document | Failure]]:
    feed, report = Feed(list(given), **settings), Report()  # type: ignore[arg-type]
    return feed, report, list(feed.documents(report))


def texts(found: Sequence[Document | Failure]) -> list[str]:
    return [one.text for one in found if isinstance(one, Document)]


def test_the_documents_of_a_folder_in_its_order(docs: Path) -> None:
    feed, report, found = fed(docs)
    assert texts(found) == ["The mill by the river.", "Stones are carried by water."]
    (root,) = feed.roots
    assert (root.path, root.files, root.unread) == (str(docs), 2, [])
    assert feed.ids == {"docs/a.txt", "docs/b.txt"}
    assert (report.total, report.share_read) == (2, 1.0)


def test_an_empty_text_is_not_the_working_directory(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs)
    with pytest.raises(CorpusError, match="names no file or folder"):
        list(Feed([""]).documents(Report()))


def test_documents_that_are_handed_over_are_passed_on(docs: Path) -> None:
    own = Document("mine", "Handed over.")
    feed, report, found = fed(own, docs / "a.txt")
    assert texts(found) == ["Handed over.", "The mill by the river."]
    assert feed.ids == {"a.txt"}  # what was read; the caller knows its own
    assert report.total == 2


def test_a_file_that_was_not_touched_is_not_read_again(docs: Path) -> None:
    before, _, _ = fed(docs)
    (docs / "b.txt").write_text("Stones are carried by water and wind.")
    feed, report, found = fed(docs, remembered=dict(before.read))
    assert texts(found) == ["Stones are carried by water and wind."]
    assert report.unchanged == 1
    assert feed.ids == {"docs/a.txt", "docs/b.txt"}


def test_what_failed_before_is_told_again_without_reading(docs: Path) -> None:
    (docs / "c.json").write_text('{"title": "no text"}')
    before, _, first = fed(docs)
    told = [one for one in first if isinstance(one, Failure)]
    assert len(told) == 1
    _, report, again = fed(docs, remembered=dict(before.read))
    assert again == told
    assert report.unchanged == 2


def test_lines_of_records_are_kept_by_their_number(docs: Path) -> None:
    (docs / "r.jsonl").write_text('{"text": "one"}\n\n{"text": "three"}\n')
    feed, _, found = fed(docs / "r.jsonl")
    assert texts(found) == ["one", "three"]
    (read,) = feed.read.values()
    assert (read.lines, read.whole) == ({"1", "3"}, False)


def test_a_file_of_one_document_is_read_whole(docs: Path) -> None:
    feed, _, _ = fed(docs / "a.txt")
    (read,) = feed.read.values()
    assert (read.lines, read.whole, read.ids) == (set(), True, {"a.txt"})


def test_a_path_that_is_not_there_is_unread(tmp_path: Path) -> None:
    feed, _, (failure,) = fed(tmp_path / "nowhere")
    assert isinstance(failure, Failure)
    assert failure.code == "missing"
    assert feed.roots[0].unread == [failure.source]


def test_a_link_that_leads_nowhere_hides_nothing(docs: Path) -> None:
    (docs / "link.txt").symlink_to(docs / "gone.txt")
    feed, _, found = fed(docs)
    assert texts(found) == ["The mill by the river.", "Stones are carried by water."]
    assert feed.roots[0].unread == []


def test_a_folder_that_is_to_be_skipped_is_not_entered(docs: Path) -> None:
    (docs / "lib").mkdir()
    (docs / "lib" / "c.txt").write_text("Inside the library.")
    assert "Inside the library." not in texts(fed(docs, skip=(docs / "lib",))[2])
    assert "Inside the library." in texts(fed(docs)[2])


def test_a_guessed_encoding_is_noted(docs: Path) -> None:
    (docs / "latin.txt").write_bytes("Die Mühle am Fluß und die Brücke über den Bach. ".encode("cp1252") * 8)
    _, report, _ = fed(docs / "latin.txt")
    assert len(report.notes) == 1
    assert "UTF-8 is always sure" in report.notes[0]


def test_what_is_ahead_is_guessed_by_the_lines(docs: Path) -> None:
    """Forty records of one length: after the first, thirty-nine more are expected, beside the two files."""
    (docs / "z.jsonl").write_text('{"text": "a record of a line"}\n' * 40)
    feed, report = Feed([docs]), Report()
    totals = [report.total for _ in feed.documents(report)]
    assert totals[0] == 42
    assert totals[-1] == 42
    assert report.share_read == 1.0


def test_fields_of_records_that_questions_do_not_look_in_are_noted_once_a_file(tmp_path: Path) -> None:
    (tmp_path / "tickets.csv").write_text('ticket,product,text\nT-1,winch,"The handle is bent."\nT-2,winch,Rust.\n')
    (tmp_path / "parts.csv").write_text("part,stock\nrotor,12\nshaft,5\n")
    report = Report()
    list(Feed([str(tmp_path)]).documents(report))
    assert [note.partition(": ")[2] for note in report.notes] == [
        "questions look in its text alone, filters also in ticket, product"
    ]


def test_how_much_of_a_list_of_documents_was_read_goes_by_their_length() -> None:
    feed, report = Feed([Document("a", "x" * 300), Document("b", "x" * 100)]), Report()
    assert [report.share_read for _ in feed.documents(report)] == [0.0, 0.75]
    assert report.share_read == 1.0
