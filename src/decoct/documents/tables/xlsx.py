"""XLSX: the sheets of a workbook, each a heading, its tables and lines, then its text boxes, charts and comments.

Values are told as the sheet shows them (`numberformats`); below names of columns every row is a line `column: value | column: value`, so
that a piece of the sheet can be understood alone (`sheet_tables`). Formulas give the values that were saved with them; one without is told
as a formula. Hidden sheets and rows are read, as their values feed the others, and told in the metadata (`left_out`).

A sheet may claim a million rows of 16,384 cells and hold one: its claim is not believed.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.counted import whole
from decoct.documents.office.charts import CHART, chart_tables
from decoct.documents.office.package_xml import DIAGRAM, DRAWING, RELATED, diagram_lines, drawn_words, xml_root_or_none
from decoct.documents.package import damaged_package
from decoct.documents.prose import Prose, around_texts
from decoct.documents.tables.grid import TableGrid
from decoct.documents.tables.sheet_cells import MAIN, Area, SheetCells, Styles, area_of, sheet_cells
from decoct.documents.tables.sheet_tables import write_named_sheet
from decoct.errors import ParseError

_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_SHEET = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"


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
        root = _parsed(reader.archive, reader.parser.workbook_part_name)
        told = next(root.iter("{*}calcPr"), root)  # of what is not told openpyxl says the opposite
        styles = Styles(book, reader.shared_strings, unsure=told.get("fullCalcOnLoad") in ("1", "true"))
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
    named: dict[str, MetadataValue] = {"author": author} if author and author != "openpyxl" else {}
    yield prose.document(source, title, {"sheets": len(sheets), **named, **left_out(counts)})


def _sheet(sheet: Any, archive: zipfile.ZipFile, path: str, styles: Styles, prose: Prose, most: int) -> Counter[str]:  # noqa: PLR0917, ANN401
    """Write a sheet of at most so many characters; what is hidden in it."""
    with archive.open(path) as stream:
        cells = sheet_cells(stream, styles, one_line(sheet.name), most)
    parts = SheetParts(archive, path.lstrip("/"))
    written = write_named_sheet(sheet.name, cells, parts.tables(), [*parts.drawn(), *parts.comments(cells)], prose)
    if prose.length > most:
        raise ParseError(f"its text has more than {most:,} characters: split it")
    cells.counts.update(parts.counts)
    cells.counts["hidden sheets, read with the others"] += written and sheet.state != "visible"
    return cells.counts


class SheetParts:
    """The parts that the sheet at `path` of a workbook refers to."""

    def __init__(self, archive: zipfile.ZipFile, path: str) -> None:
        self._archive = archive
        self._related = dict(_related(archive, path))
        self.counts = Counter({"controls": len(self._paths("ctrlProp"))})

    def tables(self) -> list[Area]:
        """The areas of the tables that have a row of names, from that on; of pivot tables too."""
        roots = [root for root in self._roots("table") if root.get("headerRowCount") != "0"]
        roots += [place for root in self._roots("pivotTable") for place in root.iterchildren(f"{MAIN}location")]
        found = [(root, area_of(root.get("ref") or "")) for root in roots]
        return [replace(area, top=area.top + whole(root.get("firstDataRow")) - 1) for root, area in found if area]

    def comments(self, cells: SheetCells) -> list[str]:
        """Comments and notes on cells and what these say, with their authors, in the order of the file; of a thread, all that was said."""

        def cell(place: str) -> str:
            area = area_of(place)
            row = cells.rows.get(area.top, {}) if area else {}
            told = [row[at].text for at in sorted(row) if area and at in (min(row), area.left)]
            return f"{place} ({': '.join(told)})" if told else place

        found: list[str] = []
        threads: set[str] = set()
        for root in self._roots("threadedComment"):
            for comment in root.iterchildren("{*}threadedComment"):
                place, text = comment.get("ref") or "", one_line(comment.findtext("{*}text") or "")
                threads.add(place)
                found += [f"Comment on {cell(place)}: {text}"] if text else []
        for root in self._roots("comments"):
            authors = [one_line(author.text or "") for author in root.iter(f"{MAIN}author")]
            for comment in root.iter(f"{MAIN}comment"):
                place = comment.get("ref") or ""
                text = one_line("".join(part.text or "" for part in comment.iter(f"{MAIN}t")))
                number = comment.get("authorId") or ""
                author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
                if text and place not in threads:
                    said = text.removeprefix(f"{author}:").strip() if author else text
                    found.append(f"Comment on {cell(place)}{f' by {author}' if author else ''}: {said}")
        return found

    def drawn(self) -> Iterator[str | TableGrid]:
        """Text boxes, diagrams and what pictures are said to show, as texts; charts as tables."""
        kinds = (f"{_SHEET}sp", f"{_SHEET}pic", f"{CHART}chart", f"{DIAGRAM}relIds")
        for path in self._paths("drawing"):
            root = _parsed(self._archive, path)
            related = dict(_related(self._archive, path))
            for element in root.iter(*kinds) if root is not None else ():
                _, target = related.get(element.get(f"{RELATED}id") or element.get(f"{RELATED}dm") or "", ("", ""))
                if element.tag == f"{CHART}chart":
                    yield from chart_tables(_read(self._archive, target), self.counts)
                    continue
                if element.tag == f"{_SHEET}pic":
                    words = one_line(next((one.get("descr") or "" for one in element.iter(f"{_SHEET}cNvPr")), ""))
                    lines = [f"[picture: {words}]"] if words else []
                elif element.tag == f"{DIAGRAM}relIds":
                    lines = diagram_lines(_read(self._archive, target))
                else:
                    lines = list(map(drawn_words, element.iter(f"{DRAWING}p")))
                yield from ["\n".join(filter(None, lines))] if any(lines) else []

    def _paths(self, kind: str) -> list[str]:
        return [path for of, path in self._related.values() if of == kind]

    def _roots(self, kind: str) -> list[Any]:
        return [root for path in self._paths(kind) if (root := _parsed(self._archive, path)) is not None]


def _related(archive: zipfile.ZipFile, path: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """By id: the kind (the end of its type's address) and the path of each part that the part at `path` refers to."""
    folder, name = posixpath.split(path)
    root = _parsed(archive, f"{folder}/_rels/{name}.rels")
    for one in root.iterchildren(f"{_RELATIONS}Relationship") if root is not None else ():
        if one.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, one.get("Target") or "")).lstrip("/")
            yield one.get("Id") or "", ((one.get("Type") or "").rpartition("/")[2], target)


def _parsed(archive: zipfile.ZipFile, path: str) -> Any:  # noqa: ANN401 - lxml has no types
    """The root of a part; None where it is missing or damaged."""
    return xml_root_or_none(_read(archive, path))


def _read(archive: zipfile.ZipFile, path: str) -> bytes:
    return archive.read(path) if path in archive.NameToInfo else b""
