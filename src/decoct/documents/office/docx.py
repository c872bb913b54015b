"""DOCX: the body in order, with its headings, lists, tables and hyperlinks, by python-docx.

The package is checked first (`package`). XML entities are not expanded (python-docx's parser is set so, and lxml bounds depth), and nothing
outside the file is fetched.

Inserted text of tracked changes is read, deleted text is not. Notes and comments follow the paragraph or table that refers to them;
headers and footers, each once, stand at the end. What was left out is told in the metadata (`left_out`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from lxml import etree

from decoct.data import Document, Link
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.markup.formulas import DOWN, UP, scripted
from decoct.documents.office.docx_parts import (
    BULLET,
    HIDES,
    DocxParts,
    ListMark,
    W,
    is_on,
    lays_out,
    number_of,
    parts_of,
    picture,
    tells_page,
    with_tabs,
)
from decoct.documents.office.omml import linear
from decoct.documents.office.package_xml import MARKUP
from decoct.documents.office.package_xml import RELATED as R
from decoct.documents.office.symbols import UNKNOWN, code_shown, readable, sign
from decoct.documents.package import damaged_package
from decoct.documents.prose import LINE, PARAGRAPH, SPACE, Prose, column_bars, leads_elsewhere
from decoct.documents.tables.grid import TableGrid, cell_of
from decoct.documents.titles import told_title, unnumbered
from decoct.text.struck import as_struck

_PROPERTIES = frozenset(
    f"{W}{tag}"
    for tag in (
        "pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "sdtPr", "sdtEndPr", "instrText", "delText",
        "delInstrText", "fldData", "rt", "proofErr", "bookmarkStart", "bookmarkEnd",
    )
) | {f"{MARKUP}Fallback"}  # fmt: skip
_DELETED = frozenset({f"{W}del", f"{W}moveFrom"})
_CODE = frozenset({"SourceCode", "HTMLPreformatted", "PreformattedText"})  # styles of pandoc, Word and LibreOffice
_GAPS = {f"{W}br": LINE, f"{W}cr": LINE, f"{W}tab": SPACE, f"{W}ptab": SPACE}
_SCRIPTS = {"superscript": UP, "subscript": DOWN}


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a DOCX."""
    document = _open(source)
    parts = parts_of_document(document)
    story = Story(parts)
    story.write(document.element.body)
    prose = story.prose
    for text in parts.around() if prose.length else ():
        prose.paragraph(text)
    title = told_title(_property(document, "title")) or unnumbered(prose.first_heading)
    author = _property(document, "author")
    yield prose.document(source, title, {**({"author": author} if author else {}), **left_out(parts.left_out)})


def _open(source: Source) -> Any:  # noqa: ANN401 - python-docx has few types
    import docx

    try:
        document = docx.Document(io.BytesIO(source.read()))
        found = document.element.body is not None  # a root of another name has no body at all
    except Exception as error:  # a damaged package makes python-docx raise nearly anything
        raise damaged_package(source) from error
    if not found:
        raise damaged_package(source)
    return document


def _property(document: Any, name: str) -> str:  # noqa: ANN401
    """A core property, or the empty string."""
    try:
        return one_line(str(getattr(document.core_properties, name) or ""))
    except (ValueError, KeyError, AttributeError):  # a damaged docProps/core.xml is no reason to lose the text
        return ""


class Story:
    """Writes stories of one document (its body, a note, a header, a comment) into `prose`.

    `parts` are the document's other parts, and what is counted over all stories. Text boxes stand behind their paragraph; paragraphs one
    below the other with as many tabs are rows. Words struck out in a line stand between `~~`; longer struck-out text, hidden text and
    embedded files are left out and counted.
    """

    def __init__(self, parts: DocxParts, prose: Prose | None = None) -> None:
        self.prose = prose or Prose()
        self._parts = parts
        self._marks: list[int] = []
        self._label: ListMark | None = None
        self._in_list = self._code = self._dropped = self._struck_said = False
        self._bars: list[bool] = []  # for the next tabs of the paragraph
        self._raised: tuple[str | None, int] = (None, -1)
        self._boxes: list[Any] = []
        self._leaders: list[str | None] = []  # what the next tabs of the paragraph are filled with
        self._said_after: list[str] = []
        self._tables: list[TableGrid] = []  # charts, to be written behind their paragraph
        self._depth = 0
        self._level = 0

    def write(self, root: Any) -> None:  # noqa: ANN401 - lxml has no types
        """Write everything below `root`, without what belongs behind the last paragraph of a story that it is within."""
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped = None
        for event, element in walk:
            if event == "start":
                if element is not root and self._taken_whole(element):
                    skipped = element
                    walk.skip_subtree()
                else:
                    self._start(element)
            elif element is not skipped:
                self._end(element)

    def _taken_whole(self, element: Any) -> bool:  # noqa: ANN401
        """Whether an element was read or passed over as a whole."""
        tag = element.tag
        if not isinstance(tag, str) or tag in _PROPERTIES or tag in _DELETED:
            self._parts.left_out["deleted text"] += tag == f"{W}del" and any(map(str.strip, element.itertext()))
            return True
        match tag.rpartition("}")[2]:
            case "tbl" if tag.startswith(W):
                self._table(element)
            case "p" if tag.startswith(W):  # one that was deleted
                return element.find(f"{W}pPr/{W}rPr/{W}del") is not None and element.find(f".//{W}t") is None
            case "txbxContent":
                self._boxes.append(element)
            case "oMath":
                gap = SPACE if element.getparent().tag.endswith("oMathPara") else ""  # it stands on a line of its own
                self.prose.gap(gap)
                self._say(linear(element))
                self.prose.gap(gap)
            case "r" if tag.startswith(W):
                return self._is_hidden(element)
            case "fldSimple":
                return self._parts.without_pages and tells_page(element.get(f"{W}instr"))
            case "altChunk" if page := self._parts.page(element.get(f"{R}id") or ""):
                self.prose.gap(PARAGRAPH)
                self.prose.include(page.text, zip(page.headings, page.levels, strict=True), page.links)
                self.prose.gap(PARAGRAPH)
            case "altChunk" | "OLEObject":
                self._parts.left_out["embedded files"] += 1
            case _:
                return False
        return True

    def _start(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        if tag == f"{W}tab" and self._leaders and self._leaders.pop(0) == "dot":
            self._say(" .... ")  # as contents lead to their pages
        elif tag == f"{W}tab" and self._bars and self._bars.pop(0):
            self.prose.next_cell()
        elif gap := _GAPS.get(tag):
            self.prose.verbatim(gap) if self._code else self.prose.gap(gap)
        elif tag == f"{W}p":
            self._begin_paragraph(element)
        elif tag == f"{W}hyperlink":
            self._marks.append(self.prose.mark())
        elif tag == f"{W}t":
            self._say(self._said(element))
        else:
            self._say(self._shown(element))

    def _shown(self, element: Any) -> str:  # noqa: ANN401
        """What a further part of a run shows."""
        tag = element.tag
        said = ""
        match tag.rpartition("}")[2]:
            case "noBreakHyphen":
                said = "-"
            case "sym":
                said = self._sign(element)
            case "footnoteReference" | "endnoteReference":
                said = self._note(element)
            case "commentReference":
                self._said_after += self._parts.comment(element.get(f"{W}id") or "")
            case "docPr":
                said = picture(element)
            case "chart" if element.get(f"{R}id"):
                self._tables += self._parts.chart(element.get(f"{R}id"))
            case "relIds":
                self._said_after += self._parts.diagram(element.get(f"{R}dm") or "")
            case "fldChar" if element.get(f"{W}fldCharType") == "end":
                said = self._parts.field_shown(self.prose.last)
            case "fldSimple" if element.find(f".//{W}t") is None:
                said = code_shown(element.get(f"{W}instr") or "", self.prose.last)
        return said

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._label is not None and text.strip():
            self._lead(self._label)
            self._label = None
        self.prose.verbatim(text) if self._code else self.prose.say(text)

    def _lead(self, mark: ListMark) -> None:
        indent = "" if self.prose.in_one_line else "  " * mark.level
        if self._level:
            self.prose.put(f"{mark.text} ")
        elif mark.text != BULLET or not self.prose.in_one_line:
            self.prose.lead(f"{indent}{mark.text} ")

    def _said(self, element: Any) -> str:  # noqa: ANN401
        properties = element.getparent().find(f"{W}rPr")
        text = canonical(element.text or "")
        if properties is None:
            self._raised = (None, self.prose.length + len(text))
            return readable(text, "")
        text = readable(text, _font(properties))
        found = properties.find(f"{W}vertAlign")
        kind = _SCRIPTS.get(found.get(f"{W}val", "")) if found is not None else None
        if kind and self._raised == (kind, self.prose.length):  # the same script goes on in another run
            self._raised = (kind, self.prose.length + len(text))
            return text
        said = scripted(kind, text, self.prose.last, starts=self.prose.starts) if kind else text
        self._raised = (kind, self.prose.length + len(said))
        return said

    def _sign(self, element: Any) -> str:  # noqa: ANN401
        code = element.get(f"{W}char") or ""
        try:
            said = sign(int(code, 16), element.get(f"{W}font") or "")
        except ValueError:
            said = UNKNOWN
        self._parts.left_out["signs of an unknown font"] += said == UNKNOWN
        return said

    def _note(self, element: Any) -> str:  # noqa: ANN401
        kind = element.tag.rpartition("}")[2].removesuffix("Reference")
        number, text = self._parts.note(kind, element.get(f"{W}id") or "")
        self._said_after += [f"Note {number}: {text}"] if text else []
        return f" (note {number})"

    def _is_hidden(self, run: Any) -> bool:  # noqa: ANN401
        """Whether a run is not shown, or struck out, or none of what a field shows."""
        if self._parts.is_unshown(run):
            return True
        for name, kind in HIDES.items():
            if self._has_letters(run, name):
                said = any((text.text or "").strip() for text in run.iter(f"{W}t"))
                kept = name != "vanish" and said and self._struck(run, name)
                self._parts.left_out[kind] += said and not kept
                return said or name == "vanish"
        return False

    def _struck(self, run: Any, name: str) -> bool:  # noqa: ANN401
        """Say what is struck out from a run on beside what holds, as one; whether that, or a run before, said the words of this one."""
        paragraph, runs = run.getparent(), [run]
        if (
            self.prose.in_one_line
            or self._level
            or all(self._has_letters(one, name) for one in paragraph.iterchildren(f"{W}r"))
        ):
            return False
        if (before := run.getprevious()) is not None and self._has_letters(before, name):
            return self._struck_said
        while (after := runs[-1].getnext()) is not None and self._has_letters(after, name):
            runs.append(after)
        said = as_struck("".join(text.text or "" for one in runs for text in one.iter(f"{W}t")))
        self._say(said)
        self._struck_said = bool(said)
        return self._struck_said

    def _has_letters(self, run: Any, name: str) -> bool:  # noqa: ANN401
        found = run.find(f"{W}rPr/{W}{name}") if run.tag == f"{W}r" else None
        return is_on(found) if found is not None else run.tag == f"{W}r" and self._parts.is_styled(run, name)

    def _begin_paragraph(self, element: Any) -> None:  # noqa: ANN401
        self._parts.end_codes()
        self._label = self._parts.numbering.mark(element)
        self._level = self._parts.level(element)
        self._leaders = [stop.get(f"{W}leader") for stop in element.iterfind(f"{W}pPr/{W}tabs/{W}tab")]
        plain = self._level or self.prose.in_one_line or "dot" in self._leaders
        beside = map(with_tabs, (element, element.getprevious(), element.getnext()))
        self._bars = [] if plain else column_bars(*beside)
        style = element.find(f"{W}pPr/{W}pStyle")
        self._code = style is not None and style.get(f"{W}val") in _CODE
        listed = bool(self._bars) or self._code or (self._label is not None and self._level == 0)
        if self._dropped:
            self._dropped = False
        elif not self.prose.in_one_line:  # in a cell the end of the paragraph before has asked for it
            self.prose.gap(LINE if listed and self._in_list else PARAGRAPH)
        self._in_list = listed
        self._marks.append(self.prose.mark())

    def _end(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        if tag == f"{W}hyperlink":
            found = self.prose.since(self._marks.pop())
            target = one_line(self._parts.targets.get(element.get(f"{R}id"), ""))
            if found and leads_elsewhere(target):
                self.prose.links.append(Link(*found, target))
        elif tag == f"{W}rubyBase":  # how it is read stands before it
            reading = element.getparent().find(f"{W}rt")
            said = "".join(one.text or "" for one in reading.iter(f"{W}t")) if reading is not None else ""
            self._say(f"({said})" if said.strip() else "")
        elif tag == f"{W}p":
            found = self.prose.since(self._marks.pop())
            if self._level and not self.prose.in_one_line:
                self.prose.heading(found, self._level)
            if self._label is not None and self.prose.in_one_line and self._label.text != BULLET:  # all that is shown
                self.prose.put(self._label.text)
            self._label = None
            if element.find(f"{W}pPr/{W}framePr[@{W}dropCap]") is not None:  # the first letter of the next paragraph
                self._dropped = True
                return
            self.prose.gap(LINE if self._in_list or self.prose.in_one_line else PARAGRAPH)
            self._end_block()

    def _end_block(self) -> None:
        """Write the text boxes of the paragraph, and outside of tables what belongs behind it."""
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.prose.gap(PARAGRAPH)
            self._in_list = False
            self.write(box)
            self.prose.gap(PARAGRAPH)
        if self._depth == 0 and (self._said_after or self._tables):
            self._in_list = False
            said, self._said_after = self._said_after, []
            for text in said:
                self.prose.paragraph(text)
            tables, self._tables = self._tables, []
            for table in tables:
                table.write(self.prose)
            self.prose.gap(PARAGRAPH)

    def _table(self, element: Any) -> None:  # noqa: ANN401
        self._depth += 1
        self._in_list = False
        if lays_out(element, self._parts.level):
            self.prose.gap(PARAGRAPH)
            for row in parts_of(element, f"{W}tr"):
                for cell in parts_of(row, f"{W}tc"):
                    self.prose.gap(PARAGRAPH)
                    self.write(cell)
            self.prose.gap(PARAGRAPH)
        else:
            self._grid(element).write(self.prose)
        self._depth -= 1
        self._in_list = False
        self._end_block()

    def _grid(self, table: Any) -> TableGrid:  # noqa: ANN401
        grid = TableGrid()
        for row in parts_of(table, f"{W}tr"):
            properties = row.find(f"{W}trPr")
            if properties is not None and properties.find(f"{W}del") is not None:
                self._parts.left_out["deleted text"] += any(map(str.strip, row.itertext()))
                continue
            grid.begin_row(head=properties is not None and is_on(properties.find(f"{W}tblHeader")))
            grid.skip(number_of(properties, "gridBefore"))
            for cell in parts_of(row, f"{W}tc"):
                self._cell(cell, grid)
        return grid

    def _cell(self, cell: Any, grid: TableGrid) -> None:  # noqa: ANN401
        properties = cell.find(f"{W}tcPr")
        columns = max(1, number_of(properties, "gridSpan"))
        merged = properties.find(f"{W}vMerge") if properties is not None else None
        if merged is not None and (merged.get(f"{W}val") or "continue") == "continue" and grid.merge_up(columns):
            return
        outer, self.prose = self.prose, Prose(in_one_line=True)
        inner: list[TableGrid] = []
        for part in parts_of(cell, f"{W}p", f"{W}tbl"):
            if part.tag == f"{W}p":
                self.write(part)
            elif lays_out(part, self._parts.level):
                self._table(part)
            else:
                inner += self._grid(part).left_of_cell(self.prose, columns)
        strong = [run.find(f"{W}rPr/{W}b") is not None for run in cell.iter(f"{W}r") if run.find(f"{W}t") is not None]
        said, self.prose = self.prose, outer
        grid.add(cell_of(said, 1, columns, strong=bool(strong) and all(strong), inner=inner))


def _font(properties: Any) -> str:  # noqa: ANN401
    fonts = properties.find(f"{W}rFonts")
    return "" if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi") or ""


def parts_of_document(document: Any) -> DocxParts:  # noqa: ANN401
    """The parts of a document opened by python-docx, of which notes, comments, headers and footers are stories too."""
    return DocxParts(document, _written)


def _written(parts: DocxParts, root: Any) -> Prose:  # noqa: ANN401
    story = Story(parts)
    story.write(root)
    return story.prose
