"""CSV and its kin: a row names the columns, or two rows do, or none; every further row is a document.

A column named `text` is the text; so is `Text` beside an id or a title, and a synonym (see `records`) that holds prose, or beside which
nothing else holds words.
Without one, the text is a line `column: value` for every filled cell, so that a table of facts can be asked about. The delimiter and the
lines above the names are found by the file's beginning (`csv_shape`); these lines are a document of their own and in the rows' metadata,
`above`, the first the rows' title. Behind a blank line may stand another table. A short file with tables side by side is one document,
as a sheet is. What a spreadsheet keeps as text (`="00412"`) is told without its sign.

Rows are read as a stream. Cells beyond the names are kept as `column 4`, and told (`left_out`); cells that are missing are blank; a row
with broken quotes is a failure with its line. A short file of labels and their values is one document.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TextIO, TypeAlias

from decoct.data import Document, Metadata
from decoct.documents.base import PIECE, Failure, Source, left_out
from decoct.documents.canonical import one_line
from decoct.documents.encoding import detected, encoding_of_mark, refuse_binary
from decoct.documents.tables.csv_shape import LOOKED_AHEAD, CsvShape, column_names, csv_shape, further_table
from decoct.documents.tables.records import ABSTRACT, ID, KNOWN, TEXT, TITLE, document, metadata_fields, plain_value
from decoct.documents.text import declared_charset
from decoct.errors import ParseError

_LONGEST = 1_000  # characters of the lines above the names
_PROSE = 80  # characters that a text has on average which is more than a cell
_LOOKED_AT = 100  # rows
_AS_TEXT = re.compile(r'="([^"]*)"')
_CsvRow: TypeAlias = list[str] | csv.Error  # or what is wrong with it


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield a document or a failure for each row, in order."""
    # The csv module has one limit for the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), source.limits.text_characters))
    encoding, notes = _encoding(source)
    source = replace(source, metadata={**source.metadata, **notes})
    sample = _sample(source, encoding)
    shape = csv_shape(sample)
    if shape.divided and len(sample) < PIECE // 2:
        from decoct.documents.tables.sheet_tables import tables_beside

        if (prose := tables_beside(shape.divided)) is not None:
            yield prose.document(source)
            return
    if shape.above:
        yield document({}, source, 1, "\n".join(shape.above))
        source = replace(source, metadata={**source.metadata, "above": "; ".join(shape.above)[:_LONGEST]})
    if shape.pairs:
        yield document({}, source, 1, "\n".join(f"{label}: {value}" for label, value in shape.pairs))
        return
    any_row = False
    with source.opener() as stream, io.TextIOWrapper(stream, encoding, newline="") as text:
        try:
            rows = _rows(_Lines(text, source.limits.text_characters), shape)
            for line, row, columns in _under_columns(rows, shape, sample):
                any_row = True
                if isinstance(row, csv.Error):
                    yield source.failure(f"the row cannot be read: {row}", "record", line)
                else:
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

    def begin_row(self) -> int:
        """Forget the last row; the number of the line at which the next begins."""
        self._row.clear()
        self._size = 0
        return self.number + 1

    def give_back(self) -> None:
        """Hand out all lines of this row again but its first."""
        self.number -= len(self._row) - 1
        self._waiting.extendleft(reversed(self._row[1:]))


def _rows(lines: _Lines, shape: CsvShape) -> Iterator[tuple[int, _CsvRow]]:
    """Line numbers and rows, or what is wrong with them.

    A quote that is not closed takes in the lines after it up to the next quote. So after an error reading goes on with the line
    after the one at which the row began: what stood there is not lost with it.
    """
    for _ in range(shape.lines):
        next(lines, "")
    rows = shape.rows(lines, strict=True)
    while True:
        line = lines.begin_row()
        try:
            yield line, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error
            lines.give_back()


def _under_columns(
    rows: Iterator[tuple[int, _CsvRow]], shape: CsvShape, sample: str
) -> Iterator[tuple[int, _CsvRow, _Columns | None]]:
    """The filled rows, and those that cannot be read, with their line and the columns under which they stand, if any."""
    columns: _Columns | None = None
    above: list[list[str]] = []
    ahead: deque[tuple[int, _CsvRow]] = deque()
    ended, labels = False, shape.labels
    while ahead or (ahead := deque(islice(rows, 1))):
        line, row = ahead.popleft()
        if columns is None:
            names = [row, *(one for _, one in islice(rows, max(0, shape.heads - 1)))]
            columns = _Columns(_columns(names, shape.heads), shape.title)
            columns.choose_text(sample, shape)
            if shape.heads:
                continue
        if isinstance(row, csv.Error):
            yield line, row, columns
        elif not any(map(str.strip, row)):
            ended = True
        else:
            if ended and above:
                ahead.extend(islice(rows, LOOKED_AHEAD - len(ahead)))
                error = next((at for at, (_, one) in enumerate(ahead) if isinstance(one, csv.Error)), len(ahead))
                coming = [row, *(one for _, one in islice(ahead, error) if isinstance(one, list))]
                found = further_table(coming, above, len(columns.names))
                if found is not None:
                    title, first, heads = found
                    columns = _Columns(_columns(coming[first : first + heads], heads), title or shape.title)
                    columns.text = "text" if "text" in columns.names else ""
                    ahead = deque(islice(ahead, first + heads - 1, None))
                    above, ended, labels = [], False, None
                    continue
            alone = row[0].strip() if sum(map(bool, map(str.strip, row))) == 1 else ""
            if alone and above and shape.heads and not columns.text and (ended or not alone[0].isalnum()):
                yield line, row, None  # a line behind the table
                continue
            ended = False
            above = [*above[1 - LOOKED_AHEAD :], row]
            if labels is not None and labels.depth and not columns.text:
                row = [*labels.row(row, [cell.strip() for cell in row])]
            yield line, row, columns


@dataclass(slots=True)
class _Columns:
    """The columns by what they are known by, as they are named; the title of rows that name none; which is the text, if one is."""

    names: dict[str, str]
    title: str
    text: str = ""

    def choose_text(self, sample: str, shape: CsvShape) -> None:
        """Find the column that is the text, by the first rows: a data set's (`text`, or beside an id or a title), or more than a cell."""
        named = [name for name in TEXT if name in self.names]
        self.text = named[0] if named else ""
        if not named or ("text" in named and self.stands_alone):
            return
        lines = sample.splitlines(keepends=True)[shape.lines :]
        rows = [row for row in shape.rows(lines) if any(row)][1 : _LOOKED_AT + 1]
        at = list(self.names).index(self.text)
        texts = [row[at] for row in rows if len(row) > at]
        others = {
            name
            for number, name in enumerate(self.names)
            if name not in KNOWN and any(row[number].strip() for row in rows if len(row) > number)
        }
        long = sum(map(len, texts)) >= _PROSE * max(1, len(texts))
        if others and not long:
            self.text = ""

    @property
    def stands_alone(self) -> bool:
        """Whether what stands beside the text is about it, and no part of it: in a data set, and not in a table that a person heads."""
        headed = self.names.get(self.text) != self.text and not self.names.keys() & {*ID, *TITLE}
        return self.text != ABSTRACT and not headed

    def named(self, row: list[str]) -> tuple[dict[str, str], int]:
        """The cells by the names of their columns, and how many had none."""
        count = len(self.names)
        surplus = {f"column {at}": cell for at, cell in enumerate(row[count:], count + 1) if cell.strip()}
        return {**dict(zip(self.names, row, strict=False)), **surplus}, len(surplus)


def _without_sign(cell: str) -> str:
    """A cell without the sign by which a spreadsheet is made to keep it as text."""
    found = _AS_TEXT.fullmatch(cell.strip()) if cell[:2] == '="' else None
    return found[1] if found else cell


def _row(row: list[str], columns: _Columns | None, source: Source, line: int) -> Document | Failure:
    row = [plain_value(_without_sign(cell)) for cell in row]
    if columns is None:
        return document({}, source, line, one_line(row[0]))
    record, surplus = columns.named(row)
    prose, aside = "", {}
    if not columns.text:
        prose = "\n".join(f"{columns.names.get(k, k)}: {one_line(v)}" for k, v in record.items() if v.strip())
        aside = {key: record.pop(key) for key in TEXT if key in record}
    elif columns.text in record:
        further = set(record) - (columns.names.keys() if columns.stands_alone else KNOWN)
        cells = [f"{columns.names.get(k, k)}: {one_line(v)}" for k, v in record.items() if k in further and v.strip()]
        record[columns.text] = "\n".join([record[columns.text], *cells])
    try:
        found = document(record, source, line, prose)
    except ParseError as error:
        return source.failure(f"the row cannot be used: {error}", "record", line)
    told = left_out({"cells beyond the named columns, kept under the number of theirs": surplus})
    if columns.title not in str(source.metadata.get("above", "")):  # of a further table
        told["above"] = columns.title
    return replace(
        found, title=found.title or columns.title, metadata={**found.metadata, **metadata_fields(aside), **told}
    )


def _columns(rows: Sequence[_CsvRow], heads: int) -> dict[str, str]:
    """The columns, each filled and unique, with their names: one with a meaning (`ID`, `Text`) is known by it in lower case."""
    heads_said: list[list[str]] = []
    for row in rows:
        if isinstance(row, csv.Error):
            raise ParseError(f"its first row, which names the columns, cannot be read: {row}")
        heads_said.append([_without_sign(cell) if heads else "" for cell in row])
    names: dict[str, str] = {}
    for number, cell in enumerate(column_names(heads_said), 1):
        said = cell or f"column {number}"
        name = said.lower() if said.lower() in KNOWN else said
        while name in names:
            name = f"{name} {number}"
        names[name] = said if name in (said, said.lower()) else name
    if not names:
        raise ParseError("its first row is empty: it must name the columns")
    return names


def _sample(source: Source, encoding: str) -> str:
    """The beginning of the file, up to its last line break there."""
    head = source.head(PIECE)
    text = head.decode(encoding, "replace")
    return text[: text.rfind("\n") + 1] if len(head) == PIECE and "\n" in text else text


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
