"""What a user named -> documents, and what was learned on the way: which files there are, what each gave, what could not be read.

Files are listed twice: first to know how much there is to do, then to be read one by one. Neither keeps the listing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from decoct.data import Document
from decoct.documents.base import LEFT_OUT, Failure, Source
from decoct.documents.files import expanded, find, printable
from decoct.documents.formats import parse
from decoct.documents.network.crawl import folder_of
from decoct.documents.network.remote import is_stored, root_of
from decoct.documents.paged.ocr import unsure_words
from decoct.documents.sources import is_url, sources
from decoct.errors import ConfigError, CorpusError
from decoct.ingest import Report

# A record's source is that of its file and its line; in an archive, of the archive, the file's number in it, and the line.
RECORD = re.compile(r"(?P<path>.*?)(?:#\d+)*#(?P<line>\d+)", re.DOTALL)
# Files that hold a document a line, and how much of one is looked at to guess how many (bytes).
_LINES = (".jsonl", ".ndjson", ".csv", ".tsv")
_LOOKED_AT = 1024 * 1024
_MOST_TOLD = 20  # records of one file of which it is told what was not read; each says it in its metadata too
# Failures after which it is not known what a folder holds.
UNREAD = frozenset({"missing", "unreadable", "depth"})


@dataclass(slots=True)
class Root:
    """A file or folder that was named, by its absolute path: how many files were found there, and what could not be read."""

    path: str
    files: int = 0
    unread: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ReadFile:
    """What one file gave: the ids of its documents, the lines of those that are records, and what failed."""

    stamp: tuple[int, ...]
    ids: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)
    whole: bool = False
    failures: list[Failure] = field(default_factory=list)
    told: int = 0

    def take(self, item: Document | Failure, origin: str) -> str:
        """Note what the file at `origin` gave next; return what a reader should know of the file, or nothing."""
        if isinstance(item, Failure):
            self.failures.append(item)
            return ""
        self.ids.add(item.id)
        found = RECORD.fullmatch(item.source)
        if item.source == origin:
            self.whole = True
        elif found and found["path"] == origin:
            self.lines.add(found["line"])
        told = []
        if len(self.ids) == 1 and (guessed := item.metadata.get("encoding_guessed")):
            unsure = ", which is unsure" if item.metadata.get("encoding_unsure") else ""
            told.append(f"its encoding was guessed to be {guessed}{unsure}; UTF-8 is always sure")
        if len(self.ids) == 1 and (fields := _beside_the_text(item)):
            told.append(f"questions look in its text alone, filters also in {', '.join(fields)}")
        unsure = unsure_words(item.metadata) if "pages_recognised" in item.metadata else ""
        if (unsure or LEFT_OUT in item.metadata) and self.told < _MOST_TOLD:
            self.told += 1
            told += [unsure] * bool(unsure)
            told += [f"not read as it stands: {item.metadata[LEFT_OUT]}"] * (LEFT_OUT in item.metadata)
        return f"{item.source if item.source.startswith(origin) else origin}: {'; '.join(told)}" if told else ""


def _beside_the_text(record: Document) -> list[str]:
    """The fields of a record that stand nowhere in its text."""
    if not RECORD.fullmatch(record.source):
        return []
    noted = (LEFT_OUT, "encoding_guessed", "encoding_unsure")
    fields = ((name, value) for name, value in record.metadata.items() if name not in noted)
    return [name for name, value in fields if isinstance(value, str) and value not in record.text]


@dataclass(slots=True)
class Feed:
    """The documents of `given`: paths, URLs, sources and documents. Folders of `skip` are left out.

    `stored` are the sources of the documents that the library holds, by id, where they are to be compared (see `Ingest.sources`);
    `remembered` is what files gave at an earlier time: those that have not been touched since are not read again. With `depth` the links
    of URLs are followed. `language` (ISO 639-1) is the one in which scans are recognised, empty or "auto" where it is not told.
    """

    given: Iterable[str | Path | Source | Document]
    allow_private: bool = False
    skip: tuple[Path, ...] = ()
    stored: dict[str, str] = field(default_factory=dict)
    remembered: dict[str, ReadFile] = field(default_factory=dict)
    roots: list[Root] = field(default_factory=list)
    read: dict[str, ReadFile] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    depth: int = 0
    language: str = ""

    def documents(self, report: Report) -> Iterator[Document | Failure]:
        """The documents in the order given; `report` is told how much there is, how much was read and what is being read."""
        if self.depth < 0:
            raise ConfigError(f"depth is how many links to follow, 0 or more, not {self.depth}")
        work = _Work(report)
        if not isinstance(self.given, Iterator):  # it can be gone through twice
            work.expect(self.given, self.skip)
        for item in self.given:
            if isinstance(item, Document):
                work.begin(item.source or item.id, len(item.text))
                work.document()
                yield item
                work.end()
                continue
            if isinstance(item, Source):
                yield from self._of(item, Root(item.origin), work)
                continue
            if item == "":  # of a variable that is not set: as a path it is the working directory
                raise CorpusError("an empty text names no file or folder")
            url = isinstance(item, str) and is_url(item)
            stored = url and is_stored(str(item))
            root = Root(root_of(str(item)) if stored else folder_of(str(item)) if url else _resolved(item))
            if self.depth or stored or not url:
                self.roots.append(root)
            for source in sources([item], allow_private=self.allow_private, skip=self.skip, depth=self.depth):
                if isinstance(source, Failure):
                    # A link is never followed, so one that leads nowhere hides nothing.
                    if source.code == "url" or (source.code in UNREAD and not Path(source.source).is_symlink()):
                        root.unread.append(source.source)
                    yield source
                else:
                    yield from self._of(source, root, work)

    def _of(self, source: Source, root: Root, work: _Work) -> Iterator[Document | Failure]:
        root.files += 1
        stamp, size = _stamp(source.path)
        work.begin(source.origin, size)
        before = self.remembered.get(source.origin)
        if before is not None and stamp and before.stamp == stamp:
            self.read[source.origin] = before
            self.ids |= before.ids
            work.report.unchanged += len(before.ids)
            work.end(len(before.ids))
            yield from before.failures
            return
        now = ReadFile(stamp)
        opened = replace(source, opener=lambda: work.opened(source.opener()), language=self.language)
        for item in parse(opened):
            if note := now.take(item, source.origin):
                work.report.notes.append(note)
            if isinstance(item, Document):
                work.document()
                self.ids.add(item.id)
            elif item.code in UNREAD:
                root.unread.append(item.source)
            yield item
        self.read[source.origin] = now
        work.end()


@dataclass(slots=True)
class _Work:
    """How far the reading is: sources and their bytes, expected and read."""

    report: Report
    sources: int = 0
    bytes: int = 0
    records: dict[str, int] = field(default_factory=dict)
    sources_read: int = 0
    bytes_read: int = 0
    documents_read: int = 0
    _size: int = 0
    _stream: BinaryIO | None = None
    _given: int = 0

    def expect(self, given: Iterable[str | Path | Source | Document], skip: tuple[Path, ...]) -> None:
        """Count the sources of `given`, and their bytes."""
        for item in given:
            if isinstance(item, Document) or (isinstance(item, str) and is_url(item)):
                self.sources += 1
                self.bytes += len(item.text) if isinstance(item, Document) else 1
                continue
            for source in (item,) if isinstance(item, Source) else find([item], None, skip):
                if isinstance(source, Source):
                    size = _stamp(source.path)[1]
                    self.sources += 1
                    self.bytes += size
                    if source.name.lower().endswith(_LINES):
                        self.records[source.origin] = _lines(source, size)
        self._tell()

    def begin(self, name: str, size: int) -> None:
        """A source of `size` bytes is about to be read."""
        self.report.current = name
        self.records.pop(name, None)
        self._size, self._stream, self._given = size, None, 0

    def opened(self, stream: BinaryIO) -> BinaryIO:
        """`stream`, by which it is known how far the source was read."""
        self._stream = stream
        return stream

    def document(self) -> None:
        """The source gave a document."""
        self._given += 1
        self._tell()

    def end(self, given: int = 0) -> None:
        """The source was read to its end; it gave `given` documents that were not told one by one."""
        self.sources_read += 1
        self.bytes_read += self._size
        self.documents_read += self._given + given
        self._size, self._stream, self._given = 0, None, 0
        self._tell()

    def _tell(self) -> None:
        if not self.sources:
            return
        at = self._position()
        others = self.sources - self.sources_read - len(self.records) + sum(self.records.values())
        here = self._given
        if here:  # of a file of records as many more are expected as its part read until now promises
            others -= 1
            here = max(here, round(here * self._size / at) if at else 0)
        self.report.total = self.documents_read + here + max(others, 0)
        self.report.share_read = min((self.bytes_read + at) / self.bytes, 1.0) if self.bytes else 0.0

    def _position(self) -> int:
        """How many bytes of the present source were read."""
        if self._stream is None:
            return 0
        try:
            return min(self._stream.tell(), self._size)
        except ValueError:  # it was read to its end and closed
            return self._size


def _lines(source: Source, size: int) -> int:
    """About how many lines a file has, judged by its first part."""
    try:
        head = source.head(_LOOKED_AT)
    except (CorpusError, OSError):  # it fails again, and is reported, when its turn comes
        return 1
    lines = head.count(b"\n") + (not head.endswith(b"\n")) - source.name.lower().endswith((".csv", ".tsv"))
    return max(round(lines * size / len(head)), 1) if head else 1


def _resolved(path: str | Path) -> str:
    """The path as sources name it; one that does not exist is not resolved."""
    place = expanded(path)
    try:
        return printable(place.resolve(strict=True))
    except (OSError, RuntimeError, ValueError):
        return printable(place.absolute())


def _stamp(path: Path | None) -> tuple[tuple[int, ...], int]:
    """What changes whenever a file does, and its size in bytes; nothing and 0 where that cannot be told."""
    try:
        status = path.lstat() if path is not None else None
    except OSError:
        status = None
    if status is None:
        return (), 0
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns), status.st_size
