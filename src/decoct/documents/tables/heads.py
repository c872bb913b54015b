"""Which rows of a table name its columns, where the format does not say so.

A row of names is told by what stands below it: texts over numbers or dates; years, dates or a count (week 1, 2, 3) over numbers; bold
letters over plain ones; and at the least different short texts that none of the rows below repeats. Lines above it with fewer cells (a
title, a date of issue) are none of the table. A second row of names stands below one that has spans or gaps in it, or that says a name
twice; a row of units may stand below the last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias, TypeVar

from decoct.text.units import unit_after

Kind: TypeAlias = Literal["blank", "text", "number", "date"]
LONGEST_NAME = 100  # characters
LOOKED_AT = 200  # rows below
_ABOVE = 10  # lines that may stand above the names
_COUNTED = 3  # numbers one after another that are a count and no values
_NUMBER = re.compile(
    r"[-−+(~≈<>≤≥]*\s?[^\W\d_]{0,3}[$€£¥₹%]?\s?\d(?:[\d.,'’\s]*\d)?\s?(?:%|‰|°?[^\W\d_]{0,4}[²³]?(?:/[^\W\d_]{1,4}[²³]?)?|[$€£¥₹])\)?"
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[ T]\d.*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d(?::\d\d)?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_DEEPEST = 3  # columns of labels
_CENT = 0.005
_WHOLE = re.compile(r"\d{1,4}")


class CellValue:
    """What a cell shows, whether it is set in bold letters, its indent; its kind, if none is given, is looked for when first asked for."""

    __slots__ = ("_kind", "indent", "strong", "text")

    def __init__(self, text: str, kind: Kind | None = None, *, strong: bool = False, indent: int = 0) -> None:
        self.text, self._kind, self.strong, self.indent = text, kind, strong, indent

    @property
    def kind(self) -> Kind:
        """The kind of value that it is."""
        if self._kind is None:
            self._kind = kind_of(self.text)
        return self._kind


_CellValues: TypeAlias = Sequence[CellValue]
_Cell = TypeVar("_Cell")


def kind_of(text: str) -> Kind:
    """The kind of a value of which only its text is known."""
    if not text:
        return "blank"
    if text[:4].isalpha():  # more letters than may stand before a number
        return "text"
    if text[0].isdecimal() and _DATE.fullmatch(text):
        return "date"
    return "number" if len(text) < 40 and _NUMBER.fullmatch(text) else "text"


def head_rows(
    rows: Sequence[_CellValues], spans: Sequence[Sequence[object]] | None = None, *, sure: bool = False, told: int = 0
) -> int:
    """How many of the first rows name the columns, 0 where none does. `spans`: what is equal in two places is one cell there.

    `sure`: that they are texts, no two alike, is not enough; nor is it for a row below those that are `told` to be heads.
    """
    if len(rows) < 2:
        return 0
    spans = spans or [[(r, c) for c in range(len(row))] for r, row in enumerate(rows)]
    levels = 1
    while levels < min(4, len(rows) - 1) and _goes_on_below(rows, spans, levels - 1):
        levels += 1
    counts = range(levels, told, -1)
    second = not told
    found = (n for n in counts if _are_names(rows[n - 1], rows[n:], second=n > 1 and second, sure=sure or told > 0))
    count = next(found, told)
    return further_heads(rows, count or (len(rows) > 2 and _says_days(rows[0], rows[1], rows[2:])))


def further_heads(rows: Sequence[_CellValues], count: int) -> int:
    """How many rows are heads where the first `count` are: units may stand below, or what tells apart names that are said twice."""
    while 0 < count < len(rows) - 1 and any(
        judge(rows[count - 1], rows[count], rows[count + 1 :]) for judge in (_says_more, _says_days)
    ):
        count += 1
    return count


def _says_more(upper: _CellValues, row: _CellValues, below: Sequence[_CellValues]) -> bool:
    if not all(is_name(value) for value in row if value.text):
        return False
    columns = [[other[at] for other in below[:LOOKED_AT] if other[at].text] for at in range(len(row))]
    units = [
        value.kind == "text" and _is_unit(value.text.strip("()[]"))
        for value, held in zip(row, columns, strict=True)
        if value.text and 2 * sum(one.kind == "number" and not _is_label(one) for one in held) > len(held)
    ]
    if 2 * sum(units) > len(units):
        return all(over.text for over, value in zip(upper, row, strict=True) if value.text)
    twice = [at for at in range(1, len(row)) if upper[at].text and upper[at].text == upper[at - 1].text]
    held = [one for at in twice for one in columns[at - 1] + columns[at]]
    years = sum(bool(_YEAR.fullmatch(one.text)) for one in held)
    apart = all("" != row[at].text != row[at - 1].text for at in twice)
    return apart and _mostly_values(held) and 2 * years <= len(held)


def _says_days(upper: _CellValues, row: _CellValues, below: Sequence[_CellValues]) -> bool:
    """Whether of two rows one counts days or holds dates, and the other names them (`Mo` over `7`), above rows that have a label each."""
    filled = [at for at, value in enumerate(row) if value.text]
    if len(filled) < _COUNTED or filled[0] == 0 or not all(upper[at].text for at in filled):
        return False
    held = {other[at].text for other in below[:LOOKED_AT] for at in filled}
    if not all(other[0].text for other in below[:LOOKED_AT] if any(one.text for one in other)):
        return False
    both = [[line[at] for at in filled] for line in (upper, row)]
    days = [all(value.kind == "date" for value in line) or _are_days([value.text for value in line]) for line in both]
    words = [all(value.kind == "text" for value in line) for line in both]
    return days == [not one for one in words] and days[0] != days[1] and not held & {one.text for one in both[1]}


def _are_days(texts: Sequence[str]) -> bool:
    """Whether whole numbers come one after another, where a month ends from 1 on."""
    if not all(map(_WHOLE.fullmatch, texts)):
        return False
    return (
        all(int(after) in (int(before) + 1, 1) for before, after in pairwise(texts)) and int(max(texts, key=int)) < 32
    )


def first_heads(rows: Sequence[_CellValues], spans: Sequence[Sequence[object]] | None = None) -> tuple[int, int] | None:
    """The first row of names, with at most ten lines above it that have fewer cells, and the row after the last one; None without any.

    A title over all columns is one cell.
    """
    most = 0
    for number in range(min(_ABOVE + 1, len(rows) - 1)):
        places = spans[number] if spans else range(len(rows[number]))
        filled = len({place for place, value in zip(places, rows[number], strict=True) if value.text})
        if filled > max(most, 1):
            below = rows[number:]
            if count := head_rows(below, spans[number:] if spans else None):
                return number, number + count
        most = max(most, filled)
    return None


def are_pairs(rows: Sequence[_CellValues]) -> bool:
    """Whether the rows are pairs of a name and its value, one below the other, rather than a table with columns."""
    filled = [[value for value in row if value.text] for row in rows]
    if len(rows) < 2 or any(len(row) > 2 for row in filled) or any(row and row[0].kind != "text" for row in filled):
        return False
    pairs = [row for row in filled if len(row) == 2]
    if len(pairs) < 2:
        return False
    marked = sum(row[0].text.endswith(":") for row in pairs) * 2 > len(pairs)
    bold = all(row[0].strong and not row[1].strong for row in pairs)
    kinds = {row[1].kind for row in pairs[1:]}
    numbered = [any(map(str.isdecimal, value.text)) for row in pairs for value in row]  # codes behind words
    coded = pairs[0][1].kind == "text" and all(numbered[1::2]) and not any(numbered[::2])
    return marked or bold or coded or len(kinds) > 1


def fits(row: _CellValues, below: Sequence[_CellValues]) -> bool:
    """Whether a row can be one of the rows `below` their heads: no text or date where they hold none, no further column."""
    for column, value in enumerate(row):
        if not value.text:
            continue
        kinds = {other[column].kind for other in below[:LOOKED_AT] if column < len(other)} - {"blank"}
        labels = any(other[column].text.endswith(":") for other in below[:LOOKED_AT] if column < len(other))
        if not kinds or (value.kind != "number" and value.kind not in kinds) or value.text.endswith(":") > labels:
            return False
    return True


class Labels:
    """Labels of groups in the first columns of a table, said once and meant for the blank cells below them, as pivot tables have them.

    `depth` tells how many columns hold such, by the first rows below the heads; 0 where that is not clear. It is where no label comes
    twice, the next column has a value in all other rows, and each label has two rows, or a row of its own, or one that names it again.
    """

    def __init__(self, rows: Sequence[_CellValues]) -> None:
        table = [[value.text for value in row] for row in rows[:LOOKED_AT]]
        self._sums = table.pop() if len(table) > 1 and _sums_up(rows[:LOOKED_AT]) else []
        self._said: list[Any] = []
        gaps = bool(table) and bool(table[0][0]) and not all(row[0] for row in table)
        depths = range(1, min(_DEEPEST + 1, len(table[0]))) if gaps else range(0)
        self.depth = next((depth for depth in depths if _are_labels(table, depth)), 0)

    def row(self, cells: Sequence[_Cell], texts: Sequence[str]) -> Sequence[_Cell]:
        """The cells of the next row, its blank labels filled, but if it is one of sums. `texts`: what they hold."""
        first = next((at for at, text in enumerate(texts[: self.depth]) if text), self.depth)
        own = zip(cells[first : self.depth], texts[first:], strict=False)
        self._said = [*self._said[:first], *(cell for cell, text in own if text)]
        full = any(texts[self.depth : self.depth + 1]) and len(self._said) == self.depth and texts != self._sums
        return [*self._said, *cells[self.depth :]] if full else cells


def _sums_up(rows: Sequence[_CellValues]) -> bool:
    """Whether the last row, without a label, is one of sums: a formula, or a number that those above come to."""
    columns = [[_amount(row[at]) for row in rows if at < len(row)] for at, value in enumerate(rows[-1]) if value.text]
    formula = any(value.text[:1] == "=" for value in rows[-1])
    return not rows[-1][0].text and (formula or any(abs(sum(one[:-1]) - one[-1]) < _CENT for one in columns))


def _amount(value: CellValue) -> float:
    said = value.text.replace(",", "")
    return float(said) if said.removeprefix("-").replace(".", "", 1).isdecimal() else math.nan  # which equals no sum


def _are_labels(table: Sequence[Sequence[str]], depth: int) -> bool:
    """Whether the first `depth` columns hold labels, and the next one a value in all rows but those of one label alone."""
    rows_of, said, alone = dict[str, int](), list[str](), list[str]()
    for row in table:
        first = next((at for at in range(depth) if row[at]), depth)
        said = [*said[:first], *filter(None, row[first:depth])]
        if not first and (said[0] in rows_of or (said[0].isdecimal() and not _YEAR.fullmatch(said[0]))):
            return False  # a rank, an amount
        rows_of.setdefault(said[0], 0)
        if not row[depth]:
            alone += filter(None, row[:depth])
        elif len(said) < depth or not all(row[first:depth]):
            return False
        rows_of[said[0]] += bool(row[depth])
    named = any(label != other and label in other for label in rows_of for other in alone)
    if named or (alone and all(label in alone for label in rows_of)):
        return any(rows_of.values())
    return not alone and len(rows_of) > 1 and min(rows_of.values()) > 1


def _are_names(row: _CellValues, below: Sequence[_CellValues], *, second: bool, sure: bool) -> bool:
    below = below[:LOOKED_AT]
    names = [(column, value) for column, value in enumerate(row) if value.text]
    if len(names) < 2 or not below or any(len(value.text) > LONGEST_NAME for _, value in names):
        return False
    columns = {column: [other[column] for other in below if other[column].text] for column, _ in names}
    if any(value.text.endswith(":") and any(one.text.endswith(":") for one in columns[at]) for at, value in names):
        return False  # a form: names of values stand in the column
    texts, numbers = list[tuple[int, CellValue]](), list[tuple[int, CellValue]]()
    for column, value in names:
        names_it = value.kind == "text" or (_is_label(value) and not any(map(_is_label, columns[column])))
        (texts if names_it else numbers).append((column, value))
    if numbers and not (is_count([value for _, value in numbers]) and _over_numbers(numbers, columns, below)):
        return False
    bold = all(value.strong for _, value in names) and not all(
        value.strong for other in below for value in other if value.text
    )
    if are_pairs([row, *below]):
        return False
    contrast = any(_mostly_values(columns[column]) for column, _ in texts)
    if bold or contrast or numbers or sure:
        return bold or contrast or bool(numbers) or second
    recurs = any(value.text == other.text for column, value in texts for other in columns[column])
    different = len({value.text for _, value in texts}) == len(texts)
    return not recurs and (different or second)


def _is_unit(text: str) -> bool:
    found = unit_after(text, 0)
    return found is not None and found.end == len(text)


def is_name(value: CellValue) -> bool:
    """Whether it can name a column beside others: words, a number behind letters, or a year."""
    return value.kind == "text" or _is_label(value) or bool(_YEAR.fullmatch(value.text))


def _is_label(value: CellValue) -> bool:
    """Whether it is a number behind letters (Q1, FY24, PM10), which names a column where no such stand below it."""
    return value.kind == "number" and value.text[0].isalpha()


def _mostly_values(values: _CellValues) -> bool:
    """Whether more than half are numbers or dates."""
    return 2 * sum(value.kind in ("number", "date") for value in values) > len(values)


def is_count(values: _CellValues) -> bool:
    """Whether the values are dates or years, no two alike, or whole numbers one after another."""
    texts = [value.text for value in values]
    if len(set(texts)) < len(texts):
        return False
    if all(value.kind == "date" or _YEAR.fullmatch(value.text) for value in values):
        return True
    return _one_after_another(texts)


def _one_after_another(texts: Sequence[str]) -> bool:
    if len(texts) < _COUNTED or not all(map(_WHOLE.fullmatch, texts)):
        return False
    return all(int(after) - int(before) == 1 for before, after in pairwise(texts))


def rises_evenly(texts: Sequence[str]) -> bool:
    """Whether they are three numbers or more, each as much above the last (sizes 36, 38, 40), as names of columns may be."""
    amounts = [_amount(CellValue(text)) for text in texts]
    steps = {round(after - before, 6) for before, after in pairwise(amounts)}
    return len(texts) >= _COUNTED and len(steps) == 1 and min(steps) > 0


def recurs_under(upper: _CellValues, below: Sequence[_CellValues]) -> bool:
    """Whether the first row `below` holds the same texts under each name of `upper`, over values, as a second row of names does."""
    starts = [at for at, value in enumerate(upper) if at and value.text and value.text != upper[at - 1].text]
    groups = [[value.text for value in below[0][start:end]] for start, end in pairwise([*starts, len(upper)])]
    lower = [value for value in below[0][1:] if value.text]
    if len(groups) < 2 or len(groups[0]) < 2 or any(group != groups[0] for group in groups) or not all(groups[0]):
        return False
    held = {value.text for row in below[1:LOOKED_AT] for value in row}
    return all(value.kind == "text" and value.text not in held for value in lower) and len(set(groups[0])) > 1


def _over_numbers(
    names: Sequence[tuple[int, CellValue]], columns: dict[int, list[CellValue]], below: Sequence[_CellValues]
) -> bool:
    """Whether values stand below that are no such count themselves."""
    held = [value for column, _ in names for value in columns[column]]
    if not _mostly_values(held):
        return False
    if any(_one_after_another([row[column].text for column, _ in names]) for row in below):
        return False
    alike = [value for value in held if value.kind == "date" or _YEAR.fullmatch(value.text)]
    return 2 * len(alike) <= len(held)


def _goes_on_below(rows: Sequence[_CellValues], spans: Sequence[Sequence[object]], level: int) -> bool:
    """Whether the row below `level` says more of its heads: below one that spans columns."""
    row, under = spans[level], spans[level + 1]
    across = any(a == b and a is not None for a, b in pairwise(row)) and any(a != b for a, b in pairwise(row))
    own = [
        value for value, above, here in zip(rows[level + 1], row, under, strict=True) if value.text and above != here
    ]
    return across and bool(own) and all(map(is_name, own))
