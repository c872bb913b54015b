"""Zip files that are documents: DOCX, PPTX, XLSX, EPUB and OpenDocument, told apart by what is in them.

A zip of 450 KB can hold 1 GB of text. Its directory is read first, and the sum of the sizes in it (which Python's zip reader never
exceeds), their ratio to the file's size and the number of entries are held to the limits. Office files that define a document type,
which attacks by XML entities need, are refused before any parser sees them.
"""

from __future__ import annotations

import importlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from decoct.data import Document
from decoct.documents.base import MB, Failure, Limits, Parser, Source, size
from decoct.errors import ParseError

_FREE = 16 * MB  # inflating this much is harmless whatever the ratio
_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")
_EPUB = "markup.epub"
# What is in it, and the module that reads it.
_KINDS = {
    "word/document.xml": "office.docx",
    "ppt/presentation.xml": "office.pptx",
    "xl/workbook.xml": "tables.xlsx",
    "META-INF/container.xml": _EPUB,
    "content.xml": "office.odf",
}
_OTHERS = (
    "[Content_Types].xml",
    "mimetype",
    "Index/Document.iwa",
)  # Visio, XLSB, XPS; InDesign, Krita; Pages, Numbers, Keynote
_PROLOG = 64 * 1024
# A document type that ends without "[" defines nothing; what its quotes hold neither ends nor begins one.
_DEFINITION = re.compile(rb"""<!\s*(DOCTYPE(?!(?:[^<>\["']|"[^"]*"|'[^']*')*>)|ENTITY)""", re.I)
_ENCODING = re.compile(rb"""^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)""")
_KNOWN = frozenset({b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1"})
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError, OverflowError, KeyError, RuntimeError,
)  # fmt: skip


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield what the parser of the document in the package gives."""
    data = source.read()
    kind = _guard(data, source)
    if not kind:
        raise ParseError(
            "it is a zip file but no DOCX, PPTX, XLSX, EPUB or OpenDocument: save it as one of these or as PDF, or unpack it"
        )
    if kind.endswith(("docx", "pptx", "xlsx")):
        made = in_common_dialect(data)
        source = replace(source, opener=lambda: io.BytesIO(made))
    yield from cast("Parser", importlib.import_module(f"decoct.documents.{kind}").parse)(source)


def is_package(data: bytes) -> bool:
    """Whether a zip file is a document of one program, or cannot be looked into (its parser will say why if it is not read)."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name in archive.NameToInfo for name in (*_KINDS, *_OTHERS))
    except BROKEN:
        return True


def damaged_package(source: Source) -> ParseError:
    """The error for a package that cannot be read, named by its suffix."""
    suffix = re.search(r"\.(docx|docm|dotx|pptx|pptm|ppsx|xlsx|xlsm|epub|od[tspg])$", source.bare_name, re.I)
    return ParseError(f"its {suffix[1].upper() if suffix else 'zip'} data is damaged: fetch or save it again")


def _guard(data: bytes, source: Source) -> str:
    """The kind of a package; `ParseError` for one that would inflate beyond the limits, is encrypted, damaged, or defines entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_sizes(entries, len(data), source.limits)
            if any(entry.flag_bits & 1 for entry in entries):
                raise ParseError("it is encrypted: save a copy without a password")
            kind = next((module for name, module in _KINDS.items() if name in archive.NameToInfo), "")
            for entry in entries if kind not in ("", _EPUB) else ():
                if entry.filename.lower().endswith((".xml", ".rels")) and not entry.filename.startswith("__MACOSX/"):
                    with archive.open(entry) as part:
                        _check_prolog(part.read(_PROLOG))
            return kind
    except BROKEN as error:
        raise damaged_package(source) from error


def _check_sizes(entries: list[zipfile.ZipInfo], packed: int, limits: Limits) -> None:
    if len(entries) > limits.entries:
        raise ParseError(f"it holds {len(entries):,} files, over the limit of {limits.entries:,}")
    total = sum(entry.file_size for entry in entries)
    markup = sum(entry.file_size for entry in entries if entry.filename.lower().endswith(_MARKUP))
    if markup > limits.text_characters:  # as a tree in memory it is ten times as large
        raise ParseError(f"it holds {size(markup)} of XML, over the limit of {size(limits.text_characters)}: split it")
    if total > limits.file_bytes or total > max(_FREE, limits.inflation * packed):
        raise ParseError(
            f"it would inflate from {size(packed)} to {size(total)}, as a zip bomb does: save it again without what is in it"
        )


def _check_prolog(head: bytes) -> None:
    """Refuse XML with a document type definition, or in an encoding in which one could hide."""
    plain = head.replace(b"\0", b"").lstrip(
        b"\xef\xbb\xbf\xff\xfe \t\r\n"
    )  # UTF-16's letters of ASCII lose their zeros
    named = _ENCODING.match(plain)
    if (
        _DEFINITION.search(plain)
        or (named and named[1].lower() not in _KNOWN)
        or (plain and not plain.startswith(b"<"))
    ):
        raise ParseError(
            "its XML is encrypted, or not as Office writes it (a document type, another encoding): save it again"
        )


# Office files in other dialects than parsers read, written in the one that they do: macros, templates, shows, and the strict form.
#
# python-docx and python-pptx know a document by the exact content type of its main part, so that a `.docm`, `.dotx` or `.ppsx` is none to
# them; and no parser knows the names of Strict Open XML (ISO/IEC 29500-1, "Strict" when saving), whose sheets they take for empty. Both are
# other words for the same parts: types and names are put in their place, nothing else is touched.
_TYPES = "[Content_Types].xml"
_MAIN_PARTS = ("document.xml", "workbook.xml", "presentation.xml")
_OFFICE = b"application/vnd.openxmlformats-officedocument."
_MAIN = re.compile(
    rb"application/vnd\.(?:ms-|openxmlformats-officedocument\.)(?P<program>word|powerpoint|presentationml|wordprocessingml)"
    rb"[\w.]*?(?:document|template|slideshow|presentation)\w*(?:\.macroEnabled\w*)?\.main\+xml"
)
_WORD, _SLIDES = b"wordprocessingml.document.main+xml", b"presentationml.presentation.main+xml"
_STRICT = b"http://purl.oclc.org/ooxml/"
_NAME = re.compile(re.escape(_STRICT) + rb"(\w+)/(\w+)")
_PLAIN = b"http://schemas.openxmlformats.org/"
_HYPHENED = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}


def in_common_dialect(data: bytes) -> bytes:
    """The package `data` with main parts and names as all parsers know them; `data` itself where that is so already.

    Raises what `zipfile` raises for a damaged package.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        types = package.read(_TYPES) if _TYPES in package.namelist() else b""
        told = _MAIN.sub(_main_type, types)
        first = next((name for name in package.namelist() if name.endswith(_MAIN_PARTS)), "")
        strict = bool(first) and _STRICT in package.read(first)
        if told == types and not strict:
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
            for entry in package.infolist():
                part = told if entry.filename == _TYPES else package.read(entry)
                if strict and entry.filename.endswith((".xml", ".rels")):
                    part = _NAME.sub(_plain_name, part)
                written.writestr(entry.filename, part)
        return out.getvalue()


def _main_type(found: re.Match[bytes]) -> bytes:
    return _OFFICE + (_WORD if found["program"].startswith(b"word") else _SLIDES)


def _plain_name(found: re.Match[bytes]) -> bytes:
    return _PLAIN + found[1] + b"/2006/" + _HYPHENED.get(found[2], found[2])
