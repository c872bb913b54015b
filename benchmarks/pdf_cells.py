"""Tables in PDFs of any writer: under which row label and column head each known cell is told.

    python benchmarks/pdf_cells.py FOLDER GOLD [--out FILE]

GOLD has a line of JSON for each PDF: its `file`, and its `cells`, each with `row`, `column` (parts of either divided by " / "), `value`,
and perhaps `group` (a line above its rows) or `table` (of several side by side). A cell without a value, or with one that is struck out,
is to be blank. A cell is `right` where a line with its label tells its value in the column of its head, and no other; `wrong label` and
`wrong head` are the worst: told, but of another. `in a line` are label and value without bars.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from setting import command_line, setting, write

from decoct.documents.base import Source
from decoct.documents.paged.pdf import parse

Line = tuple[str, list[str]]
_SIGNS = str.maketrans("⁄−–", "/--", "^_~")


def plain(text: str) -> str:
    """Words and figures without the signs of raised letters, in one form of each sign."""
    text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text.translate(_SIGNS))
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    return re.sub(r"\s+", " ", text).strip()


def lines_of(text: str) -> list[Line]:
    """Each line with its cells; without bars none."""
    found = []
    for line in text.replace("\f", "\n").split("\n"):
        barred = line.startswith("|") or " |" in line
        cells = re.split(r" ?\| ", line.removeprefix("|").rstrip(" |") + " ") if barred else []
        found.append((plain(line), [plain(cell) for cell in cells]))
    return found


def _names(cell: str, heads: set[str]) -> set[str]:
    """Which heads a cell tells: its parts, else the longest one within it."""
    parts = {*map(str.strip, cell.split(" / ")), cell} & heads
    within = [head for head in heads if re.search(rf"(?<!\w){re.escape(head)}(?!\w)", cell)]
    return parts or {max(within, key=len, default="")} - {""}


def _heads(lines: Sequence[Line], at: int, leaves: set[str], heads: set[str]) -> list[set[str]]:
    """The heads over each place of a line: of the nearest line above with most of them, and the barred one above that."""
    for number in range(at - 1, -1, -1):
        told = [_names(cell, leaves) for cell in lines[number][1]]
        if len(set().union(*told)) * 2 > len(leaves):
            rows = [lines[one][1] for one in (number, number - 1) if one >= 0]
            return [
                set().union(*(_names(row[place], heads) for row in rows if place < len(row)))
                for place in range(max(map(len, rows)))
            ]
    return []


def _group_of(lines: Sequence[Line], at: int, groups: set[str]) -> str:
    return next((said.strip(" |") for said, _ in reversed(lines[:at]) if said.strip(" |") in groups), "")


def ways_told(lines: Sequence[Line], cells: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """How each cell of a table is told."""
    heads = {plain(part) for one in cells for part in one["column"].split(" / ")} - {""}
    leaves = {plain(one["column"].split(" / ")[-1]) for one in cells} - {""}
    groups = {plain(one["group"]) for one in cells if "group" in one}
    labels = {one["row"]: [plain(part) for part in one["row"].split(" / ")] for one in cells}
    values = {(one["row"], one["column"]): "" if one.get("struck") else plain(one["value"]) for one in cells}
    over = [_heads(lines, at, leaves, heads) if line[1] else [] for at, line in enumerate(lines)]
    for one in cells:
        label, value = labels[one["row"]], values[one["row"], one["column"]]
        column = {plain(part) for part in one["column"].split(" / ")} - {""}
        own = [at for at, (_, row) in enumerate(lines) if all(part in row for part in label)]
        if not column:
            yield one, _told_of(lines, label, value)
            continue
        ways = []
        for at in own:
            row, above = lines[at][1], over[at]
            key = row.index(label[-1])
            places = [place for place, names in enumerate(above) if column <= names]
            place = min(places, key=lambda place: abs(place - key), default=None)
            said = row[place] if place is not None and place < len(row) else ""
            if place is not None and said == value:
                ways.append("right" if _group_of(lines, at, groups) == plain(one.get("group", "")) else "wrong group")
                continue
            elsewhere = {
                other
                for there, cell in enumerate(row)
                if cell == value != "" and there < len(above) and label[-1] != cell
                for other, (_, name) in ((k, k) for k in values if k[0] == one["row"])
                if {plain(part) for part in name.split(" / ")} <= above[there] and values[other] != value
            }
            if elsewhere or (place is not None and not value and said):
                ways.append("wrong head")
            elif not value or value in row:
                ways.append("no head")
            else:
                ways.append("glued" if any(value in cell for cell in row) else "lost")
        if ways:
            yield one, min(ways, key=["right", "wrong head", "wrong group", "no head", "glued", "lost"].index)
        elif value and _another(lines, over, labels, values, one, column, value):
            yield one, "wrong label"
        else:
            line = any(value in said and all(part in said for part in label) for said, _ in lines)
            yield one, "in a line" if line else "lost"


def _another(
    lines: Sequence[Line],
    over: Sequence[Sequence[set[str]]],
    labels: dict[str, list[str]],
    values: dict[tuple[str, str], str],
    one: dict[str, Any],
    column: set[str],
    value: str,
) -> bool:
    """Whether a line with the label of another row, that has another value, tells the value in the column."""
    for at, (_, row) in enumerate(lines):
        named = [key for key, label in labels.items() if key != one["row"] and all(part in row for part in label)]
        under = any(cell == value and column <= names for cell, names in zip(row, over[at], strict=False))
        if under and named and all(values.get((key, one["column"])) != value for key in named):
            return True
    return False


def _told_of(lines: Sequence[Line], label: Sequence[str], value: str) -> str:
    """How a value without a head is told: on the line of its label, or below it at the same place."""
    for at, (said, row) in enumerate(lines):
        if all(part in said for part in label) and value in said:
            return "right"
        for place, cell in enumerate(row):
            below = lines[at + 1][1] if at + 1 < len(lines) else []
            if cell.endswith(label[-1]) and below[place : place + 1] == [value]:
                return "right"
    return "lost"


def main() -> None:
    """Read the PDFs, write the result."""
    parser = command_line(__doc__, out="documents/pdf-cells.json")
    parser.add_argument("folder", type=Path)
    parser.add_argument("gold", type=Path)
    given = parser.parse_args()
    files: dict[str, Any] = {}
    for said in map(json.loads, given.gold.read_text("utf-8").splitlines()):
        path = given.folder / Path(said["file"]).name
        if Path(said["file"]).parent.name == given.folder.name and said["cells"]:
            [read] = parse(Source.of(path.name, path.read_bytes()))
            files[path.name] = Counter(way for _, way in ways_told(lines_of(read.text), said["cells"]))
    sums = sum(files.values(), Counter[str]())
    right = sum(set(one) == {"right"} for one in files.values())
    result = {"files": len(files), "cells": sum(sums.values()), "told": sums, "files wholly right": right}
    write(
        given.out, {**setting(), **result, "not wholly right": {k: v for k, v in files.items() if set(v) != {"right"}}}
    )


if __name__ == "__main__":
    main()
