"""PPTX: the slides in order, by python-pptx: titles, text, tables, charts, diagrams, groups, comments and notes (`slides`).

Slides are divided as the pages of a PDF are, by a line break and a form feed, so `places.page_at` tells a character's slide; `pages` is in
the metadata. A slide's title is a heading. Hidden slides are read and counted in the metadata, masters and layouts are not. Shapes come
in the order of their places, the title first; hidden ones are left out, and counted.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from decoct.data import Document, Link, MetadataValue
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.counted import count_on, counted, forget_below, whole
from decoct.documents.markup.formulas import DOWN, UP, scripted
from decoct.documents.office.boxes import SlideBox, in_order
from decoct.documents.office.charts import CHART, chart_tables
from decoct.documents.office.omml import MATH, linear
from decoct.documents.office.package_xml import DIAGRAM, MARKUP, diagram_lines, drawn_words, xml_root_or_none
from decoct.documents.office.package_xml import DRAWING as A
from decoct.documents.office.package_xml import RELATED as R
from decoct.documents.package import damaged_package
from decoct.documents.prose import LINE, PARAGRAPH, Prose, column_bars, document_of_pages, leads_elsewhere
from decoct.documents.tables.grid import TableGrid, cell_of
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


# The text of one slide: its title, then its shapes in the order of their places (`boxes`), its comments, and its notes.
#
# Of a paragraph all is read: runs, line breaks, fields (but the slide's number), formulas and the numbers of lists. Tables are written as
# `grid` has it, charts as tables of their numbers, diagrams as lines; a picture by what it is said to show.
_GROUP = 6  # MSO_SHAPE_TYPE.GROUP
_DEEPEST = 16


def slide_text(slide: Any, counts: Counter[str]) -> Prose:  # noqa: ANN401 - python-pptx has no types
    """The slide written out; `counts` is told what is hidden or cannot be read."""
    prose = Prose()
    counts["hidden slides, read with the others"] += slide._element.get("show") in ("0", "false")
    counts["struck-out text"] += sum(map(_is_struck, slide._element.iter(f"{A}rPr")))
    _choose(slide._element)
    title = slide.shapes.title
    written = title is not None and title.has_text_frame and not _is_hidden(title)  # it may be a picture
    if written:
        mark = prose.mark()
        _frame(title.text_frame, prose)
        prose.heading(prose.since(mark), 1)
    shapes = [shape for shape in slide.shapes if not written or shape.shape_id != title.shape_id]
    _shapes(shapes, prose, counts, 0)
    for text in _comments(slide):
        prose.paragraph(text)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        prose.gap(PARAGRAPH)
        _frame(slide.notes_slide.notes_text_frame, prose)
    return prose


def _choose(root: Any) -> None:  # noqa: ANN401
    """Put the first choice of alternative content in its place, so that what stands in it is met."""
    for element in list(root.iter(f"{MARKUP}AlternateContent")):
        choice, parent = element.find(f"{MARKUP}Choice"), element.getparent()
        if choice is not None and parent is not None:
            at = parent.index(element)
            parent[at : at + 1] = list(choice)
    for ink in list(root.iter("{*}contentPart")):  # which python-pptx knows no shape for
        ink.getparent().remove(ink)


def _shapes(shapes: Sequence[Any], prose: Prose, counts: Counter[str], depth: int) -> None:
    """Write shapes by their places; those without one come last."""
    boxes: list[SlideBox] = []
    others: list[tuple[str, Any]] = []
    for shape in shapes:
        if _is_hidden(shape):
            counts["hidden shapes"] += 1
            continue
        place = (shape.left, shape.top, shape.width, shape.height)
        text = shape.text_frame.text.strip() if shape.has_text_frame else "\n"
        if text and None not in place:
            boxes.append(SlideBox(shape, *place, line="\n" not in text))
        else:
            others.append((PARAGRAPH, shape))
    for gap, shape in chain(in_order(boxes), others):
        prose.gap(gap)
        _shape(shape, prose, counts, depth)
    prose.gap(PARAGRAPH)


def _is_hidden(shape: Any) -> bool:  # noqa: ANN401
    properties = next(shape._element.iter("{*}cNvPr"), None)
    return properties is not None and properties.get("hidden") in ("1", "true")


def _shape(shape: Any, prose: Prose, counts: Counter[str], depth: int) -> None:  # noqa: ANN401
    if shape.shape_type == _GROUP and depth < _DEEPEST:
        _shapes(list(shape.shapes), prose, counts, depth + 1)
    elif getattr(shape, "has_table", False) and shape.has_table:
        _grid(shape.table._tbl, shape.part).write(prose)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        for table in chart_tables(_part(shape, f"{CHART}chart", f"{R}id"), counts):
            table.write(prose)
    elif shape.has_text_frame:
        _frame(shape.text_frame, prose)
    else:
        for line in diagram_lines(_part(shape, f"{DIAGRAM}relIds", f"{R}dm")):
            prose.gap(LINE)
            prose.say(line)
        counts["embedded files"] += any(True for _ in shape._element.iter("{*}oleObj"))
        described = next(shape._element.iter("{*}cNvPr"), None)
        words = one_line(described.get("descr") or "") if described is not None else ""
        if words:
            prose.gap(LINE)
            prose.say(f"[picture: {words}]")


def _grid(table: Any, part: Any) -> TableGrid:  # noqa: ANN401
    grid = TableGrid()
    properties = table.find(f"{A}tblPr")
    head = properties is not None and properties.get("firstRow") in ("1", "true")
    for number, row in enumerate(table.iterchildren(f"{A}tr")):
        grid.begin_row(head=head and number == 0)
        for at, cell in enumerate(row.iterchildren(f"{A}tc")):
            if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                continue
            said = Prose(in_one_line=True)
            for paragraph in cell.iter(f"{A}p"):
                _paragraph(paragraph, said, part, "")
                said.gap(LINE)
            rows, columns = (_whole(cell.get(name)) for name in ("rowSpan", "gridSpan"))
            grid.add(cell_of(said, rows, columns), at)
    return grid


def _whole(said: str | None) -> int:
    return max(1, whole(said, 1, 1_000))


def _part(shape: Any, tag: str, name: str) -> bytes:  # noqa: ANN401
    """The part that an element of a shape refers to; empty where there is none."""
    key = next((one.get(name) for one in shape._element.iter(tag)), None)
    relation = shape.part.rels.get(key) if key else None
    return relation.target_part.blob if relation is not None and not relation.is_external else b""


def _comments(slide: Any) -> list[str]:  # noqa: ANN401
    """What was said in comments on the slide."""
    found: list[str] = []
    for relation in slide.part.rels.values():
        if relation.is_external or not (relation.reltype or "").endswith("/comments"):
            continue
        root = xml_root_or_none(relation.target_part.blob)
        for comment in root.iter("{*}cm", "{*}reply") if root is not None else ():
            own = comment.find("{*}text")
            body = comment.find("{*}txBody")
            text = one_line(own.text or "") if own is not None else drawn_words(body) if body is not None else ""
            found += [f"Comment: {text}"] if text else []
    return found


def _frame(frame: Any, prose: Prose) -> None:  # noqa: ANN401
    counters: dict[int, int] = {}
    paragraphs = list(frame._txBody.iterchildren(f"{A}p"))
    lines = ["", *("".join(one.itertext(f"{A}t")) for one in paragraphs), ""]
    for at, paragraph in enumerate(paragraphs):
        prose.gap(LINE if at else "")
        bars = column_bars(lines[at + 1], lines[at], lines[at + 2])
        _paragraph(paragraph, prose, frame.part, _number(paragraph, counters), bars)


def _number(paragraph: Any, counters: dict[int, int]) -> str:  # noqa: ANN401
    """What stands before a paragraph: its depth, and in a numbered list its number; `counters` holds the last one of each level."""
    properties = paragraph.find(f"{A}pPr")
    level = whole(properties.get("lvl"), 0, 8) if properties is not None else 0
    form = properties.find(f"{A}buAutoNum") if properties is not None else None
    forget_below(counters, level if form is not None else level - 1)
    if form is None or not any(True for _ in paragraph.iter(f"{A}t")):
        return "  " * level
    number = count_on(counters, level, _whole(form.get("startAt")))
    kind = form.get("type") or ""
    letter = "i" if kind.startswith("roman") else "a" if kind.startswith("alpha") else "1"
    said = counted(number, letter.upper() if "Uc" in kind else letter)
    said = f"({said}) " if kind.endswith("ParenBoth") else f"{said}) " if kind.endswith("ParenR") else f"{said}. "
    return "  " * level + said


def _paragraph(paragraph: Any, prose: Prose, part: Any, number: str, bars: Sequence[bool] = ()) -> None:  # noqa: ANN401
    before = iter(bars)
    for element in paragraph:
        text, mark = "", prose.mark()
        if element.tag == f"{A}br":
            prose.gap(LINE)
        elif element.tag == f"{A}r" or (
            element.tag == f"{A}fld" and not (element.get("type") or "").startswith("slidenum")
        ):
            text = _run(element, prose)
        elif isinstance(element.tag, str) and not element.tag.startswith(A):
            text = "".join(linear(formula) for formula in element.iter(f"{MATH}oMath"))
        if text.strip() and number:
            prose.lead(number)
            number = ""
        for at, piece in enumerate(text.split("\t")):
            if at and next(before, False):
                prose.next_cell()
            prose.say(f"{' ' * (at > 0)}{piece}")
        target = _target(element, part)
        if (found := prose.since(mark)) and leads_elsewhere(target):
            prose.links.append(Link(*found, target))


def _is_struck(properties: Any) -> bool:  # noqa: ANN401
    return properties is not None and properties.get("strike", "noStrike") != "noStrike"


def _run(run: Any, prose: Prose) -> str:  # noqa: ANN401
    text = canonical((run.findtext(f"{A}t") or "").replace("\v", "\n"))
    properties = run.find(f"{A}rPr")
    if _is_struck(properties):
        return ""
    said = (properties.get("baseline") if properties is not None else None) or "0"
    raised = int(said) if said.lstrip("-").isdecimal() else 0
    return scripted(UP if raised > 0 else DOWN, text, prose.last, starts=prose.starts) if raised else text


def _target(run: Any, part: Any) -> str:  # noqa: ANN401
    click = run.find(f"{A}rPr/{A}hlinkClick")
    key = click.get(f"{R}id") if click is not None else ""
    relation = part.rels.get(key) if key else None
    return one_line(relation.target_ref) if relation is not None and relation.is_external else ""
