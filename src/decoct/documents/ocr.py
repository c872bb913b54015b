"""Text recognition (OCR) for pictures and scanned pages, by the extra `ocr`: RapidOCR, with the models of PP-OCR in its package.

Every line that is found is a piece with its place and the confidence of its reading, so that a scanned page is put in reading order like
any other (`pdf_layout`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.documents.canonical import one_line
from decoct.documents.pdf_layout import in_reading_order
from decoct.documents.pdf_pieces import Piece
from decoct.documents.pdf_text import PageLine, lines_of

INSTALL = "install text recognition to read it: pip install 'decoct[ocr]'"
SCALE = 200 / 72  # pixels a point: 200 dots an inch, at which letters of 8 points are 20 pixels high
_LEAST = 0.5  # confidence: what is read with less is mostly no text


def is_available() -> bool:
    """Whether the extra is installed."""
    return importlib.util.find_spec("rapidocr") is not None


def recognised_lines(image: NDArray[np.uint8], scale: float = SCALE) -> tuple[list[PageLine], list[float]]:
    """The lines of a picture (height x width x 3) in reading order, and the confidence of each, from 0 to 1.

    `scale` is the pixels a point of the picture, by which places are measured.
    """
    found = _engine()(image)
    texts: Sequence[str] = found.txts if found.txts is not None else ()
    pieces: list[Piece] = []
    sure: list[float] = []
    for text, box, score in zip(texts, found.boxes if len(texts) else (), found.scores or (), strict=True):
        words = one_line(text)
        if words and score >= _LEAST:
            corners = np.asarray(box, dtype=float) / scale
            (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
            pieces.append(Piece(words, left, top, right, bottom, len(pieces)))
            sure.append(float(score))
    return lines_of(in_reading_order(pieces)), sure


@cache
def _engine() -> Any:  # noqa: ANN401 - rapidocr has no types
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR()
