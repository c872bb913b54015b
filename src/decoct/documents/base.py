"""What a parser takes and gives, and the limits that bound both.

A `Source` is opened only when it is read, so a listing of a million files costs no memory and a file of records is read as a
stream. What cannot be read is a `Failure`, a value that reports carry, never a crash: a source of prose gives its whole document
or one failure; a source of records gives its good records, and a failure for each bad one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from decoct.data import Document, Link, Metadata, MetadataValue
from decoct.documents.canonical import checked
from decoct.errors import ParseError

LEFT_OUT = "left_out"
MB = 1024 * 1024
PIECE = MB  # how much is read at a time


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one source may cost. All sizes are in bytes unless named otherwise.

    `file_bytes`: a file or page that is parsed as a whole; `text_characters`: the text of one document (also one line of a file of
    records); `stream_bytes`: a file of records, also after inflation; `inflation`: how many times its own size compressed data may
    grow (text seldom passes 20, a zip bomb reaches 1,000); `entries`: files inside a DOCX; `depth`: folders below the one given;
    `pages`: of a PDF; `seconds`: to fetch one URL, and at the most to parse one document; `parse_seconds`: to parse a small document (a
    larger one has one second more for every 100 KB, up to `seconds`); `ocr_seconds`: instead of these for PDFs and pictures where text
    recognition is installed, which takes some seconds a page.
    """

    file_bytes: int = 200 * MB
    text_characters: int = 50 * MB
    stream_bytes: int = 64 * 1024 * MB
    inflation: int = 200
    entries: int = 10_000
    depth: int = 64
    pages: int = 20_000
    redirects: int = 5
    seconds: float = 120.0
    parse_seconds: float = 20.0
    ocr_seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class Failure:
    """One source or record that could not be used: where, why in one sentence with what to do, and a stable code.

    Codes given here: `missing`, `outside` (a link that leaves its folder), `special` (pipe, device, socket), `depth`, `size`,
    `unreadable`, `url`, `gone` (what a page links to is not there), `parse` (a whole source), `timeout` (parsing it took too long),
    `record` (one record of it).
    """

    source: str
    reason: str
    code: str = "parse"


def bare_name(name: str) -> str:
    """A file's name without the suffix of what packs it."""
    return re.sub(r"\.(gz|bz2|xz)$", "", name, flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """One file, page or byte string, not yet read.

    `name` becomes the document's id where the format gives none (`docs/a/b.md` or a URL); `opener` gives a fresh stream from the
    start each time and raises `ParseError` if that is no longer possible; `origin` is where a person finds it (a path or URL);
    `media_type` is what a server said, or empty; `metadata` is given to every document of the source; `path` is the file, where it is one;
    `language` (ISO 639-1) is the one in which pictures of text are recognised, empty or "auto" where it is not told.
    """

    name: str
    opener: Callable[[], BinaryIO]
    origin: str = ""
    media_type: str = ""
    metadata: Metadata = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    path: Path | None = None
    language: str = ""

    @classmethod
    def of(
        cls, name: str, data: bytes, *, origin: str = "", media_type: str = "", limits: Limits | None = None
    ) -> Source:
        """A source of bytes already in memory."""
        return cls(name, lambda: io.BytesIO(data), origin, media_type, limits=limits or Limits())

    @property
    def bare_name(self) -> str:
        """Its name without the suffix of what packs it."""
        return bare_name(self.name)

    def head(self, size: int) -> bytes:
        """The first `size` bytes (fewer if there are no more)."""
        with self.opener() as stream:
            return stream.read(size)

    def read(self) -> bytes:
        """All bytes; `ParseError` if there are more than `limits.file_bytes`."""
        pieces, total = [], 0
        with self.opener() as stream:
            while piece := stream.read(PIECE):
                total += len(piece)
                if total > self.limits.file_bytes:
                    raise ParseError(
                        f"it is larger than the limit of {size(self.limits.file_bytes)} for a file that is read as a whole: split it"
                    )
                pieces.append(piece)
        return b"".join(pieces)

    def document(
        self,
        text: str,
        title: str = "",
        metadata: Metadata | None = None,
        *,
        headings: Sequence[tuple[int, int]] = (),
        levels: Sequence[int] = (),
        links: Sequence[Link] = (),
    ) -> Document:
        """The one document of this source; `ParseError` if `text` is blank or too long. `metadata` stand beside the source's."""
        return Document(
            self.name,
            checked(text, self.limits.text_characters),
            title=title,
            source=self.origin,
            metadata={**self.metadata, **(metadata or {})},
            headings=tuple(headings),
            levels=tuple(levels),
            links=tuple(links),
        )

    def failure(self, reason: str, code: str = "parse", line: int | str | None = None) -> Failure:
        """A failure of this source, or of its record at `line`."""
        place = self.origin or self.name
        return Failure(place if line is None else f"{place}#{line}", reason, code)


def size(amount: int) -> str:
    """A number of bytes for a message: `200 MB`."""
    return f"{amount / MB:,.0f} MB" if amount >= MB else f"{amount:,} bytes"


class Parser(Protocol):
    """Turns one source into its documents: one for a page or a file of prose, one a record for CSV and JSON lines.

    Raises `ParseError` for a damaged, encrypted or empty source; where the format is made of records, a bad record is yielded as a
    `Failure` with its line, in its place. Never yields a document whose text is blank or longer than `limits.text_characters`.
    """

    def __call__(self, source: Source) -> Iterator[Document | Failure]:
        """Yield the documents in the order of the source."""


def left_out(counts: Mapping[str, int]) -> dict[str, MetadataValue]:
    """The field for what was left out, each kind with its count (`struck-out text (2)`); empty where nothing was."""
    told = "; ".join(f"{kind} ({count:,})" for kind, count in counts.items() if count)
    return {LEFT_OUT: told} if told else {}
