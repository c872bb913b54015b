"""RTF: the text by striprtf, cells of tables with bars between them; the title from the document's information."""

from __future__ import annotations

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.errors import ParseError

_TITLE = re.compile(r"\{\\title\s+((?:[^{}\\]|\\[^{}\n])*)\}")
_ROW = re.compile(r"[ \t]*\|[ \t]*$", re.MULTILINE)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an RTF file."""
    data = source.read()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ParseError("it is not RTF, whatever its name says")
    written = data.decode("latin-1")  # RTF is ASCII; other bytes are those of the encoding that it names
    try:
        text = _text(written)
        title = _TITLE.search(written[: 64 * 1024])
        named = _text("{\\rtf1 " + title[1] + "}") if title else ""
    except (ValueError, LookupError, IndexError, RecursionError, UnicodeError) as error:
        raise ParseError("its RTF data is damaged: save it again") from error
    text = re.sub(r"\n{3,}", "\n\n", _ROW.sub("", canonical(text))).strip("\n")
    yield source.document(text, one_line(named))


def _text(written: str) -> str:
    return str(rtf_to_text(written, encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
