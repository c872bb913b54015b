"""Plain text: the file's text is the canonical text. No title is guessed: a wrong one would mislead search by name."""

from __future__ import annotations

from collections.abc import Iterator

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked
from decoct.documents.encoding import Decoded, decoded


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a text file."""
    text, notes = read_text(source)
    yield Document(source.name, text, source=source.origin, metadata={**source.metadata, **notes})


def read_text(source: Source) -> Decoded:
    """The canonical text of a source, which may be a document, and what to tell of its encoding."""
    text, notes = decoded(source.read(), declared(source))
    return Decoded(checked(canonical(text), source.limits.text_characters), notes)


def declared(source: Source) -> str:
    """The charset in a source's media type, or the empty string."""
    for part in source.media_type.split(";")[1:]:
        key, _, value = part.partition("=")
        if key.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
