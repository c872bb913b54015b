"""Tables of every format as one thing: cells on a grid, spans resolved, blanks kept, heads known; and the one way to write them.

A reader (HTML, DOCX, PPTX, XLSX, charts) gives rows of cells in order; a cell takes the next column that is free, as in HTML. A value
that spans rows or columns stands in each of them. The rows of heads that lie above one another are one: `2024 / Wins`.

A table is written with bars, a row a line, its heads first. A blank cell keeps its place (`Rotor | | 12`), at either end with a bar
around it. A row whose cells hold lines side by side, in one of them numbers, is as many rows. A row is written as
`head: value | head: value`, without its blank cells, where the line of heads would be out of its sight: in a long table, one with rows
that head others or that hold tables, one with a bar within a cell, and in every sheet of a workbook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from decoct.data import Link
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.tables.heads import CellValue, Kind, head_rows, kind_of
from decoct.errors import ParseError

BAR, OF_HEADS = " | ", " / "
_IN_CELL = 300  # characters of a table that is told within a cell of another
_LONG = 600  # characters: what is longer is cut into pieces of which only the first holds the heads
_MOST_CELLS = 8_000_000
_MOST_REPEATED = 2_000_000  # characters that spans may add to a table


@dataclass(slots=True)
class GridCell:
    """A cell that begins at `row` and `column`: its text in one line with the links in it, its spans, and the tables within it.

    `head`: it is marked as one. `kind` says what its value is, `strong` that it is set in bold letters, `breaks` where its lines end,
    `of_all` that its row speaks of the whole table and belongs to no group of rows.
    """

    text: str
    links: tuple[Link, ...] = ()
    rows: int = 1
    columns: int = 1
    head: bool = False
    kind: Kind | None = None
    strong: bool = False
    inner: list[TableGrid] = field(default_factory=list)
    row: int = 0
    column: int = 0
    breaks: Sequence[int] = ()
    of_all: bool = False

    @property
    def value(self) -> CellValue:
        """The cell as those see it who look for heads."""
        return CellValue(self.text, self.kind, strong=self.strong)


def cell_of(
    said: Prose,
    rows: int,
    columns: int,
    *,
    head: bool = False,
    strong: bool = False,
    inner: Sequence[TableGrid] = (),
    of_all: bool = False,
) -> GridCell:
    """The cell in which `said` was written, in one line."""
    links = tuple(said.links)
    return GridCell(said.text, links, rows, columns, head, None, strong, [*inner], breaks=said.breaks, of_all=of_all)


_Row: TypeAlias = list[GridCell | None] | tuple[CellValue, ...]  # with spans, or of one value a column
_BLANK = CellValue("")


@dataclass(slots=True)
class TableGrid:
    """A table in the making. `caption` stands above it; `heads` are the rows that the format declares to be heads, by number."""

    caption: str = ""
    heads: set[int] = field(default_factory=set)
    _cells: list[list[GridCell]] = field(default_factory=list)
    _plain: dict[int, tuple[CellValue, ...]] = field(default_factory=dict)  # by number, rows that were filled at once
    _taken: dict[int, GridCell] = field(default_factory=dict)  # by column: the last cell that reached into it
    _at: int = 0

    def begin_row(self, *, head: bool = False) -> None:
        """Begin the next row; `head`: it names the columns."""
        self._part_lines()
        if head:
            self.heads.add(len(self._cells))
        self._cells.append([])
        self._at = 0

    def add(self, cell: GridCell, column: int | None = None) -> None:
        """Add a cell to the row: at `column`, or the next one that no cell from above reaches into."""
        if not self._cells:
            self.begin_row()
        row = len(self._cells) - 1
        self._at = self._at if column is None else column
        while (above := self._taken.get(self._at)) is not None and above.row < row < above.row + above.rows:
            self._at = above.column + above.columns
        at = self._at
        cell.row, cell.column = row, at
        self._cells[row].append(cell)
        self._at += cell.columns
        while at < self._at:
            self._taken[at] = cell
            at += 1

    def _part_lines(self) -> None:
        """Make the row as many rows as its cells have lines, where they all have one or as many, and one holds numbers."""
        number, row = len(self._cells) - 1, self._cells[-1] if self._cells else []
        lines = [_lines_of(cell) for cell in row] if any(cell.breaks for cell in row) else []
        count = max(map(len, lines), default=0)
        even = [one for one in lines if len(one) == count]
        if (
            len(even) < 2
            or count < 2
            or number in self.heads
            or any(1 < len(one) < count for one in lines)
            or not any(sum(line.value.kind in ("number", "date") for line in one) * 2 > count for one in even)
            or any(cell.rows > 1 or cell.columns > 1 or cell.inner for cell in row)
            or any(above.row < number < above.row + above.rows for above in self._taken.values())
        ):
            return
        parted: list[list[GridCell]] = [[] for _ in range(count)]
        for cell, parts in zip(row, lines, strict=True):
            told = parts if len(parts) == count else [replace(cell, rows=count)]
            for at, line in enumerate(told):
                line.row, line.column, line.strong, line.head = number + at, cell.column, cell.strong, cell.head
                parted[at].append(line)
                self._taken[cell.column] = line
        self._cells[-1:] = parted

    def fill(self, values: tuple[CellValue, ...], left: int) -> None:
        """Fill the row with values that stand in a column each, from `left` on; no cell from above reaches into it."""
        self._plain[len(self._cells) - 1] = (_BLANK,) * left + values

    def skip(self, columns: int) -> None:
        """Leave columns of the row out."""
        self._at += columns

    def merge_up(self, columns: int = 1) -> bool:
        """Let the cell above reach into this row; False where there is none."""
        above = self._taken.get(self._at)
        if above is None or above.row == len(self._cells) - 1:
            return False
        above.rows = len(self._cells) - above.row
        self._at += max(columns, above.columns)
        return True

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in it."""
        rows: list[Sequence[CellValue | GridCell]] = [*self._plain.values(), *self._cells]
        return not any(_filled(cell) for row in rows for cell in row)

    def matrix(self) -> list[_Row]:
        """Rows of equal length: at each place the cell that covers it. Rows and columns without anything are left out."""
        self._part_lines()
        height = len(self._cells)
        width = max((row[-1].column + row[-1].columns for row in self._cells if row), default=0)
        width = max(width, *map(len, self._plain.values()), 0)
        if height * width > _MOST_CELLS:
            raise ParseError("it holds a table with more cells than can be read: split it")
        spanning = [cell for row in self._cells for cell in row if cell.rows > 1 or cell.columns > 1]
        repeated = sum(len(cell.text) * (min(cell.rows, height) * cell.columns - 1) for cell in spanning)
        matrix: list[list[GridCell | None]] = [[] if at in self._plain else [None] * width for at in range(height)]
        for here, row in zip(matrix, self._cells, strict=True):
            for cell in row:
                here[cell.column] = cell
                if (cell.rows > 1 or cell.columns > 1) and repeated <= _MOST_REPEATED:
                    for at in matrix[cell.row : cell.row + cell.rows]:
                        at[cell.column : cell.column + cell.columns] = [cell] * cell.columns
        return [
            filled + (_BLANK,) * (width - len(filled)) if (filled := self._plain.get(number)) else row
            for number, row in enumerate(matrix)
        ]

    def left_of_cell(self, cell: Prose, columns: int) -> list[TableGrid]:
        """Write labels and values in the cell of another table (`start: 12; end: 14`); itself where it is more than such.

        What stands in a cell over several `columns` may be of all the table.
        """
        parts = list(_segments(self.matrix(), self.heads, sure=True))
        rows = [[one for one in row if _filled(one)] for part in parts for row in part.rows]
        cells = [one for row in rows for one in row if one]
        long = sum(len(one.text) for one in cells) > _IN_CELL
        pairs = all(len(row) < 3 for row in rows) and any(
            len(row) == 1 or _value(row[-1]).kind != "text" for row in rows
        )
        headed = self.caption or any(any(part.heads) or part.titles for part in parts)
        if columns > 1 or headed or long or not pairs or any(map(_inner, cells)):
            return [self]
        kept = len(cell.breaks)
        for row in rows:
            cell.gap(LINE)
            for at, one in enumerate(row):
                cell.close(": " if at else "")
                cell.put(*_words(one))
        cell.gap(LINE)
        del cell.breaks[kept:]
        return []

    def write(self, prose: Prose, *, in_rows: bool = False) -> None:
        """Write it as a block of `prose`; `in_rows`: each row is to be understood alone whatever the table's length."""
        if self.caption:
            prose.paragraph(self.caption)
        prose.gap(PARAGRAPH)
        for segment in _segments(self.matrix(), self.heads, sure=not in_rows):
            prose.gap(PARAGRAPH)
            segment.write(prose, in_rows=in_rows)
        prose.gap(PARAGRAPH)


@dataclass(slots=True)
class _Segment:
    """Rows below the heads that hold for them; `heads` is a text a column, or empty; `titles` stand over all of them."""

    heads: list[str]
    rows: list[_Row]
    titles: list[GridCell]

    def write(self, prose: Prose, *, in_rows: bool) -> None:
        for title in self.titles:
            prose.put(title.text, title.links)
            prose.gap(PARAGRAPH)
        if any(self.heads) and self.rows and (in_rows or self._needs_heads_in_rows()):
            self._write_with_heads(prose)
            return
        if any(self.heads):
            prose.put(_barred([(head, ()) for head in self.heads])[0])
        for row in self.rows:
            prose.gap(LINE)
            if group := _group(row):
                prose.put(group.text, group.links)
            else:
                prose.put(*_barred(map(_words, row)))
            self._write_inner(row, prose)

    def _needs_heads_in_rows(self) -> bool:
        size = 0
        for row in self.rows:
            size += sum(len(cell.text) + len(BAR) for cell in row if cell)
            if size > _LONG or self._group_of(row) or any(cell and ("|" in cell.text or _inner(cell)) for cell in row):
                return True
        return False

    def _write_with_heads(self, prose: Prose) -> None:
        group: GridCell | None = None
        labels = [f"{head}: " if head else "" for head in self.heads]
        if any(head and not any(_filled(row[at]) for row in self.rows) for at, head in enumerate(self.heads)):
            prose.put(BAR.join(filter(None, self.heads)))  # else a name without values would be lost
        for row in self.rows:
            prose.gap(LINE)
            if len(row) > 2 and _filled(row[0]) and not any(map(_filled, row[1:])):
                group = None  # a label alone: of a row without values, or of the rows below
            if isinstance(row, tuple):
                said = [label + value.text for label, value in zip(labels, row, strict=True) if value.text]
                prose.put(BAR.join([group.text, *said] if group else said))
                continue
            if found := self._group_of(row):
                group = found
                prose.gap(PARAGRAPH)
                prose.put(group.text, group.links)
                continue
            if any(cell and cell.of_all for cell in row):
                group = None
            parts = [(group.text, group.links)] if group else []
            over = _group(row)
            if not over or over.text:
                prose.put(*_barred([*parts, *([(over.text, over.links)] if over else self._labelled(row))]))
            self._write_inner(row, prose)
            if over and over.text[-1:] not in ("", "."):  # rows of a group end with its sum
                group = None

    def _write_inner(self, row: _Row, prose: Prose) -> None:
        """The tables that stand within a row's cells, below it, each under what names the row and the column around it."""
        seen: set[int] = set()
        for at, cell in enumerate(row if isinstance(row, list) else ()):
            if cell is not None and cell.inner and id(cell) not in seen:
                seen.add(id(cell))
                around = [row[0].text if row[0] and not _inner(row[0]) else "", *self.heads[at : at + 1]]
                if not _group(row) and any(around):
                    prose.paragraph(OF_HEADS.join(filter(None, around)))
                for table in cell.inner:
                    table.write(prose)

    def _group_of(self, row: _Row) -> GridCell | None:
        """The cell of a row that heads those below it: one without a value, unless the first row is such, and no sentence."""
        group, first = _group(row), _group(self.rows[0])
        told = (
            group is not None
            and _says_value(group.text, bare=first is None)
            and not (first and _says_value(first.text))
        )
        return None if group is None or told or group.text[-1:] in ("", ".") or row is self.rows[-1] else group

    def _labelled(self, row: Sequence[GridCell | None]) -> Iterator[tuple[str, Sequence[Link]]]:
        """`head: value` of each filled cell; of one that spans columns, with all their heads."""
        at, length = 0, len(row)
        while at < length:
            first, cell = at, row[at]
            at += 1
            if cell is None:
                continue
            while at < length and row[at] is cell:
                at += 1
            if cell.text:
                label = self.heads[first]
                if at - first > 1:
                    label = ", ".join(dict.fromkeys(head for head in self.heads[first:at] if head))
                before = f"{label}: " if label else ""
                yield before + cell.text, _moved(cell.links, len(before)) if cell.links else ()


def _segments(matrix: list[_Row], declared: set[int], *, sure: bool) -> Iterator[_Segment]:
    """The table in parts of one head each; a row of heads that only says again what heads there are is left out."""
    width = len(matrix[0]) if matrix else 0
    keep = [number for number in range(width) if any(_filled(row[number]) for row in matrix)]
    cut = len(keep) < width
    rows = [(at in declared, _columns(row, keep) if cut else row) for at, row in enumerate(matrix)]
    rows = [(head, row) for head, row in rows if any(map(_filled, row))]
    told = next((at for at, (head, _) in enumerate(rows) if not head), len(rows))
    if told < 2 and not any(head for head, _ in rows[told:]):  # further rows of heads may stand below one
        values = [[_value(cell) for cell in row] for _, row in rows]
        spans = [[_place(cell, (at, c, 0)) for c, cell in enumerate(row)] for at, (_, row) in enumerate(rows)]
        count = max(told, head_rows(values, spans, sure=sure, told=told))
        rows = [(number < count, row) for number, (_, row) in enumerate(rows)]
    heads: list[_Row] = []
    segment = _Segment([], [], [])
    for head, row in rows:
        if head and segment.rows:
            yield segment
            segment = _Segment(segment.heads, [], [])
        if head:
            heads.append(row)
            continue
        if heads:
            segment, heads = _headed(heads), []
        segment.rows.append(row)
    if heads:
        segment = _headed(heads)
    if heads or segment.rows:
        yield segment


def _headed(heads: Sequence[_Row]) -> _Segment:
    """A part without rows yet: what spans all its columns over other heads is a title and names no column."""
    titles = [group for row in heads if (group := _group(row))]
    names = [row for row in heads if not _group(row)]
    return _Segment(_head_names(names), [], titles) if names else _Segment(_head_names(heads), [], [])


def _head_names(heads: Sequence[_Row]) -> list[str]:
    """One head a column of the rows of heads; what spans several rows, or says the same in them, is said once."""
    joined = []
    for column in range(len(heads[0])):
        said = dict.fromkeys(cell.text for row in heads if (cell := row[column]) and cell.text)
        joined.append(OF_HEADS.join(said))
    return joined


def _columns(row: _Row, keep: Sequence[int]) -> _Row:
    return tuple(row[at] for at in keep) if isinstance(row, tuple) else [row[at] for at in keep]


def _filled(cell: GridCell | CellValue | None) -> bool:
    return cell is not None and bool(cell.text or _inner(cell))


def _inner(cell: GridCell | CellValue) -> list[TableGrid]:
    return cell.inner if isinstance(cell, GridCell) else []


def _words(cell: GridCell | CellValue | None) -> tuple[str, Sequence[Link]]:
    return (cell.text, cell.links if isinstance(cell, GridCell) else ()) if cell else ("", ())


def _value(cell: GridCell | CellValue | None) -> CellValue:
    return cell.value if isinstance(cell, GridCell) else cell or _BLANK


def _place(cell: GridCell | CellValue | None, here: object) -> object:
    """What is equal where one cell covers two places."""
    return (cell.row, cell.column) if isinstance(cell, GridCell) else here if cell and cell.text else None


def _group(row: _Row) -> GridCell | None:
    """The one cell that spans a whole row of several columns."""
    if isinstance(row, tuple) or len(row) < 2:
        return None
    first = row[0]
    return first if first is not None and first.columns > 1 and all(cell is first for cell in row) else None


def _says_value(text: str, *, bare: bool = False) -> bool:
    """Whether a text ends with an amount (of a unit, with a fraction, or `bare`), or has a number behind a colon."""
    last = text.split()[-2:]
    told = [
        text.rpartition(": ")[2] * (": " in text),
        *(one for one in (" ".join(last), *last[-1:]) if not one.isdigit()),
    ]
    ends = last[-1].replace("–", "-").split("-") if last else []
    hours = len(ends) > 1 and all(":" in end and kind_of(end) == "date" for end in ends)
    if hours or (bare and len(last) > 1 and last[-1].isdigit()):
        return True
    return any(kind_of(one) == "number" and not one[0].isalpha() for one in told)


def _barred(cells: Iterable[tuple[str, Sequence[Link]]]) -> tuple[str, list[Link]]:
    """The cells with bars between them, and their links in that line."""
    parts = list(cells)
    if all(words and not found for words, found in parts):
        return BAR.join([words for words, _ in parts]), []
    text = "" if len(parts) == 1 or parts[0][0] else "| "
    links: list[Link] = []
    for number, (words, found) in enumerate(parts):
        if number:
            text += BAR if not text.endswith("| ") else "| "
        if found:
            links += _moved(found, len(text))
        text += words
    return text if not text.endswith(" | ") else text + "|", links


def _lines_of(cell: GridCell) -> list[GridCell]:
    """The lines of a cell, without blank ones at its end, each with its links."""
    lines, begin = [], 0
    for end in (*cell.breaks, len(cell.text)):
        text = cell.text[begin:end].removeprefix(";").lstrip()
        at = end - len(text)
        links = [one for one in cell.links if at <= one.start and one.end <= end]
        lines.append(GridCell(text, tuple(_moved(links, -at))))
        begin = end
    while lines and not lines[-1].text:
        lines.pop()
    return lines


def _moved(links: Sequence[Link], by: int) -> list[Link]:
    return [replace(link, start=link.start + by, end=link.end + by) for link in links]
