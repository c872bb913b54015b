"""The tables of a page: which of them hold data, and their cells as they are met on the walk through the page.

A table lays out a page, and is read as its cells' blocks one after another, where it says so (`role="presentation"`), has one cell or one
column, holds headings, parts of a page or preformatted lines, holds other tables without a head of its own, or a cell of many paragraphs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.prose import Prose
from decoct.documents.tables.grid import TableGrid, cell_of

CELLS = frozenset({"td", "th"})
PARTS = frozenset({"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", *CELLS})
_OF_PAGES = frozenset("h1 h2 h3 h4 h5 h6 main article section header footer nav aside form".split())
_BLOCKS = frozenset("p div ul ol dl blockquote table".split())
_MANY, _MUCH = 4, 1_000  # blocks and characters of a cell that is no cell of data
_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534  # that a cell may span, as browsers have it


_ROLES = {"table": "table", "grid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td", "gridcell": "td"}
_ROLES |= {"columnheader": "th", "rowheader": "th"}


def name_roles(tree: Any) -> None:  # noqa: ANN401
    """Give elements that are a table by their roles the names of its parts; set the foot of a table last."""
    for element in tree.xpath("//*[@role]"):
        role = element.get("role")
        element.tag = _ROLES.get(role, element.tag)
        if element.tag == "th":
            element.set("scope", role[:3])
    for foot in tree.xpath("//table/tfoot[following-sibling::tbody or following-sibling::tr]"):
        foot.getparent().append(foot)


@dataclass(slots=True)
class _Held:
    """What a table holds, gathered on one walk."""

    element: Any
    widest: int = 0
    in_row: int = 0
    head: bool = False
    inner: bool = False
    of_page: bool = False
    blocks: int = 0
    letters: int = 0
    much: bool = False

    def lays_out(self) -> bool:
        """Whether it is no table of data."""
        role = (self.element.get("role") or "").lower()
        if role in ("presentation", "none") or self.widest < 2 or self.of_page:
            return True
        return not self.head and (self.inner or self.much)


def data_tables(root: Any) -> set[Any]:  # noqa: ANN401 - lxml has no types
    """The elements of the tables below `root` that hold data, in one walk."""
    open_: list[_Held] = []
    found: set[Any] = set()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag
        if event == "end":
            if tag == "table":
                held = open_.pop()
                if not held.lays_out():
                    found.add(element)
                if open_:
                    open_[-1].of_page |= held.of_page
            continue
        if tag == "table":
            if open_:
                open_[-1].inner = True
            open_.append(_Held(element))
        elif open_:
            _note(open_[-1], element, tag)
    return found


def _note(held: _Held, element: Any, tag: str) -> None:  # noqa: ANN401
    if tag == "tr":
        held.in_row = 0
    elif tag in CELLS:
        held.in_row += _span(element, "colspan", _MOST_COLUMNS)
        held.widest = max(held.widest, held.in_row)
        held.blocks = held.letters = 0
        held.head |= tag == "th"
    elif tag in ("caption", "thead"):
        held.head = True
    elif tag in _OF_PAGES or (tag == "pre" and "\n" in "".join(element.itertext()).strip()):
        held.of_page = True
    held.blocks += tag in _BLOCKS
    held.letters += len(element.text or "") + len(element.tail or "")
    held.much |= held.blocks >= _MANY and held.letters > _MUCH


@dataclass(slots=True)
class _Open:
    """A table of data whose end has not been met: its grid, the prose around it, and the cell (or caption) being read."""

    grid: TableGrid
    around: Prose
    element: Any = None
    cell: Prose | None = None
    inner: list[TableGrid] = field(default_factory=list)


class TableWalk:
    """Takes the tables of data out of a walk through a page: each element of theirs is begun and ended here.

    Both tell whether the element is one of theirs, and the prose that what follows is written into.
    """

    def __init__(self, root: Any) -> None:  # noqa: ANN401
        self._data = set() if root is None else data_tables(root)
        self._open: list[_Open | None] = []  # None: a table that lays out

    def begin(self, element: Any, prose: Prose) -> Prose | None:  # noqa: ANN401
        """Begin an element; None where it is none of a table of data."""
        tag = element.tag
        if tag == "table":
            self._open.append(_Open(TableGrid(), prose) if element in self._data else None)
            return prose if self._open[-1] else None
        table = self._open[-1] if self._open and tag in PARTS else None
        if table is None:
            return None
        if tag in CELLS or tag == "caption":
            if table.cell is not None:
                return None
            table.element, table.cell, table.inner = element, Prose(in_one_line=True), []
            return table.cell
        if tag == "tr":
            table.grid.begin_row(head=_names_columns(element))
        return prose if table.cell is None else None

    def end(self, element: Any, prose: Prose) -> Prose | None:  # noqa: ANN401
        """End an element; None where it is none of a table of data."""
        tag = element.tag
        table = self._open[-1] if self._open else None
        if tag == "table":
            self._open.pop()
            if table is not None:
                self._close(table)
            return table.around if table is not None else None
        if table is None or tag not in PARTS:
            return None
        if table.element is element and table.cell is not None:
            _take(table, element, table.cell)
            table.element = table.cell = None
            return table.around
        return prose if table.cell is None else None

    def _close(self, table: _Open) -> None:
        around = next((one for one in reversed(self._open) if one is not None and one.cell is not None), None)
        if table.grid.is_empty:
            return
        if around is None:
            table.grid.write(table.around)
        elif around.cell is not None:
            around.inner += table.grid.left_of_cell(around.cell, _span(around.element, "colspan", _MOST_COLUMNS))


def _take(table: _Open, element: Any, cell: Prose) -> None:  # noqa: ANN401
    if element.tag == "caption":
        table.grid.caption = one_line(cell.text)
        return
    rows, columns = _span(element, "rowspan", _MOST_ROWS), _span(element, "colspan", _MOST_COLUMNS)
    of_all = next(element.iterancestors("tfoot", "table")).tag == "tfoot"
    table.grid.add(cell_of(cell, rows, columns, head=element.tag == "th", inner=table.inner, of_all=of_all))


def _names_columns(row: Any) -> bool:  # noqa: ANN401
    """Whether a row stands in `thead`, or its cells, two or more, are all heads of columns."""
    cells = [cell for cell in row if cell.tag in CELLS]
    heads = len(cells) > 1 and all(cell.tag == "th" and cell.get("scope") != "row" for cell in cells)
    parent = row.getparent()
    return heads or (parent is not None and parent.tag == "thead")


def _span(cell: Any, name: str, most: int) -> int:  # noqa: ANN401
    """How many rows or columns a cell spans; 0 rows means all that follow."""
    return whole((cell.get(name) or "").strip(), 1, most) or (most if name == "rowspan" else 1)
