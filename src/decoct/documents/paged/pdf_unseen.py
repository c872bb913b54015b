"""Letters of a PDF's page that no reader sees: drawn invisibly or in white on white.

A layer of invisible letters over a picture, or with most letters of a page, is what was recognised in a scan, and is read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from pypdfium2 import raw

from decoct.documents.paged.pdf_letters import box_of
from decoct.documents.paged.pdf_rules import Box

_DEEPEST = 3  # forms in forms
_WHITE = 250
_FAINT = 12  # levels of 256: less is no letter


def without_unseen(page: Any, letters: Any, text: str, shapes: Sequence[tuple[Any, int]]) -> tuple[str, int]:  # noqa: ANN401 - pypdfium2 has no types
    """The text with spaces for letters that are not seen, and in how many stretches."""
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
