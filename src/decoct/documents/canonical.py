"""Canonical text: the form of a document's text in which every offset is counted.

Rules, applied to all formats: line ends (CR LF, CR, NEL and vertical tab) become LF; every other control character except tab
and form feed (the page break of PDFs and plain text) becomes one space, a lone surrogate U+FFFD, so lengths are kept; a byte order
mark at the start goes. Nothing else is touched: no Unicode normalisation, no trimming.
"""

from __future__ import annotations

import re

from decoct.errors import ParseError

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x85]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def canonical(text: str) -> str:
    """`text` in canonical form; idempotent."""
    if text.isprintable():
        return text
    text = _SURROGATES.sub("\ufffd", text.lstrip("\ufeff"))
    return _CONTROLS.sub(" ", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """Canonical text with all white space folded to single spaces: for titles and names."""
    return " ".join(canonical(text).split())


def checked(text: str, most: int) -> str:
    """`text` if it may be a document: `ParseError` if it is blank or has more than `most` characters."""
    if not text.strip():
        raise ParseError("it holds no text")
    if len(text) > most:
        raise ParseError(
            f"its text has {len(text):,} characters, over the limit of {most:,} for one document: split it"
        )
    return text
