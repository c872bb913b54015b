"""The letters of a PDF's page: their text, boxes and feet, and those that are drawn over, above or below others.

pdfium gives letters, not their meaning: one that is smaller than the one before it and stands higher or lower is raised or lowered, and
written as in HTML (`formulas`); a raised link to a place in the file is a note. Letters of scripts that are written from right to left may
come in the order in which they are seen.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import Any
from unicodedata import bidirectional, normalize

from pypdfium2 import raw

from decoct.documents.markup.formulas import DOWN, UP, note_number, scripted
from decoct.documents.office.symbols import as_shown
from decoct.documents.paged.pdf_rules import Box, turned

_DEEPEST = 3  # forms in forms
_WHITE = 250
_FAINT = 12  # levels of 256: less is no letter
_ACCENTS = dict(
    zip("`´ˆ˜¯˘˙¨˚˝ˇ¸˛", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328", strict=True)
)
_ACCENT = re.compile(f"[{''.join(_ACCENTS)}]")
_T1 = dict(
    enumerate(
        "\u2039\u203a\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u200b\u2030\u0131\u0237\ufb00\ufb01\ufb02\ufb03\ufb04",
        14,
    )
)
_OT1 = dict(zip((11, 12, 14, 15, *range(25, 32)), "\ufb00\ufb01\ufb03\ufb04ßæœøÆŒØ", strict=True))
_LIGATURES = dict(zip(range(0xFB00, 0xFB05), ("ff", "fi", "fl", "ffi", "ffl"), strict=True))
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_TAKEN = "\u200b"  # in the place of an accent that went to its letter, or of a break that is none
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # a letter beyond U+FFFF, as mathematics has them
HYPHENS = "\ufffe\x02"  # where pdfium took a hyphen out at a line's end (U+0002 in older versions)
GAP = 0.9  # of the letters' height: wider is no space between two words of a sentence
_SPACE = 0.4  # of the height: wider is another word's place on the line, as of a further column
_TOUCHING = 0.1  # of the height: wider is no gap before raised letters
_SMALLER = (0.45, 0.92)  # of the size of the letter that a raised one belongs to: less is what stands behind an initial
_HIGHER = (0.08, 0.8)  # of that size, up or down
_BAR = 40.0  # points: a longer line parts no numbers
_FIGURES = frozenset("0123456789+-\u2212")
_OWN = (0.6, 0.35)  # of the size: how large and how high the figures are that a font draws raised
_FOOT = 0.2  # of the size: the foot of such a figure, at least
_HEAD = 0.36  # the head of a lowered one, at most
_AXIS = 0.42  # the middle of a raised sign, at least
_STRUCK = (0.25, 0.65)  # of the height of letters, from below: what is struck through stands there
_SLANTED = 0.2  # of a quarter: letters that are turned by more are slanted
_FORWARD = frozenset({"L", "EN", "AN", "ES", "ET", "CS"})  # classes of Unicode's bidirectional algorithm (UAX 9)


def text_of(letters: Any) -> str:  # noqa: ANN401 - pypdfium2 has no types
    """The page's text with one character for each of pdfium's, so that places in it are pdfium's."""
    text = str(letters.get_text_range())
    count = letters.count_chars()
    if len(text) != count or max(text, default="") > "\uffff":
        codes = (raw.FPDFText_GetUnicode(letters.raw, at) for at in range(count))
        text = "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)
        text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16") + _TAKEN, text)
    if any("\uf000" <= sign < "\uf900" for sign in set(text)):
        text = "".join(
            as_shown(sign, _font(letters, at)) if "\uf000" <= sign < "\uf900" else sign for at, sign in enumerate(text)
        )
    if any("\x0b" <= sign < " " and sign not in "\r\f" for sign in set(text)):
        text = _with_tex_signs(letters, text)
    return _without_breaks(letters, _with_accents(letters, text))


def _with_tex_signs(letters: Any, text: str) -> str:  # noqa: ANN401
    """The text with the signs of TeX's own fonts, whose letters have no names: T1 (EC), where no ligature of OT1 stands in it."""
    if "TeX" not in str(letters.page.pdf.get_metadata_value("Producer")):
        return text
    old = any(sign in text for sign in "\x0b\x0c\x0e\x0f")
    return text.translate(_OT1 if old else _T1)


def _font(letters: Any, at: int) -> str:  # noqa: ANN401
    """The name of a letter's font."""
    name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
    raw.FPDFText_GetFontInfo(letters.raw, at, name, 200, flags)
    return name.value.decode("latin-1")


def _with_accents(letters: Any, text: str) -> str:  # noqa: ANN401
    """The text with accents that are drawn over or under a letter put to it, as old fonts of TeX do: an "a" and its dots are one "ä"."""
    if not _ACCENT.search(text):
        return text
    signs = list(text)
    for found in _ACCENT.finditer(text):
        at = found.start()
        left, bottom, right, top = box_of(letters, at)
        middle = (left + right) / 2
        below = raw.FPDFText_GetCharIndexAtPos(letters.raw, middle, bottom + (top - bottom) / 3, 1, 1)
        for place in (at + 1, at - 1, below):
            if not 0 <= place < len(signs) or not signs[place].isalpha():
                continue
            letter = box_of(letters, place)
            whole = normalize("NFC", _DOTLESS.get(signs[place], signs[place]) + _ACCENTS[found.group()])
            near = abs(middle - (letter[0] + letter[2]) / 2) < (letter[2] - letter[0]) / 4
            if near and len(whole) == 1 and abs(letter[1] - bottom) < top - bottom:
                signs[place], signs[at] = whole, _TAKEN
                if text[at - 1 : at + 2 : 2] == "  " and _touch(letters, at - 2, at + 2):  # drawn amid another word
                    signs[at - 1] = signs[at + 1] = _TAKEN
                break
    return "".join(signs)


def _touch(letters: Any, first: int, second: int) -> bool:  # noqa: ANN401
    """Whether one letter stands right behind another."""
    before, after = box_of(letters, first), box_of(letters, second)
    return abs(after[0] - before[2]) < (before[3] - before[1]) / 10 and abs(after[1] - before[1]) < 1


def _without_breaks(letters: Any, text: str) -> str:  # noqa: ANN401
    """The text without the line breaks that pdfium sets amid a line: before and behind raised letters, and between any that stand close."""
    signs = list(text)
    at = text.find("\r\n", 1)
    while 0 < at < len(text) - 2:
        before, after = at - 1, min(at + 2 + (text[at + 2] == " "), len(text) - 1)
        one, other = box_of(letters, before), box_of(letters, after)
        low, high = sorted((one[3] - one[1], other[3] - other[1]))
        raised = step(letters, before, after) if low < _SMALLER[1] * high else ""
        if raised or (low < _SMALLER[1] * high and step(letters, after, before)):
            turn = quarter(letters, before)
            one, other = turned(one, turn), turned(other, turn)
            height, gap = max(one[3] - one[1], other[3] - other[1]), other[0] - one[2]
            first = next(place for place in range(before, -2, -1) if place < 0 or signs[place].isspace()) + 1
            ends = step(letters, first, before)
            if abs(gap) < _TOUCHING * height and (raised or ends == DOWN or (ends and not text[after].isalnum())):
                signs[at : at + 2] = _TAKEN * 2
            elif not raised and 0 <= gap < GAP * height:
                signs[at : at + 2] = "  "
        elif (apart := _gap_on_line(letters, before, after)) is not None:
            if -_SPACE * high < apart < _TOUCHING * high:
                signs[at : at + 2] = _TAKEN * 2
            elif 0 < apart < _SPACE * high:
                signs[at : at + 2] = "  "
        at = text.find("\r\n", at + 2)
    return "".join(signs)


def _gap_on_line(letters: Any, before: int, after: int) -> float | None:  # noqa: ANN401
    """How far one letter stands behind another on its line; None where it stands on another line."""
    (size, foot), (_, here), turn = _stand(letters, before), _stand(letters, after), quarter(letters, before)
    if abs(here - foot) > size / 20 or quarter(letters, after) != turn:
        return None
    return turned(box_of(letters, after), turn)[0] - turned(box_of(letters, before), turn)[2]


def with_fractions(letters: Any, text: str, thin: Sequence[Box]) -> str:  # noqa: ANN401
    """The text with a slash for the break between what stands above and below a short line: a fraction of two plain words."""
    signs = list(text)
    bars = [(left, (low + high) / 2, right) for left, low, right, high in thin if right - left < _BAR]
    at = text.find("\r\n", 1) if bars else -1
    while 0 < at < len(text) - 2:
        over, under = box_of(letters, at - 1), box_of(letters, at + 2)
        found = next((bar for bar in bars if _within(over, bar) and _within(under, bar)), None)
        if found and over[1] + over[3] > 2 * found[1] > under[1] + under[3] and over[1] - under[3] < over[3] - over[1]:
            first, last = at - 1, at + 2
            while first and not text[first - 1].isspace() and _within(box_of(letters, first - 1), found):
                first -= 1
            while last + 1 < len(text) and not text[last + 1].isspace() and _within(box_of(letters, last + 1), found):
                last += 1
            blank = " \r\n" + _TAKEN
            around = (len(text[:first].rstrip(blank)) - 1, len(text) - len(text[last + 1 :].lstrip(blank)))
            if any(0 <= place < len(text) and _within(box_of(letters, place), found) for place in around):
                at = text.find("\r\n", at + 2)
                continue  # of several words: which of them it is over is not to be written in a line
            signs[at : at + 2] = "/" + _TAKEN
            before, after = text[max(0, first - 2) : first], text[last + 1 : last + 3]
            if first > 2 and before in ("\r\n", _TAKEN * 2) and _near(box_of(letters, first - 3), found[0], 2):
                signs[first - 2 : first] = "  "
            if after == "\r\n" and last + 3 < len(text) and _near(box_of(letters, last + 3), found[2], 0):
                signs[last + 1 : last + 3] = "  "
        at = text.find("\r\n", at + 2)
    return "".join(signs)


def _within(box: Box, bar: tuple[float, float, float]) -> bool:
    return bar[0] - 1 < box[0] and box[2] < bar[2] + 1 and abs((box[1] + box[3]) / 2 - bar[1]) < 1.5 * (box[3] - box[1])


def _near(box: Box, place: float, side: int) -> bool:
    """Whether a letter ends (side 2) or begins (0) close to a place."""
    return abs(box[side] - place) < box[3] - box[1]


def without_struck(letters: Any, text: str, thin: Sequence[Box]) -> tuple[str, int]:  # noqa: ANN401
    """The text without what is struck out, and how often something is: by a line from one letter to another, through their middles."""
    signs, lines = list(text), 0
    for left, low, right, high in thin:
        middle = (low + high) / 2
        begin = end = raw.FPDFText_GetCharIndexAtPos(letters.raw, left + 1, middle, 12, 4)
        if begin < 0:
            continue
        box = box_of(letters, begin)
        near = (box[3] - box[1]) / 8
        last = box[0]
        while end < len(text):
            one = box_of(letters, end)
            through = (middle - one[1]) / ((one[3] - one[1]) or math.inf)
            if not text[end].isspace() and not (_STRUCK[0] < through < _STRUCK[1] and one[0] + one[2] < 2 * right):
                break
            end += 1
            last = last if text[end - 1].isspace() else one[2]
        spare = near if text[end - 1 : end].strip() and end < len(text) else 6 * near  # a space may be struck too
        if (
            text[begin:end].strip()
            and -near < box[0] - left < 4 * near  # drawn by hand it begins before its words
            and -near < right - last < spare
            and high - low < 2 * near
        ):
            signs[begin:end] = (sign if sign.isspace() else _TAKEN for sign in signs[begin:end])
            lines += 1
    return "".join(signs), lines


def written_word(letters: Any, text: str, start: int, end: int, *, uneven: bool) -> str:  # noqa: ANN401
    """The word from `start` to `end` as it is written; `uneven`: its letters differ in height."""
    word = _with_scripts(letters, text, start, end) if uneven else text[start:end]
    word = word.strip(HYPHENS + "\r\n").replace(_TAKEN, "")
    if not word.isascii():
        word = word.translate(_LIGATURES)
    if goes_left(word):
        lefts = [box_of(letters, at)[0] for at in range(start, end) if goes_left(text[at])]
        if sum(one < other for one, other in pairwise(lefts)) * 2 > len(lefts) - 1:
            parts = [(on, "".join(part)) for on, part in groupby(word, lambda sign: bidirectional(sign) in _FORWARD)]
            return "".join(part if on else part[::-1] for on, part in reversed(parts))
    return word


def written_spaces(letters: Any, text: str) -> float:  # noqa: ANN401
    """The share of spaces that are written between words, and not only left free: pdfium takes a gap for a space too."""
    spaces = list(islice((at for at, sign in enumerate(text) if sign == " "), 200))
    left_free = sum(raw.FPDFText_IsGenerated(letters.raw, at) for at in spaces)
    return 1 - int(left_free) / max(1, len(spaces))


def goes_left(word: str) -> bool:
    """Whether a letter of the word is of a script that is written from right to left."""
    return not word.isascii() and any(bidirectional(sign) in ("R", "AL") for sign in word)


def _with_scripts(letters: Any, text: str, start: int, end: int) -> str:  # noqa: ANN401
    """A word with the signs of its raised and lowered letters. What stands over the letter before, as in TeX's name, is neither."""
    turn, base, edge = quarter(letters, start), _stand(letters, start), 0.0
    kinds: list[tuple[str, int]] = []
    for at in range(start, end):
        if text[at] in _TAKEN + HYPHENS:
            continue
        left, top, right, bottom = turned(box_of(letters, at), turn)
        here = _stand(letters, at)
        if places_in_line := own_step(letters, text[at], at):
            here = here[0] * _OWN[0], here[1] + places_in_line * here[0] * _OWN[1]
        kind = _stepped(base, here)
        if not kind or left < edge - _TOUCHING * (bottom - top):
            kind, base, edge = "", here, right
        kinds.append((kind, at))
    runs = [(kind, [at for _, at in run]) for kind, run in groupby(kinds, lambda one: one[0])]
    word = ""
    for number, (kind, places) in enumerate(runs):
        content = "".join(text[at] for at in places)
        left, bottom, right, top = box_of(letters, places[0])
        link = kind == UP and raw.FPDFLink_GetLinkAtPoint(letters.page.raw, (left + right) / 2, (bottom + top) / 2)
        if link and raw.FPDFLink_GetDest(letters.page.pdf.raw, link):
            content = note_number(content)
        elif kind:
            after = text[runs[number + 1][1][0]] if number + 1 < len(runs) else ""
            content = scripted(kind, content, word[-1:], after)
        word += content
    return word


def own_step(letters: Any, sign: str, at: int) -> int:  # noqa: ANN401
    """1 for a figure or its sign that its font draws raised, at the size of the others, -1 for a lowered one; else 0."""
    if sign not in _FIGURES:
        return 0
    left, right, low, high, x, y = (ctypes.c_double() for _ in range(6))
    raw.FPDFText_GetCharBox(letters.raw, at, left, right, low, high)
    raw.FPDFText_GetCharOrigin(letters.raw, at, x, y)
    size, _ = _stand(letters, at)
    foot, head = low.value - y.value, high.value - y.value
    if quarter(letters, at) or not sign.isdigit():
        return int(not quarter(letters, at) and (foot + head) / 2 > _AXIS * size)
    return (foot > _FOOT * size) - (head < _HEAD * size and foot < 0)


def step(letters: Any, before: int, at: int) -> str:  # noqa: ANN401
    """How a letter stands to another: raised (`UP`), lowered (`DOWN`), or neither."""
    return _stepped(_stand(letters, before), _stand(letters, at))


def _stepped(before: tuple[float, float], after: tuple[float, float]) -> str:
    (size, foot), (small, here) = before, after
    step = abs(here - foot)
    if not (_SMALLER[0] * size < small < _SMALLER[1] * size and _HIGHER[0] * size < step < _HIGHER[1] * size):
        return ""
    return UP if here > foot else DOWN


def _stand(letters: Any, at: int) -> tuple[float, float]:  # noqa: ANN401
    """The size of a letter, and how high its foot stands, whichever way it is turned."""
    matrix, x, y = raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetMatrix(letters.raw, at, matrix)
    raw.FPDFText_GetCharOrigin(letters.raw, at, x, y)
    scale = math.hypot(matrix.a, matrix.b) or 1.0
    return float(raw.FPDFText_GetFontSize(letters.raw, at)) * scale, (y.value * matrix.a - x.value * matrix.b) / scale


def quarter(letters: Any, at: int) -> int:  # noqa: ANN401
    """The quarters by which a letter is turned; 4 if it is slanted, as words across a page are."""
    angle = raw.FPDFText_GetCharAngle(letters.raw, at) / (math.pi / 2)
    if angle <= 0:
        return 0
    return round(angle) % 4 if abs(angle - round(angle)) < _SLANTED else 4


def box_of(letters: Any, at: int) -> Box:  # noqa: ANN401
    """The box around a letter."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(letters.raw, at, box)
    return box.left, box.bottom, box.right, box.top


def word_box(letters: Any, start: int, end: int, turn: int) -> Box:  # noqa: ANN401
    """The box around a word that is turned by `turn` quarters, as a reader sees it; as high as the higher one of its outer letters."""
    first = turned(box_of(letters, start), turn)
    if end - start < 2:
        return first
    last = turned(box_of(letters, end - 1), turn)
    if first[3] <= last[1] + 1:  # a fraction: as high as a letter and a half, around its line
        middle, half = (first[1] + last[3]) / 2, 0.75 * (first[3] - first[1])
        return min(first[0], last[0]), middle - half, max(first[2], last[2]), middle + half
    high = first if first[3] - first[1] >= last[3] - last[1] else last
    return min(first[0], last[0]), high[1], max(first[2], last[2]), high[3]


def without_unseen(page: Any, letters: Any, text: str, shapes: Sequence[tuple[Any, int]]) -> tuple[str, int]:  # noqa: ANN401 - pypdfium2 has no types
    """The text with spaces for letters that no reader sees (invisible, or white on white), and in how many stretches.

    A layer of invisible letters over a picture, or with most letters of a page, is what was recognised in a scan, and is read.
    """
    clear, white = set[bytes](), set[bytes]()
    pictures: list[Box] = []
    for shape, kind, depth in _nested(shapes):
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            if raw.FPDFTextObj_GetTextRenderMode(shape) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
                clear.add(bytes(shape))
            elif _is_white(shape):
                white.add(bytes(shape))
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            pictures.append(_bounds(shape) if not depth else (-1e9, -1e9, 1e9, 1e9))
    if not clear and not white:
        return text, 0
    runs = [
        (drawn, list(places))
        for drawn, places in groupby(range(len(text)), lambda at: bytes(raw.FPDFText_GetTextObject(letters.raw, at)))
    ]
    layer = sum(len(places) for drawn, places in runs if drawn in clear) * 2 > len(text)
    looks = _Looks(page)
    signs, hidden = list(text), [False]
    for drawn, places in runs:
        if drawn not in clear and drawn not in white:
            hidden += [False] * bool("".join(text[at] for at in places).strip())
            continue
        boxes = [box_of(letters, at) for at in places if not text[at].isspace()]
        if not boxes:
            continue
        left, bottom, right, top = (
            pick(side) for pick, side in zip((min, min, max, max), zip(*boxes, strict=True), strict=True)
        )
        x, y = (left + right) / 2, (bottom + top) / 2
        if drawn in clear:
            unseen = not layer and not any(one[0] < x < one[2] and one[1] < y < one[3] for one in pictures)
        else:
            unseen = looks.is_plain((left, bottom, right, top))
        hidden.append(unseen)
        if unseen:
            signs[places[0] : places[-1] + 1] = (
                sign if sign.isspace() else " " for sign in text[places[0] : places[-1] + 1]
            )
    return "".join(signs), sum(one and not before for before, one in pairwise(hidden))


def _nested(shapes: Sequence[tuple[Any, int]], depth: int = 0) -> Iterator[tuple[Any, int, int]]:
    for shape, kind in shapes:
        yield shape, kind, depth
        if kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = [raw.FPDFFormObj_GetObject(shape, at) for at in range(raw.FPDFFormObj_CountObjects(shape))]
            yield from _nested([(one, raw.FPDFPageObj_GetType(one)) for one in inner], depth + 1)


def _is_white(shape: Any) -> bool:  # noqa: ANN401
    colours = [ctypes.c_uint() for _ in range(4)]
    return bool(raw.FPDFPageObj_GetFillColor(shape, *colours)) and min(one.value for one in colours[:3]) >= _WHITE


def _bounds(shape: Any) -> Box:  # noqa: ANN401
    sides = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(shape, *sides)
    return sides[0].value, sides[1].value, sides[2].value, sides[3].value


class _Looks:
    """What a page looks like, drawn when it is first asked for."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401
        self._page = page
        self._seen: Any = None

    def is_plain(self, box: Box) -> bool:
        """Whether nothing is to be seen within a box of the page's system."""
        if self._seen is None:
            self._seen = self._page.render(grayscale=True).to_numpy()
        high, wide = self._seen.shape[:2]
        corners = []
        x, y = ctypes.c_int(), ctypes.c_int()
        for at in (0, 2):
            raw.FPDF_PageToDevice(self._page.raw, 0, 0, wide, high, 0, box[at], box[at + 1], x, y)
            corners.append((min(max(x.value, 0), wide - 1), min(max(y.value, 0), high - 1)))
        (left, right), (top, bottom) = (sorted(side) for side in zip(*corners, strict=True))
        part = self._seen[top : bottom + 1, left : right + 1]
        return bool(int(part.max()) - int(part.min()) < _FAINT)
