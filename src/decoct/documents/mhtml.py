"""Saved web pages (`.mht`, `.mhtml`, RFC 2557): the page in them, as HTML; its pictures and styles are not read."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.html import parse as parse_page
from decoct.errors import ParseError


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a saved page."""
    try:
        message = email.message_from_bytes(source.read(), policy=email.policy.default)
        pages = [part for part in message.walk() if part.get_content_type() in {"text/html", "application/xhtml+xml"}]
        data = pages[0].get_payload(decode=True) if pages else None
        charset = str(pages[0].get_content_charset() or "") if pages else ""
    except (RecursionError, ValueError, LookupError, AttributeError) as error:
        raise ParseError("its saved page is damaged: save it again") from error
    if not isinstance(data, bytes) or not data.strip():
        raise ParseError("it holds no page: save it again as HTML")
    media_type = f"text/html; charset={charset}" if charset else "text/html"
    yield from parse_page(replace(source, opener=lambda: BytesIO(data), media_type=media_type))
