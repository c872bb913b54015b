"""What of a list or table belongs to the words that were found.

A sentence that leads into a list is quoted with it. Where a question asks for several things, each item of the list is an answer of which
one item was read. Where a table names a cell by row and column (`cells.py`), that cell is the answer; and words that were read in another
row than the one which the question names are taken from that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from decoct.answer.cells import cell_asked_for, in_the_row_named
from decoct.answer.quotable import is_item, item_words, list_around, whole, with_its_list
from decoct.answer.quoted import FoundWords, ReadPassage

_NAMED, _CELL = 0.55, 0.42  # a cell of which everything is named is as sure as the surest words
_MOST_CELLS = 3  # more different ones are not one thing that the question names


def with_lists(best: Sequence[FoundWords], *, several: bool) -> list[FoundWords]:
    """The answers; where the question asks for several, each item of a list of which one was read is one."""
    found: dict[tuple[int, tuple[int, int]], FoundWords] = {}
    for one in best:
        text = one.read.passage.text
        items = list_around(text, one.sentence) if several and not one.judged else []
        if not items:
            found.setdefault((one.read.rank, one.place), replace(one, sentence=with_its_list(text, one.sentence)))
        for place in (item_words(text, item) for item in items if is_item(text[slice(*item)])):
            listed = replace(one, sentence=whole(items), place=place, words=text[slice(*place)])
            found.setdefault((one.read.rank, place), listed)
    return list(found.values())


def with_cells(
    question: str, found: Sequence[FoundWords], read: Sequence[ReadPassage], related: float
) -> list[FoundWords]:
    """The cells of tables that the question names, of passages that are evidence with `related`; then what was found elsewhere."""
    cells: list[tuple[float, FoundWords]] = []
    for one in read:
        text = one.passage.text
        cell = cell_asked_for(question, text, one.passage.title) if one.reading.relevance >= related else None
        if cell is not None:
            weight = _NAMED + _CELL * min(cell.named, 1.0)
            cells.append((cell.named, FoundWords(one, cell.row, cell.place, text[slice(*cell.place)], weight)))
    most = max((named for named, _ in cells), default=0.0)
    best = {one.words.casefold(): one for named, one in reversed(cells) if named == most}
    if not 1 <= len(best) <= _MOST_CELLS:
        return list(found)
    ranks = {one.read.rank for one in best.values()}
    others = [] if most >= 1 else [one for one in found if one.read.rank not in ranks]
    return sorted((*best.values(), *others), key=lambda one: -one.weight)


def place_in_its_row(question: str, text: str, place: tuple[int, int]) -> tuple[int, int]:
    """The place; where it is a cell of a table and the question names another row, that row's cell of the same column."""
    return in_the_row_named(question, text, place) or place
