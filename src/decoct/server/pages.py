"""A page of a PDF as a picture, with the cited characters marked.

A document's text is cleaned from what pdfium reads (white space, running heads, hyphens), so places are found by counting: the span's
characters other than white space, in the page's order, are looked for among pdfium's by aligning the two sequences.
"""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pypdfium2

from decoct.data import Document
from decoct.documents.places import PAGE_BREAK
from decoct.errors import ParseError
from decoct.server.problems import ProblemError

log = logging.getLogger("decoct.server")
_SCALE = 1.6  # of 72 dots an inch: readable on a screen, some 200 KB
_MARK = (255, 214, 10, 110)
MOST_SIDE = 4_000  # pixels; a page may say that it is a kilometre wide
_SECONDS = 3  # of computing for one page, most of which need a tenth
_BY_THE_CLOCK = 6 * _SECONDS  # where other work takes the cores
_REMEMBERED = 1_000  # pages that could not be drawn
_MEMORY = 2 << 30  # address space in bytes
_TOO_LONG = "the page takes too long to draw; read its text instead"


@dataclass(frozen=True, slots=True)
class PagePart:
    """Characters `start` to `end` of the cleaned `text` of page `number` (from 0)."""

    number: int
    text: str
    start: int
    end: int


def page_part(document: Document, start: int, end: int) -> PagePart:
    """The page on which `start` stands, and what of `start` to `end` stands on it."""
    text = document.text
    begin = text.rfind(PAGE_BREAK, 0, start) + 1
    stop = text.find(PAGE_BREAK, start)
    stop = len(text) if stop < 0 else stop
    return PagePart(text.count(PAGE_BREAK, 0, start), text[begin:stop], start - begin, min(end, stop) - begin)


class PagePictures:
    """Draws pages, and remembers of which file as it is now which page cannot be drawn: it is not tried again. Thread-safe."""

    def __init__(self) -> None:
        self._failed: dict[tuple[str, int, int, int], str] = {}

    def png(self, file: Path, document: Document, start: int, end: int) -> bytes:
        """The page on which `start` stands, its characters up to `end` marked; `ParseError` where it cannot be drawn."""
        status = file.stat()
        page = (str(file), status.st_mtime_ns, status.st_size, page_part(document, start, end).number)
        if (known := self._failed.get(page)) is not None:
            raise ParseError(known)
        try:
            return page_as_png(file, document, start, end)
        except ParseError as error:
            if len(self._failed) >= _REMEMBERED:
                self._failed.clear()
            self._failed[page] = str(error)
            raise


def page_as_png(file: Path, document: Document, start: int, end: int) -> bytes:
    """The page on which `start` stands, its characters up to `end` marked; `ParseError` where it cannot be drawn.

    It is drawn in a process of its own: what pdfium meets in an unknown file may crash it, or keep it busy for ever. Time by the clock
    is the machine's and not the page's, which may be asked for again.
    """
    part = page_part(document, start, end)
    order = json.dumps({"file": str(file), **asdict(part)})
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "decoct.server.pages"],
            input=order.encode(), capture_output=True, timeout=_BY_THE_CLOCK, check=False, env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ProblemError(503, "drawing the page took too long on a busy machine; try again", retry_after=5) from error
    if child.returncode == -getattr(signal, "SIGXCPU", 0) != 0:  # Windows has no such end
        raise ParseError(_TOO_LONG)
    if child.returncode or not child.stdout:
        log.warning("%s, page %d: no picture, exit code %d", file, part.number + 1, child.returncode)
        raise ParseError("the page cannot be drawn; read its text instead")
    return child.stdout


def main() -> None:
    """Draw what standard input orders to standard output."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        spent = int(time.process_time())  # what the start took is not the page's
        resource.setrlimit(resource.RLIMIT_CPU, (spent + _SECONDS, spent + _SECONDS + 1))
    order = json.loads(sys.stdin.buffer.read())
    file = Path(order.pop("file"))
    sys.stdout.buffer.write(drawn_page(file, PagePart(**order)))


def drawn_page(file: Path, part: PagePart) -> bytes:
    """The page of `file` as a PNG, the part marked. Large pages are drawn smaller."""
    with closing(pypdfium2.PdfDocument(file)) as pdf:
        page = pdf[min(part.number, len(pdf) - 1)]
        width, height = page.get_size()
        scale = min(_SCALE, MOST_SIDE / max(width, height))
        boxes = _boxes(page, part.text, part.start, part.end)
        image = page.render(scale=scale).to_pil().convert("RGBA")
    return _marked(image, boxes, height, scale)


def _boxes(page: Any, text: str, start: int, end: int) -> list[tuple[float, float, float, float]]:  # noqa: ANN401
    """Rectangles (left, bottom, right, top, in points) of the characters `start` to `end` of the page's cleaned `text`."""
    layer = page.get_textpage()
    raw = layer.get_text_range()
    ours = [at for at, sign in enumerate(text) if not sign.isspace()]
    theirs = [at for at, sign in enumerate(raw) if not sign.isspace() and sign.isprintable()]
    wanted: set[int] = set()
    places = aligned("".join(text[at] for at in ours), "".join(raw[at] for at in theirs))
    for at, place in zip(ours, places, strict=True):
        if place >= 0 and start <= at < end:
            wanted.add(theirs[place])
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


def _marked(image: Any, boxes: list[tuple[float, float, float, float]], height: float, scale: float) -> bytes:  # noqa: ANN401
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    for left, bottom, right, top in boxes:
        draw.rectangle(
            ((left - 1) * scale, (height - top - 1) * scale, (right + 1) * scale, (height - bottom + 1) * scale),
            fill=_MARK,
        )
    out = io.BytesIO()
    Image.alpha_composite(image, layer).convert("RGB").save(out, "PNG")
    return out.getvalue()


# Which characters of one text are which of another that was made from it: in time that grows with their lengths alone.
#
# Pieces of 16 characters that stand once in each text are the same piece, wherever they stand (columns may have been put in another order);
# from there characters are followed to both sides for as long as they are equal. What lies between two pieces is looked at in the same
# way with pieces half as long. `difflib` finds a little more and takes the square of the length, which a page can be made to have.
_LONGEST, _SHORTEST = 16, 2
_WINDOW = 64  # characters of the other text that a gap may be looked for in, beyond twice its own length


def aligned(ours: str, theirs: str) -> list[int]:
    """For each character of `ours` its place in `theirs`, or -1; no place is given twice."""
    pairs = _Pairs(ours, theirs)
    work = [(0, len(ours), 0, len(theirs), _LONGEST)]
    while work:
        start, end, low, high, size = work.pop()
        for at, place in _pieces(ours[start:end], theirs[low:high], size):
            pairs.follow(start + at, low + place)
            pairs.follow(start + at - 1, low + place - 1, -1)
        if size > _SHORTEST:
            work += [(*gap, size // 2) for gap in pairs.gaps(start, end, low, high)]
    return pairs.found


def _pieces(ours: str, theirs: str, size: int) -> list[tuple[int, int]]:
    """Where the pieces stand that each text has once."""
    here, there = _once(ours, size), _once(theirs, size)
    return [(at, there[piece]) for piece, at in here.items() if piece in there]


def _once(text: str, size: int) -> dict[str, int]:
    pieces = [text[at : at + size] for at in range(len(text) - size + 1)]
    times = Counter(pieces)
    return {piece: at for at, piece in enumerate(pieces) if times[piece] == 1}


class _Pairs:
    """Characters of two texts that are the same: `found` is the answer of `aligned` so far."""

    def __init__(self, ours: str, theirs: str) -> None:
        self._ours, self._theirs = ours, theirs
        self._used = bytearray(len(theirs))
        self.found = [-1] * len(ours)

    def follow(self, at: int, place: int, step: Literal[1, -1] = 1) -> None:
        """Pair the characters at these places and those after (before) them, as far as they are equal and in no pair."""
        while self._paired(at, place):
            at, place = at + step, place + step

    def gaps(self, start: int, end: int, low: int, high: int) -> list[tuple[int, int, int, int]]:
        """What has no place yet between `start` and `end`, each with where it can be: between its neighbours' places, if that is near."""
        gaps = []
        at = start
        while at < end:
            if self.found[at] >= 0:
                at += 1
                continue
            begin = at
            while at < end and self.found[at] < 0:
                at += 1
            first = self.found[begin - 1] + 1 if begin > start else low
            last = self.found[at] if at < end else high
            if first < last and last - first <= 2 * (at - begin) + _WINDOW:
                gaps.append((begin, at, first, last))
        return gaps

    def _paired(self, at: int, place: int) -> bool:
        """Pair two characters, if they are equal and in no pair."""
        if not (0 <= at < len(self._ours) and 0 <= place < len(self._theirs)):
            return False
        if self.found[at] >= 0 or self._used[place] or self._ours[at] != self._theirs[place]:
            return False
        self.found[at], self._used[place] = place, 1
        return True


if __name__ == "__main__":
    main()
