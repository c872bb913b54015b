"""How a CSV file is laid out, told by its beginning: its delimiter, and the lines above the names of its columns.

The delimiter is the one that cuts the most lines into as many cells, two or more; of equals tab, semicolon and bar before the comma,
which stands in texts and numbers too. `sep=;` at the top says it. Lines above the names are those with at most one filled cell, and
comments (`# `).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

DELIMITERS = "\t;|,"
_SAID = re.compile(r'"?sep=(?P<sign>.)"?[;,\t]*\s*', re.IGNORECASE)
_LOOKED_AT = 300  # records
_NEARLY = 0.05  # share of the records by which one may be less even than another and still be preferred
_MOST_ABOVE = 20


@dataclass(frozen=True, slots=True)
class CsvShape:
    """The delimiter; how many lines stand before the names of the columns; what is said in them, without comments and with them.

    `spaced`: a space stands between a delimiter and the quotes behind it, and belongs to neither.
    """

    delimiter: str
    lines: int = 0
    title: str = ""
    above: str = ""
    spaced: bool = False

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
    records, width = _records(body, delimiter, spaced=spaced), 0
    widths = Counter(len(_trimmed(cells)) for cells, _ in records)
    width = max((n for n in widths if n > 1), key=lambda n: (widths[n], n), default=1)
    above: list[str] = []
    reached = 0
    for cells, line in records[:_MOST_ABOVE] if width > 1 else ():
        filled = [cell.strip() for cell in cells if cell.strip()]
        comment = bool(filled) and filled[0].startswith("# ")
        if len(filled) > 1 and not comment:
            return _shape(delimiter, lines + reached, above, spaced)
        if filled:
            above.append(delimiter.join(filled) if comment else filled[0])
        reached = line
    return CsvShape(delimiter, lines, spaced=spaced)


def _shape(delimiter: str, lines: int, above: list[str], spaced: bool) -> CsvShape:
    title = next((" ".join(line.split()) for line in above if not line.startswith("#")), "")
    return CsvShape(delimiter, lines, title, "; ".join(" ".join(line.lstrip("# ").split()) for line in above), spaced)


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
