"""Which parser reads a source, and the one border where errors of reading become failures.

A source's first bytes decide where they are unmistakable (PDF, zip, gzip, old Office …), then what the server said, then the name's
suffix, then whether it looks like HTML or text. Parsers, and the libraries under them, are imported when first needed.
"""

from __future__ import annotations

import importlib
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlsplit

from decoct.data import Document
from decoct.documents.base import Failure, Parser, Source, bare_name
from decoct.documents.code import GRAMMARS
from decoct.documents.encoding import AMBIGUOUS, detected, encoding_of_mark
from decoct.documents.inflate import packing, unwrap
from decoct.documents.isolation import parsed
from decoct.documents.package import is_package
from decoct.errors import ParseError

SUPPORTED = (
    "text, Markdown, reStructuredText, man pages, HTML, XML (DocBook, JATS, TEI, Mallard and others), PDF, DOCX, PPTX, XLSX, EPUB, "
    "OpenDocument, RTF, LaTeX, notebooks, e-mail (also of Outlook), mailboxes, appointments, contacts, saved web pages, subtitles, "
    "archives (zip, tar), CSV, TSV, JSON, JSON lines, "
    "pictures (with the extra ocr), source code, each also as .gz, .bz2 or .xz"
)


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the module of its parser, and the suffixes and media types by which it is known.

    `here` is the size in bytes up to which it is parsed in this process; what is larger is parsed apart, under a deadline.
    """

    module: str
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...] = ()
    here: float = 0


_ANY = math.inf  # read as a stream, or at once in any case
_SMALL = 16 * 1024  # bytes: with quadratic work everywhere some tenths of a second

TEXT = Format("text", (".txt", ".text", ".log", ".adoc", ".asciidoc", ".org"), here=_ANY)
MARKDOWN = Format(
    "markup.markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), ("text/markdown", "text/x-markdown"), _SMALL
)
RST = Format("markup.rst", (".rst", ".rest"), ("text/x-rst", "text/prs.fallenstein.rst"))
MAN = Format("markup.man", (".man", ".mdoc", ".roff"), ("text/troff",))
HTML = Format("markup.html", (".html", ".htm", ".xhtml"), ("text/html", "application/xhtml+xml"), _SMALL)
PDF = Format("paged.pdf", (".pdf",), ("application/pdf",))
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = Format("package", (".docx", ".docm", ".dotx"), (_OFFICE + "wordprocessingml.document",))
PPTX = Format("package", (".pptx", ".pptm", ".ppsx"), (_OFFICE + "presentationml.presentation",))
XLSX = Format("package", (".xlsx", ".xlsm"), (_OFFICE + "spreadsheetml.sheet",))
EPUB = Format("package", (".epub",), ("application/epub+zip",))
MAIL = Format("messages.mail", (".eml",), ("message/rfc822",))
ODF = Format(
    "package",
    (".odt", ".ods", ".odp", ".ott", ".ots", ".otp"),
    tuple(f"application/vnd.oasis.opendocument.{kind}" for kind in ("text", "spreadsheet", "presentation")),
)
# And .doc, .xls, .ppt by content: many files of these names are RTF, HTML or text.
OLE = Format("office.ole", (".msg",))
RTF = Format("office.rtf", (".rtf",), ("application/rtf", "text/rtf"))
LATEX = Format("markup.latex", (".tex", ".latex"), ("application/x-latex", "text/x-tex"))
NOTEBOOK = Format("markup.notebook", (".ipynb",), ("application/x-ipynb+json",))
MHTML = Format("markup.mhtml", (".mht", ".mhtml"), ("multipart/related", "application/x-mimearchive"))
SUBTITLES = Format("subtitles", (".srt", ".vtt"), ("text/vtt", "application/x-subrip"))
PICTURE = Format(
    "paged.picture",
    (".png", ".gif", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"),
    ("image/png", "image/gif", "image/jpeg", "image/tiff", "image/webp", "image/bmp"),
)
ARCHIVE = Format("archive", (".zip", ".tar", ".tgz"), ("application/zip", "application/x-tar"), _ANY)
XML = Format(
    "markup.markup_xml",
    (".xml", ".docbook", ".dbk", ".page", ".nxml", ".jats", ".tei", ".dita", ".fodt", ".fods", ".fodp"),
    ("application/xml", "text/xml", "application/docbook+xml", "application/tei+xml", "application/jats+xml"),
)
APPOINTMENTS = Format("messages.appointments", (".ics", ".vcf"), ("text/calendar", "text/vcard", "text/x-vcard"))
MBOX = Format("messages.mbox", (".mbox",), ("application/mbox",))
# A page of the web is often saved as .php: only what begins as code is.
CODE = Format("code", tuple(sorted(GRAMMARS.keys() - {".php"})), here=_SMALL)
TABLE = Format("tables.table", (".csv", ".tsv"), ("text/csv", "text/tab-separated-values"), _ANY)
JSON = Format(
    "tables.jsonl",
    (".jsonl", ".ndjson", ".json", ".geojson"),
    ("application/json", "application/x-ndjson", "application/jsonl"),
    _ANY,
)
FORMATS = (
    TEXT, MARKDOWN, RST, MAN, HTML, PDF, DOCX, PPTX, XLSX, EPUB, ODF, OLE, RTF, LATEX, NOTEBOOK, MAIL, MBOX, APPOINTMENTS, MHTML,
    SUBTITLES, XML, CODE, TABLE, JSON,
)  # fmt: skip
_BY_SUFFIX = {suffix: format_ for format_ in FORMATS for suffix in format_.suffixes}
SUFFIXES = frozenset(_BY_SUFFIX)
"""The suffixes of the formats that are read, in small letters, without `.gz` and its like and the sections of man pages."""
_BY_MEDIA_TYPE = {media_type: format_ for format_ in FORMATS for media_type in format_.media_types}
_ZIP = b"PK\x03\x04"
_MARKS = {
    b"%PDF-": PDF,
    b"{\\rtf": RTF,
    b"\xd0\xcf\x11\xe0": OLE,
    b"<?php": CODE,
    b"\x89PNG\r\n\x1a\n": PICTURE,
    b"\xff\xd8\xff": PICTURE,
    b"GIF8": PICTURE,
    b"II*\0": PICTURE,
    b"MM\0*": PICTURE,
    _ZIP: DOCX,  # or another package: its parser looks inside
}
_OFFICE_NAME = re.compile(r"\.(docx|docm|dotx|pptx|pptm|ppsx|xlsx|xlsm|epub|o[dt][tsp])$", re.I)
_INFO = b"\x1f\nFile: "  # before a node of a manual in GNU's Info, whose index is marked with NUL
_HEAD = 64 * 1024
_PAGE = re.compile(r"\.([1-9n]|[1-9][a-z]{1,4}|man|mdoc|roff)$")
_ROFF = re.compile(rb"^[.'][ \t]*(TH|Dd|Dt|SH|Sh|so)\b", re.M)
_TITLED = re.compile(rb"^[.'][ \t]*(TH[ \t]|Dd\b.*\n[.'][ \t]*Dt[ \t])", re.M)
_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*(<\?xml[^>]*>\s*)?<(!doctype\s+html|html|head|body)\b", re.I | re.S)

_XML = re.compile(rb"(\xef\xbb\xbf)?\s*<\?xml[ \t\r\n]")
_ELEMENT = re.compile(rb"\s*<[A-Za-z][\w:.-]*[\s>]")


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield the documents of a source in its order, and a failure for every record, or for the whole, that cannot be read.

    A source of prose gives one document or one failure. A source of records gives its good records whatever the others are; if it
    breaks off, a last failure says so. Nothing is raised for bad data.
    """
    try:
        format_, source = detect_format(source)
        yield from _parsed(format_, source)
    except ParseError as error:
        yield source.failure(str(error), error.code)
    except OSError as error:
        yield source.failure(f"it cannot be read: {error.strerror or error}", "unreadable")


def _parsed(format_: Format, source: Source) -> Iterator[Document | Failure]:
    module = f"decoct.documents.{format_.module}"
    if format_.here != _ANY:
        data = source.read()
        if len(data) > format_.here:
            yield from parsed(module, source, data)
            return
        source = replace(source, opener=lambda: io.BytesIO(data))
    yield from cast("Parser", importlib.import_module(module).parse)(source)


def detect_format(source: Source) -> tuple[Format, Source]:
    """The format of a source, and the source to parse (what is inside, if it was packed). `ParseError` if none fits."""
    head = source.head(_HEAD)
    if kind := packing(head):
        source = unwrap(source, kind)
        head = source.head(_HEAD)
        if inner := packing(head):
            raise ParseError(f"it is {inner} inside {kind}: unpack it once")
    elif source.bare_name != source.name:
        raise ParseError(
            "it is named as compressed but holds no gzip data, nor bzip2 or xz: fetch or compress it again"
        )
    if not head:
        raise ParseError("it is empty")
    if head.startswith(b"%!PS"):
        raise ParseError("it is PostScript, which is not read: convert it to PDF (ps2pdf)")
    if head.startswith(_ZIP) and not _OFFICE_NAME.search(source.bare_name) and not is_package(source.read()):
        return ARCHIVE, source
    return _magic(head) or _section(source, head) or _named(source) or _sniffed(head), source


def _magic(head: bytes) -> Format | None:
    if head[257:262] == b"ustar":
        return ARCHIVE
    if _INFO in head:
        return TEXT
    return next((format_ for mark, format_ in _MARKS.items() if head.startswith(mark)), None)


def _section(source: Source, head: bytes) -> Format | None:
    """A man page by its name's section and its macros: `crontab.5`, but not `app.log.1`."""
    return MAN if _PAGE.search(source.bare_name.lower()) and _ROFF.search(head) else None


def _named(source: Source) -> Format | None:
    said = source.media_type.partition(";")[0].strip().lower()
    if said in _BY_MEDIA_TYPE:
        return _BY_MEDIA_TYPE[said]
    path = urlsplit(source.name).path if "://" in source.name else source.name
    found = re.search(r"(\.\w+)$", bare_name(path.lower()))
    if found and found[1] in _BY_SUFFIX:
        return _BY_SUFFIX[found[1]]
    return TEXT if said.startswith("text/") else None


def _is_well_formed(head: bytes) -> bool:
    """Whether it is an element of XML, or begins one of a name space."""
    from lxml import etree

    if len(head) >= _HEAD:
        return b"xmlns" in head[:1024]
    try:
        return etree.fromstring(head, etree.XMLParser(resolve_entities=False, no_network=True)) is not None
    except etree.XMLSyntaxError:
        return False


def _sniffed(head: bytes) -> Format:
    """HTML or text; a NUL, which the parser of text would clean away, is here the sign of another format."""
    if _HTML.match(head):
        return HTML
    if _XML.match(head) or (_ELEMENT.match(head) and _is_well_formed(head)):
        return XML
    if head.startswith((b".", b"'")) and _TITLED.search(head):
        return MAN
    cut = head[: head.rfind(b"\n") + 1] or head
    try:
        encoding = encoding_of_mark(head) or detected(cut)[0]
    except ParseError as error:
        if str(error) == AMBIGUOUS:  # text, and its parser will say so
            return TEXT
        encoding = ""
    if not encoding or (b"\0" in head and not encoding.startswith(("utf-16", "utf-32"))):
        raise ParseError(f"its format is not known; supported are {SUPPORTED}")
    return TEXT
