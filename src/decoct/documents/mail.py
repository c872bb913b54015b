"""E-mail (`.eml`): who wrote to whom, when and on what, then the text, by the standard library's `email`.

Of alternatives the plain one is read, else the HTML one, as a page (`html`). Forwarded messages that are attached are read too; other
attachments are named in a last line, not read: save them beside the message to have them. The subject is the title; `from`, `to` and
`date` (ISO 8601) are metadata.
"""

from __future__ import annotations

import email
import email.policy
import email.utils
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart

from decoct.data import Document, Link, Scalar
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.encoding import decoded
from decoct.documents.html import main_text, page_tree
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.errors import ParseError

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST = 1_000  # characters of a header as metadata
_DEEPEST = 16
_PARTS = 1_000


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a message."""
    try:
        message = email.message_from_bytes(source.read(), policy=email.policy.default)
        writer = _Writer()
        writer.message(message, 0)
    except (RecursionError, ValueError, LookupError, IndexError, AttributeError) as error:
        raise ParseError("its message is damaged, or nested too deeply: save it again") from error
    if not writer.said:
        raise ParseError("it holds no text, only headers or attachments: save the attachments beside it")
    prose = writer.prose
    metadata: dict[str, Scalar] = {**source.metadata}
    metadata |= {name.lower(): said for name in ("From", "To") if (said := _header(message, name)[:_LONGEST])}
    if date := _date(message):
        metadata["date"] = date
    yield Document(
        source.name,
        checked(prose.text, source.limits.text_characters),
        title=_header(message, "Subject"),
        source=source.origin,
        metadata=metadata,
        headings=tuple(prose.headings),
        levels=prose.levels,
        links=tuple(prose.links),
    )


class _Writer:
    """Writes messages. `said` tells whether any had a text."""

    def __init__(self) -> None:
        self.prose = Prose()
        self.said = False
        self._parts = 0

    def message(self, message: EmailMessage, depth: int) -> None:
        """Write headers, text, forwarded messages and the names of other attachments."""
        if depth > _DEEPEST:
            raise RecursionError
        self.prose.gap(PARAGRAPH)
        for name in _SHOWN:
            if said := _header(message, name):
                self.prose.gap(LINE)
                self.prose.say(f"{name}: {said}")
        self.prose.gap(PARAGRAPH)
        body = message.get_body(("plain", "html"))
        if body is not None:
            self._text(body)
        attached = []
        for part in message.walk():
            self._parts += 1
            if self._parts > _PARTS:
                raise ValueError
            if part is message or part is body:
                continue
            if name := one_line(part.get_filename() or ""):
                attached.append(name)
        for inner in _forwarded(message):
            self.message(inner, depth + 1)
        if attached and not depth:
            self.prose.gap(PARAGRAPH)
            self.prose.say("Attachments: " + ", ".join(attached))

    def _text(self, part: MIMEPart) -> None:
        data = part.get_payload(decode=True)
        text = canonical(decoded(data, str(part.get_content_charset() or "")).text) if isinstance(data, bytes) else ""
        if not text.strip():
            return
        self.said = True
        if part.get_content_subtype() == "html":
            page, _ = main_text(page_tree(text))
            at = self.prose
            at.verbatim(page.text)
            start = at.length - len(page.text.rstrip())
            for (first, last), level in zip(page.headings, page.levels, strict=True):
                at.heading((start + first, start + last), level)
            at.links += [Link(start + link.start, start + link.end, link.target) for link in page.links]
        else:
            self.prose.verbatim(text.strip("\n"))


def _forwarded(message: EmailMessage) -> Iterator[EmailMessage]:
    """The messages attached to one, not those inside them."""
    if not message.is_multipart() or message.get_content_type() == "message/rfc822":
        return
    for part in message.iter_parts():
        if part.get_content_type() == "message/rfc822":
            yield from (inner for inner in part.get_payload() if isinstance(inner, EmailMessage))


def _header(message: EmailMessage, name: str) -> str:
    try:
        return one_line(str(message.get(name) or ""))
    except (
        ValueError,
        LookupError,
        IndexError,
        AttributeError,
        TypeError,
    ):  # a damaged header is no reason to lose the text
        return ""


def _date(message: EmailMessage) -> str:
    try:
        return email.utils.parsedate_to_datetime(_header(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
