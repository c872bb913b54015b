"""XLSX: the sheets of a workbook, each a heading, its tables and lines, then its text boxes, charts and comments.

Values are told as the sheet shows them (`numberformats`); below names of columns every row is a line `column: value | column: value`, so
that a piece of the sheet can be understood alone (`sheet_tables`). Formulas give the values that were saved with them; one without is told
as a formula. Hidden sheets and rows are read, as their values feed the others, and told in the metadata (`leftout`).

A sheet may claim a million rows of 16,384 cells and hold one: its claim is not believed.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.leftout import left_out
from decoct.documents.package import damaged_package
from decoct.documents.prose import Prose, around_texts
from decoct.documents.tables.sheet_cells import Styles, sheet_cells
from decoct.documents.tables.sheet_parts import SheetParts
from decoct.documents.tables.sheet_tables import write_named_sheet
from decoct.errors import ParseError


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a workbook."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles.stylesheet import apply_stylesheet

    prose = Prose()
    counts: Counter[str] = Counter()
    try:
        # What is drawn in a theme, and whose sheet a name is, is nothing here; nor is what openpyxl looks for in all rows of a sheet.
        reader = ExcelReader(io.BytesIO(source.read()), read_only=True, keep_links=False, rich_text=True)
        for step in (reader.read_manifest, reader.read_strings, reader.read_workbook, reader.read_properties):
            step()
        book = reader.wb
        apply_stylesheet(reader.archive, book)
        styles = Styles(book, reader.shared_strings)
        found = reader.parser.find_sheets()
        sheets = [(sheet, part.target) for sheet, part in found if part.target in reader.valid_files]
        for sheet, path in sheets:
            counts += _sheet(sheet, reader.archive, path, styles, prose, source.limits.text_characters)
        for line in around_texts(styles.around):
            prose.paragraph(canonical(line))
        counts += +Counter({kind: count for kind, count in styles.counts.items() if kind})
        title, author = (one_line(str(said or "")) for said in (book.properties.title, book.properties.creator))
    except ParseError:
        raise
    except Exception as error:  # a damaged package makes openpyxl raise nearly anything
        raise damaged_package(source) from error
    told: dict[str, MetadataValue] = {"author": author} if author and author != "openpyxl" else {}
    yield prose.document(source, title, {"sheets": len(sheets), **told, **left_out(counts)})


def _sheet(sheet: Any, archive: zipfile.ZipFile, path: str, styles: Styles, prose: Prose, most: int) -> Counter[str]:  # noqa: PLR0917, ANN401
    """Write a sheet of at most so many characters; what is hidden in it."""
    with archive.open(path) as stream:
        cells = sheet_cells(stream, styles, one_line(sheet.name), most)
    parts = SheetParts(archive, path.lstrip("/"))
    written = write_named_sheet(sheet.name, cells, parts.tables(), [*parts.drawn(), *parts.comments()], prose)
    if prose.length > most:
        raise ParseError(f"its text has more than {most:,} characters: split it")
    cells.counts.update(parts.counts)
    cells.counts["hidden sheets, read with the others"] += written and sheet.state != "visible"
    return cells.counts
