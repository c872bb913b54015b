"""The cell of a table that a question asks for: its row is the one that the question names, its column the one whose head it names.

A reader of running text finds the right column and takes the first row. What a table says needs no reading: the words of the question that
stand in a row name the row, those that stand in a column's head name the column, and where together they are (nearly) all that the
question says, the cell where both meet is the answer. Where they name no column, the kind of question does: "how much" asks for the
price, "who" for the owner. A record ("phone: 4417", one field a line; in other text at least three) is a table of one row, which the text's
title may name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from decoct.text.outline import above
from decoct.text.values import held_by_ranges, value_of
from decoct.text.wholes import FIELD, Place
from decoct.text.words import content_stems

_LETTER = re.compile(r"(?<=\s)[A-Z](?![\w'’-])")
_HEAD = re.compile(r"([^\n:|]{1,100}): (?=\S)")
_RULE = re.compile(r"[\s|:+=-]+")
_PAIRS = 2  # labels in a row of a form, each with its value
_IN_WORDS = ("entity", "text")
_UNSAID = " -–—"
_FIELDS = 3  # lines one after another that are a record in other text
_LEAST = 2 / 3  # of the question's words, those that name row and column


@dataclass(frozen=True, slots=True)
class Cell:
    """The `place` of a cell and of its `row` in the text; `named` is the share of the question's words that name row, column or table.

    `called` is how many of them stand in the first cell of the row, which says what it is of.
    """

    place: Place
    row: Place
    named: float
    called: int = 0


@dataclass(frozen=True, slots=True)
class _Table:
    """The heads of the columns, the place of their row (empty for a record), and the rows: each a place, and the places of its cells."""

    heads: tuple[str, ...]
    row: Place
    rows: tuple[tuple[Place, tuple[Place, ...]], ...]
    has_heads_in_rows: bool = False


def cell_asked_for(question: str, text: str, title: str = "") -> Cell | None:
    """The one cell of the tables of `text` that the question names by row and column; None where it names none, or several."""
    asked = content_stems(question) | _letters(question)
    if not asked:
        return None
    about = content_stems(title) | content_stems(" ".join(_headings(text)))
    tables = _tables(text)
    found = [
        ((cell.named, len(asked & _above(text, table)), cell.called), cell)
        for table in tables
        for cell in _cells(asked, about, text, table)
    ]
    most = max((named for named, _ in found), default=(0, 0, 0))
    best = {cell.place: cell for named, cell in reversed(found) if named == most}
    return next(iter(best.values())) if most[0] >= _LEAST and len(best) == 1 else None


def _above(text: str, table: _Table) -> frozenset[str]:
    """The stems of the headings under which a table stands: of tables with the same heads they say which one is meant."""
    start = min(table.row[0], table.rows[0][0][0])
    return frozenset().union(*(content_stems(one) for one in above(text, start)))


def cell_meant(question: str, text: str, place: Place) -> Place | None:
    """`place`; where it lies in a table of which the question names another row or column: the cell of that one. None where that is blank.

    A column that is named by its head is not the one asked for where the row's own cell of it stands in the question.
    """
    asked = content_stems(question) | _letters(question)
    for number, table in enumerate(_tables(text)):
        if table.row[0] <= place[0] < table.row[1]:
            return None  # the heads are no answer
        row_place, cells = table.rows[max(0, bisect_right(table.rows, place[0], key=lambda row: row[0][0]) - 1)]
        if not row_place[0] <= place[0] < row_place[1]:
            continue
        column = next((n for n, (start, end) in enumerate(cells) if start <= place[0] < max(end, start + 1)), None)
        if column is None and table.has_heads_in_rows:
            # The head that a row says before its value is no answer: what it says is.
            column = min((n for n, (start, _) in enumerate(cells) if start > place[0]), key=lambda n: cells[n][0])
            place = cells[column]
        if column is None:
            continue
        named = _row_named(question, text, number, column)
        row = cells if named is None else table.rows[named][1]
        at = _column_meant(asked, text, table, row, column, held=held_by_ranges(question, table.heads))
        cell = place if row is cells and at == column else row[at] if at < len(row) else (0, 0)
        return cell if any(map(str.isalnum, text[slice(*cell)])) else None
    return place


@lru_cache(maxsize=256)
def _row_named(question: str, text: str, number: int, column: int) -> int | None:
    """Which row of a table says most of the question outside of `column`; None where several do."""
    asked, rows = content_stems(question) | _letters(question), [row for _, row in _tables(text)[number].rows]
    firsts = held_by_ranges(question, [text[slice(*row[0])] if row else "" for row in rows])
    named = [len(_named(asked, text, row, column)) + (n in firsts) for n, row in enumerate(rows)]
    return named.index(max(named)) if named.count(max(named)) == 1 else None


def head_of_column(text: str, place: Place) -> str:
    """The head over the cell of a table, or the name of the field, at `place`; "" outside of tables."""
    for table in _tables(text):
        for _, cells in table.rows:
            for head, (start, end) in zip(table.heads, cells, strict=False):
                if start <= place[0] < end:
                    return head
    return ""


def cells_of_row(text: str, place: Place) -> list[tuple[str, str]]:
    """The cells of the row of a table at `place` that say something, each with its head ("" for one more than there are heads).

    Outside of tables the text at `place`, without a head.
    """
    cells = placed_cells(text, place)
    return [("", text[slice(*place)])] if cells is None else [(head, text[slice(*cell)]) for head, cell in cells]


def placed_cells(text: str, place: Place) -> list[tuple[str, Place]] | None:
    """The places of these cells, each with its head; None outside of tables."""
    for table in _tables(text):
        for row, cells in table.rows:
            if row[0] <= place[0] < row[1]:
                heads = (*table.heads, *[""] * len(cells))
                held = zip(heads, cells, strict=False)
                said = [(head, cell) for head, cell in held if text[slice(*cell)]]
                return [one for one in said if place[0] <= one[1][0] < place[1]] if table.has_heads_in_rows else said
    return None


def cells_as_text(cells: Sequence[tuple[str, str]]) -> tuple[str, list[Place]]:
    """Cells in words, each behind its head, with bars between them; and where each stands with its head."""
    text, places = "", list[Place]()
    for head, cell in cells:
        text += " | " if text else ""
        start = len(text)
        text += _behind_its_head(head, cell)
        places.append((start, len(text)))
    return text, places


def row_said(question: str, text: str, place: Place) -> str:
    """The row of a table at `place` in words, each cell behind its head: of the columns that the question names the row says those alone.

    What a row is called (its first cell, and what of the question stands in it) is said too; other text as it stands.
    """
    cells, asked = cells_of_row(text, place), content_stems(question) | _letters(question)
    called = [n == 0 or bool(asked & _stems_of(cell)) for n, (_, cell) in enumerate(cells)]
    heads = [0 if name else len(asked & content_stems(head)) for name, (head, _) in zip(called, cells, strict=True)]
    most = max(heads)
    meant = [cell for cell, name, n in zip(cells, called, heads, strict=True) if name or n == most]
    return ", ".join(_behind_its_head(head, cell) for head, cell in meant)


def _behind_its_head(head: str, cell: str) -> str:
    return f"{head}: {cell}" if head else cell


def table_heads(text: str, at: int) -> str | None:
    """The heads over the row of a table at character `at`, "" where its cells say them or it has none; None for the row of heads."""
    for table in _tables(text):
        if table.row[0] <= at < table.row[1]:
            return None
        if table.row[0] < table.row[1] and any(row[0][0] <= at < row[0][1] for row in table.rows):
            return " | ".join(table.heads)
    return ""


def name_of_record(text: str, at: int) -> str:
    """The first field of the record that holds a further one at character `at`; "" elsewhere."""
    for table in _tables(text):
        for (start, _), cells in table.rows:
            if table.heads and start == table.row[0] == table.row[1] and cells and cells[0][1] < at < cells[-1][1]:
                return text[start : cells[0][1]].strip()
    return ""


def is_field(line: str) -> bool:
    """Whether a line is a field with its value ("phone: 4417")."""
    return FIELD.fullmatch(line) is not None


def _column_meant(
    asked: frozenset[str],
    text: str,
    table: _Table,
    row: Sequence[Place],
    column: int,
    *,
    held: frozenset[int] = frozenset(),
) -> int:
    """The column whose head says most of the question, or holds what it says, more than that of `column`, which else stays.

    A blank cell whose head says as much, and no more beside it, is meant before that of `column`.
    """
    said = [
        0
        if n < len(row) and n != column and asked & _words_of(text, row[n])
        else len(asked & content_stems(head)) + (n in held)
        for n, head in enumerate(table.heads)
    ]
    most = max(said, default=0)
    own = said[column] if column < len(said) else 0
    if most > own:
        return said.index(most) if said.count(most) == 1 else column
    heads = [len(content_stems(head)) for head in table.heads]
    blank = [
        n
        for n, one in enumerate(said)
        if 0 < one == own and heads[n] <= heads[column] and n < len(row) and not text[slice(*row[n])].strip(_UNSAID)
    ]
    return blank[0] if blank else column


def _cells(asked: frozenset[str], about: frozenset[str], text: str, table: _Table) -> Iterator[Cell]:
    """The cells below heads with words that are asked."""
    for column, head in enumerate(table.heads):
        heads = asked & content_stems(head)
        if not heads:
            continue
        named = [
            (_named(asked, text, cells, column), row, cells)
            for row, cells in table.rows
            if column < len(cells) and any(map(str.isalnum, text[slice(*cells[column])]))
        ]
        most = max((len(words) for words, *_ in named), default=0)
        sole = len(table.rows) == 1 and bool(asked & about)
        for words, row, cells in named:
            place = cells[column]
            named_best = (most or sole) and len(words) == most and not asked & content_stems(text[slice(*place)])
            if named_best and _column_meant(asked, text, table, cells, column) == column:
                known = words | heads | (asked & about)
                # The head of the column in which the row was named says no more than the row does.
                beside = {w for other in table.heads for w in content_stems(other)} & asked
                line = text.rfind("\n", 0, place[0]) + 1, place[1] + len(text[place[1] :].partition("\n")[0])
                called = len(asked & _words_of(text, cells[0])) if len(table.rows) > 1 else 0
                yield Cell(place, line if table.has_heads_in_rows else row, len(known | beside) / len(asked), called)


def _named(asked: frozenset[str], text: str, cells: Sequence[Place], column: int) -> frozenset[str]:
    """The words of the question that stand in a row, outside of `column`."""
    return asked & frozenset().union(*(_words_of(text, cell) for n, cell in enumerate(cells) if n != column))


def _words_of(text: str, cell: Place) -> frozenset[str]:
    return _stems_of(text[slice(*cell)])


def _stems_of(said: str) -> frozenset[str]:
    """The stems of a cell; a single letter is what it is called."""
    return frozenset({said.lower()}) if len(said) == 1 else content_stems(said)


def _letters(question: str) -> frozenset[str]:
    """The single capitals in a question, which may be what a row is called ("zone A")."""
    return frozenset(found.lower() for found in _LETTER.findall(question))


def _headings(text: str) -> Iterator[str]:
    """The short lines that stand before a table or record."""
    before: list[str] = []
    for line in text.split("\n"):
        if "|" in line or FIELD.fullmatch(line):
            yield " ".join(before)
            before = []
        elif line.strip():
            before = [*before, line][-2:] if len(line) < 80 else []


@lru_cache(maxsize=256)
def _tables(text: str) -> tuple[_Table, ...]:
    return tuple(_found_tables(text))


def _found_tables(text: str) -> Iterator[_Table]:
    run: list[tuple[Place, tuple[Place, ...]]] = []
    fields: list[re.Match[str]] = []
    at, lines = 0, 0
    for line in text.split("\n"):
        if line.count("|") and not _RULE.fullmatch(line):
            run.append(((at, at + len(line)), tuple(_split(line, at))))
        elif not line.strip() or "|" not in line:
            yield from _table(text, run)
            run = []
        lines += bool(line.strip())
        if field := FIELD.fullmatch(text, at, at + len(line)):
            fields.append(field)
        elif line.strip():
            yield from _record(fields, _FIELDS)
            fields = []
        at += len(line) + 1
    yield from _table(text, run)
    yield from _record(fields, 2 if len(fields) == lines else _FIELDS)


def _record(fields: Sequence[re.Match[str]], least: int) -> Iterator[_Table]:
    if len(fields) >= least:
        row = fields[0].start(), fields[-1].end()
        yield _Table(tuple(one[1] for one in fields), (row[0], row[0]), ((row, tuple(one.span(2) for one in fields)),))


def _table(text: str, run: Sequence[tuple[Place, tuple[Place, ...]]]) -> Iterator[_Table]:
    if named := _with_heads_in_rows(text, run):
        yield named
    elif form := _form(text, run):
        yield form
    elif len(run) > 1:
        yield _Table(tuple(text[slice(*cell)] for cell in run[0][1]), run[0][0], tuple(run[1:]))


def _with_heads_in_rows(text: str, run: Sequence[tuple[Place, tuple[Place, ...]]]) -> _Table | None:
    """The table of rows `head: value | head: value`, as sheets and long tables are written; what a row does not say is blank.

    None where a cell behind the first of its row says no head, or no head is said in two rows.
    """
    rows: list[dict[str, Place]] = []
    for _, cells in run:
        found = [(_HEAD.match(text, *cell), cell) for cell in cells]
        if not all(head for head, _ in found[1:]):
            return None
        rows.append({head[1] if head else "": (head.end() if head else cell[0], cell[1]) for head, cell in found})
    heads = tuple(dict.fromkeys(head for row in rows for head in row))
    again = [head for head in heads if head and sum(head in row for row in rows) > 1]
    if len(heads) < 2 or (len(rows) > 1 and not again):
        return None
    places = tuple(
        (row, tuple(said.get(head, (row[1], row[1])) for head in heads))
        for (row, _), said in zip(run, rows, strict=True)
    )
    return _Table(heads, (run[0][0][0], run[0][0][0]), places, has_heads_in_rows=True)


def _form(text: str, run: Sequence[tuple[Place, tuple[Place, ...]]]) -> _Table | None:
    """The record that rows are in which labels and values stand side by side (`Name | Ann | Born | 1990`); None where they may be columns.

    Labels are words, each another, values not all numbers below each other; where heads would be stands a number or nothing.
    """
    width = len(run[0][1]) if len(run) > 1 else 0
    if width < 2 * _PAIRS or width % 2 or any(len(cells) != width for _, cells in run):
        return None
    places = [cell for _, cells in run for cell in cells]
    said = [text[slice(*cell)].strip(_UNSAID) for cell in places]
    labels, values = [one.rstrip(": ") for one in said[::2]], said[1::2]
    if len({one.casefold() for one in labels}) < len(labels) or any(
        sum(map(str.isalpha, one)) < 2 or ":" in one for one in labels
    ):
        return None
    across = width // 2
    columns = [[value_of(one).kind not in _IN_WORDS for one in values[at::across] if one] for at in range(across)]
    is_first = any(not one or any(map(str.isdigit, one)) for one in values[:across])
    if not is_first or any(len(column) > 1 and all(column) for column in columns):
        return None
    row = run[0][0][0], run[-1][0][1]
    return _Table(tuple(labels), (row[0], row[0]), ((row, tuple(places[1::2])),), has_heads_in_rows=True)


def _split(line: str, at: int) -> Iterator[Place]:
    """The cells of a line without the white space and code marks around them; none before a first or after a last `|`."""
    start = 0
    parts = line.split("|")
    for number, part in enumerate(parts):
        bare = part.strip(" \t`*")
        if bare or 0 < number < len(parts) - 1:
            begin = at + start + (part.index(bare) if bare else 0)
            yield begin, begin + len(bare)
        start += len(part) + 1
