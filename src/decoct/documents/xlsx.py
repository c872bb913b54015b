"""XLSX: the sheets of a workbook, each a heading, its tables and lines, then its text boxes, charts and comments.

Values are told as the sheet shows them (`numberformats`); below names of columns every row is a line `column: value | column: value`, so
that a piece of the sheet can be understood alone (`sheet_tables`). Formulas give the values that were saved with them; one without is told
as a formula. Hidden sheets and rows are read, as their values feed the others, and told in the metadata (`leftout`).

A sheet may claim a million rows of 16,384 cells and hold one: its claim is not believed.
"""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.leftout import left_out
from decoct.documents.package import damaged_package
from decoct.documents.prose import PARAGRAPH, Prose
from decoct.documents.sheet_cells import Styles, sheet_cells
from decoct.documents.sheet_parts import SheetParts
from decoct.documents.sheet_tables import write_tables
from decoct.errors import ParseError

_LOADING = threading.Lock()


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a workbook."""
    import openpyxl
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    prose = Prose()
    counts: Counter[str] = Counter()
    try:
        with _sizes_unread(ReadOnlyWorksheet):
            book = openpyxl.load_workbook(io.BytesIO(source.read()), read_only=True, data_only=True, keep_links=False)
        sheets = [sheet for sheet in book.worksheets if isinstance(sheet, ReadOnlyWorksheet)]  # charts have no rows
        styles = Styles(book)
        for sheet in sheets:
            counts += _sheet(sheet, styles, prose, source)
        title, author = (one_line(str(said or "")) for said in (book.properties.title, book.properties.creator))
    except ParseError:
        raise
    except Exception as error:  # a damaged package makes openpyxl raise nearly anything
        raise damaged_package(source) from error
    told: dict[str, MetadataValue] = {"author": author} if author and author != "openpyxl" else {}
    yield prose.document(source, title, {"sheets": len(sheets), **told, **left_out(counts)})


@contextmanager
def _sizes_unread(worksheet: Any) -> Iterator[None]:  # noqa: ANN401 - openpyxl has no types
    """While a workbook is loaded, no sheet's size is read: where a sheet claims none, openpyxl looks for it in all of its rows."""
    with _LOADING:
        read = worksheet._get_size
        worksheet._get_size = lambda _: None
        try:
            yield
        finally:
            worksheet._get_size = read


def _sheet(sheet: Any, styles: Styles, prose: Prose, source: Source) -> Counter[str]:  # noqa: ANN401 - openpyxl's types do not tell of this
    name, most = one_line(sheet.title), source.limits.text_characters
    styles.texts = sheet._shared_strings
    with sheet._get_source() as stream:
        cells = sheet_cells(stream, styles, name, most)
    parts = SheetParts(sheet.parent._archive, sheet._worksheet_path.lstrip("/"))
    drawn, comments = list(parts.drawn()), parts.comments()
    if not (cells.rows or drawn or comments):
        return cells.counts
    prose.title(canonical(sheet.title), 1)
    prose.gap(PARAGRAPH)
    write_tables(cells, parts.tables(), prose)
    for one in (*drawn, *comments):
        prose.gap(PARAGRAPH)
        if isinstance(one, str):
            prose.put(canonical(one))
        else:
            one.write(prose)
    if prose.length > most:
        raise ParseError(f"its text has more than {most:,} characters: split it")
    cells.counts["hidden sheets, read with the others"] += sheet.sheet_state != "visible"
    return cells.counts
