"""Office files in other dialects than parsers read, written in the one that they do: macros, templates, shows, and the strict form.

python-docx and python-pptx know a document by the exact content type of its main part, so that a `.docm`, `.dotx` or `.ppsx` is none to
them; and no parser knows the names of Strict Open XML (ISO/IEC 29500-1, "Strict" when saving), whose sheets they take for empty. Both are
other words for the same parts: types and names are put in their place, nothing else is touched.
"""

from __future__ import annotations

import io
import re
import zipfile

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
