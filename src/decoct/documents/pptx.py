"""PPTX: the slides in order, by python-pptx: titles, text, tables, charts, diagrams, groups, comments and notes (`slides`).

Slides are divided as the pages of a PDF are, by a line break and a form feed, so `pdf.page_of` tells a character's slide; `pages` is in
the metadata. A slide's title is a heading. Hidden slides are read and counted in the metadata, masters and layouts are not. Shapes come
in the order of the file, the title first.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from decoct.data import Document, Link, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import checked, one_line
from decoct.documents.leftout import left_out
from decoct.documents.package import damaged_package
from decoct.documents.pdf import PAGE_END
from decoct.documents.prose import Prose
from decoct.documents.slides import slide_text
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
    at = 0
    headings: list[tuple[int, int]] = []
    links: list[Link] = []
    for prose in slides:
        headings += [(start + at, end + at) for start, end in prose.headings]
        links += [Link(link.start + at, link.end + at, link.target) for link in prose.links]
        at += prose.length + len(PAGE_END)
    text = PAGE_END.join(prose.text.replace("\f", " ") for prose in slides)
    metadata: dict[str, MetadataValue] = {**source.metadata, "pages": len(slides), **notes}
    if said["author"]:
        metadata["author"] = said["author"]
    first = one_line(text[slice(*headings[0])]) if headings else ""
    return Document(
        source.name,
        checked(text, source.limits.text_characters),
        title=first if said["title"] in ("", "PowerPoint Presentation") else said["title"],
        source=source.origin,
        metadata=metadata,
        headings=tuple(headings),
        levels=(1,) * len(headings),
        links=tuple(links),
    )
