"""What of a list or table belongs to the words that were found.

A sentence that leads into a list is quoted with it. Where a question asks for several things, each item of the list is an answer of which
one item was read. Where a table names a cell by row and column (`cells.py`), that cell is the answer; and words that were read in another
row than the one which the question names are taken from that one. Where a question asks how to do something, the steps under the heading
that names it are the answer (`procedures.py`). Where it asks what a code means ("What does E-1402 mean?"), what stands under the heading or
item that is that very code is. Where it asks for a field of a document's front matter, its value is; the rest of such matter is no text
to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from decoct.answer.procedures import list_asked_for, procedure_asked_for
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.documents.frontmatter import field_asked_for
from decoct.documents.matter import without_matter
from decoct.text.cells import cell_asked_for
from decoct.text.identifiers import identifiers
from decoct.text.outline import PlacedPart, outline
from decoct.text.questions import parsed_question
from decoct.text.quotable import (
    is_item,
    is_quotable,
    is_row,
    item_words,
    list_around,
    whole,
    with_what_it_leads_into,
)
from decoct.text.sentences import sentences
from decoct.text.wholes import whole_words
from decoct.text.words import content_stems

_NAMED, _CELL = 0.55, 0.42  # what is named in full by the question is as sure as the surest words
_MOST_PROCEDURES = 2
_MOST_CELLS = 3  # more different ones are not one thing that the question names


def with_lists(best: Sequence[FoundWords], *, several: bool) -> list[FoundWords]:
    """The answers; where the question asks for several, each item of a list of which one was read is one, and each step of a procedure.

    A numbered item that is read as a whole is a step: what answers is all of them.
    """
    found: dict[tuple[int, tuple[int, int]], FoundWords] = {}
    for one in best:
        text = one.read.passage.text
        for step in one.steps:
            found.setdefault((one.read.rank, step), replace(one, place=step, words=text[slice(*step)]))
        if one.steps:
            continue
        listed = not one.judged and (several or _is_step(text, one))
        items = list_around(text, one.sentence) if listed else []
        if not items:
            found.setdefault(
                (one.read.rank, one.place), replace(one, sentence=with_what_it_leads_into(text, one.sentence))
            )
        for place in (item_words(text, item) for item in items if is_item(text[slice(*item)])):
            item = replace(one, sentence=whole(items), place=place, words=text[slice(*place)])
            found.setdefault((one.read.rank, place), item)
    return list(found.values())


def _is_step(text: str, one: FoundWords) -> bool:
    place = item_words(text, one.sentence)
    return text[slice(*one.sentence)].lstrip("(")[:1].isdecimal() and place[0] > one.sentence[0] and place == one.place


def cells_named(question: str, read: Sequence[ReadPassage], related: float) -> list[FoundWords]:
    """The cells of tables that the question names, of passages that are evidence with `related`; all that name it best."""
    cells: list[tuple[float, FoundWords]] = []
    for one in read:
        text = without_matter(one.passage.text)
        named = [_cell_of_part(question, one, text, part) for part in outline(text)]
        cells += [cell for cell in named if cell is not None and (one.reading.relevance >= related or cell[0] >= 1.0)]
    most = max((named for named, _ in cells), default=0.0)
    best = {one.words.casefold(): one for named, one in reversed(cells) if named == most}
    return list(best.values()) if len(best) <= _MOST_CELLS else []


def _cell_of_part(question: str, one: ReadPassage, text: str, part: PlacedPart) -> tuple[float, FoundWords] | None:
    """The cell that the question names in a part of a text, under all that stands over it."""
    title = " ".join((one.passage.title, *part.above))
    cell = cell_asked_for(question, text[part.start : part.end], title)
    if cell is None:
        return None
    row, place = ((part.start + start, part.start + end) for start, end in (cell.row, cell.place))
    weight = _NAMED + _CELL * min(cell.named, 1.0)
    return cell.named, FoundWords(one, row, place, text[slice(*place)], weight, form="cell")


def fields_asked_for(question: str, read: Sequence[ReadPassage]) -> list[FoundWords]:
    """The values of the fields of front matter that the question asks for, those of the documents that it names best."""
    found: list[tuple[float, FoundWords]] = []
    for one in read:
        field = field_asked_for(question, one.passage.text, one.passage.title)
        if field is not None:
            words = one.passage.text[slice(*field.value)]
            weight = _NAMED + _CELL * field.named
            found.append((field.named, FoundWords(one, field.line, field.value, words, weight, form="cell")))
    most = max((named for named, _ in found), default=0.0)
    best = [one for named, one in found if named == most]
    return best if len(best) <= _MOST_CELLS else []


def steps_named(question: str, read: Sequence[ReadPassage], related: float) -> list[FoundWords]:
    """The steps that tell how to do what the question asks, of passages that are evidence with `related`; all that name it best."""
    told: list[tuple[float, FoundWords]] = []
    for one in read:
        text = without_matter(one.passage.text)
        if one.reading.relevance < related:
            continue
        said = procedure_asked_for(question, text, one.passage.title) or list_asked_for(
            question, text, one.passage.title
        )
        if said is not None:
            first, weight = said.steps[0], _NAMED + _CELL * said.named
            steps = FoundWords(one, said.place, first, text[slice(*first)], weight, steps=said.steps, form="steps")
            told.append((said.named, steps))
    most = max((named for named, _ in told), default=0.0)
    return [one for named, one in told if named == most][:_MOST_PROCEDURES]


def entries_asked_for(question: str, read: Sequence[ReadPassage]) -> list[FoundWords]:
    """The entries of lists of codes that the question asks for: the first sentence under the identifier that it names, surest first.

    Questions for something of it (how many, who, when) are left to the reader.
    """
    codes = identifiers(question)
    if not codes or parsed_question(question).kind != "open":
        return []
    asked = content_stems(question)
    entries: list[FoundWords] = []
    for one in read:
        text = one.passage.text
        for part in outline(text):
            heads = identifiers(part.above[-1]) if part.above else ()
            if not any(code.is_same(head) for code in codes for head in heads):
                continue
            named = len(asked & content_stems(" ".join((one.passage.title, *part.above)))) / len(asked)
            places = [(part.start + a, part.start + b) for a, b in sentences(text[part.start : part.end])]
            first = next((place for place in places if is_quotable(text[slice(*place)])), None)
            table = first is not None and is_row(text[slice(*first)].partition("\n")[0])
            words = whole_words(text, *first) if first and not table else None
            if first and words and not content_stems(part.above[-1]) - asked:
                weight = _NAMED + _CELL * named
                entries.append(FoundWords(one, first, words, text[slice(*words)].rstrip("."), weight, form="entry"))
                break
    return sorted(entries, key=lambda one: -one.weight)
