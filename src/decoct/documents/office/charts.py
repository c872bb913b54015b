"""Charts of Office files (DrawingML) as tables: a row a category, a column a series, with the numbers that the chart has stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.office.package_xml import drawn_words, xml_root_or_none
from decoct.documents.tables.grid import GridCell, TableGrid
from decoct.documents.tables.numberformats import general, shown

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_POINTS = 100_000


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: dict[int, str]
    values: dict[int, str]


def chart_tables(data: bytes, counts: Counter[str]) -> list[TableGrid]:
    """The tables of a chart's part: one for all series over the same categories; where it is no XML `counts` is told."""
    root = xml_root_or_none(data)
    if root is None:
        counts["charts that are damaged"] += 1
        return []
    caption = _title(root.find(f"{CHART}chart/{CHART}title"))
    axis = root.find(f".//{CHART}catAx/{CHART}title")
    measured = [_title(title) for title in root.iterfind(f".//{CHART}valAx/{CHART}title")]
    caption = " – ".join(text for text in (caption, *measured) if text)
    groups: list[list[_Series]] = []
    for series in (series for element in root.iter(f"{CHART}ser") for series in _series_of(element)):
        if series.values:
            before = groups[-1][0].categories if groups else {}
            if groups and (not before or not series.categories or before == series.categories):
                groups[-1].append(series)
            else:
                groups.append([series])
    tables = [_table(group, _title(axis)) for group in groups]
    if tables:
        tables[0].caption = caption
    elif caption:
        tables = [TableGrid(caption)]
    return tables


def _table(group: Sequence[_Series], corner: str) -> TableGrid:
    table = TableGrid(heads={0})
    table.begin_row()
    for text in (corner, *(series.name for series in group)):
        table.add(GridCell(text))
    categories = next((series.categories for series in group if series.categories), {})
    for number in sorted({*categories, *(at for series in group for at in series.values)}):
        table.begin_row()
        table.add(GridCell(categories.get(number, str(number + 1))))
        for series in group:
            table.add(GridCell(series.values.get(number, "")))
    return table


def _series_of(element: Any) -> list[_Series]:  # noqa: ANN401 - lxml has no types
    """A series, values that have a label of their own with it; of a bubble chart, the sizes as a second one."""
    name = " ".join(one_line(value.text or "") for value in element.iterfind(f"{CHART}tx//{CHART}v"))
    categories, values = _points(element, ("cat", "xVal")), _points(element, ("val", "yVal"))
    for label in element.iterfind(f"{CHART}dLbls/{CHART}dLbl"):
        index, text = label.find(f"{CHART}idx"), _title(label.find(f"{CHART}tx"))
        at = whole(index.get("val"), -1) if index is not None else -1
        if text and at in values:
            values[at] = f"{values[at]} ({text})"
    sizes = _points(element, ("bubbleSize",))
    return [
        _Series(name, categories, values),
        *([_Series(f"{name} (size)".strip(), categories, sizes)] if sizes else []),
    ]


def _points(element: Any, names: Sequence[str]) -> dict[int, str]:  # noqa: ANN401
    """Texts by their number; categories of several levels with the outer ones before them."""
    found: dict[int, str] = {}
    for name in names:
        part = element.find(CHART + name)
        if part is None:
            continue
        levels = part.findall(f".//{CHART}lvl")
        if levels:
            return _of_levels([_of(level) for level in levels])
        found = _of(part)
    return found


def _of(part: Any) -> dict[int, str]:  # noqa: ANN401
    code = one_line(part.findtext(f".//{CHART}formatCode") or "General")
    found: dict[int, str] = {}
    for point in part.iter(f"{CHART}pt"):
        index = point.get("idx") or ""
        if index.isascii() and index.isdigit() and int(index) < _POINTS:
            text = one_line(point.findtext(f"{CHART}v") or "")
            numeric = point.getparent().tag in (f"{CHART}numCache", f"{CHART}numLit")
            found[int(index)] = _number(text, point.get("formatCode") or code) if numeric else text
    return found


def _of_levels(levels: Sequence[dict[int, str]]) -> dict[int, str]:
    """Categories of levels, the innermost first: an outer one holds until the next begins."""
    inner, *outer = levels
    held = [""] * len(outer)
    found: dict[int, str] = {}
    for number in range(max(inner, default=-1) + 1):
        held = [level.get(number, before) for level, before in zip(outer, held, strict=True)]
        found[number] = " / ".join(text for text in (*reversed(held), inner.get(number, "")) if text)
    return found


def _number(text: str, code: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    return shown(value, code) if code != "General" else general(value)


def _title(element: Any) -> str:  # noqa: ANN401
    if element is None:
        return ""
    return drawn_words(element) or one_line("".join(part.text or "" for part in element.iter(f"{CHART}v")))
