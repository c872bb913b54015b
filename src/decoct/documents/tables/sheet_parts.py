"""What belongs to a sheet beside its cells: comments, text boxes, diagrams, charts, and the areas of Excel's tables."""

from __future__ import annotations

import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.office.charts import CHART, chart_tables
from decoct.documents.office.package_xml import DIAGRAM, DRAWING, RELATED, diagram_lines, drawn_words, xml_root_or_none
from decoct.documents.tables.grid import TableGrid
from decoct.documents.tables.sheet_cells import MAIN, Area, area_of

_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_SHEET = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"


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

    def comments(self) -> list[str]:
        """Comments and notes on cells, with their authors, in the order of the file; of a thread, all that was said."""
        found: list[str] = []
        threads: set[str] = set()
        for root in self._roots("threadedComment"):
            for comment in root.iterchildren("{*}threadedComment"):
                place, text = comment.get("ref") or "", one_line(comment.findtext("{*}text") or "")
                threads.add(place)
                found += [f"Comment on {place}: {text}"] if text else []
        for root in self._roots("comments"):
            authors = [one_line(author.text or "") for author in root.iter(f"{MAIN}author")]
            for comment in root.iter(f"{MAIN}comment"):
                place = comment.get("ref") or ""
                text = one_line("".join(part.text or "" for part in comment.iter(f"{MAIN}t")))
                number = comment.get("authorId") or ""
                author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
                if text and place not in threads:
                    said = text.removeprefix(f"{author}:").strip() if author else text
                    found.append(f"Comment on {place}{f' by {author}' if author else ''}: {said}")
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
