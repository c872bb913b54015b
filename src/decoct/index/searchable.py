"""What a chunk is found by in the lexical index of every store: its title, the headings above it, its text, its file's path.

The pages of a manual are called "Signals" or "FAQ"; of which product, customer or year they speak is often said by nothing but the folder
and the file's name, and it is what people ask with. The path is that of the document's id, as the user named it (`gunicorn/signals.md`), or
its URL. A record's id says nothing (the fifth line of a file, a number), so it gives no words, unless it is a code (`CI-26-031`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath

from decoct.data import Chunk, Document
from decoct.documents.base import bare_name
from decoct.documents.formats import SUFFIXES
from decoct.text.identifiers import identifiers

_BETWEEN = re.compile(r"[\W_]+")


def searchable(doc_id: str, source: str, title: str, text: str, place: str = "") -> str:
    """The words of the path of a chunk's document, the chunk's title, its place and its text, each on lines of their own."""
    path = path_words(doc_id, source)
    return "\n".join([*([path] if path else []), title, *([place] if place else []), text])


def searched(document: Document, chunk: Chunk) -> str:
    """`searchable` of a document's chunk."""
    return searchable(document.id, document.source, chunk.title or document.title, chunk.text, chunk.place)


@lru_cache(maxsize=64)  # the chunks of a document come one after another
def path_words(doc_id: str, source: str) -> str:
    """The words of the path or URL that an id is, in order, without the suffix that tells a format: `dns setup` of `dns/setup.html`.

    Of an id that is not the end of its document's source the id itself where it is a code in capitals, else nothing, as of a record without
    an id (`notes.jsonl#17`).
    """
    if "#" in doc_id or not f"/{source}".endswith(f"/{doc_id}"):
        return doc_id if doc_id.isupper() and any(one.written == doc_id for one in identifiers(doc_id)) else ""
    path = PurePosixPath(bare_name(doc_id.partition("://")[2] or doc_id))
    if path.suffix.lower() in SUFFIXES:
        path = path.with_suffix("")
    return _BETWEEN.sub(" ", str(path)).strip()


def rounded(length: int) -> int:
    """A number of words as tantivy keeps it: steps of 2 from 40, of 4 from 56, of 8 from 88, and so on."""
    if length <= 40:
        return length
    step = 1 << ((length - 24).bit_length() - 4)
    return 24 + (length - 24) // step * step
