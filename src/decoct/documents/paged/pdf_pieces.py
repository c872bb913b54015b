"""The pieces of text on a PDF's page, each with its place: runs of words on one line without a wide gap, and what forms are filled with.

Coordinates are those of a reader of the page's text: `left` to `right` along a line, `top` to `bottom` down the page, in points, whichever
way the text is turned. pdfium gives them in the page's own system (PDF 32000-1:2008, 8.3.2.3), with the angle of each letter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from pypdfium2 import raw

from decoct.documents.canonical import canonical
from decoct.documents.markup.formulas import UP
from decoct.documents.paged.pdf_annotations import filled
from decoct.documents.paged.pdf_letters import (
    GAP,
    HYPHENS,
    goes_left,
    own_step,
    quarter,
    step,
    text_of,
    with_fractions,
    without_struck,
    without_unseen,
    word_box,
    written_spaces,
    written_word,
)
from decoct.documents.paged.pdf_rules import Box, Ruling, turned

_WORD = re.compile(rf"[^\s{HYPHENS}]+[{HYPHENS}]?|\r?\n|[{HYPHENS}]")
_WITHIN = 0.16  # of the height: wider is no gap within a word whose letters touch each other
_AROUND = ".,;:!?()[]'\"\u2018\u2019\u201c\u201d"  # what may stand around a word
_SMALL = 0.85  # of the height of the letters behind it or in its line: the mark of a note
_LEVEL = 0.92  # of the height of the highest letter of a word: lower ones may be raised or lowered
_SPACE = 0.45  # of the height, where the file writes its spaces: wider without one parts cells
_GLUED = "\0"  # before a word that no gap parts from the one before, though it is drawn by itself
_SPACED = 0.2  # share of spaces that are written, in a file that writes them
_OVERLAP = 0.3  # of the lower one's height that two words of a line share
_SAME = 0.95  # times the height of another: letters of one size
_LEVELLED = 0.6  # of their height that two words of one size share on a line
_SHADOW = 0.2  # of the height
_NEAR = 20  # pieces of the same words that are looked at


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand together on one line.

    `hyphen`: the last word goes on in the next line; `order`: as the file draws them; `table`: the rows between two lines of a ruled table;
    `field`: what a field of a form is filled with; `drawn`: its parts, where it is drawn in parts without a space between them;
    `letters`: the height of a line of it, where it has several.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    order: int
    hyphen: bool = False
    table: tuple[tuple[str, ...], ...] = ()
    field: bool = False
    drawn: tuple[Piece, ...] = ()
    letters: float = 0.0

    @property
    def height(self) -> float:
        """The height of its line of letters, in points."""
        return self.letters or self.bottom - self.top

    def with_next(self, more: Piece) -> Piece:
        """The piece with the next line of its cell."""
        broken = self.hyphen or (self.text[-1:] == "/" and self.text[-2:-1].isalnum())
        text = f"{self.text}{'' if broken else ' '}{more.text}"
        left, right = min(self.left, more.left), max(self.right, more.right)
        return Piece(text, left, self.top, right, more.bottom, self.order, more.hyphen)


def pieces_of(
    page: Any,  # noqa: ANN401 - pypdfium2 has no types
    forms: Any,  # noqa: ANN401
    rules: Sequence[Ruling],
    words: set[str],
    thin: Sequence[Box] = (),
    *,
    shapes: Sequence[tuple[Any, int]] = (),
) -> tuple[list[tuple[int, list[Piece]]], int, int]:
    """The pieces of a page with the quarters by which their text is turned clockwise, the commonest way first.

    Also how often words are struck out, and how often there are words that no reader sees.

    `forms` is pdfium's form environment or None; `rules` are the ruled lines as each of the five ways sees them: no piece goes over one;
    `words` are those of the pages before: each new one is looked at for gaps that pdfium took for none; what one of the `thin` lines
    strikes out is left out.
    """
    letters = page.get_textpage()
    try:
        found: list[list[Piece]] = [[], [], [], [], []]
        twice: defaultdict[str, list[Piece]] = defaultdict(list)
        text, struck = without_struck(letters, with_fractions(letters, text_of(letters), thin), thin)
        text, unseen = without_unseen(page, letters, text, shapes)
        for turn, piece in _lines(letters, text, rules, words):
            if not _drawn_before(piece, twice[piece.text]):
                found[turn].append(piece)
                twice[piece.text].append(piece)
    finally:
        letters.close()
    edge = page.get_bbox()
    inside = [[one for one in pieces if _is_inside(one, turned(edge, turn))] for turn, pieces in enumerate(found)]
    if _letters_in(inside) * 2 > _letters_in(found):  # else its edges are wrong
        unseen += sum(map(len, found)) - sum(map(len, inside))
        found = inside
    common = max(range(5), key=lambda turn: sum(len(piece.text) for piece in found[turn]))
    for text, box in filled(page, forms):
        found[common].append(Piece(text, *turned(box, common), len(found[common]), field=True))
    turns = [(common, found[common]), *((turn, found[turn]) for turn in range(5) if turn != common and found[turn])]
    return turns, struck, unseen


def _is_inside(piece: Piece, box: Box) -> bool:
    return piece.right >= box[0] and piece.left <= box[2] and piece.bottom >= box[1] and piece.top <= box[3]


def _letters_in(found: Sequence[Sequence[Piece]]) -> int:
    return sum(len(piece.text) for pieces in found for piece in pieces)


def _drawn_before(piece: Piece, others: Sequence[Piece]) -> bool:
    """Whether the same words were drawn at nearly the same place, as is done for shadows and thick letters."""
    near = piece.height * _SHADOW
    return any(abs(piece.left - other.left) < near and abs(piece.top - other.top) < near for other in others[-_NEAR:])


def _lines(
    letters: Any,  # noqa: ANN401
    text: str,
    rules: Sequence[Ruling],
    known: set[str],
) -> Iterator[tuple[int, Piece]]:
    """Pieces with the quarters by which they are turned, in the file's order."""
    spaced = written_spaces(letters, text)
    words: list[tuple[str, Box]] = []
    seams: list[int] = []
    turn, order = 0, 0
    for start, end, said in _words(letters, text, known):
        word = text[start:end]
        hyphen = word[-1] in HYPHENS
        if said:
            here = turn if words else quarter(letters, start)
            box = word_box(letters, start, end - hyphen, here)
            gap = box[0] - words[-1][1][2] if words else 0.0
            seam = spaced and words and raw.FPDFText_IsGenerated(letters.raw, start - 1)
            free = (
                seam and spaced > _SPACED and gap > _SPACE * (box[3] - box[1]) and text[start - 2].isalnum()
            )  # no bullet
            if words and (free or _parted(words[-1], (said, box), rules[here])):
                yield turn, _piece(words, order, seams)
                words, seams, order = [], [], order + 1
                if (here := quarter(letters, start)) != turn:
                    box = word_box(letters, start, end - hyphen, here)
            elif words and (seam or said[0] == _GLUED):
                seams.append(len(words))
            turn = here
            words.append((said, box))
        elif words and not _parted(words[-1], (said, box := word_box(letters, start, end, turn)), rules[turn]):
            words[-1] = words[-1][0], (*words[-1][1][:2], box[2], words[-1][1][3])  # what is struck out is no gap
        if words and (hyphen or word in "\r\n"):
            yield turn, _piece(words, order, seams, hyphen=hyphen)
            words, seams, order = [], [], order + 1
    if words:
        yield turn, _piece(words, order, seams)


def _words(letters: Any, text: str, known: set[str]) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    """Where the words stand, and what they say.

    One that is not known, or may end in a raised number, is parted at gaps in it, and behind the mark of a note, which is raised.
    """
    box, opened = raw.FS_RECTF(), letters.raw
    box_at, object_at, size_at = raw.FPDFText_GetLooseCharBox, raw.FPDFText_GetTextObject, raw.FPDFText_GetFontSize
    for found in _WORD.finditer(text):
        start, end = found.span()
        word = found.group()
        bare = word.strip(_AROUND)
        uneven, glue = False, ""
        if len(bare) > 1 and (bare not in known or bare[-1].isdigit()):
            edges, drawn = [], []
            for at in range(start, end):
                box_at(opened, at, box)
                edges.append((box.left, box.right, box.top - box.bottom))
                drawn.append(bytes(object_at(opened, at)))  # where it lies in memory
            gaps = [after[0] - before[1] for before, after in pairwise(edges)]
            usual = median(gaps)
            heights = [height for _, _, height in edges if height]
            higher = (start + at for at, one in enumerate(edges) if edges[0][2] < _SMALL * one[2])
            mark = next((at for at in higher if step(letters, at, start) == UP and text[start:at].isalnum()), 0)
            own = [bool(number and own_step(letters, text[at], at)) for number, at in enumerate(range(start, end))]
            uneven = min(heights, default=0) < _LEVEL * max(heights, default=0) or any(own)
            ends = len(drawn) > 2 and drawn[-3] == drawn[-2] != drawn[-1] and word[-2].isalpha() and word[-1].isdigit()
            for at, gap in enumerate(gaps, 1):
                height = edges[at - 1][2]
                wide = gap > _WITHIN * height > 3 * usual and (word[at - 1].isalnum() or word[at - 1] in ",;.:")
                place = found.start() + at
                apart = (wide or (place == mark and not word[:at].isupper())) and word[at].isalpha()
                seam = start + 1 < place < end - 1 and drawn[at - 2] == drawn[at - 1] != drawn[at] == drawn[at + 1]
                seam = (seam or (ends and start + 1 < place == end - 1)) and not own[at]
                if apart or (
                    seam and size_at(opened, place - 1) == size_at(opened, place)
                ):  # two letters or more by themselves
                    part = written_word(letters, text, start, place, uneven=uneven)
                    yield start, place, part and glue + part
                    start, glue = place, "" if apart else _GLUED if part else glue
            if start == found.start() and not uneven:
                known.add(bare)
        part = written_word(letters, text, start, end, uneven=uneven)
        yield start, end, part and glue + part


def _parted(before: tuple[str, Box], after: tuple[str, Box], rules: Ruling) -> bool:
    """Whether two words that pdfium writes one after the other stand in different places."""
    (word, one), (following, other) = before, after
    if other[2] < one[2] and (goes_left(word) or goes_left(following)):  # read from the right
        one, other = other, one
    height = min(one[3] - one[1], other[3] - other[1])
    shared = min(one[3], other[3]) - max(one[1], other[1])
    gap = other[0] - one[2]
    alike = height > _SAME * max(one[3] - one[1], other[3] - other[1])
    if shared < (_LEVELLED if alike else _OVERLAP) * height or not -height <= gap <= GAP * max(
        one[3] - one[1], other[3] - other[1]
    ):
        return True
    return bool(rules.down) and rules.part(one[2] - 1, other[0] + 1, (other[1] + other[3]) / 2)


def _piece(words: list[tuple[str, Box]], order: int, seams: Sequence[int] = (), *, hyphen: bool = False) -> Piece:
    if len(words) == 1:
        said, box = words[0]
        return Piece(canonical(said.lstrip(_GLUED)).replace("\f", " "), *box, order, hyphen)
    ends = [0, *seams, len(words)]
    drawn = tuple(_piece(words[begin:end], order) for begin, end in pairwise(ends)) if seams else ()
    boxes = [box for _, box in words]
    highest = max(box[3] - box[1] for box in boxes)
    high = [box for box in boxes if box[3] - box[1] >= _SMALL * highest]
    text = " ".join(word for word, _ in words).replace(f" {_GLUED}", "").lstrip(_GLUED)
    text = canonical(text).replace("\f", " ")
    top, bottom = min(box[1] for box in high), max(box[3] for box in high)
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    return Piece(text, left, top, right, bottom, order, hyphen, drawn=drawn)
