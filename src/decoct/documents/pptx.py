"""PPTX: the slides in order, by python-pptx: titles, text, tables, groups and notes.

Slides are divided as the pages of a PDF are, by a line break and a form feed, so `pdf.page_of` tells a character's slide; `pages` is in
the metadata. A slide's title is a heading. Hidden slides are read, masters and layouts are not. Shapes come in the order of the file,
the title first.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from decoct.data import Document, Link, Scalar
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.formulas import DOWN, UP, scripted
from decoct.documents.package import damaged_package
from decoct.documents.pdf import PAGE_END
from decoct.documents.prose import CELL, LINE, PARAGRAPH, Prose, leads_elsewhere
from decoct.errors import ParseError

_GROUP = 6  # MSO_SHAPE_TYPE.GROUP
_DEEPEST = 16


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a presentation."""
    import pptx

    try:
        deck = pptx.Presentation(io.BytesIO(source.read()))
        slides = list(deck.slides)
        written = [_slide(slide) for slide in slides[: source.limits.pages]]
        said = {name: one_line(str(getattr(deck.core_properties, name) or "")) for name in ("title", "author")}
    except Exception as error:  # a damaged package makes python-pptx raise nearly anything
        raise damaged_package(source) from error
    if len(slides) > len(written):
        raise ParseError(f"it has {len(slides):,} slides, over the limit of {source.limits.pages:,}: split it")
    yield _document(source, written, said)


def _document(source: Source, slides: list[Prose], said: dict[str, str]) -> Document:
    at = 0
    headings: list[tuple[int, int]] = []
    links: list[Link] = []
    for prose in slides:
        headings += [(start + at, end + at) for start, end in prose.headings]
        links += [Link(link.start + at, link.end + at, link.target) for link in prose.links]
        at += prose.length + len(PAGE_END)
    text = PAGE_END.join(prose.text.replace("\f", " ") for prose in slides)
    metadata: dict[str, Scalar] = {**source.metadata, "pages": len(slides)}
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


def _slide(slide: Any) -> Prose:  # noqa: ANN401 - python-pptx has no types
    prose = Prose()
    title = slide.shapes.title
    if title is not None:
        mark = prose.mark()
        _frame(title.text_frame, prose)
        prose.headings += [found] if (found := prose.since(mark)) else []
    for shape in slide.shapes:
        if title is None or shape.shape_id != title.shape_id:
            _shape(shape, prose, 0)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        prose.gap(PARAGRAPH)
        _frame(slide.notes_slide.notes_text_frame, prose)
    return prose


def _shape(shape: Any, prose: Prose, depth: int) -> None:  # noqa: ANN401
    prose.gap(PARAGRAPH)
    if shape.shape_type == _GROUP and depth < _DEEPEST:
        for inner in shape.shapes:
            _shape(inner, prose, depth + 1)
    elif getattr(shape, "has_table", False) and shape.has_table:
        for row in shape.table.rows:
            prose.gap(LINE)
            for cell in row.cells:
                prose.gap(CELL)
                prose.say(canonical(cell.text_frame.text))
    elif shape.has_text_frame:
        _frame(shape.text_frame, prose)


def _frame(frame: Any, prose: Prose) -> None:  # noqa: ANN401
    for paragraph in frame.paragraphs:
        prose.gap(LINE)
        for run in paragraph.runs:
            mark = prose.mark()
            text = canonical(run.text.replace("\v", "\n"))
            raised = int((run._r.rPr.get("baseline") if run._r.rPr is not None else None) or 0)
            if raised:
                text = scripted(UP if raised > 0 else DOWN, text, prose.last, starts=prose.starts)
            prose.say(text)
            target = one_line(run.hyperlink.address or "")
            if (found := prose.since(mark)) and leads_elsewhere(target):
                prose.links.append(Link(*found, target))
