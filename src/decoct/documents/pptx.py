"""PPTX: the slides in order, by python-pptx: titles, text, tables, charts, diagrams, groups, comments and notes (`slides`).

Slides are divided as the pages of a PDF are, by a line break and a form feed, so `places.page_at` tells a character's slide; `pages` is in
the metadata. A slide's title is a heading. Hidden slides are read and counted in the metadata, masters and layouts are not. Shapes come
in the order of their places, the title first.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import one_line
from decoct.documents.leftout import left_out
from decoct.documents.package import damaged_package
from decoct.documents.prose import Prose, document_of_pages
from decoct.documents.slides import slide_text
from decoct.documents.titles import told_title
from decoct.errors import ParseError


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a presentation."""
    import pptx

    try:
        deck = pptx.Presentation(io.BytesIO(source.read()))
        slides = list(deck.slides)
        counts: Counter[str] = Counter()
        written = [slide_text(slide, counts) for slide in slides[: source.limits.pages]]
        said = {name: one_line(str(getattr(deck.core_properties, name) or "")) for name in ("title", "author")}
    except Exception as error:  # a damaged package makes python-pptx raise nearly anything
        raise damaged_package(source) from error
    if len(slides) > len(written):
        raise ParseError(f"it has {len(slides):,} slides, over the limit of {source.limits.pages:,}: split it")
    yield _document(source, written, said, left_out(counts))


def _document(source: Source, slides: list[Prose], said: dict[str, str], notes: dict[str, MetadataValue]) -> Document:
    author: dict[str, MetadataValue] = {"author": said["author"]} if said["author"] else {}
    first = next((slide.first_heading for slide in slides if slide.headings), "")
    return document_of_pages(
        source, slides, told_title(said["title"]) or first, {"pages": len(slides), **notes, **author}
    )
