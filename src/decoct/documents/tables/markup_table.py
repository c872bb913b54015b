"""The tables of XML as one (`grid`), spans resolved, blanks kept.

HTML's stand in JATS and Mallard, those of CALS in DocBook and DITA, which has others of its own; TEI and Word's old XML have theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from decoct.documents.counted import whole
from decoct.documents.tables.grid import GridCell, TableGrid

TABLES = frozenset("table informaltable simpletable properties choicetable tbl".split())
_HEADS = frozenset("sthead prophead chhead".split())
_ROWS = _HEADS | frozenset("tr row strow property chrow".split())
_CELLS = frozenset(
    "td th entry cell stentry proptypehd propvaluehd propdeschd proptype propvalue propdesc choptionhd chdeschd choption chdesc tc".split()
)
_MOST_SPANNED = 1_000


def table_rows(table: etree._Element) -> list[etree._Element]:
    """The rows of a table, without those of tables within it."""
    return [row for row in table.iter(etree.Element) if local_name(row) in _ROWS and _around(row, TABLES) is table]


def table_grid(rows: list[etree._Element], said: Callable[[etree._Element], str]) -> TableGrid:
    """The rows as a grid; `said` gives the words of a cell in one line."""
    grid = TableGrid()
    for row in rows:
        cells = [cell for cell in row if local_name(cell) in _CELLS]
        heads = len(cells) > 1 and all(local_name(cell) == "th" and cell.get("scope") != "row" for cell in cells)
        grid.begin_row(
            head=heads
            or row.get("role") == "label"
            or local_name(row) in _HEADS
            or local_name(row.getparent()) == "thead"
        )
        columns = {name: at for at, name in enumerate(_columns(row)) if name}
        for cell in cells:
            first, last = columns.get(cell.get("namest") or ""), columns.get(cell.get("nameend") or "")
            across = last - first + 1 if first is not None and last is not None else _span(cell, "colspan", "cols")
            down = _span(cell, "rowspan", "rows") if cell.get("morerows") is None else 1 + _span(cell, "morerows")
            at = columns.get(cell.get("colname") or "", first)
            grid.add(GridCell(said(cell), rows=down, columns=max(across, 1), head=local_name(cell) == "th"), at)
    return grid


def _columns(row: etree._Element) -> Iterator[str]:
    """The names of the columns, as CALS declares them for the rows of a group."""
    group = _around(row, frozenset({"tgroup"}))
    for spec in group if group is not None else ():
        if local_name(spec) == "colspec":
            yield spec.get("colname") or ""


def _around(element: etree._Element, names: frozenset[str]) -> etree._Element | None:
    return next((one for one in element.iterancestors() if local_name(one) in names), None)


def _span(cell: etree._Element, *names: str) -> int:
    said = next((value for name in names if (value := cell.get(name)) is not None), "").strip()
    return whole(said, 1, _MOST_SPANNED)


def local_name(element: etree._Element | None) -> str:
    """The name of an element without its namespace, in small letters; empty of what is none."""
    return etree.QName(element).localname.lower() if element is not None and isinstance(element.tag, str) else ""
