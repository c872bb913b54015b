"""What stands in an OpenDocument file, as the tree of a page, so that lists, tables and formulas are written as those of every page.

Paragraphs, headings, lists, tables and links have their elements in both. Numbers of lists and headings are those of the styles, counted
as LibreOffice counts them. Notes stand in brackets, comments behind their paragraph. What is drawn is read for its text, a picture for
its description.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from decoct.documents.canonical import one_line
from decoct.documents.counted import count_on, counted, forget_below, whole
from decoct.documents.office.boxes import SlideBox, in_order
from decoct.documents.office.package_xml import xml_root_or_none
from decoct.documents.office.symbols import UNKNOWN, holds_moved, is_of_signs, list_item, readable, tick_box
from decoct.documents.prose import column_bars, remark

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:"
TEXT, DRAW, STYLE = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("text", "drawing", "style"))
BULLET = "-"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_START = f"{TEXT}start-value"
_NUMBERED = frozenset({f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"})
TABLE, OFFICE, _SVG = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("table", "office", "svg-compatible"))
FLAT = f"{OFFICE}document"  # the root of a file that is one XML document
DC, _XLINK = "{http://purl.org/dc/elements/1.1/}", "{http://www.w3.org/1999/xlink}"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
_SKIPPED = frozenset(
    (
        *(
            f"{TEXT}{name}"
            for name in ("tracked-changes", "hidden-text", "sequence-decls", "note-citation", "page-number")
        ),
        f"{OFFICE}forms",
        f"{TABLE}covered-table-cell",
        f"{DC}creator",
        f"{DC}date",
        *(f"{_SVG}{name}" for name in ("title", "desc")),
    )
)
_TAGS = {
    f"{TEXT}p": "p",
    f"{TEXT}line-break": "br",
    f"{TEXT}list-header": "p",
    f"{TABLE}table": "table",
    f"{TABLE}table-header-rows": "thead",
    f"{TABLE}table-row": "tr",
    f"{TABLE}table-cell": "td",
    f"{DRAW}text-box": "div",
    f"{DRAW}custom-shape": "div",
}
_ITEMS = (f"{TEXT}p", f"{TEXT}h", f"{TEXT}list")  # what an item of a list begins with
_BLOCKS = (f"{TEXT}p", f"{TEXT}h", f"{TABLE}table")  # behind which its comments stand
_VISIBILITY = f"{{{_NAMESPACE}presentation:1.0}}visibility"
_DISPLAYS = (f"{DRAW}display", "{http://openoffice.org/2010/draw}display", f"{TEXT}display")
_PLACE = ("x", "y", "width", "height")
_INDEX = f"{TEXT}index-body"  # whose lines lead to pages
_PREFORMATTED = "Preformatted_20_Text"  # the style of that name, and those that come of it
_FIELD = "{urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0}"
MOST_REPEATS = 1_000  # of a cell or row; spreadsheets fill themselves to the last column with empty ones


class OdfStyles:
    """What styles say that a reader sees: the kind of a list's numbers by level, and how letters are set."""

    def __init__(self, trees: Sequence[etree._Element]) -> None:
        self.lists = OdfLists(trees)
        self._letters: dict[str, str] = {}
        self.hidden: set[str] = set()  # tables and slides
        self._fonts: dict[str, str] = {}
        self.has_signs = False  # whether a style has a font of signs
        faces = (one for tree in trees for one in tree.iter(f"{STYLE}font-face"))
        self._faces = {one.get(f"{STYLE}name"): (one.get(f"{_SVG}font-family") or "").strip("'") for one in faces}
        self.preformatted = {_PREFORMATTED}
        for tree in trees:
            for style in tree.iter(f"{STYLE}style"):
                self._note(style.get(f"{STYLE}name") or "", style)

    def _note(self, name: str, style: etree._Element) -> None:
        parent = style.get(f"{STYLE}parent-style-name") or ""
        if parent in self.preformatted:
            self.preformatted.add(name)
        self._fonts[name] = self._fonts.get(parent, "")
        for said in style:
            if said.get(f"{TABLE}display") == "false" or said.get(_VISIBILITY) == "hidden":
                self.hidden.add(name)
            if font := said.get(f"{STYLE}font-name"):
                self._fonts[name] = self._faces.get(font) or font
                self.has_signs = self.has_signs or is_of_signs(self._fonts[name])
            raised = (said.get(f"{STYLE}text-position") or "").split(" ")[0]
            if raised in ("super", "sub") or (raised.rstrip("%").lstrip("-").isdigit() and int(raised.rstrip("%"))):
                self._letters[name] = "sub" if raised == "sub" or raised.startswith("-") else "sup"
            through = (said.get(f"{STYLE}text-line-through-{kind}") for kind in ("style", "type"))
            if next(filter(None, through), "none") != "none":
                self._letters[name] = "s"
            if said.get(f"{TEXT}display") == "none":
                self._letters[name] = "hidden"

    def letters(self, name: str) -> str:
        """How the letters of a style are set: `sup`, `sub`, `s`, `hidden`, or as others."""
        return self._letters.get(name, "")

    def font(self, element: etree._Element) -> str:
        """The font of the letters right in an element, where a style names one."""
        styled = (self._fonts.get(one.get(f"{TEXT}style-name") or "") for one in (element, *element.iterancestors()))
        return next(filter(None, styled), "")


class OdfPage:
    """Makes pages of parts of one file. `objects` holds the formulas and charts of the package, by their folders."""

    def __init__(self, styles: OdfStyles, objects: Mapping[str, bytes], counts: Counter[str]) -> None:
        self.styles, self.counts = styles, counts
        self._objects = objects
        self._paragraph: etree._Element | None = None  # the last with a tab
        self._bars: list[bool] = []  # for its next tabs
        self._remarks: list[str] = []  # to be written behind their block
        self._number = ""  # of the heading that begins an item

    def page(self, part: etree._Element) -> etree._Element:
        """A part of the file as a `div`."""
        page = etree.Element("div")
        self._inside(part, page, "", 0)
        return page

    def _inside(self, element: etree._Element, page: etree._Element, style: str, level: int) -> None:
        if element.get(f"{OFFICE}value") == "NaN":  # a chart has no value there
            return
        _say(page, self._readable(element, element.text))
        for inner in element:
            if isinstance(inner.tag, str):
                self._write(inner, page, style, level)
            if self._remarks and element.tag not in _BLOCKS and next(element.iterancestors(*_BLOCKS), None) is None:
                for said in self._remarks:
                    etree.SubElement(page, "p").text = said
                self._remarks = []
            _say(page, self._readable(element, inner.tail))

    def _readable(self, element: etree._Element, words: str | None) -> str | None:
        """Words right in an element, their signs of symbol fonts as Unicode has them."""
        if not words or not (self.styles.has_signs or holds_moved(words)):
            return words
        said = readable(words, self.styles.font(element))
        self.counts["signs of an unknown font"] += said.count(UNKNOWN) - words.count(UNKNOWN)
        return said

    def _write(self, element: etree._Element, page: etree._Element, style: str, level: int) -> None:
        tag = element.tag
        letters = self.styles.letters(element.get(f"{TEXT}style-name") or "")
        if self._passed_over(element, letters):
            return
        if tag == f"{TEXT}list":
            self._list(element, page, style, level + 1)
        elif tag in (f"{TEXT}s", f"{TEXT}tab"):
            self._space(element, page)
        elif tag in _TOLD:
            _say(page, f" ({said})" if (said := _TOLD[tag](element)) and tag == f"{TEXT}note" else said)
        elif (place := self._own_place(element, page)) is not None:
            self._inside(element, place, style, level)
        elif tag in (f"{DRAW}image", f"{DRAW}object"):
            self._picture(element, page)
        elif tag == f"{TEXT}a":
            self._inside(element, etree.SubElement(page, "a", href=element.get(f"{_XLINK}href") or ""), style, level)
        elif tag == f"{TEXT}h":
            at = repeats(element, f"{TEXT}outline-level")
            number = self._number if page.tag == "li" else self.styles.lists.number(element, at)
            made, self._number = etree.SubElement(page, f"h{min(at, 6)}"), ""
            _say(made, f"{number} " if number else "")
            self._inside(element, made, style, level)
        elif tag in _TAGS or letters:
            for _ in range(_shown_times(element)):
                made = etree.SubElement(page, letters or _TAGS[tag], _spans(element))
                self._inside(element, made, style, level)
        elif tag in (f"{DRAW}frame", f"{DRAW}g"):
            is_block = any(inner.tag in (f"{DRAW}text-box", f"{TABLE}table") for inner in element)
            self._inside(element, etree.SubElement(page, "div") if is_block else page, style, level)
        else:
            self._inside(element, page, style, level)

    def _passed_over(self, element: etree._Element, letters: str) -> bool:
        """Whether an element is not shown, or stands elsewhere."""
        tag = element.tag
        if any(element.get(display) == "none" for display in _DISPLAYS):
            self.counts["hidden shapes" if tag.startswith(DRAW) else "hidden text"] += any(element.itertext())
        elif tag == f"{OFFICE}annotation":
            words = _noted(element)
            self._remarks += [remark(element.findtext(f"{DC}creator") or "", words)] if words else []
        elif tag in _SKIPPED or letters == "hidden" or tag.endswith("-source"):  # how an index is made
            self.counts["hidden text"] += letters == "hidden" or tag == f"{TEXT}hidden-text"
            self.counts["deleted text"] += sum(
                any(map(str.strip, one.itertext())) for one in element.iter(f"{TEXT}deletion")
            )
        else:
            return False
        return True

    def _own_place(self, element: etree._Element, page: etree._Element) -> etree._Element | None:
        """Where a paragraph goes that is a line of code, or stands beside the mark of its item; None for any other."""
        name = element.get(f"{TEXT}style-name") or ""
        if element.tag != f"{TEXT}p" or name in self.styles.preformatted:
            return _code(page) if element.tag == f"{TEXT}p" else None
        return page if page.tag == "li" and not (self.styles.letters(name) or len(page) or page.text) else None

    def _space(self, element: etree._Element, page: etree._Element) -> None:
        paragraph = next(element.iterancestors(f"{TEXT}p"), None) if element.tag == f"{TEXT}tab" else None
        if paragraph is not None and paragraph is not self._paragraph:
            beside = (paragraph, paragraph.getprevious(), paragraph.getnext())
            self._paragraph, self._bars = paragraph, column_bars(*map(_with_tabs, beside))
        if paragraph is not None and self._bars and self._bars.pop(0):
            etree.SubElement(page, "tab")
        else:
            leads = paragraph is not None and next(paragraph.iterancestors(_INDEX), None) is not None
            _say(page, " .... " if leads else " " * min(repeats(element, f"{TEXT}c"), MOST_REPEATS))

    def _list(self, element: etree._Element, page: etree._Element, style: str, level: int) -> None:
        style = element.get(f"{TEXT}style-name") or style
        self.styles.lists.begin(element, style, level)
        made = etree.SubElement(page, "ol")
        for item in element:
            if item.tag == f"{TEXT}list-item":
                first = next((one.tag for one in item.iterchildren(*_ITEMS)), f"{TEXT}list")
                mark = self.styles.lists.mark(item, style, level) if first != f"{TEXT}list" else ""
                self._number, mark = (mark, "") if first == f"{TEXT}h" else ("", mark)
                self._inside(item, etree.SubElement(made, "li", mark=mark), style, level)
            elif isinstance(item.tag, str):
                self._write(item, made, style, level)

    def _picture(self, element: etree._Element, page: etree._Element) -> None:
        folder = (element.get(f"{_XLINK}href") or "").removeprefix("./").strip("/")
        inside = xml_root_or_none(self._objects.get(folder, b"")) if folder else next(iter(element), None)
        if inside is not None and inside.tag == f"{_MATH}math":
            page.append(_formula(inside))
        elif inside is not None and (chart := next(inside.iter(f"{OFFICE}chart"), None)) is not None:
            self._inside(chart, etree.SubElement(page, "div"), "", 0)
        elif element.tag == f"{DRAW}object":
            self.counts["embedded objects"] += 1
        elif said := next((words for tag in ("title", "desc") if (words := _description(element, tag))), ""):
            etree.SubElement(page, "img", alt=said)


def put_in_order(page: etree._Element) -> None:
    """Put what stands on a slide, or in a group on it, in the order in which it is read; what has no place stands at the end."""
    boxes: list[SlideBox] = []
    others: list[etree._Element] = []
    for shape in page:
        if shape.tag == f"{DRAW}g":  # which stands where the first in it does
            put_in_order(shape)
        sides = ([_length(one.get(f"{_SVG}{name}")) for name in _PLACE] for one in shape.iter(etree.Element))
        place = next(([one for one in found if one is not None] for found in sides if None not in found), None)
        if place is None or shape.tag.endswith("}notes"):
            others.append(shape)
        else:
            boxes.append(SlideBox(shape, place[0], place[1], place[2], place[3]))
    page[:] = [*(part for _, part in in_order(boxes)), *others]


def _length(said: str | None) -> float | None:
    """A length in millimetres; None for what is none."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt)", said or "")
    return float(found[1]) * {"cm": 10, "mm": 1, "in": 25.4, "pt": 25.4 / 72}[found[2]] if found else None


def repeats(element: etree._Element | Mapping[str, str], name: str) -> int:
    """The number that an attribute of an element, or of these, says, at least 1; 1 where it says none."""
    return max(1, whole(element.get(name)))


def _shown_times(element: etree._Element) -> int:
    """How often a cell or row is repeated: 1 of what is empty at the end of its row."""
    times = min(
        repeats(element, f"{TABLE}number-{'rows' if element.tag.endswith('row') else 'columns'}-repeated"), MOST_REPEATS
    )
    return times if times == 1 or element.getnext() is not None or any(one.strip() for one in element.itertext()) else 1


def _spans(element: etree._Element) -> dict[str, str]:
    across, down = repeats(element, f"{TABLE}number-columns-spanned"), repeats(element, f"{TABLE}number-rows-spanned")
    return {name: str(count) for name, count in (("colspan", across), ("rowspan", down)) if count > 1}


def _with_tabs(paragraph: etree._Element | None) -> str:
    """The words of a paragraph with its tabs; of an index none."""
    if paragraph is None or paragraph.tag != f"{TEXT}p" or paragraph.getparent().tag == _INDEX:
        return ""
    said = [paragraph.text]
    for event, one in etree.iterwalk(paragraph, events=("start", "end")):
        if one is not paragraph:
            said.append(one.tail if event == "end" else "\t" if one.tag == f"{TEXT}tab" else one.text)
    return "".join(filter(None, said))


def _code(page: etree._Element) -> etree._Element:
    """Where the next line of code goes."""
    if not len(page) or page[-1].tag != "pre" or (page[-1].tail or "").strip():
        return etree.SubElement(page, "pre")
    _say(page[-1], "\n")
    return page[-1]


def _noted(note: etree._Element) -> str:
    return one_line(" ".join("".join(_words(block)) for block in note.iter(f"{TEXT}p", f"{TEXT}h")))


def _chosen(field: etree._Element) -> str:
    """What is chosen in a field of a form: the item of a list, or a ticked or empty box."""
    said = [(one.get(f"{_FIELD}name"), one.get(f"{_FIELD}value") or "") for one in field]
    items: list[str] = [value for name, value in said if name == "Dropdown_ListEntry"]
    if (field.get(f"{_FIELD}type") or "").endswith("FORMCHECKBOX"):
        return tick_box(ticked=("Checkbox_Checked", "true") in said)
    return list_item(items, whole(dict(said).get("Dropdown_Selected"), len(items)))


def _description(picture: etree._Element, tag: str) -> str:
    parent = picture.getparent()
    return one_line(parent.findtext(f"{_SVG}{tag}") or "") if parent is not None else ""


def _formula(tree: etree._Element) -> etree._Element:
    """A formula in the names of a page."""
    for note in list(tree.iter(f"{_MATH}annotation")):
        note.getparent().remove(note)
    for one in tree.iter(f"{_MATH}*"):
        one.tag = etree.QName(one).localname
    return tree


def _words(element: etree._Element) -> Iterator[str]:
    """The words of a paragraph of a note."""
    yield element.text or ""
    for inner in element:
        if inner.tag in (f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break"):
            yield " "
        elif isinstance(inner.tag, str) and inner.tag not in _SKIPPED:
            yield from _words(inner)
        yield inner.tail or ""


def _say(page: etree._Element, words: str | None) -> None:
    if not words:
        return
    if len(page):
        page[-1].tail = (page[-1].tail or "") + words
    else:
        page.text = (page.text or "") + words


def _reading(ruby: etree._Element) -> str:
    """How a word is read, as it stands above it."""
    return f"({said})" if (said := one_line("".join(ruby.itertext()))) else ""


_TOLD = {
    f"{TEXT}note": _noted,
    f"{_FIELD}fieldmark": _chosen,
    f"{TEXT}ruby-text": _reading,
}


class OdfLists:
    """Counts the items and headings of one file in their order. `trees` are the parts that hold its styles.

    A list begins anew unless it continues another; a level, behind a paragraph of one above it. On slides a list goes on within its
    shape where numbers look alike. A heading counts with the outline, or with the list that it stands in.
    """

    def __init__(self, trees: Sequence[etree._Element]) -> None:
        self._styles: dict[str, dict[int, etree._Element]] = {}
        self._outline, self._headings = "", dict[int, int]()
        self._unnumbered: set[str] = set()
        self._counts: dict[int, int] = {}  # by level, of the list that is read
        self._begun: dict[str, dict[int, int]] = {}  # by the id of the list, and the last by #style
        self._shape: etree._Element | None = None  # of a slide
        self._alike: dict[int, tuple[object, int]] = {}  # on it, by level: how numbers look, and where they start
        for tree in trees:
            for style in tree.iter(f"{TEXT}list-style", f"{TEXT}outline-style"):
                name = style.get(f"{STYLE}name") or ""
                self._styles[name] = {whole(level.get(f"{TEXT}level")): level for level in style}
                self._outline = name if style.tag.endswith("outline-style") else self._outline
            said = (one for one in tree.iter(f"{STYLE}style") if one.get(f"{STYLE}list-style-name") == "")
            self._unnumbered.update(one.get(f"{STYLE}name") or "" for one in said)

    def begin(self, element: etree._Element, style: str, level: int) -> None:
        """Begin a list of `style`, at a level from 1."""
        goes_on = element.get(f"{TEXT}continue-numbering") == "true"
        if level > 1:
            first = element.getprevious() is None and element.getparent().getprevious() is None
            if not first and not goes_on and self._shape is None:
                forget_below(self._counts, level - 1)
            return
        parent = element.getparent()
        if next(element.iterancestors(f"{DRAW}page"), None) is not None:
            if parent is not self._shape:
                self._shape, self._counts, self._alike = parent, {}, {}
            return
        before = element.get(f"{TEXT}continue-list") or (f"#{style}" if goes_on else "")
        self._shape, self._counts = None, self._begun.get(before, {})
        if style == self._outline:
            self._counts = self._headings
        self._begun[element.get(_ID) or ""] = self._begun[f"#{style}"] = self._counts
        self._begun.pop("", None)

    def mark(self, item: etree._Element, style: str, level: int) -> str:
        """What stands before the next item: its number, `BULLET`, or nothing."""
        style = item.get(f"{TEXT}style-override") or style
        own = self._level(style, level)
        if self._shape is not None:
            look = tuple(own.get(f"{STYLE}num-{name}") for name in ("format", "prefix", "suffix"))
            before, start = self._alike.get(level, (None, 0))
            if before != look or start < _start(own):
                self._counts.pop(level, None)
            self._alike[level] = look, _start(own)
        said = self._next(self._counts, item, style, level)
        return f"{said}." if said.isalnum() else said  # "2" beside "pumps" would be two of them

    def number(self, heading: etree._Element, level: int) -> str:
        """The number of the next heading that stands in no list."""
        if heading.get(f"{TEXT}is-list-header") == "true" or heading.get(f"{TEXT}style-name") in self._unnumbered:
            return ""
        if heading.get(f"{TEXT}restart-numbering") == "true":
            self._headings.pop(level, None)
        said = self._next(self._headings, heading, self._outline, level)
        return "" if said == BULLET else said

    def _level(self, style: str, level: int) -> etree._Element:
        """What a style says of a level: of one that it does not know, as of the next above it."""
        levels = self._styles.get(style, {})
        return next((levels[at] for at in range(level, 0, -1) if at in levels), etree.Element("none"))

    def _next(self, counts: dict[int, int], item: etree._Element, style: str, level: int) -> str:
        own = self._level(style, level)
        for above in range(1, level if self._shape is None else 0):
            counts.setdefault(above, _start(self._level(style, above)))
        if said := item.get(_START):
            counts[level] = whole(said) - 1
        count_on(counts, level, _start(own))
        if own.tag not in _NUMBERED:
            return BULLET
        around = [own.get(f"{STYLE}num-{name}") or "" for name in ("prefix", "suffix")]
        if not own.get(f"{STYLE}num-format"):
            return "".join(around).strip() if any(map(str.isalpha, "".join(around))) else ""
        shown = range(max(1, level + 1 - whole(own.get(f"{TEXT}display-levels"))), level + 1)
        written = next((form for name, form in own.items() if name.endswith("}num-list-format")), None)
        # Words and the levels between them, by turns.
        pieces = written.split("%") if written else f"%{'%.%'.join(map(str, shown))}%".split("%")
        words, places = (
            (pieces[::2], pieces[1::2]) if written else ([around[0], *pieces[2:-1:2], around[1]], pieces[1::2])
        )
        numbers = [self._shown(style, whole(at), counts) for at in places]
        told = "".join(number + after for number, after in zip(numbers, words[1:], strict=False) if number)
        return " ".join(f"{words[0]}{told}".split())

    def _shown(self, style: str, level: int, counts: dict[int, int]) -> str:
        found = self._level(style, level)
        kind = (found.get(f"{STYLE}num-format") or "").split(",")[0] if found.tag in _NUMBERED else ""
        return counted(counts[level], kind * (1 + (found.get(f"{STYLE}num-letter-sync") == "true"))) if kind else ""


def _start(level: etree._Element) -> int:
    return whole(level.get(_START))
