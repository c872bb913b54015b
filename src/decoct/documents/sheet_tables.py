"""The tables of a sheet, and the lines beside them, in the order of its rows.

Blank rows divide a sheet into blocks. A block has a table where rows of it name its columns (`heads`), or where Excel says so (a table, a
filter); lines above the names stand before it. A block without names of its own goes on with the table above where its rows fit there.
Pairs of a name and a value are `name: value`; everything else is rows with bars.

A blank column divides a block where a table with a key of its own stands on either side of it, and the right one has rows above or below
those of the left one: else the rows may be of one table, whose keys stand on the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from decoct.documents.grid import GridCell, TableGrid
from decoct.documents.heads import CellValue, are_pairs, first_heads, fits, head_rows
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.sheet_cells import Area, SheetCells

_BLANK = CellValue("", "blank")


@dataclass(slots=True)
class _Block:
    """Consecutive rows: their numbers, and for each place of columns `left` on the cell that covers it, by where that begins."""

    numbers: list[int]
    left: int
    values: list[list[CellValue]]
    places: list[list[tuple[int, int] | None]]

    def part(self, start: int, end: int) -> _Block:
        return _Block(self.numbers[start:end], self.left, self.values[start:end], self.places[start:end])

    def beside(self, first: int, end: int) -> _Block:
        """The rows within places `first` to `end`, without blank ones at either end."""
        rows = [
            (number, row[first:end], where[first:end])
            for number, row, where in zip(self.numbers, self.values, self.places, strict=True)
        ]
        filled = [at for at, (_, row, _) in enumerate(rows) if any(value.kind != "blank" for value in row)]
        kept = rows[filled[0] : filled[-1] + 1] if filled else []
        return _Block([one[0] for one in kept], self.left + first, [one[1] for one in kept], [one[2] for one in kept])

    def columns(self) -> set[int]:
        return {self.left + at for row in self.values for at, value in enumerate(row) if value.kind != "blank"}


@dataclass(slots=True)
class _Current:
    """The table above: its rows of names, and its rows."""

    heads: _Block
    body: _Block


def write_tables(sheet: SheetCells, declared: Sequence[Area], prose: Prose) -> None:
    """Write all cells of a sheet. `declared`: the areas of Excel's tables, whose first row names their columns."""
    starts = {area.top for area in (*declared, *([sheet.filtered] if sheet.filtered else []))}
    current: _Current | None = None
    for block in (part for whole in _blocks(sheet) for part in _side_by_side(whole)):
        current = _write_block(block, current, starts, prose)


def _blocks(sheet: SheetCells) -> Iterator[_Block]:
    covers = _covering(sheet)
    width = 1 + max((column for row in covers.values() for column in row), default=-1)
    run: list[int] = []
    for number in sorted(covers):
        if run and number != run[-1] + 1:
            yield _block(run, covers, sheet, width)
            run = []
        run.append(number)
    if run:
        yield _block(run, covers, sheet, width)


def _side_by_side(block: _Block) -> Iterator[_Block]:
    """The tables that stand beside each other in a block, from left to right; the block itself where it is one."""
    width = len(block.values[0])
    filled = {at for row in block.values for at, value in enumerate(row) if value.kind != "blank"}
    for at in sorted(set(range(width)) - filled):
        left, right = block.beside(0, at), block.beside(at + 1, width)
        if (
            _has_key(left)
            and _has_key(right)
            and not left.numbers[0] <= right.numbers[0] <= right.numbers[-1] <= left.numbers[-1]
        ):
            yield left
            yield from _side_by_side(right)
            return
    yield block


def _has_key(block: _Block) -> bool:
    """Whether rows of names stand over two columns or more, the first of which holds texts, no two alike."""
    found = first_heads(block.values, block.places)
    if found is None or len(block.columns()) < 2:
        return False
    keys = [row[0] for row in block.values[found[1] :]]
    return all(key.kind == "text" for key in keys) and len({key.text for key in keys}) == len(keys)


def _covering(sheet: SheetCells) -> dict[int, dict[int, tuple[int, int]]]:
    """By row and column, where the cell begins that covers the place: merged ones all their places, as far as the sheet is filled."""
    last_row = max(sheet.rows, default=-1)
    last_column = max((column for row in sheet.rows.values() for column in row), default=-1)
    covers = {number: {column: (number, column) for column in row} for number, row in sheet.rows.items()}
    left = 4_000_000
    for area in sheet.merged:
        if area.left not in sheet.rows.get(area.top, {}):
            continue
        bottom, right = min(area.bottom, last_row), min(area.right, max(last_column, area.left))
        left -= (bottom - area.top + 1) * (right - area.left + 1)
        if left < 0:
            break
        for number in range(area.top, bottom + 1):
            for column in range(area.left, right + 1):
                covers.setdefault(number, {})[column] = area.top, area.left
    return covers


def _block(run: Sequence[int], covers: dict[int, dict[int, tuple[int, int]]], sheet: SheetCells, width: int) -> _Block:
    left = min(min(covers[number]) for number in run)
    width = 1 + max(max(covers[number]) for number in run)
    values, places = [], []
    for number in run:
        row = [covers[number].get(column) for column in range(left, width)]
        places.append(row)
        values.append([sheet.rows[at[0]][at[1]] if at else _BLANK for at in row])
    return _Block(list(run), left, values, places)


def _write_block(block: _Block, current: _Current | None, starts: set[int], prose: Prose) -> _Current | None:
    for at, number in enumerate(block.numbers):
        if at and number in starts:  # a table that Excel knows begins within the block
            current = _write_block(block.part(0, at), current, set(), prose)
            return _write_block(block.part(at, len(block.numbers)), current, starts, prose)
    heads = _heads(block, declared=block.numbers[0] in starts)
    if heads is None:
        if current is not None and _goes_on(block, current):
            _write_table(current.heads, block, prose)
            return current
        _write_lines(block, prose)
        return current
    first, after = heads
    _write_lines(block.part(0, first), prose)
    table = _Current(block.part(first, after), block.part(after, len(block.numbers)))
    _write_table(table.heads, table.body, prose)
    return table


def _heads(block: _Block, *, declared: bool) -> tuple[int, int] | None:
    """The rows of the block that name its columns."""
    if declared and len(block.values) > 1:
        return 0, 1
    found = first_heads(block.values, block.places)
    if found is None:
        return None
    first, after = found
    upper, lower = _filled(block, after - 1), _filled(block, after) if after < len(block.values) else set()
    if len(lower) > len(upper) and upper < lower and head_rows(block.values[after:], block.places[after:]):
        _stretch(block, after - 1, lower)
        return first, after + 1
    above = _filled(block, first - 1) if first else set()
    if above and above < upper and (len(above) > 1 or min(above) > min(upper)):
        _stretch(block, first - 1, upper)
        return first - 1, after
    return found


def _filled(block: _Block, row: int) -> set[int]:
    return {at for at, value in enumerate(block.values[row]) if value.kind != "blank"}


def _stretch(block: _Block, row: int, under: set[int]) -> None:
    """Let each name of an upper row of names hold up to the next one, over the names below it."""
    value, place = _BLANK, None
    for at in range(len(block.values[row])):
        if block.values[row][at].kind != "blank":
            value, place = block.values[row][at], block.places[row][at]
        elif at in under and place is not None:
            block.values[row][at], block.places[row][at] = value, place
        else:
            value, place = _BLANK, None


def _goes_on(block: _Block, current: _Current) -> bool:
    """Whether the rows can be further ones of the table above."""
    if not block.columns() <= current.heads.columns() | current.body.columns():
        return False
    shift = block.left - current.body.left
    below = [
        [row[at + shift] if 0 <= at + shift < len(row) else _BLANK for at in range(len(block.values[0]))]
        for row in current.body.values
    ]
    return len(block.columns()) > 1 and all(fits(row, below) for row in block.values)


def _write_table(heads: _Block, body: _Block, prose: Prose) -> None:
    grid = TableGrid()
    for block in (heads, body):
        for values, places in zip(block.values, block.places, strict=True):
            grid.begin_row(head=block is heads)
            at = 0
            while at < len(values):
                end = at + 1
                while end < len(values) and places[end] is not None and places[end] == places[at]:
                    end += 1
                value = values[at]
                if value.text:
                    cell = GridCell(value.text, columns=end - at, kind=value.kind, strong=value.strong)
                    grid.add(cell, block.left + at)
                at = end
    grid.write(prose, in_rows=True)


def _write_lines(block: _Block, prose: Prose) -> None:
    """Rows without names: pairs, or values with bars between them; a value that spans several places is written once."""
    if not block.numbers:
        return
    prose.gap(PARAGRAPH)
    if are_pairs(block.values):
        for row in block.values:
            prose.gap(LINE)
            filled = [value.text for value in row if value.kind != "blank"]
            prose.put(f"{filled[0].rstrip(':').rstrip()}: {filled[1]}" if len(filled) > 1 else filled[0])
        return
    titles = next((n for n, row in enumerate(block.places) if len(set(row) - {None}) > 1), len(block.places))
    for row in block.values[:titles]:
        prose.gap(LINE)
        prose.put(next(value.text for value in row if value.text))
    rest = block.part(titles, len(block.numbers))
    if rest.numbers:
        prose.gap(PARAGRAPH if titles else LINE)
        _write_table(rest.part(0, 0), rest, prose)
