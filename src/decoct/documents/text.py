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

_FORMATTED = re.compile(r"\s{0,99}(\S{1,99}\([1-9n]\w{0,9}\))(?=[ \t]{2,}).{0,300}[ \t]{2,}\1[ \t]*$", re.M)
_SECTION = re.compile(r"^[A-Z][A-Z0-9 ,/&'()-]{1,79}$(?<! )", re.M)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a text file."""
    text, notes = read_text(source)
    named = _FORMATTED.match(text)
    name = named[1] if named else ""
    yield Document(
        source.name,
        text,
        title=name.lower() if name.isupper() else name,
        source=source.origin,
        metadata={**source.metadata, **notes},
        headings=tuple(found.span() for found in _SECTION.finditer(text)) if named else (),
    )


def read_text(source: Source) -> Decoded:
    """The canonical text of a source, which may be a document, and what to tell of its encoding."""
    text, notes = decoded(source.read(), declared_charset(source))
    return Decoded(checked(canonical(text), source.limits.text_characters), notes)


def declared_charset(source: Source) -> str:
    """The charset in a source's media type, or the empty string."""
    for part in source.media_type.split(";")[1:]:
        key, _, value = part.partition("=")
        if key.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
