"""XLSX: the sheets of a workbook, by openpyxl, each a heading and its rows.

Where the first filled row of a sheet names its columns (all texts, two or more, no two alike), every row below is a line
`column: value | column: value`, so that a piece of the sheet can be understood alone; in other sheets a row is its values with bars
between them. Formulas give the values that were saved with them. Hidden sheets are read, as their values feed the others.

A sheet may claim a million rows of 16,384 cells and hold one: its claim is not believed, and rows that are missing between two others are
counted, up to the most that the format allows.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from typing import Any

from decoct.data import Document, Scalar
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.package import damaged_package
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.errors import ParseError

_ROWS = 1_048_576
_MIDNIGHT = datetime.time()


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a workbook."""
    import openpyxl

    prose = Prose()
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.read()), read_only=True, data_only=True, keep_links=False)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]  # charts have no rows
        for sheet in sheets:
            _sheet(sheet, prose, source)
        title, author = (one_line(str(said or "")) for said in (book.properties.title, book.properties.creator))
    except ParseError:
        raise
    except Exception as error:  # a damaged package makes openpyxl raise nearly anything
        raise damaged_package(source) from error
    metadata: dict[str, Scalar] = {**source.metadata, "sheets": len(sheets)}
    if author and author != "openpyxl":
        metadata["author"] = author
    yield Document(
        source.name,
        checked(prose.text, source.limits.text_characters),
        title=title,
        source=source.origin,
        metadata=metadata,
        headings=tuple(prose.headings),
        levels=prose.levels,
    )


def _sheet(sheet: Any, prose: Prose, source: Source) -> None:  # noqa: ANN401 - openpyxl's types do not tell of this
    sheet.reset_dimensions()
    columns: list[str] | None = None
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= _ROWS:
            raise ParseError(f"the sheet {one_line(sheet.title)!r} has more rows than a sheet can have: save it again")
        cells = [_shown(value) for value in row]
        if not any(cells):
            continue
        if columns is None:
            prose.gap(PARAGRAPH)
            mark = prose.mark()
            prose.say(canonical(sheet.title))
            prose.heading(prose.since(mark), 1)
            prose.gap(PARAGRAPH)
            columns = _columns(row, cells)
            if columns:
                continue
        prose.gap(LINE)
        prose.say(_line(columns, cells))
        if prose.length > source.limits.text_characters:
            raise ParseError(f"its text has more than {source.limits.text_characters:,} characters: split it")


def _columns(row: tuple[object, ...], cells: list[str]) -> list[str]:
    """The names of the columns, if the row is made of names."""
    names = [name for name in cells if name]
    named = len(names) > 1 and len(set(names)) == len(names) and max(map(len, names)) <= 100
    return cells if named and all(value is None or isinstance(value, str) for value in row) else []


def _line(columns: list[str], cells: list[str]) -> str:
    if not columns:
        return " | ".join(cell for cell in cells if cell)
    names = [*columns, *[""] * (len(cells) - len(columns))]
    return " | ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 10**15:
            return str(int(value))
        case datetime.datetime() if value.time() == _MIDNIGHT:
            return value.date().isoformat()
        case datetime.datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return one_line(str(value))
