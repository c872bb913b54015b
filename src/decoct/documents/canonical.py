"""Canonical text: the form of a document's text in which every offset is counted.

Rules, applied to all formats: line ends (CR LF, CR, NEL and vertical tab) become LF; every other control character except tab
and form feed (the page break of PDFs and plain text) becomes one space, a lone surrogate U+FFFD; a byte order
mark at the start goes, and so do a terminal's colours and what is struck over. Nothing else is touched: no Unicode normalisation,
no trimming.
"""

from __future__ import annotations

import re

from decoct.errors import ParseError

_OTHER = re.compile("[\x00-\x08\x0b\r\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # what stands for something else
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))|_\x08|(\S)\x08(?=\1)"
)  # colours, links, letters struck twice or underlined


def canonical(text: str) -> str:
    """`text` in canonical form; idempotent."""
    if text.isprintable() or not _OTHER.search(text := text.lstrip("\ufeff")):
        return text
    plain = _TERMINAL.sub("", text) if "\x1b" in text or "\x08" in text else text
    return _OTHER.sub(_replaced, plain.replace("\r\n", "\n"))


def _replaced(found: re.Match[str]) -> str:
    return "\n" if found[0] in "\r\x0b\x85" else "\ufffd" if found[0] >= "\ud800" else " "


def one_line(text: str) -> str:
    """Canonical text with all white space folded to single spaces: for titles and names."""
    plain = "  " not in text and text.isprintable() and text[:1] != " " != text[-1:]
    return text if plain else " ".join(canonical(text).split())


def checked(text: str, most: int) -> str:
    """`text` if it may be a document: `ParseError` if it is blank or has more than `most` characters."""
    if not text.strip():
        raise ParseError("it holds no text")
    if len(text) > most:
        raise ParseError(
            f"its text has {len(text):,} characters, over the limit of {most:,} for one document: split it"
        )
    return text
