"""Text recognition (OCR) for pictures and scanned pages: RapidOCR with its models (the extra `ocr`), or Tesseract (`tesseract`).

Every line that is found is a region with its place and the confidence of its reading, so that a scanned page is put in reading order like
any other (`pdf_layout`), and the metadata tell how sure the words at which characters are. RapidOCR's one model reads Chinese, Japanese
and languages in Latin letters; another one that a library was told is left to Tesseract, or refused (`obstacle`).
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Metadata, MetadataValue
from decoct.documents import tesseract
from decoct.documents.canonical import one_line
from decoct.documents.leftout import left_out
from decoct.documents.pdf_layout import in_reading_order
from decoct.documents.pdf_pieces import Piece
from decoct.documents.pdf_text import PageLine, lines_of
from decoct.text.languages import AUTO

INSTALL = (
    "install text recognition to read it: pip install 'decoct[ocr]', or the program tesseract (Debian: tesseract-ocr)"
)
SCALE = 200 / 72  # pixels a point: 200 dots an inch, at which letters of 8 points are 20 pixels high
REGIONS = "ocr_regions"
_REGION = re.compile(r"(\d+-\d+):([01]\.\d\d)")
_LEAST = 0.5  # confidence: what is read with less is mostly no text
_UNSURE = 0.9  # confidence below which the report of an ingest names a region
_NAMED = 3  # of them
_KEPT = (
    2_000  # regions of a document in its metadata, some 50 pages: a value of metadata is bounded in some stores (64 KB)
)


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The lines of a picture in reading order; the words and confidence (0 to 1) of each region; how many were too unsure to be text."""

    lines: list[PageLine]
    regions: list[tuple[str, float]]
    unread: int = 0


def is_available() -> bool:
    """Whether the extra or Tesseract is installed."""
    return _has_extra() or tesseract.is_installed()


def obstacle(language: str = "") -> str:
    """Why text in `language` (ISO 639-1; "auto" or empty: not told) cannot be recognised here, and what to do; empty if it can."""
    if not is_available():
        return INSTALL
    readable = (_languages() if _has_extra() else frozenset[str]()) | tesseract.languages()
    if _asked_language(language) in {"", *readable}:
        return ""
    package = tesseract.package(language)
    return (
        f"text recognition has no model for the language {language!r}, only for {', '.join(sorted(readable))}: "
        + (f"install Tesseract with its model (Debian: {package}), or " if package else "")
        + "save it with its text by another program"
    )


def recognised_page(image: NDArray[np.uint8], scale: float = SCALE, language: str = "") -> RecognisedPage:
    """What is read in a picture (height x width x 3) in a language; `scale` is the pixels a point of it, by which places are measured."""
    pieces: list[Piece] = []
    sure: list[float] = []
    unread = 0
    for text, box, score in _regions(image, _asked_language(language)):
        words = one_line(text)
        if words and score >= _LEAST:
            corners = np.asarray(box, dtype=float) / scale
            (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
            pieces.append(Piece(words, left, top, right, bottom, len(pieces)))
            sure.append(float(score))
        else:
            unread += bool(words)
    blocks = in_reading_order(pieces)
    order = [(piece.text, sure[piece.order]) for block in blocks for row in block for piece in row.pieces]
    return RecognisedPage(lines_of(blocks), order, unread)


def _regions(image: NDArray[np.uint8], language: str) -> Iterable[tuple[str, Any, float]]:
    """Words, corners in pixels and confidence of what is found: by the extra where it reads the language, else by Tesseract."""
    if not _has_extra() or (language and language not in _languages()):
        return tesseract.regions(image, language)
    found = _engine()(image)
    texts: Sequence[str] = found.txts if found.txts is not None else ()
    return zip(texts, found.boxes if len(texts) else (), found.scores or (), strict=True)


def _asked_language(language: str) -> str:
    return "" if language == AUTO else language


def _has_extra() -> bool:
    return importlib.util.find_spec("rapidocr") is not None


def told_of(recognised: Mapping[int, RecognisedPage], pages: Sequence[str], page_end: str) -> dict[str, MetadataValue]:
    """What metadata tell of the `recognised` pages (by number from 0) of a document, whose text is `pages` with `page_end` between them.

    `ocr_regions` are the regions in reading order as `start-end:confidence`, of characters of the document; of more than 2,000 the least
    sure ones.
    """
    told: dict[str, MetadataValue] = {"pages_recognised": len(recognised)}
    regions: list[tuple[int, int, float]] = []
    start = 0
    for number, text in enumerate(pages):
        if number in recognised:
            regions += [(start + at, start + end, sure) for at, end, sure in _placed(recognised[number].regions, text)]
        start += len(text) + len(page_end)
    if sure := [confidence for page in recognised.values() for _, confidence in page.regions]:
        told["ocr_confidence"] = round(sum(sure) / len(sure), 3)
    kept = sorted(sorted(regions, key=lambda region: region[2])[:_KEPT])
    if kept:
        told[REGIONS] = " ".join(f"{at}-{end}:{confidence:.2f}" for at, end, confidence in kept)
    return told | left_out({"regions of pictures that cannot be read": sum(one.unread for one in recognised.values())})


def unsure_words(metadata: Metadata) -> str:
    """What the report of an ingest tells of a document whose words were recognised with little confidence; empty if there are none."""
    regions = _REGION.findall(str(metadata.get(REGIONS, "")))
    unsure = sorted((float(confidence), place) for place, confidence in regions if float(confidence) < _UNSURE)
    if not unsure:
        return ""
    named = ", ".join(f"{place} ({confidence:.2f})" for confidence, place in unsure[:_NAMED])
    more = " …" if len(unsure) > _NAMED else ""
    return f"{len(unsure):,} of {len(regions):,} recognised regions are read with confidence below {_UNSURE:.2f}: characters {named}{more}"


def _placed(regions: Sequence[tuple[str, float]], text: str) -> list[tuple[int, int, float]]:
    """Where in a page's text the words of its regions stand, in their order; what is no text of it (a page number) is left out."""
    placed = []
    cursor = 0
    for words, confidence in regions:
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())))
        if found := pattern.search(text, cursor):
            cursor = found.end()
        else:  # a cell of a table goes on in the next line
            found = pattern.search(text)
        if found:
            placed.append((*found.span(), confidence))
    return placed


@cache
def _languages() -> frozenset[str]:
    """The languages that the model in the engine's package reads, as ISO 639-1 codes."""
    from rapidocr.utils.model_resolver import MODEL_ROUTES, list_supported_langs
    from rapidocr.utils.typings import TaskType

    model = _engine().cfg.Rec
    known = list_supported_langs(TaskType.REC, model.ocr_version, model.model_type)
    iso = {own: code for code, own in reversed((MODEL_ROUTES[model.ocr_version.value].get("aliases") or {}).items())}
    return frozenset(code for own in known if re.fullmatch("[a-z]{2}", code := iso.get(own, own)))


@cache
def _engine() -> Any:  # noqa: ANN401 - rapidocr has no types
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR()
