"""What the child of a job does: documents, files and addresses to a library, and a report of bounded length."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct import Library, feed
from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.server import child
from decoct.server.child import IngestOrder, ProgressWriter, ingest, original_of
from decoct.server.jobs import MOST_FAILURES
from decoct_testing.hash_embedder import HashEmbedder


@pytest.fixture
def order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IngestOrder:
    """For a new library, whose embedder needs no model."""
    opened = SimpleNamespace(open=lambda place, **_: Library.open(place, embedder=HashEmbedder()))
    monkeypatch.setattr(child, "Library", opened)
    (tmp_path / "spool").mkdir()
    return IngestOrder(str(tmp_path / "library"), str(tmp_path / "spool"))


def spool(order: IngestOrder, *items: dict[str, Any], **files: bytes) -> None:
    for name, data in files.items():
        (Path(order.spool) / name).write_bytes(data)
    (Path(order.spool) / "manifest.json").write_text("".join(f"{json.dumps(item)}\n" for item in items))


def stored(order: IngestOrder) -> dict[str, Document]:
    with Library.open(order.place, embedder=HashEmbedder()) as library:
        return {info.id: library.document(info.id) for info in library.documents()}


def nobody(_: dict[str, Any]) -> None:
    """Listens to no progress."""


def test_documents_and_files_are_stored_and_counted(order: IngestOrder) -> None:
    spool(
        order,
        {"kind": "document", "id": "note", "text": "The dam was built.", "title": "Dam", "metadata": {"year": 1911}, "names": ["the wall"]},
        {"kind": "file", "file": "0001", "name": "docs/mill.txt", "media_type": "text/plain"},
        {"kind": "file", "file": "0002", "name": "empty.json", "media_type": ""},
        **{"0001": b"The mill was built in 1622.", "0002": b"{"},
    )  # fmt: skip
    report = ingest(order, nobody)  # type: ignore[arg-type]
    assert {name: report[name] for name in ("documents", "added", "failed", "seen")} == {
        "documents": 2, "added": 2, "failed": 1, "seen": 2,
    }  # fmt: skip
    (failure,) = report["failures"]
    assert (failure["source"], sorted(failure)) == ("empty.json#1", ["code", "reason", "source"])
    found = stored(order)
    assert sorted(found) == ["docs/mill.txt", "note"]
    assert (found["note"].names, found["note"].metadata["year"]) == (("the wall",), 1911)
    assert str(order.spool) not in str(found)


def test_how_far_it_is_is_told_of_documents_and_of_files(order: IngestOrder) -> None:
    text = " ".join(f"Hall {number} was built in {1900 + number}." for number in range(90)).encode()
    spool(
        order,
        *({"kind": "document", "id": f"d{number}", "text": text.decode()} for number in range(40)),
        *({"kind": "file", "file": f"{number:04}", "name": f"f{number}.txt"} for number in range(40)),
        **{f"{number:04}": text for number in range(40)},
    )
    told: list[dict[str, Any]] = []
    end = ingest(order, told.append)  # type: ignore[arg-type]
    shares = [one["share"] for one in told]
    assert len({share for share in shares if 0 < share < 1}) > 5
    assert shares == sorted(shares)
    assert all(one["seconds_left"] is not None for one in told if one["share"])
    assert (end["added"], end["share"], end["current"]) == (80, 1.0, None)


def test_what_was_stored_already_costs_nothing(order: IngestOrder) -> None:
    spool(order, {"kind": "document", "id": "note", "text": "The dam was built."})
    ingest(order, nobody)  # type: ignore[arg-type]
    again = ingest(order, nobody)  # type: ignore[arg-type]
    assert (again["added"], again["unchanged"], again["chunks"]) == (0, 1, 0)


def test_addresses_of_this_network_are_not_fetched_unless_allowed(order: IngestOrder) -> None:
    spool(order, {"kind": "url", "url": "http://127.0.0.1:9/secret"}, {"kind": "document", "id": "a", "text": "A."})
    report = ingest(order, nobody)  # type: ignore[arg-type]
    assert (report["documents"], report["failed"]) == (1, 1)
    assert report["failures"][0]["source"] == "http://127.0.0.1:9/secret"


def test_more_failures_than_a_job_keeps_are_counted_and_not_told(
    order: IngestOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(source: Source) -> Iterator[Failure]:
        for number in range(3 * MOST_FAILURES):
            yield Failure(f"{source.name}#{number}", "x" * 1000, "parse")

    monkeypatch.setattr(feed, "parse", parse)
    spool(order, {"kind": "file", "file": "0001", "name": "many.zip"}, **{"0001": b""})
    report = ingest(order, nobody)  # type: ignore[arg-type]
    assert (report["failed"], len(report["failures"])) == (3 * MOST_FAILURES, MOST_FAILURES)
    assert report["failures"][0]["source"] == "many.zip#0"


def test_the_original_of_a_document_with_pages_is_kept(order: IngestOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(source: Source) -> Iterator[Document]:
        yield Document(source.name, "A page.", metadata={"pages": 1})

    monkeypatch.setattr(feed, "parse", parse)
    spool(order, {"kind": "file", "file": "0001", "name": "a.pdf"}, **{"0001": b"%PDF-1.4"})
    ingest(order, nobody)  # type: ignore[arg-type]
    assert original_of(Path(order.place), "a.pdf").read_bytes() == b"%PDF-1.4"


def test_a_job_has_no_more_memory_than_it_may_take() -> None:
    greedy = "from decoct.server import child\nchild._done = lambda *_: len(bytearray(2 << 30))\nchild.main()"
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", greedy], **streams) as process:  # type: ignore[call-overload]
        process.stdin.write(json.dumps({"kind": "ingest", "memory": 1 << 30}) + "\n")
        process.stdin.flush()  # and stays open: its end is the server's
        told = json.loads(process.stdout.readline())
    assert told["error"]["code"] == "memory"


def test_progress_is_told_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock: Any = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(child, "time", clock)
    out = io.StringIO()
    told = ProgressWriter(out)
    for number in range(5):
        told({"seen": number})
        clock.now += 0.125
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"progress": {"seen": number}} for number in (0, 2, 4)
    ]
