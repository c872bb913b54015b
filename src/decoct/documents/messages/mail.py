"""E-mail (`.eml`): who wrote to whom, when and on what, then the text, by the standard library's `email`.

Every part that a mail program shows in the text is read in its place (RFC 2046): text that goes on behind a picture, forwarded messages.
Of alternatives that is the plain one, or the HTML one, as a page (`html`), where the plain one lacks most of its words. Other
attachments are named in a last line, not read: save them beside the message to have them. What is quoted from an earlier message keeps
the signs `>` that plain text has, also from HTML, and the line that introduces it ("On Monday Ann wrote:") is a heading, so that a
citation tells it from the reply.

The subject is the title; `from`, `to` and `date` (ISO 8601) are metadata. Headers that nobody coded are in UTF-8, else in
the encoding of the message's texts, else guessed as any text, and what cannot be read is told.
"""

from __future__ import annotations

import email
import email.policy
import email.utils
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email.base64mime import header_encode
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import EmailMessage, Message, MIMEPart
from functools import lru_cache
from typing import Any, cast

from lxml import etree

from decoct.data import Document, Link, MetadataValue
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.encoding import Decoded, decoded, detected
from decoct.documents.markup.html import main_page, page_tree
from decoct.documents.messages.appointments import calendar_lines
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.tables.table import parse as parse_table
from decoct.errors import ParseError
from decoct.text.quotable import introductions
from decoct.text.wholes import Place
from decoct.text.words import words

_CALENDAR = "text/calendar"
_PAGES = frozenset({"text/html", "text/enriched", "text/richtext"})
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_SPELT = frozenset({"from", "to", "cc", "subject", "content-type", "content-disposition"})
_LONGEST = 1_000  # characters of a header as metadata
_DEEPEST = 16
_HEADER = 10_000  # characters of a header that are read
_PARTS = 1_000
_UNREAD = "headers in an encoding that could not be told"


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a message."""
    yield message_document(source.read(), source)


def message_document(data: bytes, source: Source) -> Document:
    """The document of one message of a source; `ParseError` if it cannot be read or holds no text."""
    try:
        message = email.message_from_bytes(data, _BySigns, policy=email.policy.default)
        writer = _Writer()
        writer.message(message, 0)
    except (RecursionError, ValueError, LookupError, AttributeError) as error:
        raise ParseError("its message is damaged, or nested too deeply: save it again") from error
    if not writer.said:
        raise ParseError("it holds no text, only headers or attachments: save the attachments beside it")
    prose = writer.prose
    metadata = {**writer.notes, **left_out(writer.lost)}
    metadata |= {one.lower(): said for one in ("From", "To") if (said := _header(message, one)[:_LONGEST])}
    if date := _date(message):
        metadata["date"] = date
    for introduction in introductions(prose.text):
        prose.heading(introduction)
    prose.headings.sort()
    return prose.document(source, _header(message, "Subject"), metadata)


class _BySigns(EmailMessage):
    """A message whose parts may be divided by a line with signs that its header had to quote, and did not."""

    def get_boundary(self, failobj: Any = None) -> Any:  # noqa: ANN401 - the standard library's own signature
        plain: Message[str, str] = Message()
        plain["Content-Type"] = next((said for name, said in self.raw_items() if name.lower() == "content-type"), "")
        return plain.get_boundary(failobj)


class _Writer:
    """Writes messages. `said` tells whether any had a text, `notes` and `lost` how their letters were read."""

    def __init__(self) -> None:
        self.prose = Prose()
        self.said = False
        self.notes: dict[str, MetadataValue] = {}
        self.lost: Counter[str] = Counter()
        self._parts = 0

    def message(self, message: EmailMessage, depth: int) -> None:
        """Write headers, text, forwarded messages and the names of other attachments."""
        if depth > _DEEPEST:
            raise RecursionError
        self._spell(message)
        self.prose.gap(PARAGRAPH)
        for name in _SHOWN:
            if said := _header(message, name):
                self.prose.gap(LINE)
                self.prose.say(f"{name}: {said}")
        attached: list[str] = []
        self._part(message, depth, attached)
        if attached:
            self.prose.paragraph("Attachments: " + ", ".join(attached))
            self.lost["attachments"] += len(attached)

    def _spell(self, message: EmailMessage) -> None:
        """Give the message its headers in letters, where they are bytes that nobody coded, or coded otherwise than they say."""
        parts = list(_own(message))
        headers = [(part, name, said) for part in parts for name, said in part.raw_items() if name.lower() in _SPELT]
        odd = [one for one in headers if not one[2].isascii() or "\x1b" in one[2]]
        try:
            if odd:
                written = [said.encode("utf-8", "surrogateescape") for _, _, said in odd]
                encoding, notes = detected(b"\n".join(written), "utf-8", *filter(None, map(_charset, parts)))
                self.notes |= notes
                for (part, name, _), data in zip(odd, written, strict=True):
                    part.replace_header(name, one_line(data.decode(encoding)))
        except ParseError:
            self.lost[_UNREAD] += len(odd)
        for part, name, said in headers:
            if "=?" in said and "\ufffd" in _header(part, name):
                try:
                    part.replace_header(name, "".join(self._words(one_line(said[:_HEADER]))))
                except (ParseError, HeaderParseError):
                    self.lost[_UNREAD] += 1

    def _words(self, written: str) -> Iterator[str]:
        """The pieces of a header, those that are coded in UTF-8."""
        for data, charset in decode_header(written):
            if charset:
                text, notes = decoded(data, charset)
                self.notes |= notes
                yield header_encode(text.encode(), "utf-8")
            else:
                yield data if isinstance(data, str) else data.decode("raw-unicode-escape")

    def _part(self, part: EmailMessage | MIMEPart, depth: int, attached: list[str]) -> None:
        """Write what is shown of one part and of those in it; the names of others go to `attached`."""
        self._parts += 1
        if self._parts > _PARTS or depth > _DEEPEST:
            raise ValueError
        kind = part.get_content_type()
        if kind == "message/rfc822":
            for inner in _messages(part):
                self.message(inner, depth + 1)
        elif kind in {"multipart/alternative", "multipart/related"}:
            inside = list(part.iter_parts())
            shown = _best(inside) if kind == "multipart/alternative" else next(iter(inside), None)
            for one in inside:
                # A calendar says when and where, which words may not.
                said = one is shown or one.get_content_type() == _CALENDAR
                self._part(one, depth + 1, attached) if said else self._named(one, attached)
        elif part.get_content_maintype() == "message" and part.is_multipart():  # a report: what was delivered, or read
            for block in cast("list[EmailMessage]", part.get_payload()):
                self.prose.gap(PARAGRAPH)
                for name in block:
                    self.prose.gap(LINE)
                    self.prose.say(f"{name}: {_header(block, name)}")
        elif part.is_multipart():
            for one in part.iter_parts():
                self._part(one, depth + 1, attached)
        elif (
            part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"
        ):  # all kinds (RFC 2046, 4.1.4)
            self.prose.gap(PARAGRAPH)
            self._text(part)
        else:
            self._named(part, attached)

    def _named(self, part: MIMEPart, attached: list[str]) -> None:
        if self._table(part):
            return
        attached += [name for one in part.walk() if (name := one_line(one.get_filename() or ""))]

    def _table(self, part: MIMEPart) -> bool:
        """Write the rows of a table that is attached, below its name; whether it is one."""
        name = one_line(part.get_filename() or "")
        data = part.get_payload(decode=True) if name.lower().endswith((".csv", ".tsv")) else None
        rows: list[Document] = []
        if isinstance(data, bytes):
            with suppress(ParseError):
                rows = [row for row in parse_table(Source.of(name, data)) if isinstance(row, Document)]
        if not rows:
            return False
        for text in (f"{name}:", *(row.text for row in rows)):
            self.prose.gap(PARAGRAPH)
            self.prose.verbatim(text)
        self.said = True
        return True

    def _text(self, part: MIMEPart) -> None:
        text, notes = _decoded(part)
        if not text.strip():
            return
        self.said = True
        self.notes |= notes
        if part.get_content_type() == _CALENDAR:
            self.prose.verbatim(calendar_lines(text))
        elif part.get_content_type() in _PAGES:
            self.prose.include(*quoted_page(text, self.lost))
        else:
            flowed = part.get_param("format") == "flowed"
            text = _in_paragraphs(text, joined=part.get_param("delsp") == "yes") if flowed else text
            self.prose.verbatim(text.strip("\n"))


def _in_paragraphs(text: str, *, joined: bool) -> str:
    """A text whose lines go on where they end in a space (RFC 3676), which belongs to it unless they are `joined`."""
    lines: list[str] = []
    goes_on, depth = False, 0
    for line in text.split("\n"):
        body = line.lstrip(">")
        quoted, body = len(line) - len(body), body.removeprefix(" ")
        if goes_on and quoted == depth and body != "-- ":
            lines[-1] = lines[-1][: -1 if joined else None] + body
        else:
            lines.append(f"{'>' * quoted}{' ' * (quoted > 0 and bool(body))}{body}")
        goes_on, depth = body.endswith(" ") and body != "-- ", quoted
    return "\n".join(line.rstrip() for line in lines)


def _messages(part: EmailMessage | MIMEPart) -> list[EmailMessage]:
    """The message in a part; one that was sent in letters for bytes is taken out of them, which the standard does not foresee."""
    inside = [one for one in part.get_payload() if isinstance(one, EmailMessage)]
    coding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if coding not in {"base64", "quoted-printable"}:
        return inside
    coded = MIMEPart()
    coded["Content-Transfer-Encoding"] = coding
    coded.set_payload("".join(one.as_string() for one in inside))
    found = email.message_from_bytes(cast("bytes", coded.get_payload(decode=True)), policy=email.policy.default)
    return [found] if found.keys() else inside


def _best(alternatives: Sequence[MIMEPart]) -> MIMEPart | None:
    """The plain text of alternatives, if it says most of what the page does; else the last with a text, the richest (RFC 2046, 5.1.4)."""
    plain = next((one for one in alternatives if one.get_content_type() == "text/plain" and _part_words(one)), None)
    read = (
        (one, [(part.get_content_type(), _part_words(part)) for part in one.walk()]) for one in reversed(alternatives)
    )
    rich, told = next((found for found in read if any(said for _, said in found[1])), (None, []))
    if plain is None or rich is None:
        return plain or rich
    page = set[str]().union(*(said for kind, said in told if kind == "text/html"))
    return rich if 2 * len(page & _part_words(plain)) < len(page) else plain


def _part_words(part: MIMEPart) -> set[str]:
    """The words of a text part."""
    text = _decoded(part).text
    if text.strip() and part.get_content_type() == "text/html":
        with suppress(ParseError):
            text = quoted_page(text, Counter())[0]
    return set(words(text))


def _decoded(part: MIMEPart) -> Decoded:
    """The text of a text part, and what to tell of its encoding; of any other the empty string."""
    data = _written(part)
    if not data.strip():
        return Decoded("", {})
    text, notes = decoded(data, _declared(part))
    return Decoded(canonical(text), notes)


def _written(part: MIMEPart) -> bytes:
    data = part.get_payload(decode=True) if part.get_content_maintype() == "text" else None
    return data if isinstance(data, bytes) else b""


def _declared(part: MIMEPart) -> str:
    """The charset that a part declares; one that declares ASCII and holds other bytes tells nothing of them."""
    charset = str(part.get_content_charset() or "")
    return "" if charset == "us-ascii" else charset


def _charset(part: MIMEPart) -> str:
    """The encoding of a text part, as it declares or as it reads."""
    data = _written(part)
    with suppress(ParseError):
        return _declared(part) or ("" if data.isascii() else detected(data)[0])
    return ""


def _own(part: EmailMessage | MIMEPart) -> Iterator[EmailMessage | MIMEPart]:
    """A message and its parts, without messages in it."""
    yield part
    for one in part.iter_parts() if part.get_content_maintype() == "multipart" else ():
        yield from _own(one)


@lru_cache(maxsize=4096)
def _parsed_header(name: str, written: str) -> str:
    """A header in one line; a mailbox holds few people many times."""
    return one_line(str(email.policy.default.header_fetch_parse(name, written)))


def _header(message: EmailMessage | MIMEPart, name: str) -> str:
    try:
        written = next((said for known, said in message.raw_items() if known.lower() == name.lower()), "")
        # Decoding encoded words takes the square of their number, and nobody reads a subject of ten thousand letters.
        return _parsed_header(name, str(written)[:_HEADER])
    except (ValueError, LookupError, AttributeError, TypeError):  # a damaged header is no reason to lose the text
        return ""


def _date(message: EmailMessage) -> str:
    try:
        return email.utils.parsedate_to_datetime(_header(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


# What an HTML message quotes of earlier ones gets the sign `>` that plain text has.
_SIGN = "> "
_MARK = "\ue000"  # of the private use area: stands in the page for a quotation until its text is known
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")
_DEEPEST_QUOTATION = 20  # quotations in quotations


def quoted_page(text: str, left_out: Counter[str]) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    """The main text of an HTML message with its headings, their levels, and links; what it quotes has the sign `>` before each line."""
    return _read(page_tree(text), 0, left_out)


def _read(tree: etree._Element, depth: int, left_out: Counter[str]) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    quotations: list[etree._Element] = []
    walk = etree.iterwalk(tree, events=("start",), tag="blockquote")
    for _, one in walk if depth <= _DEEPEST_QUOTATION else ():
        quotations.append(one)
        walk.skip_subtree()
    said: list[str] = []
    for number, one in enumerate(quotations):
        inner = etree.fromstring("<html><body/></html>", etree.HTMLParser())
        inner[0].extend(list(one))
        inner[0].text, one.text = one.text, f"{_MARK}{number}{_MARK}"
        said.append("\n".join((_SIGN + line).rstrip() for line in _read(inner, depth + 1, left_out)[0].split("\n")))
    page = main_page(tree)
    left_out += page.left_out
    prose = page.prose
    text, links = prose.text, list(prose.links)
    headings = list(zip(prose.headings, prose.levels, strict=True))
    for mark in reversed(list(_MARKED.finditer(text))):
        quotation = said[int(mark[1])] if int(mark[1]) < len(said) else ""
        grown, end = len(quotation) - len(mark[0]), mark.end()
        text = text[: mark.start()] + quotation + text[end:]
        headings = [((at[0] + grown, at[1] + grown) if at[0] >= end else at, level) for at, level in headings]
        links = [Link(one.start + grown, one.end + grown, one.target) if one.start >= end else one for one in links]
    return text, headings, links
