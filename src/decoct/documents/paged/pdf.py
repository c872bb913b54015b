"""PDF: the text of its pages, then reviewers' comments, by pdfium.

Letters and their places are pdfium's (`pdf_letters`, `pdf_pieces`), also what is laid over a page (`pdf_annotations`); columns, tables and
turned text are put in the order in which they are read (`pdf_layout`), and become paragraphs (`pdf_text`), without the lines that run along
the pages (`pagelines`). Pages are divided by a line break and a form feed, the sign for a page's end in plain text too, so the page of an
offset is one more than the form feeds before it, whatever the document went through (`places`). Headings are the bookmarks whose words are
found, in order, on the page that they point at; without bookmarks, the lines in larger letters. `pages` is in the metadata, and
`pages_without_text` where some are pictures; `left_out` tells of these, and of words that are struck out or not shown.

The title is the one in the file's properties if it looks like one (word processors leave file names there), else the largest line of the
first page, if it is clearly larger than the rest.

pdfium repairs what it can; a page that cannot be loaded fails the whole file. It is not thread-safe: one lock for the process.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw

from decoct.data import Document, MetadataValue
from decoct.documents.base import Limits, Source, left_out
from decoct.documents.canonical import one_line
from decoct.documents.paged.ocr import SCALE, RecognisedPage, is_available, obstacle, recognised_page, told_of
from decoct.documents.paged.pagelines import without_page_lines
from decoct.documents.paged.pdf_annotations import crossed_out, remarks
from decoct.documents.paged.pdf_layout import Column, in_reading_order
from decoct.documents.paged.pdf_pieces import pieces_of
from decoct.documents.paged.pdf_rules import as_seen, rules_of, shapes_of
from decoct.documents.paged.pdf_text import PageLine, large_lines, lines_of, page_texts
from decoct.documents.places import PAGE_END
from decoct.documents.titles import told_title
from decoct.errors import ParseError
from decoct.trace import fallback

_LOCK = threading.Lock()
_BOOKMARKS = 20_000
_WORDLESS = 8  # fewer characters on a page with a picture are a page number
_STAMPED = 3  # pages from which on the same line on half of them is a stamp


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a PDF."""
    data = source.read()
    if b"%PDF-" not in data[:1024]:
        raise ParseError("it is not a PDF, whatever its name says")
    with _LOCK:
        document = _document(data, source)
    yield document


def _document(data: bytes, source: Source) -> Document:
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise ParseError("it is encrypted: save a copy without a password") from error
        raise ParseError("its PDF data is damaged: fetch or save it again") from error
    try:
        lines, lost, noted = _pages(pdf, source.limits)
        pages = page_texts(lines)
        scanned = _scanned(pdf, pages)
        metadata: dict[str, MetadataValue] = {"pages": len(pages)}
        problem = obstacle(source.language) if scanned else ""
        recognised = {} if problem else {number: _recognised(pdf, number, source.language) for number in scanned}
        if recognised:
            lines = [recognised[at].lines if at in recognised else one for at, one in enumerate(lines)]
            pages, scanned = page_texts(lines), []
        lines, running, ends = without_page_lines(lines)
        pages = [page.strip("\n") + "\n" * (at in ends) for at, page in enumerate(page_texts(lines))]
        if recognised:
            metadata |= told_of(recognised, pages, PAGE_END)
        if not any(page.strip() for page in pages) or len(scanned) == len(pages):
            missing = f"without text (OCR): {problem}" if problem else "no text is recognised on them (OCR)"
            raise ParseError(f"its pages are images, a scan perhaps, {missing}")
        if scanned:
            metadata["pages_without_text"] = len(scanned)
            fallback("pdf.scanned_pages", len(scanned))
        metadata |= left_out({f"pages that are pictures, {problem}": len(scanned), **lost})
        headings = list(_found(_bookmarks(pdf) or large_lines(lines), pages))
        found, levels = [place for place, _ in headings], [level for _, level in headings]
        text = PAGE_END.join(pages)
        text += "".join(f"\n\n{one}" for one in [*(one for one in running if one not in text), *noted])
        return source.document(text, _title(pdf, lines[0] if lines else ()), metadata, headings=found, levels=levels)
    except (pdfium.PdfiumError, ValueError, RuntimeError) as error:
        raise ParseError("its PDF data is damaged: fetch or save it again") from error
    finally:
        pdf.close()


def _pages(pdf: Any, limits: Limits) -> tuple[list[list[PageLine]], Counter[str], list[str]]:  # noqa: ANN401 - pypdfium2 has no types
    """The lines of every page, in reading order, how often words are struck out or not shown, and what reviewers noted."""
    if len(pdf) > limits.pages:
        raise ParseError(f"it has {len(pdf):,} pages, over the limit of {limits.pages:,}: split it")
    end = time.thread_time() + limits.seconds
    forms = _forms(pdf)
    words: set[str] = set()
    pages, total, lost, noted = [], 0, Counter[str](), list[str]()
    before: Sequence[Column] = ()
    for number in range(len(pdf)):
        page = pdf[number]
        shapes = shapes_of(page)
        drawn, thin = rules_of(shapes)
        rules = [as_seen(drawn, turn) for turn in range(4)]
        rules.append(rules[0])  # as slanted text sees them
        thin += crossed_out(page)
        noted += [f"{one} (page {number + 1})" for one in remarks(page)]
        turns, struck, unseen = pieces_of(page, forms, rules, words, thin, shapes=shapes)
        lost += Counter({"struck-out text": struck, "text that is not shown": unseen})
        lines: list[PageLine] = []
        for turn, pieces in turns:
            blocks = in_reading_order(pieces, rules[turn], before if not lines else ())
            before = next(
                (row.bands for block in reversed(blocks) for row in reversed(block) if row.bands),
                before if lines else (),
            )
            lines += lines_of(blocks, upright=not lines)
        page.close()
        pages.append(lines)
        total += sum(len(line.text) + 1 for line in lines) + len(PAGE_END)
        if total > limits.text_characters:
            raise ParseError(f"its text has more than {limits.text_characters:,} characters: split it")
        if time.thread_time() > end:
            raise ParseError(
                f"reading it takes longer than {limits.seconds:g} s, after {number + 1} of {len(pdf)} pages: split it"
            )
    return pages, lost, noted


def _forms(pdf: Any) -> Any:  # noqa: ANN401
    """The environment of pdfium for the values of forms; None where the file has no form."""
    if pdf.get_formtype() == raw.FORMTYPE_NONE:
        return None
    pdf.init_forms()
    return pdf.formenv.raw


def _scanned(pdf: Any, pages: list[str]) -> list[int]:  # noqa: ANN401
    """The pages (from 0) that hold a picture and no text, or only the few words that scanners stamp on every page."""
    stamps = Counter(line for page in pages for line in set(page.split("\n")))
    scanned = []
    pictures = (raw.FPDF_PAGEOBJ_IMAGE,)
    drawn = (*pictures, raw.FPDF_PAGEOBJ_PATH) if is_available() else pictures  # letters may be drawn as shapes
    for number, page in enumerate(pages):
        written = sum(len(line) for line in page.split("\n") if len(pages) < _STAMPED or stamps[line] * 2 < len(pages))
        if written < _WORDLESS:
            opened = pdf[number]
            if any(True for _ in opened.get_objects(filter=drawn, max_depth=3)):
                scanned.append(number)
            opened.close()
    return scanned


def _recognised(pdf: Any, number: int, language: str) -> RecognisedPage:  # noqa: ANN401
    page = pdf[number]
    image = page.render(scale=SCALE).to_numpy()
    page.close()
    return recognised_page(image[:, :, :3], language=language)


def _title(pdf: Any, first: Sequence[PageLine]) -> str:  # noqa: ANN401
    """What the properties tell, else the words in the largest letters of the first page."""
    said = told_title(one_line(str(pdf.get_metadata_value("Title") or "")))
    return said or next((told_title(words) for _, words, level in large_lines([first]) if level == 1), "")


def _bookmarks(pdf: Any) -> list[tuple[int, str, int]]:  # noqa: ANN401
    """The page (from 0), words and level (from 1) of the outline's entries."""
    found = []
    for bookmark in islice(pdf.get_toc(max_depth=6), _BOOKMARKS):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if index is not None:
            found.append((index, bookmark.get_title() or "", int(bookmark.level) + 1))
    return found


def _found(headings: Sequence[tuple[int, str, int]], pages: list[str]) -> Iterator[tuple[tuple[int, int], int]]:
    """Ranges of headings' words, in the order of the text, and their levels; those that are not found are left out."""
    starts, at = [], 0
    for page in pages:
        starts.append(at)
        at += len(page) + len(PAGE_END)
    cursor = 0
    for index, title, level in headings:
        words = one_line(title).split()[:50]
        if not 0 <= index < len(pages) or not words:
            continue
        begin = max(0, cursor - starts[index])
        if found := re.compile(r"\s+".join(map(re.escape, words))).search(pages[index], begin):
            cursor = starts[index] + found.end()
            yield (starts[index] + found.start(), cursor), level
