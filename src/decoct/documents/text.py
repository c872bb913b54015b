"""Plain text: the file's text is the canonical text. No title is guessed: a wrong one would mislead search by name.

But a man page that was formatted before names itself at both ends of its first line (`LS(1)   User Commands   LS(1)`): that is the title,
and the lines in capitals at the margin are its headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked
from decoct.documents.encoding import Decoded, decoded
from decoct.errors import ParseError

_FORMATTED = re.compile(r"\s{0,99}(\S{1,99}\([1-9n]\w{0,9}\))(?=[ \t]{2,}).{0,300}[ \t]{2,}\1[ \t]*$", re.M)
_SECTION = re.compile(r"^[A-Z][A-Z0-9 ,/&'()-]{1,79}$(?<! )", re.M)

_LONG = 10_000  # characters from which on a text is looked at: a short list of numbers costs nothing, and someone may ask for it
_LETTERS = 0.01
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{200,}")


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a text file."""
    text, notes = read_text(source)
    named = _FORMATTED.match(text)
    name = named[1] if named else ""
    headings = [found.span() for found in _SECTION.finditer(text)] if named else []
    yield source.document(text, name.lower() if name.isupper() else name, notes, headings=headings)


def read_text(source: Source) -> Decoded:
    """The canonical text of a source, which may be a document, and what to tell of its encoding."""
    text, notes = decoded(source.read(), declared_charset(source))
    return Decoded(_worded(checked(canonical(text), source.limits.text_characters)), notes)


def _worded(text: str) -> str:
    """`text` if it has words: `ParseError` for a long one of signs and numbers alone, or of runs of signs that no word has.

    Such data (readings of an instrument, an encoded picture, `1,1,1,…`) answers no question, and takes hundreds of times its size to cut
    and to index.
    """
    if len(text) < _LONG:
        return text
    if sum(map(str.isalpha, text)) < _LETTERS * len(text):
        raise ParseError(f"there is hardly a letter in its {len(text):,} characters: it is data, and no text")
    if sum(len(run) for run in _RUN.findall(text)) > len(text) / 2:
        raise ParseError(
            f"most of its {len(text):,} characters are runs without a space, as of encoded data: it is no text"
        )
    return text


def declared_charset(source: Source) -> str:
    """The charset in a source's media type, or the empty string."""
    for part in source.media_type.split(";")[1:]:
        key, _, value = part.partition("=")
        if key.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
