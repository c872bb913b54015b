"""The process that does one job, `python -m decoct.server.child`: ingests what was uploaded, or evaluates recipes, and ends.

It reads one line of JSON from standard input (`IngestOrder`, or that of `evaluating`), writes lines of JSON to standard output: how far it
came, then how it ended. Apart from the server it can be killed at any moment (batches are committed whole), has a memory limit of its
own, and gives the library's write lock back when it ends. It dies with the server: the end of its standard input is the server's end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from decoct.data import Document
from decoct.documents.base import Source
from decoct.errors import DecoctError, is_disk_full
from decoct.feed import Feed, ReadFile
from decoct.index.resolve import is_folder
from decoct.ingest import Report
from decoct.library import Library
from decoct.server.jobs import MOST_FAILURES
from decoct.server.spool import manifest_items

ORIGINALS = "originals"
_PDF = b"%PDF-"
_BETWEEN = 0.2  # seconds between two reports


@dataclass(frozen=True, slots=True)
class IngestOrder:
    """What the child is to do for the library at `place`.

    `spool` holds `manifest.json`, a list of files, documents and URLs, and the files it names.
    """

    place: str
    spool: str
    embedder: str | None = None
    chunker: str | None = None
    allow_private: bool = False


def original_of(folder: Path, doc_id: str) -> Path:
    """Where the file that a document was read from is kept, beside its library, to show its pages."""
    return folder / ORIGINALS / f"{hashlib.sha256(doc_id.encode('utf-8', 'replace')).hexdigest()[:40]}.pdf"


def picture_of(place: str | Path | None, document: Document) -> Path | None:
    """The PDF whose pages can be shown for a document: what was uploaded, else the file it was read from, where that is still there.

    Beside a library on a server no originals are kept; where the library is gone (None) there is nothing.
    """
    if place is None:
        return None
    if is_folder(place) and (kept := original_of(Path(place), document.id)).is_file():
        return kept
    read = Path(document.source)
    is_pdf = "pages" in document.metadata and read.is_absolute() and read.suffix.lower() == ".pdf"
    return read if is_pdf and read.is_file() else None


def main() -> None:
    """Do what standard input orders; the exit code is 0 where the end was told."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not a report
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_die_with_the_server, daemon=True).start()
    if memory := asked.pop("memory"):
        import resource

        # What it writes to, not what it maps: a large library's files are read through the page cache.
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    try:
        _tell(out, {"done": _done(asked.pop("kind"), asked, ProgressWriter(out))})
    except MemoryError:
        _tell_error(out, "memory", "it needs more memory than a job may take here")
    except (DecoctError, OSError) as error:
        if is_disk_full(error):
            _tell_error(out, "disk-full", "the server's disk is full; retry the job when there is room")
        elif isinstance(error, DecoctError):
            _tell_error(out, error.code, str(error))
        else:
            raise


def _done(kind: str, asked: dict[str, Any], told: ProgressWriter) -> dict[str, Any]:
    if kind == "ingest":
        return ingest(IngestOrder(**asked), told)
    from decoct.server.evaluating import EvaluationOrder, evaluated

    return evaluated(EvaluationOrder(**asked), told)


@dataclass(slots=True)
class ProgressWriter:
    """Writes how far an ingest came, a few times a second at most."""

    out: TextIO
    last: float = 0.0

    def __call__(self, report: dict[str, Any]) -> None:
        """Tell the report, unless the last one was told just now."""
        if time.monotonic() - self.last >= _BETWEEN:
            self.last = time.monotonic()
            _tell(self.out, {"progress": report})


def ingest(order: IngestOrder, told: ProgressWriter) -> dict[str, Any]:
    """Add what the spool holds to the library; return the whole report."""
    uploaded = Uploaded(Path(order.spool), Path(order.place) if is_folder(order.place) else None)
    with Library.open(order.place, embedder=order.embedder, chunker=order.chunker) as library:
        language = library.status().settings.get("language", "")
        feed = Feed(uploaded, order.allow_private, library.own_folders, read=uploaded.read, language=language)
        report = library.add(feed, progress=lambda report: told(_whole(report)))
    return {**_whole(report), "current": None, "share": 1.0, "seconds_left": None}


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What `spool` holds, as often as it is gone through.

    A PDF from which `read` tells that a document was made is kept `beside` the library, where that is a folder.
    """

    spool: Path
    beside: Path | None
    read: dict[str, ReadFile] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Document | Source | str]:
        for item in manifest_items(self.spool / "manifest.json"):
            match item["kind"]:
                case "document":
                    fields = {key: value for key, value in item.items() if key != "kind"}
                    yield Document(**{**fields, "names": tuple(fields.get("names", ()))})
                case "url":
                    yield str(item["url"])
                case "file":
                    path, name = self.spool / item["file"], item["name"]
                    yield Source(name, partial(path.open, "rb"), name, item.get("media_type", ""), path=path)
                    if self.beside is not None and name in self.read:
                        for id_ in self.read[name].ids:
                            keep_original(path, original_of(self.beside, id_))


def keep_original(path: Path, kept: Path) -> None:
    """Keep the file at `path`, if it is a PDF, as `kept`."""
    with path.open("rb") as file:
        if file.read(len(_PDF)) != _PDF:
            return
    kept.parent.mkdir(exist_ok=True)
    new = kept.with_suffix(".new")
    shutil.copyfile(path, new)
    new.replace(kept)


def _whole(report: Report) -> dict[str, Any]:
    """The report's numbers, its first failures, and how far it is (`share` of the whole, 0 where that is not known)."""
    # As many as a job keeps: all of a hundred thousand would be a line longer than the server reads, several times a second.
    said = [asdict(one) for one in report.failures[:MOST_FAILURES]]
    told = ("documents", "added", "replaced", "unchanged", "chunks", "seen", "embedded", "current", "seconds_left")
    counts = {name: getattr(report, name) for name in told}
    return {**counts, "failed": len(report.failures), "failures": said, "share": round(report.share, 4)}


def _tell(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()


def _tell_error(out: TextIO, code: str, message: str) -> None:
    _tell(out, {"error": {"code": code, "message": message}})


def _die_with_the_server() -> None:
    # Not through sys.stdin, whose lock the interpreter would wait for at a normal end.
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
