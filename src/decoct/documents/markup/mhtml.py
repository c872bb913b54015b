"""Saved web pages (`.mht`, `.mhtml`, RFC 2557): the page in them, as HTML, with its styles; its pictures are not read."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from urllib.parse import urljoin

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.markup.html import parse as parse_page
from decoct.documents.prose import PARAGRAPH, Prose
from decoct.errors import ParseError

# Browsers save pages without their scripts: what sheets hide one of them may have shown.
_HIDES = re.compile(r"(?:display|visibility)\s*:[^;}]*", re.IGNORECASE)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a saved page; the pages in its frames stand behind it."""
    try:
        message = email.message_from_bytes(source.read(), policy=email.policy.default)
        parts = [part for part in message.walk() if part.get_content_type() in {"text/html", "application/xhtml+xml"}]
        sheets = {
            address: _HIDES.sub("", bytes(part.get_payload(decode=True)).decode(errors="replace"))
            for part in message.walk()
            if part.get_content_type() == "text/css"
            for address in (part.get("Content-Location", ""), "cid:" + part.get("Content-ID", "").strip("<>"))
        }
        pages = [
            (part.get("Content-Location", ""), data, f"text/html; charset={charset}" if charset else "text/html")
            for part in parts
            for charset in (part.get_content_charset(),)
            if isinstance(data := part.get_payload(decode=True), bytes) and data.strip()
        ]
    except (RecursionError, ValueError, LookupError, AttributeError) as error:
        raise ParseError("its saved page is damaged: save it again") from error
    if not pages:
        raise ParseError("it holds no page: save it again as HTML")
    found: list[Document] = []
    problem: ParseError | None = None
    for place, data, media_type in pages:
        try:
            whole = replace(source, opener=partial(BytesIO, data), media_type=media_type)
            found += parse_page(whole, partial(_sheet, sheets, place))
        except ParseError as error:  # a page that holds frames alone
            problem = error
    if not found and problem:
        raise problem
    prose = Prose()
    for page in found:
        prose.gap(PARAGRAPH)
        prose.include(page.text, zip(page.headings, page.levels, strict=True), page.links)
    yield prose.document(source, found[0].title, found[0].metadata)


def _sheet(sheets: dict[str, str], page: str, address: str) -> str:
    return sheets.get(urljoin(page, address), "")
