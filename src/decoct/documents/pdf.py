"""PDF: the text of its pages, by pdfium.

Lines are pdfium's, without those that run along the pages and tables of contents (`pagelines`); a word it found hyphenated at the end of
a line is joined. Pages are divided by a line break and a form feed, the sign for a page's end in plain text too, so the page of an offset
is one more than the form feeds before it, whatever the document went through (`page_of`). Headings are the bookmarks whose words are
found, in order, on the page that they point at. `pages` is in the metadata, and `pages_without_text` where some are pictures. Raised
letters are not told from others (2 with a raised 64 is 264 here): pdfium gives letters, not their meaning.

The title is the one in the file's properties if it looks like one (word processors leave file names there), else the largest line
of the first page, if it is clearly larger than the rest.

pdfium repairs what it can; a page that cannot be loaded fails the whole file. It is not thread-safe: one lock for the process.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw

from decoct.data import Document, Scalar
from decoct.documents.base import Limits, Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.pagelines import without_page_lines
from decoct.errors import ParseError
from decoct.trace import fallback

PAGE_END = "\n\f"
_LOCK = threading.Lock()
# What writers put for a title: "Microsoft Word - draft3.doc", "untitled", "paper.tex", "output.dvi".
_NO_TITLE = re.compile(
    r"^(microsoft |untitled|title$|slide 1$|no title|document\d*$)|\.(docx?|tex|dvi|pdf|indd|qxd|pptx?|odt|rtf)$", re.I
)
_LARGER = 1.2  # a title's letters against the commonest ones of its page
_LETTERS = 4_000  # of the first page, to find the title
_BOOKMARKS = 20_000
_WORDLESS = 8  # fewer characters on a page with a picture are a page number
_STAMPED = 3  # pages from which on the same line on half of them is a stamp


def page_of(text: str, offset: int) -> int:
    """The page (from 1) of character `offset` of a PDF's canonical text."""
    return text.count("\f", 0, offset) + 1


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
        pages = _pages(pdf, source.limits)
        scanned = _scanned(pdf, pages)
        pages = without_page_lines(pages)
        if not any(page.strip() for page in pages) or scanned == len(pages):
            raise ParseError(
                "its pages are images, a scan perhaps, without text: run text recognition (OCR) on it first"
            )
        metadata: dict[str, Scalar] = {**source.metadata, "pages": len(pages)}
        if scanned:
            metadata["pages_without_text"] = scanned
            fallback("pdf.scanned_pages", scanned)
        return Document(
            source.name,
            checked(PAGE_END.join(pages), source.limits.text_characters),
            title=_title(pdf),
            source=source.origin,
            metadata=metadata,
            headings=tuple(_headings(pdf, pages)),
        )
    except (pdfium.PdfiumError, ValueError, RuntimeError) as error:
        raise ParseError("its PDF data is damaged: fetch or save it again") from error
    finally:
        pdf.close()


def _pages(pdf: Any, limits: Limits) -> list[str]:  # noqa: ANN401 - pypdfium2 has no types
    """The canonical text of every page."""
    if len(pdf) > limits.pages:
        raise ParseError(f"it has {len(pdf):,} pages, over the limit of {limits.pages:,}: split it")
    end = time.monotonic() + limits.seconds
    pages, total = [], 0
    for number in range(len(pdf)):
        page = pdf[number]
        letters = page.get_textpage()
        # U+FFFE stands where a hyphen at a line's end was taken out; U+0002 in older versions of pdfium.
        text = canonical(re.sub("[\ufffe\x02]", "", letters.get_text_range())).replace("\f", " ")
        letters.close()
        page.close()
        pages.append(text)
        total += len(text) + len(PAGE_END)
        if total > limits.text_characters:
            raise ParseError(f"its text has more than {limits.text_characters:,} characters: split it")
        if time.monotonic() > end:
            raise ParseError(
                f"reading it takes longer than {limits.seconds:g} s, after {number + 1} of {len(pdf)} pages: split it"
            )
    return pages


def _scanned(pdf: Any, pages: list[str]) -> int:  # noqa: ANN401
    """How many pages hold a picture and no text, or only the few words that scanners stamp on every page."""
    stamps = Counter(line for page in pages for line in set(page.split("\n")))
    scanned = 0
    for number, page in enumerate(pages):
        said = sum(len(line) for line in page.split("\n") if len(pages) < _STAMPED or stamps[line] * 2 < len(pages))
        if said < _WORDLESS:
            opened = pdf[number]
            scanned += any(True for _ in opened.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
            opened.close()
    return scanned


def _title(pdf: Any) -> str:  # noqa: ANN401
    said = one_line(str(pdf.get_metadata_value("Title") or ""))
    return said if said and not _NO_TITLE.search(said) else _largest_line(pdf)


def _largest_line(pdf: Any) -> str:  # noqa: ANN401
    """The words in the largest letters of the first page, if they are clearly larger than its commonest letters and not many."""
    page = pdf[0]
    letters = page.get_textpage()
    count = min(letters.count_chars(), _LETTERS)
    sizes = [round(raw.FPDFText_GetFontSize(letters.raw, at), 1) for at in range(count)]
    codes = [raw.FPDFText_GetUnicode(letters.raw, at) for at in range(count)]
    letters.close()
    page.close()
    seen = Counter(size for size, code in zip(sizes, codes, strict=True) if not chr(code).isspace())
    if not seen or max(seen) < _LARGER * seen.most_common(1)[0][0]:
        return ""
    run = next(
        list(run)
        for size, run in groupby(zip(sizes, codes, strict=True), key=lambda pair: pair[0])
        if size == max(seen)
    )
    words = one_line("".join(chr(code) for _, code in run if code not in (0xFFFE, 2)))
    return words if 3 <= len(words) <= 300 else ""


def _headings(pdf: Any, pages: list[str]) -> Iterator[tuple[int, int]]:  # noqa: ANN401
    """Ranges of bookmarks' words, in the order of the text; those that are not found are left out."""
    starts, at = [], 0
    for page in pages:
        starts.append(at)
        at += len(page) + len(PAGE_END)
    cursor = 0
    for number, bookmark in enumerate(pdf.get_toc(max_depth=6)):
        if number >= _BOOKMARKS:
            return
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        words = one_line(bookmark.get_title() or "").split()[:50]
        if index is None or not 0 <= index < len(pages) or not words:
            continue
        begin = max(0, cursor - starts[index])
        if found := re.compile(r"\s+".join(map(re.escape, words))).search(pages[index], begin):
            cursor = starts[index] + found.end()
            yield starts[index] + found.start(), cursor
