"""How a CSV file is laid out, told by its beginning: its delimiter, the lines above the names of its columns, and the rows of names.

The delimiter is the one that cuts the most lines into as many cells, two or more; of equals tab, semicolon and bar before the comma,
which stands in texts and numbers too. `sep=;` at the top says it.

The table begins with the first of the rows that are wider than all above them, unless a wider one further down names its columns, or
stands behind a blank line, and nothing above it is a table. What stands above are titles, comments (`# `), labels with their values.

The first row names the columns, unless it holds numbers or dates where the rows below do, and no text where they hold none. A second
row of names stands below gaps in the first (`2024 | | 2025 |` over `Units | Sales | Units | Sales`) or names that are said twice, and
units below them. A further table begins behind a blank line, where a row of names stands that are not those of the table above.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from decoct.documents.canonical import one_line
from decoct.documents.tables.grid import OF_HEADS
from decoct.documents.tables.heads import (
    CellValue,
    Labels,
    are_pairs,
    fits,
    further_heads,
    head_rows,
    recurs_under,
    rises_evenly,
)
from decoct.documents.tables.records import ID, KNOWN, TEXT

DELIMITERS = "\t;|,"
_SAID = re.compile(r'"?sep=(?P<sign>.)"?[;,\t]*\s*', re.IGNORECASE)
_LOOKED_AT = 300  # records
_NEARLY = 0.05  # share of the records by which one may be less even than another and still be preferred
_MOST_ABOVE = 20
_MOST_PAIRS = 50
LOOKED_AHEAD = 20  # rows behind a blank line


@dataclass(frozen=True, slots=True)
class CsvShape:
    """The delimiter; how many lines stand before the names of the columns; what is said in them, without comments and with them.

    `spaced`: a space stands between a delimiter and the quotes behind it, and belongs to neither. `heads`: the rows of names.
    `pairs`: what a file says that is nothing but labels and their values. `divided`: the rows of a short file, where a blank column may
    stand between its tables. `labels`: those that are said once, for the rows below.
    """

    delimiter: str
    lines: int = 0
    title: str = ""
    above: tuple[str, ...] = ()
    spaced: bool = False
    heads: int = 1
    pairs: tuple[tuple[str, str], ...] = ()
    divided: tuple[list[str], ...] = ()
    labels: Labels | None = None

    def rows(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        """The rows of lines; `csv.Error` where they are none."""
        return csv.reader(lines, delimiter=self.delimiter, skipinitialspace=self.spaced, strict=strict)


def csv_shape(sample: str) -> CsvShape:
    """The shape of a file that begins with `sample`, whole lines."""
    first = _SAID.fullmatch(sample.partition("\n")[0].rstrip("\r"))
    lines = 1 if first else 0
    body = sample.partition("\n")[2] if first else sample
    delimiter = first["sign"] if first else _delimiter(body)
    spaced = _spaced(body, delimiter)
    records = _records(body, delimiter, spaced=spaced)
    rows = [cells for cells, _ in records]
    begin, above = _first_row(rows, delimiter)
    heads = heads_of(rows[begin:]) if records else 1
    title = next((one_line(line) for line in above if not line.startswith("#")), "")
    told = tuple(one_line(line.lstrip("# ")) for line in above)
    begun = lines + (records[begin - 1][1] if begin else 0)
    known = {cell.strip().lower() for cells in rows[begin : begin + 1] for cell in cells} & {*ID}
    labels = Labels(_values(rows[begin + heads :])) if heads and not known else None
    return CsvShape(delimiter, begun, title, told, spaced, heads, _pairs(rows), _divided(rows), labels)


def _divided(rows: Sequence[list[str]]) -> tuple[list[str], ...]:
    """The rows, where they are few, no column is that of a text or an id, and a blank one stands between others."""
    filled = {at for row in rows for at, cell in enumerate(row) if cell.strip()}
    known = any(cell.strip().lower() in (*TEXT, *ID) for row in rows for cell in row)
    gap = filled and len(filled) < 1 + max(filled) - min(filled)
    return tuple(rows) if gap and not known and len(rows) < _LOOKED_AT else ()


def _pairs(rows: Sequence[list[str]]) -> tuple[tuple[str, str], ...]:
    """The labels and values of a file of few rows, if it is all of such: no names of columns over one kind of value."""
    pairs = [(filled[0].rstrip(": "), filled[1]) for row in rows if len(filled := _filled(row)) == 2 and row[0].strip()]
    values = [[CellValue(one_line(said)) for said in pair] for pair in pairs]
    if not 2 < len(pairs) == len(rows) <= _MOST_PAIRS or len({label for label, _ in pairs}) < len(pairs):
        return ()
    named = {pairs[0][0].lower()} & {*TEXT, *ID} or {pairs[0][1].lower()} & KNOWN
    numbers = sum(value.kind != "text" for _, value in values[1:]) * 4 > 3 * len(values[1:])
    return tuple(pairs) if are_pairs(values) and not named and not numbers else ()


def _first_row(rows: Sequence[list[str]], delimiter: str) -> tuple[int, list[str]]:
    """The first row that is of the table, and what is said in those above it, which have fewer cells and are no table."""
    begins, most = list[int](), 1
    for at, cells in enumerate(rows[:_MOST_ABOVE]):
        if _width(cells) > most:
            begins.append(at)
            most = _width(cells)
    begin = next((at for at in reversed(begins) if _begins_table(rows, at, begins)), 0)
    if begin and _filled(rows[begin - 1]) and heads_of(rows[begin - 1 :]) > 1:
        begin -= 1
    return begin, [_line_above(cells, delimiter) for cells in rows[:begin] if _filled(cells)]


def _begins_table(rows: Sequence[list[str]], at: int, begins: Sequence[int]) -> bool:
    """Whether the table begins at the row `at`, the fullest so far: clearly, or behind a blank line, and none of `begins` above does."""
    if at == begins[0]:
        return True
    before = [(_width(rows[one]) < 3, _values(rows[one:at])) for one in begins if one < at]
    if any(head_rows(values, sure=pairs) for pairs, values in before if len(values) > 1 + pairs):
        return False
    above = [_width(cells) for cells in rows[:at] if _filled(cells)]
    marked = max(above) == 1
    behind = not _filled(rows[at - 1]) and len(_values(rows[at:])) > 1
    first = next((one for one, cells in enumerate(rows[at + 1 :], at + 1) if _filled(cells)), at + 1)
    below = [_width(cells) > max(above) for cells in rows[first : first + _MOST_ABOVE] if _filled(cells)]
    wider = 2 * sum(below) > len(below)
    return wider and (behind or head_rows(_values([rows[at], *rows[first:]]), sure=not marked) > 0)


def _width(cells: list[str]) -> int:
    """How many cells there are down to the last filled one; a comment, and a label with its value, are one."""
    filled = _filled(cells)
    pair = len(filled) == 2 and filled[0].endswith(":")
    return 1 if pair or len(filled) == 1 or " ".join(filled[:1]).startswith("# ") else len(_trimmed(cells))


def _line_above(cells: Sequence[str], delimiter: str) -> str:
    """A line above the names: a comment as it is written, a label with its value, or values."""
    filled = _filled(cells)
    if filled[0].startswith("# "):
        return delimiter.join(filled)
    first, *further = [cell.removesuffix(":") for cell in filled]
    between = ": " if further and not any(": " in cell for cell in filled) else ", "
    return between.join(filter(None, (first, ", ".join(further))))


def heads_of(rows: Sequence[list[str]]) -> int:
    """How many of the first rows name the columns, of a file that begins with them."""
    values = _values(rows)
    if not values:
        return 1
    first, below = values[0], values[1:]
    count = further_heads(values, 1)
    if count == 1 < len(below) and _is_data(first, below) and not head_rows(values, sure=True):
        return 0
    if len(below) > 1 and recurs_under(first, below):
        return further_heads(values, 2)
    if len(below) < 2 or not (first[0].kind == "blank") ^ (below[0][0].kind == "blank"):
        return count
    gaps = any(
        over.kind == "blank" and value.kind != "blank" for over, value in zip(first[1:], below[0][1:], strict=True)
    )
    texts = all(value.kind in ("text", "blank") for value in below[0])
    two = texts and (gaps or first[0].kind != "blank") and head_rows(below, sure=True)
    return further_heads(values, 2) if two else count


def _is_data(first: Sequence[CellValue], below: Sequence[Sequence[CellValue]]) -> bool:
    """Whether a row says values as those below it: of the same kinds, and numbers or dates, or texts of which one comes again twice."""
    columns = [(value, [row[at] for row in below if row[at].kind != "blank"]) for at, value in enumerate(first)]
    columns = [(value, held) for value, held in columns if value.kind != "blank"]
    if any(2 * sum(one.kind == value.kind for one in held) <= len(held) for value, held in columns):
        return False
    said = [value.text for value, _ in columns if value.kind == "number"]
    if all(value.kind == "text" for value, _ in columns):
        held_again = [sum(one.text == value.text for one in held) for value, held in columns]
        return max(held_again) > 1 > min(held_again) and not any(value.text.lower() in KNOWN for value, _ in columns)
    return len(said) < len(columns) - 1 or not rises_evenly(said)


def further_table(rows: Sequence[list[str]], above: Sequence[list[str]], names: int) -> tuple[str, int, int] | None:
    """The title, first row of names and number of such rows of a table that begins with `rows`, which a blank line sets off.

    None where they belong to the table that ends with the rows `above` and has so many `names`.
    """
    first = next((at for at, cells in enumerate(rows) if len(_filled(cells)) > 1), len(rows))
    values = _values(rows[first:])
    if len(values) < 2 or any(value.kind not in ("text", "blank") for value in values[0]):
        return None
    width = len(_trimmed(rows[first]))
    other = width != names and all(len(_trimmed(row)) <= width for row in rows[first : first + len(values)])
    strange = not fits(values[0], _values(above))
    if not head_rows(values, sure=not other and not (first and strange)) or not (other or strange):
        return None
    return " ".join(cell for row in rows[:first] for cell in _filled(row)), first, heads_of(rows[first:])


def column_names(heads: Sequence[list[str]]) -> list[str]:
    """One name a column of the rows of names; one above a gap holds for the columns up to the next."""
    names: list[list[str]] = [[] for _ in range(max(map(len, heads), default=0))]
    for number, row in enumerate(heads):
        said, lower = "", heads[number + 1] if number + 1 < len(heads) else []
        for at in range(len(names)):
            cell = one_line(row[at]) if at < len(row) else ""
            under = at < len(lower) and lower[at].strip()
            said = cell or (said if under else "")
            names[at] += [said] if said and said not in names[at] else []
    return [OF_HEADS.join(column) for column in names]


def _values(rows: Sequence[list[str]]) -> list[list[CellValue]]:
    """The rows down to a blank one as those see them who look for heads."""
    end = next((at for at, cells in enumerate(rows) if not _filled(cells)), len(rows))
    width = max(map(len, rows[:end]), default=0)
    padded = ([*cells, *[""] * (width - len(cells))] for cells in rows[:end])
    return [[CellValue(one_line(cell)) for cell in cells] for cells in padded]


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells if cell.strip()]


def _delimiter(sample: str) -> str:
    shares = {delimiter: _evenness(sample, delimiter) for delimiter in DELIMITERS}
    best = max(shares.values())
    if best == 0:
        return ","
    return next(delimiter for delimiter in DELIMITERS if shares[delimiter] >= best - _NEARLY)


def _spaced(sample: str, delimiter: str) -> bool:
    """Whether a cell opens with a space and a quote. Cells that open with a quote are taken out first: theirs are words."""
    cell = rf'(?<![^{re.escape(delimiter)}\n])"(?:[^"]|"")*+"(?=[{re.escape(delimiter)}\r\n]|\Z)'
    return re.search(rf'{re.escape(delimiter)} +"', re.sub(cell, "", sample)) is not None


def _evenness(sample: str, delimiter: str) -> float:
    """The share of the records that have the commonest number of cells, where that is two or more."""
    records = _records(sample, delimiter, spaced=_spaced(sample, delimiter))
    counts = Counter(len(cells) for cells, _ in records if cells)
    if not counts:
        return 0.0
    width = max(counts, key=lambda n: (counts[n], n))
    if width < 2:
        width = max((n for n in counts if n > 1), key=lambda n: counts[n], default=0)
    return counts[width] / sum(counts.values()) if width > 1 else 0.0


def _trimmed(cells: list[str]) -> list[str]:
    """The cells without the empty ones behind the last filled one."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _records(sample: str, delimiter: str, *, spaced: bool) -> list[tuple[list[str], int]]:
    """The first records with the number of lines down to their end."""
    reader = csv.reader(sample.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=spaced)
    found: list[tuple[list[str], int]] = []
    try:
        for cells in reader:
            found.append((cells, reader.line_num))
            if len(found) >= _LOOKED_AT:
                break
    except csv.Error:
        return found
    return found
