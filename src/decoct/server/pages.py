"""A page of a PDF as a picture, with the cited characters marked.

A document's text is cleaned from what pdfium reads (white space, running heads, hyphens), so places are found by counting: the span's
characters other than white space, in the page's order, are looked for among pdfium's by aligning the two sequences.
"""

from __future__ import annotations

import io
import threading
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pypdfium2

from decoct.data import Document
from decoct.documents.places import PAGE_BREAK

_SCALE = 1.6  # of 72 dots an inch: readable on a screen, some 200 KB
_MARK = (255, 214, 10, 110)
_GUARD = threading.Lock()  # pdfium is not thread-safe


def page_as_png(file: Path, document: Document, start: int, end: int) -> bytes:
    """The page on which `start` stands, its characters up to `end` marked."""
    text = document.text
    number = text.count(PAGE_BREAK, 0, start)
    begin = text.rfind(PAGE_BREAK, 0, start) + 1
    stop = text.find(PAGE_BREAK, start)
    stop = len(text) if stop < 0 else stop
    with _GUARD:
        pdf = pypdfium2.PdfDocument(file)
        try:
            page = pdf[min(number, len(pdf) - 1)]
            boxes = _boxes(page, text[begin:stop], start - begin, min(end, stop) - begin)
            image = page.render(scale=_SCALE).to_pil().convert("RGBA")
            height = page.get_height()
        finally:
            pdf.close()
    return _drawn(image, boxes, height)


def _boxes(page: Any, text: str, start: int, end: int) -> list[tuple[float, float, float, float]]:  # noqa: ANN401
    """Rectangles (left, bottom, right, top, in points) of the characters `start` to `end` of the page's cleaned `text`."""
    layer = page.get_textpage()
    raw = layer.get_text_range()
    ours = [at for at, sign in enumerate(text) if not sign.isspace()]
    theirs = [at for at, sign in enumerate(raw) if not sign.isspace() and sign.isprintable()]
    wanted: set[int] = set()
    matcher = SequenceMatcher(None, "".join(text[at] for at in ours), "".join(raw[at] for at in theirs), autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            if start <= ours[block.a + offset] < end:
                wanted.add(theirs[block.b + offset])
    return _lines([layer.get_charbox(at) for at in sorted(wanted)])


def _lines(boxes: list[tuple[float, float, float, float]]) -> list[tuple[float, float, float, float]]:
    """Characters that stand beside each other on a line as one rectangle."""
    joined: list[tuple[float, float, float, float]] = []
    for left, bottom, right, top in boxes:
        if joined:
            x0, y0, x1, y1 = joined[-1]
            if min(y1, top) - max(y0, bottom) > 0.3 * min(y1 - y0, top - bottom) and -1 < left - x1 < 3 * (
                top - bottom
            ):
                joined[-1] = (x0, min(y0, bottom), max(x1, right), max(y1, top))
                continue
        joined.append((left, bottom, right, top))
    return joined


def _drawn(image: Any, boxes: list[tuple[float, float, float, float]], height: float) -> bytes:  # noqa: ANN401
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    for left, bottom, right, top in boxes:
        draw.rectangle(
            ((left - 1) * _SCALE, (height - top - 1) * _SCALE, (right + 1) * _SCALE, (height - bottom + 1) * _SCALE),
            fill=_MARK,
        )
    out = io.BytesIO()
    Image.alpha_composite(image, layer).convert("RGB").save(out, "PNG")
    return out.getvalue()
