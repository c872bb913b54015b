"""Text recognition (OCR) for pictures and scanned pages: RapidOCR with its models (the extra `ocr`), or Tesseract (`tesseract`).

Every line that is found is a region with its place and the confidence of its reading, so that a scanned page is put in reading order like
any other (`pdf_layout`), and the metadata tell how sure the words at which characters are. RapidOCR's one model reads Chinese, Japanese
and languages in Latin letters; another one that a library was told is left to Tesseract, or refused (`obstacle`).
"""

from __future__ import annotations

import csv
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Metadata, MetadataValue
from decoct.documents.base import left_out
from decoct.documents.canonical import one_line
from decoct.documents.paged.pdf_layout import in_reading_order
from decoct.documents.paged.pdf_pieces import Piece
from decoct.documents.paged.pdf_text import PageLine, lines_of
from decoct.errors import ParseError
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
    return _has_extra() or tesseract_is_installed()


def obstacle(language: str = "") -> str:
    """Why text in `language` (ISO 639-1; "auto" or empty: not told) cannot be recognised here, and what to do; empty if it can."""
    if not is_available():
        return INSTALL
    readable = (_languages() if _has_extra() else frozenset[str]()) | tesseract_languages()
    if _asked_language(language) in {"", *readable}:
        return ""
    package = tesseract_package(language)
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
        return tesseract_regions(image, language)
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


# Text recognition by Tesseract, the other engine: a program of the system (Debian's package `tesseract-ocr`), with a model a language.
#
# It reads languages that the extra `ocr` has no model for, and stands in where the extra is not installed. A row of a page is cut into
# regions where the gap between two words is wider than the row is high: cells of a table stay apart, as the other engine finds them.
#
# ISO 639-1 codes and Tesseract's own, which are those of ISO 639-2 but for a few.
_CODES = dict(
    pair.split("=")
    for pair in (
        "af=afr am=amh ar=ara as=asm az=aze be=bel bg=bul bn=ben bo=bod br=bre bs=bos ca=cat co=cos cs=ces cy=cym da=dan de=deu dv=div "
        "dz=dzo el=ell en=eng eo=epo es=spa et=est eu=eus fa=fas fi=fin fo=fao fr=fra fy=fry ga=gle gd=gla gl=glg gu=guj he=heb hi=hin "
        "hr=hrv ht=hat hu=hun hy=hye id=ind is=isl it=ita iu=iku ja=jpn jv=jav ka=kat kk=kaz km=khm kn=kan ko=kor ku=kmr ky=kir la=lat "
        "lb=ltz lo=lao lt=lit lv=lav mi=mri mk=mkd ml=mal mn=mon mr=mar ms=msa mt=mlt my=mya ne=nep nl=nld no=nor oc=oci or=ori pa=pan "
        "pl=pol ps=pus pt=por qu=que ro=ron ru=rus sa=san sd=snd si=sin sk=slk sl=slv sq=sqi sr=srp su=sun sv=swe sw=swa ta=tam te=tel "
        "tg=tgk th=tha ti=tir tl=fil to=ton tr=tur tt=tat ug=uig uk=ukr ur=urd uz=uzb vi=vie yi=yid yo=yor zh=chi_sim"
    ).split()
)
_OTHER = "osd"  # finds how a page is turned; no language
_GAP = 1.0  # heights of a row between two words, from which on they are two regions
_SECONDS = 300  # for a page


def tesseract_is_installed() -> bool:
    """Whether the program is there."""
    return shutil.which("tesseract") is not None


@cache
def tesseract_languages() -> frozenset[str]:
    """The languages that are installed, as ISO 639-1 codes."""
    return frozenset(code for code, own in _CODES.items() if own in _models())


def tesseract_package(language: str) -> str:
    """What to install for a language; empty if there is nothing."""
    own = _CODES.get(language, "")
    return f"tesseract-ocr-{own.replace('_', '-')}" if own else ""


def tesseract_regions(image: NDArray[np.uint8], language: str = "") -> Iterator[tuple[str, NDArray[np.float64], float]]:
    """What is read in a picture (height x width x 3): words, corners (4 x 2, in pixels) and confidence (0 to 1) of each region.

    `language` is an ISO 639-1 code; empty where it is not told, for all that are installed. `ParseError` where the program gives up.
    """
    models = [_CODES[language]] if language else sorted(_models())
    given = b"P6 %d %d 255\n" % (image.shape[1], image.shape[0]) + np.ascontiguousarray(image).tobytes()
    command = ["tesseract", "stdin", "stdout", "-l", "+".join(models), "--psm", "3", "tsv"]
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise ParseError(f"text recognition failed ({type(error).__name__}): save it again") from error
    rows = csv.DictReader(done.stdout.decode("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = (row for row in rows if row["level"] == "5" and row["text"].strip())
    for _, line in groupby(words, key=lambda row: (row["page_num"], row["block_num"], row["par_num"], row["line_num"])):
        yield from _of_line(list(line))


def _of_line(words: list[dict[str, str]]) -> Iterator[tuple[str, NDArray[np.float64], float]]:
    boxes = np.array([[float(word[side]) for side in ("left", "top", "width", "height")] for word in words])
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    apart = np.flatnonzero(left[1:] - right[:-1] > _GAP * np.median(boxes[:, 3])) + 1
    for at in np.split(np.arange(len(words)), apart):
        x, y, to_x, to_y = left[at].min(), top[at].min(), right[at].max(), bottom[at].max()
        sure = float(np.mean([float(words[one]["conf"]) for one in at])) / 100
        corners = np.array([[x, y], [to_x, y], [to_x, to_y], [x, to_y]])
        yield " ".join(words[one]["text"] for one in at), corners, sure


@cache
def _models() -> frozenset[str]:
    if not tesseract_is_installed():
        return frozenset()
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False, timeout=30)
    return frozenset((listed.stdout or listed.stderr).split("\n")[1:]) & frozenset(_CODES.values()) - {_OTHER}
