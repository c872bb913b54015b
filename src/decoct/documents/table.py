"""CSV and its kin: the first row names the columns, every further row is a document.

A column named `text` (or one of its synonyms, see `records`) is the text; without one, the text is a line `column: value` for every
filled cell, so that a table of facts can be asked about. The delimiter is the commonest of comma, semicolon, tab and bar in the
first row. Rows are read as a stream; a row with too many or too few cells, or broken quotes, is a failure with its line. (A missing
cell may be the mark of a file that was cut off.)
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

from decoct.data import Document, Metadata
from decoct.documents.base import PIECE, Failure, Source
from decoct.documents.canonical import one_line
from decoct.documents.encoding import detected, encoding_of_mark, refuse_binary
from decoct.documents.records import KNOWN, TEXT, document
from decoct.documents.text import declared_charset
from decoct.errors import ParseError

_QUOTED = re.compile(r'"[^"]*"')


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield a document or a failure for each row, in order."""
    # The csv module has one limit for the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), source.limits.text_characters))
    encoding, notes = _encoding(source)
    source = replace(source, metadata={**source.metadata, **notes})
    columns: list[str] = []
    any_row = False
    with source.opener() as stream, io.TextIOWrapper(stream, encoding, newline="") as text:
        try:
            for line, row in _rows(_Lines(text, source.limits.text_characters)):
                if not columns:
                    columns = _columns(row)
                elif isinstance(row, csv.Error):
                    any_row = True
                    yield source.failure(f"the row cannot be read: {row}", "record", line)
                elif any(cell.strip() for cell in row):
                    any_row = True
                    yield _row(row, columns, source, line)
        except UnicodeError as error:
            raise ParseError(f"it is not all in {encoding}: save it as UTF-8") from error
    if not any_row:
        raise ParseError("it holds no rows below the first, which names the columns")


class _Lines:
    """The lines of a text, which can be given back after a row that could not be read."""

    def __init__(self, text: TextIO, most: int) -> None:
        self._text, self._most = text, most
        self._waiting: deque[str] = deque()
        self._row: list[str] = []
        self._size = 0
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else self._text.readline(self._most + 1)
        if not line:
            raise StopIteration
        if len(line) > self._most:
            raise ParseError(f"line {self.number + 1} is longer than {self._most:,} characters: is it CSV?")
        self.number += 1
        self._row.append(line)
        self._size += len(line)
        if self._size > self._most:
            raise csv.Error("it is longer than a document may be, for want of a closing quote perhaps")
        return line

    def peek(self) -> str:
        """The line that comes next, or the empty string."""
        if not self._waiting:
            self._waiting.append(self._text.readline(self._most + 1))
        return self._waiting[0]

    def begin_row(self) -> int:
        """Forget the last row; the number of the line at which the next begins."""
        self._row.clear()
        self._size = 0
        return self.number + 1

    def give_back(self) -> None:
        """Hand out all lines of this row again but its first."""
        self.number -= len(self._row) - 1
        self._waiting.extendleft(reversed(self._row[1:]))


def _rows(lines: _Lines) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Line numbers and rows, or what is wrong with them.

    A quote that is not closed takes in the lines after it up to the next quote. So after an error reading goes on with the line
    after the one at which the row began: what stood there is not lost with it.
    """
    rows = csv.reader(lines, delimiter=_delimiter(lines.peek()), strict=True)
    while True:
        line = lines.begin_row()
        try:
            yield line, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error
            lines.give_back()


def _row(row: list[str], columns: list[str], source: Source, line: int) -> Document | Failure:
    if len(row) != len(columns):
        reason = f"the row has {len(row)} cells where the first row has {len(columns)}"
        return source.failure(reason, "record", line)
    record = dict(zip(columns, row, strict=True))
    prose = (
        ""
        if any(key in record for key in TEXT)
        else "\n".join(f"{k}: {one_line(v)}" for k, v in record.items() if v.strip())
    )
    try:
        return document(record, source, line, prose)
    except ParseError as error:
        return source.failure(f"the row cannot be used: {error}", "record", line)


def _columns(row: list[str] | csv.Error) -> list[str]:
    """Names of the columns, each filled and unique; one with a meaning (`ID`, `Text`) in lower case, as tables are written by hand."""
    if isinstance(row, csv.Error):
        raise ParseError(f"its first row, which names the columns, cannot be read: {row}")
    names: dict[str, None] = {}  # as a set in order
    for number, cell in enumerate(row, 1):
        name = one_line(cell) or f"column {number}"
        name = name.lower() if name.lower() in KNOWN else name
        while name in names:
            name = f"{name} {number}"
        names[name] = None
    if not names:
        raise ParseError("its first row is empty: it must name the columns")
    return list(names)


def _delimiter(first: str) -> str:
    bare = _QUOTED.sub("", first)
    return max(",;\t|", key=bare.count)


def _encoding(source: Source) -> tuple[str, Metadata]:
    """The encoding of the whole file, found without holding it: UTF-8 if all of it is, else as told by a part that is not."""
    head = source.head(PIECE)
    encoding = encoding_of_mark(head)
    notes: Metadata = {}
    if not encoding:
        odd = _not_utf8(source)
        encoding, notes = ("utf-8", {}) if odd is None else detected(odd, declared_charset(source))
    refuse_binary(head.decode(encoding, "ignore"))
    return encoding, notes


def _not_utf8(source: Source) -> bytes | None:
    """The first piece of the file that is not UTF-8, with what comes before it in that piece; None if there is none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.opener() as stream:
        while piece := stream.read(PIECE):
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                return piece
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise ParseError("its last character is cut off: fetch or save it again") from None
    return None
