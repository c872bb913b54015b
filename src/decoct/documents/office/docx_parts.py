"""What a Word document's stories refer to: notes, comments, headers and footers, lists, styles, links, charts and diagrams."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import one_line
from decoct.documents.counted import as_roman, counted, whole
from decoct.documents.markup import html, mhtml
from decoct.documents.office.charts import chart_tables
from decoct.documents.office.package_xml import diagram_lines, xml_root_or_none
from decoct.documents.office.symbols import code_shown, list_item, tick_box
from decoct.documents.prose import Prose, around_texts, remark
from decoct.documents.tables.grid import TableGrid
from decoct.errors import ParseError

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BULLET = "-"
_PLACE = re.compile(r"%([1-9])")
_LEVELS = 9
_APART = 100  # twentieths of a point that an item is further in than the one above it
_KINDS = {
    "lowerRoman": "i", "upperRoman": "I", "lowerLetter": "aa", "upperLetter": "AA", "decimalZero": "01", "ordinal": "1st",
}  # fmt: skip
_WRAPPERS = frozenset({f"{W}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")})
_OFF = ("0", "false", "off")
_MANY, _MUCH = 4, 1_000  # paragraphs and characters of a cell that is no cell of data
_HEADING = re.compile(r"(heading|title)\b(?:\s*([1-9])\b)?", re.I)
_PAGES = {"text/html": html.parse, "application/xhtml+xml": html.parse, "message/rfc822": mhtml.parse}
HIDES = {"vanish": "hidden text", "strike": "struck-out text", "dstrike": "struck-out text"}
_DEEPEST = 16  # styles that are based on others
_PAGE_FIELDS = re.compile(r"\s*(PAGE|NUMPAGES|SECTIONPAGES|SECTION)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Field:
    """A field: its code, what is chosen in it, whether the code is being read, and whether a result was."""

    code: str = ""
    form: str = ""
    in_code: bool = True
    told: bool = False


class DocxParts:
    """The parts of a document opened by python-docx, and what was counted while it was read: notes, what was left out.

    `written` writes a story of the document, such as a note.
    """

    def __init__(self, document: Any, written: Callable[[DocxParts, Any], Prose]) -> None:  # noqa: ANN401 - python-docx has few types
        self._written = written
        self._related = document.part.rels
        self.targets = {key: str(link.target_ref) for key, link in self._related.items() if link.is_external}
        styles = self._root("styles")
        self.numbering = Numbering(self._root("numbering"), styles)
        self.left_out: Counter[str] = Counter()
        self.without_pages = False
        self._headings = _heading_styles(styles)
        self._notes = {kind: self._by_id(f"{kind}s", kind) for kind in ("footnote", "endnote")}
        self._comments = self._by_id("comments", "comment")
        self._numbers: dict[tuple[str, str], str] = {}
        self._fields: list[_Field] = []  # that are open, and those that ended in the last run
        self._ended: list[_Field] = []
        hide = any(True for name in HIDES for _ in (styles.iter(f"{W}{name}") if styles is not None else ()))
        self._styles = {one.get(f"{W}styleId"): one for one in styles.iterchildren(f"{W}style")} if hide else {}

    def note(self, kind: str, key: str) -> tuple[str, str]:
        """The number of the note that is referred to, in the order of reference, and its text: empty where it was told before."""
        if (kind, key) in self._numbers:
            return self._numbers[kind, key], ""
        count = 1 + sum(one == kind for one, _ in self._numbers)
        number = as_roman(count) if kind == "endnote" else str(count)
        self._numbers[kind, key] = number
        return number, self._story(self._notes[kind].get(key))

    def comment(self, key: str) -> list[str]:
        """A comment with who made it."""
        found = self._comments.pop(key, None)
        text = self._story(found)
        author = one_line(found.get(f"{W}author") or "") if found is not None else ""
        return [remark(author, text)] if text else []

    def around(self) -> list[str]:
        """The texts of headers and footers, each once, without numbers of pages."""
        self.without_pages = True
        kinds = [(kind.capitalize(), root) for kind in ("header", "footer") for root in self._roots(kind)]
        found = around_texts((kind, self._written(self, root).text) for kind, root in kinds)
        self.without_pages = False
        return found

    def chart(self, key: str) -> list[TableGrid]:
        """The tables of a chart."""
        part = self._part(key)
        return chart_tables(part.blob, self.left_out) if part is not None else []

    def page(self, key: str) -> Document | None:
        """A page that stands in the document as it came, from the web or a program; None where it is no page."""
        part = self._part(key)
        parser = _PAGES.get(part.content_type) if part is not None else None
        try:
            return next(parser(Source.of(key, part.blob))) if parser else None
        except ParseError:
            return None

    def diagram(self, key: str) -> list[str]:
        """The words of a diagram (SmartArt), a line a shape."""
        part = self._part(key)
        return diagram_lines(part.blob) if part is not None else []

    def level(self, paragraph: Any) -> int:  # noqa: ANN401
        """The level of a heading, by its outline level or its style, from 1; 0 for a paragraph that is none."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return 0
        style = properties.find(f"{W}pStyle")
        own = _outlined(properties.find(f"{W}outlineLvl"))
        return own or (self._headings.get(style.get(f"{W}val"), 0) if style is not None else 0)

    def is_unshown(self, run: Any) -> bool:  # noqa: ANN401
        """Whether a run lies in the code of a field, or shows the number of a page where it is not wanted, told by the runs before it."""
        self._ended = []
        for mark in run.iterchildren(f"{W}fldChar", f"{W}instrText", f"{W}t"):
            kind = mark.get(f"{W}fldCharType")
            if kind == "begin":
                form = mark.find(f"{W}ffData")
                self._fields.append(_Field(form=filled(form) if form is not None else ""))
            elif self._fields and kind == "end":
                self._ended.append(self._fields.pop())
            elif self._fields and kind:
                self._fields[-1].in_code = False
            elif mark.tag == f"{W}instrText" and self._fields:
                self._fields[-1].code += mark.text or ""
            elif mark.tag == f"{W}t" and (mark.text or "").strip():
                for field in self._fields:
                    field.told |= not field.in_code
        page = self.without_pages and any(tells_page(field.code) for field in self._fields)
        return page or (any(field.in_code for field in self._fields) and run.find(f"{W}t") is not None)

    def field_shown(self, before: str) -> str:
        """What the next field that ends in the last run shows, where its result is not stored, behind the character `before`."""
        field = self._ended.pop(0) if self._ended else _Field(told=True)
        return "" if field.told else field.form or code_shown(field.code, before)

    def end_codes(self) -> None:
        """A paragraph begins, which no field's code reaches."""
        for one in self._fields:
            one.in_code = False

    def is_styled(self, run: Any, name: str) -> bool:  # noqa: ANN401
        """Whether the style of a run, or of its paragraph, gives it a property."""
        if not self._styles:
            return False
        paragraph = next(run.iterancestors(f"{W}p"), None)
        given = [run.find(f"{W}rPr/{W}rStyle"), paragraph.find(f"{W}pPr/{W}pStyle") if paragraph is not None else None]
        for one in given:
            for _ in range(_DEEPEST):
                style = self._styles.get(one.get(f"{W}val")) if one is not None else None
                if style is None:
                    break
                if (found := style.find(f"{W}rPr/{W}{name}")) is not None:
                    return is_on(found)
                one = style.find(f"{W}basedOn")  # noqa: PLW2901
        return False

    def _story(self, element: Any) -> str:  # noqa: ANN401
        """The text of a note or comment, its paragraphs in one line."""
        if element is None:
            return ""
        return " ".join(self._written(self, element).text.split())

    def _by_id(self, part: str, tag: str) -> dict[str, Any]:
        root = self._root(part)
        return {one.get(f"{W}id", ""): one for one in root.iterchildren(f"{W}{tag}")} if root is not None else {}

    def _part(self, key: str) -> Any:  # noqa: ANN401
        relation = self._related.get(key)
        return None if relation is None or relation.is_external else relation.target_part

    def _roots(self, kind: str) -> list[Any]:
        inside = (one for one in self._related.values() if not one.is_external)
        parts = (one.target_part for one in inside if (one.reltype or "").endswith(f"/{kind}"))
        return [root for part in parts if (root := xml_root_or_none(part.blob)) is not None]

    def _root(self, kind: str) -> Any:  # noqa: ANN401
        return next(iter(self._roots(kind)), None)


def tells_page(field: str | None) -> bool:
    """Whether a field's code is one that shows the number of a page."""
    return bool(_PAGE_FIELDS.match(field or ""))


def _heading_styles(styles: Any) -> dict[str, int]:  # noqa: ANN401
    """Levels of the styles named as headings (the name is English in every edition of Word) or with an outline level, by their ids."""
    found = {}
    for style in styles.iterchildren(f"{W}style") if styles is not None else ():
        name = style.find(f"{W}name")
        named = _HEADING.match(name.get(f"{W}val", "")) if name is not None else None
        outlined = _outlined(style.find(f"{W}pPr/{W}outlineLvl"))
        if named or outlined:
            found[style.get(f"{W}styleId", "")] = int(named[2]) if named and named[2] else outlined or 1
    return found


def _outlined(mark: Any) -> int:  # noqa: ANN401
    """The level that a mark of the outline gives, from 1; 0 for none. Word counts from 0, and 9 is the text's own."""
    said = mark.get(f"{W}val", "") if mark is not None else ""
    return (
        int(said) + 1 if said.isdecimal() and int(said) < 9 else 1 if mark is not None and not said.isdecimal() else 0
    )


def lays_out(table: Any, level: Callable[[Any], int]) -> bool:  # noqa: ANN401 - lxml has no types
    """Whether a table holds no data: one column, headings in it, or without a row of heads other tables or cells of many paragraphs."""
    rows = list(parts_of(table, f"{W}tr"))
    widest = max((len(list(parts_of(row, f"{W}tc"))) for row in rows), default=0)
    if widest < 2 or any(map(level, table.iter(f"{W}p"))):
        return True
    if any(row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows):
        return False
    for cell in (cell for row in rows for cell in parts_of(row, f"{W}tc")):
        paragraphs = [one for one in parts_of(cell, f"{W}p") if one.find(f".//{W}t") is not None]
        if len(paragraphs) >= _MANY and sum(len(text.text or "") for text in cell.iter(f"{W}t")) > _MUCH:
            return True
    return False


def parts_of(element: Any, *tags: str) -> Iterator[Any]:  # noqa: ANN401
    """The parts of a table, row or cell, also those within content controls and inserted text."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from parts_of(child, *tags)


def number_of(properties: Any, name: str) -> int:  # noqa: ANN401
    """A number among the properties of a row or cell; 0 where there is none."""
    found = properties.find(f"{W}{name}") if properties is not None else None
    return whole(found.get(f"{W}val"), 0, 1_000) if found is not None else 0


def is_on(element: Any) -> bool:  # noqa: ANN401
    """Whether a switch among properties is there and not turned off."""
    return element is not None and (element.get(f"{W}val") or "1") not in _OFF


def with_tabs(paragraph: Any) -> str:  # noqa: ANN401
    """The words of a paragraph with its tabs; of nothing else."""
    runs = paragraph.iterchildren(f"{W}r") if paragraph is not None and paragraph.tag == f"{W}p" else ()
    return "".join(
        "\t" if one.tag == f"{W}tab" else (one.text or "").replace("\t", " ")
        for run in runs
        for one in run.iter(f"{W}tab", f"{W}t")
    )


def picture(element: Any) -> str:  # noqa: ANN401
    """What a picture is said to show."""
    words = one_line(element.get("descr") or "")
    return f" [picture: {words}] " if words else ""


def filled(form: Any) -> str:  # noqa: ANN401
    """What a field of a form (`ffData`) shows that is no text: a ticked or empty box, or the entry that is chosen in a list."""
    for kind in form:
        said = {one.tag.removeprefix(W): one for one in kind}
        if kind.tag == f"{W}checkBox":
            return tick_box(ticked=is_on(said.get("checked", said.get("default")))) + " "
        if kind.tag == f"{W}ddList":
            entries = [entry.get(f"{W}val") or "" for entry in kind.iterchildren(f"{W}listEntry")]
            return list_item(entries, number_of(kind, "result" if "result" in said else "default"))
    return ""


@dataclass(frozen=True, slots=True)
class ListMark:
    """What stands before a paragraph of a list: its number, or `BULLET`, and how deep its level is, from 0."""

    text: str
    level: int


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str
    style: str
    legal: bool
    restart: int  # it counts on below levels from this one on
    left: int | None  # how far its items are indented


@dataclass(slots=True)
class _List:
    """A list that paragraphs name: whose definition it counts with, its levels, and where they begin anew."""

    definition: str
    levels: dict[int, _Level]
    anew: dict[int, int]
    begun: set[int] = field(default_factory=set)


class Numbering:
    """Counts the paragraphs of a document in their order. `numbering` and `styles` are the roots of those parts, or None."""

    def __init__(self, numbering: Any, styles: Any) -> None:  # noqa: ANN401 - lxml has no types
        self._styles = _styles(styles)
        found = styles.iterchildren(f"{W}style") if styles is not None else ()
        self._indents = {one.get(f"{W}styleId", ""): _indent(one.find(f"{W}pPr")) for one in found}
        self._lists = _lists(numbering, self._styles) if numbering is not None else {}
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._story: Any = None  # what holds the last paragraph
        # The items under which the next one may stand: how deep, how far in, of which list, at which of its levels.
        self._above: list[tuple[int, int, str, int]] = []

    def mark(self, paragraph: Any) -> ListMark | None:  # noqa: ANN401
        """The mark of the next paragraph; None where it is in no list, or its level shows none."""
        place = self._place(paragraph)
        found = self._lists.get(place[0]) if place else None
        level = found.levels.get(place[1]) if found is not None and place is not None else None
        depth = self._depth(paragraph, place or ("", 0), level)
        if found is None or place is None or level is None:
            return None
        at = place[1]
        counts = self._counts[found.definition]
        if at in found.anew and at not in found.begun:
            counts.pop(at, None)
        found.begun.add(at)
        for number in range(at):
            counts.setdefault(
                number, found.anew.get(number, found.levels[number].start if number in found.levels else 1)
            )
        counts[at] = counts.get(at, found.anew.get(at, level.start) - 1) + 1
        for deeper in [
            one for one in counts if one > at and (one not in found.levels or at < found.levels[one].restart)
        ]:
            del counts[deeper]
        if level.form == "bullet":
            return ListMark(BULLET, depth)
        text = _PLACE.sub(lambda place: _counted(found, counts, int(place[1]) - 1, legal=level.legal), level.text)
        return ListMark(" ".join(text.split()), depth) if level.form != "none" and text.strip() else None

    def _depth(self, paragraph: Any, place: tuple[str, int], level: _Level | None) -> int:  # noqa: ANN401
        """How deep a paragraph stands: at its list's level, or below items that are less indented, until one is not indented at all."""
        properties = paragraph.find(f"{W}pPr")
        left = _indent(properties)
        if left is None and level is not None and properties.find(f"{W}numPr") is not None:  # before that of the style
            left = level.left
        style = _value(properties.find(f"{W}pStyle")) if properties is not None and left is None else ""
        for _ in range(_LEVELS if style else 0):
            left = self._indents.get(style) if left is None else left
            style = self._styles.get(style, ("", None, ""))[2]
        left = level.left if left is None and level is not None else left
        plain = level is None and not left and paragraph.find(f".//{W}t") is not None
        if paragraph.getparent() is not self._story or plain:
            self._story, self._above = paragraph.getparent(), []
        if level is None or left is None:
            return place[1]
        name, at = place
        self._above = [one for one in self._above if one[1] + _APART <= left and (one[2] != name or one[3] <= at)]
        self._above.append((max(at, self._above[-1][0] + 1 if self._above else 0), left, name, at))
        return self._above[-1][0]

    def _place(self, paragraph: Any) -> tuple[str, int] | None:  # noqa: ANN401
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return None
        own = properties.find(f"{W}numPr")
        style = properties.find(f"{W}pStyle")
        named, level = self._of_style(style.get(f"{W}val", "") if style is not None else "")
        if own is not None:
            number, depth = own.find(f"{W}numId"), own.find(f"{W}ilvl")
            named = number.get(f"{W}val", "") if number is not None else named
            level = _whole(depth, 0) if depth is not None else level
        return (named, level) if named and named != "0" else None

    def _of_style(self, style: str) -> tuple[str, int]:
        """The list and level that a style, or one that it is based on, puts its paragraphs in."""
        first, seen = style, set()
        while style in self._styles and style not in seen:
            seen.add(style)
            named, level, base = self._styles[style]
            if named:
                levels = self._lists[named].levels if named in self._lists else {}
                own = next((at for at, one in levels.items() if one.style in (first, style)), None)
                return named, level if level is not None else own or 0
            style = base
        return "", 0


def _styles(root: Any) -> dict[str, tuple[str, int | None, str]]:  # noqa: ANN401
    """By style: the list it names, the level, and the style it is based on."""
    found: dict[str, tuple[str, int | None, str]] = {}
    for style in root.iterchildren(f"{W}style") if root is not None else ():
        number = style.find(f"{W}pPr/{W}numPr/{W}numId")
        level = style.find(f"{W}pPr/{W}numPr/{W}ilvl")
        base = style.find(f"{W}basedOn")
        found[style.get(f"{W}styleId", "")] = (
            number.get(f"{W}val", "") if number is not None else "",
            _whole(level, 0) if level is not None else None,
            base.get(f"{W}val", "") if base is not None else "",
        )
    return found


def _lists(root: Any, styles: dict[str, tuple[str, int | None, str]]) -> dict[str, _List]:  # noqa: ANN401
    definitions = {one.get(f"{W}abstractNumId", ""): one for one in root.iterchildren(f"{W}abstractNum")}
    named = {one.get(f"{W}numId", ""): one for one in root.iterchildren(f"{W}num")}
    found: dict[str, _List] = {}
    for number, one in named.items():
        key = _value(one.find(f"{W}abstractNumId"))
        definition = definitions.get(key)
        link = _value(definition.find(f"{W}numStyleLink")) if definition is not None else ""
        if link and (other := named.get(styles.get(link, ("", None, ""))[0])) is not None:
            key = _value(other.find(f"{W}abstractNumId"))
            definition = definitions.get(key)
        levels = _levels(definition) if definition is not None else {}
        anew: dict[int, int] = {}
        for override in one.iterchildren(f"{W}lvlOverride"):
            at = whole(override.get(f"{W}ilvl"), 0)
            if (start := override.find(f"{W}startOverride")) is not None:
                anew[at] = _whole(start, 1)
            levels |= _levels(override)
        found[number] = _List(key, levels, anew)
    return found


def _levels(element: Any) -> dict[int, _Level]:  # noqa: ANN401
    found: dict[int, _Level] = {}
    for level in element.iterchildren(f"{W}lvl"):
        at = level.get(f"{W}ilvl") or ""
        if at.isdecimal() and int(at) < _LEVELS:
            found[int(at)] = _Level(
                _whole(level.find(f"{W}start"), 0 if level.find(f"{W}start") is None else 1),
                _value(level.find(f"{W}numFmt")) or "decimal",
                _value(level.find(f"{W}lvlText")),
                _value(level.find(f"{W}pStyle")),
                level.find(f"{W}isLgl") is not None,
                _whole(level.find(f"{W}lvlRestart"), _LEVELS),
                _indent(level.find(f"{W}pPr")),
            )
    return found


def _indent(properties: Any) -> int | None:  # noqa: ANN401
    """How far paragraphs are indented, in twentieths of a point; None where it is not told."""
    said = properties.find(f"{W}ind") if properties is not None else None
    told = (said.get(f"{W}left") or said.get(f"{W}start")) if said is not None else None
    return whole(told, 0) if told else None


def _counted(found: _List, counts: dict[int, int], at: int, *, legal: bool) -> str:
    number = counts.get(at, 1)
    form = found.levels[at].form if at in found.levels and not legal else "decimal"
    return "" if form in ("none", "bullet") else counted(number, _KINDS.get(form, "1"))


def _value(element: Any) -> str:  # noqa: ANN401
    return "" if element is None else element.get(f"{W}val") or ""


def _whole(element: Any, otherwise: int) -> int:  # noqa: ANN401
    return whole(_value(element), otherwise)
