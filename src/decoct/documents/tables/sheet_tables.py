"""The tables of a sheet, and the lines beside them, in the order of its rows.

Blank rows divide a sheet into blocks. A block has a table where rows of it name its columns (`heads`), or where Excel says so (a table, a
filter); lines above the names stand before it. A block without names of its own goes on with the table above where its rows fit there.
Pairs of a name and a value are `name: value`; everything else is rows with bars.

A blank column divides a block where a table stands on either side of it: with the same names, or with a first column that tells its rows
apart, on the right by words; and where Excel says that a table begins. Else the rows may be of one table, whose keys stand on the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from decoct.documents.canonical import canonical, one_line
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.tables.grid import OF_HEADS, GridCell, TableGrid
from decoct.documents.tables.heads import (
    LONGEST_NAME,
    LOOKED_AT,
    CellValue,
    Labels,
    are_pairs,
    first_heads,
    fits,
    head_rows,
    is_count,
    is_name,
    recurs_under,
)
from decoct.documents.tables.sheet_cells import Area, SheetCells

_BLANK = CellValue("")
_APART = 1 << 20  # more than a row has columns
_FARTHEST = 3  # rows down to the next one of a table
_MOST_EDGES = 100  # of what stands side by side
_CODED = 0.9  # of the first cells of rows, those with digits, where labels without any head groups


@dataclass(slots=True)
class _Block:
    """Consecutive rows: their numbers, and for each place of columns `left` on its value and what is equal where one cell covers it.

    A row in which none is merged has a range.
    """

    numbers: list[int]
    left: int
    values: list[tuple[CellValue, ...]]
    places: list[Sequence[object]]

    def part(self, start: int, end: int | None) -> _Block:
        return _Block(self.numbers[start:end], self.left, self.values[start:end], self.places[start:end])

    def beside(self, first: int, end: int) -> _Block:
        """The rows within places `first` to `end`, without blank ones at either end."""
        rows = [
            (number, row[first:end], where[first:end])
            for number, row, where in zip(self.numbers, self.values, self.places, strict=True)
        ]
        filled = [at for at, (_, row, _) in enumerate(rows) if any(value.text for value in row)]
        kept = rows[filled[0] : filled[-1] + 1] if filled else []
        return _Block([one[0] for one in kept], self.left + first, [one[1] for one in kept], [one[2] for one in kept])

    def columns(self) -> set[int]:
        columns = enumerate(zip(*self.values, strict=True), self.left)
        return {number for number, column in columns if any(value.text for value in column)}


@dataclass(slots=True)
class _Current:
    """The table above: its rows of names, its rows, the columns in which something stands, and the last row that is of it."""

    heads: _Block
    body: _Block
    columns: set[int]
    last: int


def write_named_sheet(
    name: str, cells: SheetCells, areas: Sequence[Area], beside: Sequence[str | TableGrid], prose: Prose
) -> bool:
    """Write a sheet below its name, what stands `beside` its cells behind them; False where it holds nothing."""
    if not (cells.rows or beside):
        return False
    prose.title(canonical(name), 1)
    prose.gap(PARAGRAPH)
    write_tables(cells, areas, prose)
    for one in beside:
        prose.gap(PARAGRAPH)
        if isinstance(one, str):
            prose.put(canonical(one))
        else:
            one.write(prose)
    return True


def write_tables(sheet: SheetCells, declared: Sequence[Area], prose: Prose) -> None:
    """Write all cells of a sheet. `declared`: the areas of Excel's tables, whose first row names their columns."""
    areas = [*declared, *([sheet.filtered] if sheet.filtered else [])]
    lefts = {(area.top, area.left) for area in declared}
    current: _Current | None = None
    for block in _apart(_blocks(sheet), lefts):
        columns = range(block.left, block.left + len(block.values[0]))
        current = _write_block(block, current, {area.top for area in areas if area.left in columns}, prose)


def tables_beside(rows: Sequence[Sequence[str]]) -> Prose | None:
    """The tables of rows of cells, written as those of a sheet, where some stand side by side; else None."""
    cells = [{at: CellValue(text) for at, cell in enumerate(row) if (text := one_line(cell))} for row in rows]
    sheet, prose = SheetCells({number: row for number, row in enumerate(cells) if row}), Prose()
    if all(len([*_side_by_side(block, set())]) == 1 for block in _blocks(sheet)):
        return None
    write_tables(sheet, [], prose)
    return prose


def _blocks(sheet: SheetCells) -> Iterator[_Block]:
    merged = _merged(sheet)
    run: list[int] = []
    for number in sorted(sheet.rows.keys() | merged.keys()):
        if run and number != run[-1] + 1:
            yield _block(run, merged, sheet)
            run = []
        run.append(number)
    if run:
        yield _block(run, merged, sheet)


def _apart(blocks: Iterator[_Block], declared: set[tuple[int, int]]) -> Iterator[_Block]:
    """The tables of blocks; a row of titles above tables that stand side by side is divided as they are."""
    row: _Block | None = None
    for block in blocks:
        parts = list(_side_by_side(block, declared))
        if row is not None:
            lefts = [(max(0, part.left - row.left), part) for part in parts]
            above = [row.beside(left, max(0, part.left + len(part.values[0]) - row.left)) for left, part in lefts]
            titles = [len(one.columns()) for one in above if one.numbers]
            each = (
                len(parts) > 1 and set(titles) == {1} and len(titles) == len(row.columns())
            )  # none stands between them
            yield from (one for pair in zip(above, parts, strict=True) for one in pair if each and one.numbers)
            yield from () if each else [row]
            parts = [] if each else parts
        row = block if len(block.numbers) == 1 < len(block.columns()) else None
        yield from parts if row is None else ()
    yield from [row] if row is not None else ()


def _side_by_side(block: _Block, declared: set[tuple[int, int]]) -> Iterator[_Block]:
    """The tables that stand beside each other in a block, from left to right; the block itself where it is one.

    `declared`: the rows and columns in which tables begin that Excel knows. What stands above or below over all columns is a line.
    """
    rows = range(len(block.numbers))
    first, last = (
        next((at for at in order if not _filled_places(block, at) == 1 < len(_filled(block, at))), 0)
        for order in (rows, rows[::-1])
    )
    lines, inner = (block.part(0, first), block.part(last + 1, None)), block.part(first, last + 1)
    filled = [any(value.text for value in column) for column in zip(*inner.values, strict=True)]
    edges = [at for at, (before, here) in enumerate(pairwise([False, *filled, False])) if before != here]
    begun = {column for row, column in declared if block.numbers[0] <= row <= block.numbers[-1]}
    parts: list[_Block] = []
    left, right = 0, 0
    for start, stop in zip(edges[::2], edges[1::2], strict=True) if len(edges) < _MOST_EDGES else ():
        if start and (block.left + start in begun or _are_apart(inner.beside(left, right), inner.beside(start, stop))):
            parts.append(inner.beside(left, right))
            left = start
        right = stop
    if not parts:
        yield block
        return
    yield from (one for one in lines[:1] if one.numbers)
    for part in (*parts, inner.beside(left, right)):
        yield from _between_blank_rows(part)
    yield from (one for one in lines[1:] if one.numbers)


def _between_blank_rows(block: _Block) -> Iterator[_Block]:
    first = 0
    for at in range(len(block.numbers) + 1):
        if at == len(block.numbers) or not any(value.text for value in block.values[at]):
            if at > first:
                yield block.part(first, at)
            first = at + 1


def _are_apart(left: _Block, right: _Block) -> bool:
    """Whether blocks with a blank column between them are tables of their own.

    They are where they have the same names, or where in each the first column tells its rows apart, on the right by words.
    """
    names, keys = zip(*(_names_and_keys(one) for one in (left, right)), strict=True)
    free = left.numbers[0] != right.numbers[0] or left.numbers[-1] < right.numbers[-1]
    even = not free and left.numbers[-1] == right.numbers[-1]
    if not all(keys) or (
        even and (len(keys[1]) < 2 or not all(_filled(right, at) for at in range(len(right.numbers))))
    ):
        return False
    told = [value.text for value in keys[1]]
    if names[0] and names[0] == names[1]:
        return True
    unlike = all(len({value.text for value in held}) == len(held) for held in (keys if even else keys[1:]))
    return unlike and all(told) and (all(value.kind == "text" for value in keys[1]) or (free and is_count(keys[1])))


def _names_and_keys(block: _Block) -> tuple[list[str], list[CellValue]]:
    """The names of a block's columns, and the first cell of each row below them; of pairs, and of rows of two below a title, these."""
    found = first_heads(block.values, block.places) or ((0, 0) if are_pairs(block.values) else None)
    filled = [_filled_places(block, at) for at in range(len(block.values) if found is None else 0)]
    if filled[:1] == [1] and set(filled[1:]) == {2}:
        found = 0, 1
    if found is None or len(block.columns()) < 2 or (found[1] and block.values[found[1] - 1][0].kind != "text"):
        return [], []
    names = [value.text for value in block.values[found[1] - 1]] if found[1] else []
    return names, [row[0] for row in block.values[found[1] :] if any(value.text for value in row)]


def _merged(sheet: SheetCells) -> dict[int, dict[int, tuple[int, int]]]:
    """By row and column, where the merged cell begins that covers the place, as far as the sheet is filled."""
    covers: dict[int, dict[int, tuple[int, int]]] = {}
    if not sheet.merged:
        return covers
    last_row = max(sheet.rows, default=-1)
    last_column = max((column for row in sheet.rows.values() for column in row), default=-1)
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


def _block(run: list[int], merged: dict[int, dict[int, tuple[int, int]]], sheet: SheetCells) -> _Block:
    rows = [(number, sheet.rows.get(number, {}), merged.get(number, {})) for number in run]
    filled = set[int]().union(*(own for _, own, _ in rows), *(over for _, _, over in rows))
    left = min(filled)
    columns = range(left, 1 + max(filled))
    values: list[tuple[CellValue, ...]] = []
    places: list[Sequence[object]] = []
    for number, own, over in rows:
        if over:
            row = [over.get(column) or ((number, column) if column in own else None) for column in columns]
            values.append(tuple(sheet.rows[at[0]][at[1]] if at else _BLANK for at in row))
            places.append(row)
        else:
            values.append(tuple([own.get(column, _BLANK) for column in columns]))
            places.append(range(number * _APART, number * _APART + len(columns)))
    return _Block(run, left, values, places)


def _write_block(block: _Block, current: _Current | None, starts: set[int], prose: Prose) -> _Current | None:
    for at, number in enumerate(block.numbers):
        if at and number in starts:  # a table that Excel knows begins within the block
            current = _write_block(block.part(0, at), current, set(), prose)
            return _write_block(block.part(at, None), current, starts, prose)
    while True:
        heads = _heads(block, declared=block.numbers[0] in starts)
        if heads is None:
            if current is not None and _goes_on(block, current):
                _write_table(current.heads, block, prose)
                current.last = block.numbers[-1]
                return current
            _write_lines(block, prose)
            return current
        first, after = heads
        _write_lines(block.part(0, first), prose)
        end = _next_table(block, after)
        whole = block.part(first, end)
        table = _Current(block.part(first, after), block.part(after, end), whole.columns(), whole.numbers[-1])
        notes = _notes_beside(table.heads, table.columns)
        rows = _rows_without_notes(table.body)
        _write_table(table.heads, table.body.part(0, rows), prose)
        for note in notes:
            prose.paragraph(note)
        _write_lines(table.body.part(rows, None), prose)
        if end is None:
            return table
        block, current = block.part(end, None), table


def _next_table(block: _Block, after: int) -> int | None:
    """Where below the row of names before `after` another such begins: with the same first name, or as bold under a title as that one."""
    names = block.values[after - 1]
    key = next(at for at, value in enumerate(names) if value.text)
    for at in range(after + 1, len(block.values) - 1):
        row, titled = block.values[at], _filled_places(block, at - 1) == 1
        if row[key].text != names[key].text and not (titled and row[key].strong and names[key].strong):
            continue
        filled = [value for value in row if value.text]
        looked_at = block.part(at, at + LOOKED_AT)
        if all(one.kind == "text" for one in filled) and head_rows(looked_at.values, looked_at.places, sure=True):
            return at - titled
    return None


def _heads(block: _Block, *, declared: bool) -> tuple[int, int] | None:
    """The rows of the block that name its columns."""
    if declared and len(block.values) > 1:
        return 0, 1
    found = first_heads(block.values, block.places)
    if found is None:
        return None
    first, after = found
    upper, lower = _filled(block, after - 1), _filled(block, after) if after < len(block.values) else set()
    body = block.values[after:]
    if upper < lower and (head_rows(body, block.places[after:]) or recurs_under(block.values[after - 1], body)):
        _stretch(block, after - 1, lower)
        return first, after + 1
    above = _filled(block, first - 1) if first else set()
    named = [block.values[first - 1][at] for at in sorted(above)]
    if (
        above
        and (all(map(is_name, named)) or is_count(named))
        and above < upper
        and (len(above) > 1 or min(above) > min(upper))
    ):
        _stretch(block, first - 1, upper)
        return first - 1, after
    return found


def _notes_beside(heads: _Block, columns: set[int]) -> list[str]:
    """What stands among names behind a blank column and says a value itself: it names no column, and is taken from them."""
    row = heads.values[-1]
    notes = [at for at, one in enumerate(row) if at and ": " in one.text and heads.left + at - 1 not in columns]
    heads.values[-1] = tuple([_BLANK if at in notes else one for at, one in enumerate(row)])
    return [row[at].text for at in notes]


def _rows_without_notes(body: _Block) -> int:
    """How many rows stand above the notes right under a table: sentences, or far longer than its labels, in the first place alone."""
    end = len(body.values)
    full = [at for at in range(end) if _filled_places(body, at) > 1]
    longest = max((len(body.values[at][0].text) for at in full), default=0)
    while full and end > full[-1] + 1 and 2 * len(full) >= end:
        text = body.values[end - 1][0].text
        if len(text.split()) < 4 or not (text[-1] in ".!" or len(text) > 2 * longest):
            break
        end -= 1
    return end


def _filled(block: _Block, row: int) -> set[int]:
    return {at for at, value in enumerate(block.values[row]) if value.text}


def _filled_places(block: _Block, row: int) -> int:
    return len({block.places[row][at] for at in _filled(block, row)})


def _stretch(block: _Block, row: int, under: set[int]) -> None:
    """Let each name of an upper row of names hold up to the next one, over the names below it."""
    values, places = list(block.values[row]), list(block.places[row])
    value, place = _BLANK, None
    for at, here in enumerate(values):
        if here.text:
            value, place = here, places[at]
        elif at in under and place is not None:
            values[at], places[at] = value, place
        else:
            value, place = _BLANK, None
    block.values[row], block.places[row] = tuple(values), places


def _goes_on(block: _Block, current: _Current) -> bool:
    """Whether the rows can be further ones of the table above."""
    if block.numbers[0] - current.last > _FARTHEST or not block.columns() <= current.columns:
        return False
    shift = block.left - current.body.left
    below = [
        [row[at + shift] if 0 <= at + shift < len(row) else _BLANK for at in range(len(block.values[0]))]
        for row in current.body.values[:LOOKED_AT]
    ]
    return len(block.columns()) > 1 and all(fits(row, below) for row in block.values)


def _write_table(heads: _Block, body: _Block, prose: Prose) -> None:
    labels = Labels(body.values if heads.numbers else ())
    if labels.depth:
        body.values = [tuple(labels.row(row, [value.text for value in row])) for row in body.values]
    _name_parents(body)
    grid = TableGrid()
    groups = _group_rows(body.values)
    for block in (heads, body):
        for number, (values, places) in enumerate(zip(block.values, block.places, strict=True)):
            grid.begin_row(head=block is heads)
            if block is body and number in groups:
                grid.add(
                    GridCell(values[0].text, columns=len(values), kind=values[0].kind, strong=values[0].strong),
                    block.left,
                )
                continue
            if isinstance(places, range):
                grid.fill(values, block.left)
                continue
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


def _group_rows(rows: Sequence[tuple[CellValue, ...]]) -> set[int]:
    """The rows that say what those below have in common: nothing but a label in a column of values with digits, or a bold one."""
    alone = [at for at, row in enumerate(rows) if len(row) > 2 and row[0].text and not any(one.text for one in row[1:])]
    groups = set(alone)
    firsts = [row[0] for at, row in enumerate(rows) if at not in groups and row[0].text]
    labels = [rows[at][0] for at in alone]
    if (
        not alone
        or len(firsts) <= len(alone)
        or alone[-1] == len(rows) - 1
        or any(b - a == 1 for a, b in pairwise(alone))
    ):
        return set()
    digits = [any(map(str.isdecimal, one.text)) for one in firsts]
    coded = sum(digits) >= _CODED * len(digits) and not any(map(str.isdecimal, "".join(one.text for one in labels)))
    bold = all(one.strong for one in labels) and not any(one.strong for one in firsts)
    return groups if coded or bold else set()


def _name_parents(body: _Block) -> None:
    """Put before what is indented in the first column the rows above under which it stands: `Costs / Heating`."""
    above: list[CellValue] = []
    for at, row in enumerate(body.values if any(row[0].indent for row in body.values) else ()):
        above = [one for one in above if one.indent < row[0].indent or not row[0].text]
        names = OF_HEADS.join(one.text for one in (*above, row[0]))
        if above and row[0].text:
            body.values[at] = (CellValue(names, row[0].kind, strong=row[0].strong), *row[1:])
        above += [row[0]] if 0 < len(row[0].text) <= LONGEST_NAME else []


def _write_lines(block: _Block, prose: Prose) -> None:
    """Rows without names: pairs, or values with bars between them; a value that spans several places is written once."""
    if not block.numbers:
        return
    prose.gap(PARAGRAPH)
    if are_pairs(block.values):
        for row in block.values:
            prose.gap(LINE)
            filled = [value.text for value in row if value.text]
            prose.put(f"{filled[0].rstrip(':').rstrip()}: {filled[1]}" if len(filled) > 1 else filled[0])
        return
    titles = next((n for n in range(len(block.values)) if _filled_places(block, n) > 1), len(block.values))
    for row in block.values[:titles]:
        prose.gap(LINE)
        prose.put(next(value.text for value in row if value.text))
    rest = block.part(titles, None)
    if rest.numbers:
        prose.gap(PARAGRAPH if titles else LINE)
        _write_table(rest.part(0, 0), rest, prose)
