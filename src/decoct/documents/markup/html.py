"""HTML: the main text of a page, with its headings and links.

1. The bytes are decoded here (server's charset, byte order mark, `<meta charset>`, see `encoding`) and made canonical, then parsed by
   lxml. A page nested deeper than its parser goes (2,048 elements) would be cut off silently: it is refused.
2. The text is taken from `<main>`, from the only `<article>`, or from the body if those hold next to nothing (pages that fill them by
   script). Elements that are no text (scripts, controls), that stand around it (navigation, footers, headers, asides of links),
   that are hidden, or that carry a class by which the usual site generators mark such parts, are left out.
3. Blocks are set off by line breaks, list items by a dash or their number, indented below their parent; what is said of a term stands
   further in, below it, or behind it where it is short and no sentence (`term: value`); tables are written as `grid` has it; white space
   folds as in a browser, except in `<pre>`. Pieces that only a style sets apart get a space. Values of fields are read, and what pictures
   show where the page says it.
4. Words struck out in a line (`<del>`, `<s>`) stand between `~~`, as a sentence without them may be false ("Was ~~110~~ 88"). Struck-out
   sentences, blocks and cells, what is hidden, and blocks with `aria-hidden` are left out, and their count told in the metadata.

What is left out is told in `boilerplate`, how the title is chosen in `titles`, and how 2<sup>64</sup> stays 2^64 in `formulas`.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from decoct.data import Document, Link
from decoct.documents.base import Source, left_out, size
from decoct.documents.canonical import canonical, one_line
from decoct.documents.encoding import decoded
from decoct.documents.markup.boilerplate import HEADINGS, IN_LINE, NO_TEXT, Around, is_unshown
from decoct.documents.markup.formulas import SCRIPTS, in_line, leads_to_note, note_number
from decoct.documents.markup.htmlfields import (
    FIELDS,
    ListCounter,
    drawing,
    field_value,
    name_of_sign,
    picture,
    words_of,
)
from decoct.documents.markup.htmlstyle import UNMARKED, heed_styles
from decoct.documents.markup.htmltable import CELLS, PARTS, TableWalk, name_roles
from decoct.documents.office.symbols import tick_box
from decoct.documents.prose import CELL, LINE, PARAGRAPH, SPACE, Prose, leads_elsewhere
from decoct.documents.text import declared_charset
from decoct.documents.titles import page_title
from decoct.errors import ParseError
from decoct.text.struck import as_struck
from decoct.text.wholes import FIELD

_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REWRITTEN = [
    (re.compile(pattern, re.DOTALL), shown)
    for pattern, shown in (
        (r'<ac:parameter\b[^>]*ac:name="title"[^>]*>(.*?)</ac:parameter>', r"<p>\1</p>"),
        (r"<ac:(parameter|task-id|task-uuid)\b[^>]*>.*?</ac:\1>", ""),
        (r"<ac:task-status>complete</ac:task-status>", tick_box(ticked=True) + " "),
        (r"<ac:task-status>.*?</ac:task-status>", tick_box(ticked=False) + " "),
        (r"<(/?)ac:task>", r"<\1li>"),
        (r"<(/?)ac:task-list>", r"<\1ul>"),
        (r"<(/?)ac:plain-text-body>", r"<\1pre>"),
        (r'<time datetime="([^"]*)"\s*(?:/>|></time>)', r"\1"),
        (
            r'<ac:link\b[^>]*>\s*<ri:\w+\b[^>]*?ri:(?:content-title|filename|username)="([^"]*)"[^>]*/>\s*</ac:link>',
            r"\1",
        ),
        (r"</?(?:ac|ri):(?:link|link-body|plain-text-link-body|task-body|image|attachment|page)\b[^>]*>", ""),
        (r"<(/?)(?:ac|ri):[\w-]+[^>]*?(/?)>", r"<\1div>"),
    )
]
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""", re.I
)
_TAG = re.compile(r"""<[a-zA-Z](?:[^"'>]++|"[^"]*"|'[^']*')*+""")
_QUOTED = re.compile(r"""\"[^"]*"|'[^']*'""")
_ATTRIBUTE = re.compile(r"[\s/=]+")
_MOST_WORK = 10**9  # comparisons: some seconds, and far beyond any page that a person made
_BELOW_TERM = "    "
_LONGEST_VALUE = 60  # characters of what stands beside its term
_SHELL = 200  # characters: a main element with less is one that a script would fill
_PARAGRAPHS = frozenset(
    "p div section article main blockquote pre table ul ol dl figure figcaption address form fieldset details header footer aside hr "
    "h1 h2 h3 h4 h5 h6 body caption nav".split()
)
_LINES = frozenset("li tr dt dd summary option legend".split())
_HOLDS = frozenset({"td", "th", "dd", "dt", "li"})
_SIGNS = frozenset({"i", "span", "b", "em"})  # what icons are made of
_LISTS = frozenset({"ol", "ul", "menu"})
_LAID_OUT = frozenset({"div", "p", "li", "dt", "dd", "td", "th", "a", "label", "summary"})
_JOINS = frozenset(" \t\n()[]{}.,;=/_'\"")
_DISPLAYED = re.compile(r"display\s*:\s*(inline-|table-cell|block|flex|grid|table|list-item)", re.I)
_STRUCK = frozenset({"del", "s", "strike"})


def parse(source: Source, linked: Callable[[str], str] = lambda _: "") -> Iterator[Document]:
    """Yield the one document of a page; `linked` gives the text of a style sheet by its address."""
    data = source.read()
    if len(data) > source.limits.text_characters:  # as a tree in memory it is ten times as large
        raise ParseError(f"it is larger than the limit of {size(source.limits.text_characters)} for HTML: split it")
    text, notes = decoded(data, declared_charset(source) or charset(data))
    tree = page_tree(as_page(canonical(text)), linked)
    page = main_page(tree)
    yield page.prose.document(source, page_title(tree, page.title), {**notes, **left_out(page.left_out)})


def charset(data: bytes) -> str:
    """The encoding that a page declares in its first 4 KB, or the empty string."""
    found = _CHARSET.search(data[:4096])
    return (found[1] or found[2]).decode("ascii", "ignore") if found else ""


def _guard(text: str) -> None:
    """Refuse tags of so many attributes that libxml2, which compares each with all others, would take minutes."""
    work = 0
    for tag in _TAG.finditer(text):
        if tag.end() - tag.start() > 1_000:
            work += len(_ATTRIBUTE.findall(_QUOTED.sub("", tag[0]))) ** 2
    if work > _MOST_WORK:
        raise ParseError("its tags have too many attributes to be read: save the page as text")


def page_tree(text: str, linked: Callable[[str], str] = lambda _: "") -> Any:  # noqa: ANN401 - lxml has no types
    """The tree of a page, its styles told by its elements; `ParseError` if it holds nothing, or cannot be read whole."""
    _guard(text)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    try:
        tree = etree.fromstring(text.encode(), parser)
    except (etree.LxmlError, ValueError) as error:
        raise ParseError("it is not HTML that can be read, or empty") from error
    if tree is None:
        raise ParseError("it holds no text")
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise ParseError("its elements are nested too deeply to be read: save the page as text")
    name_roles(tree)
    heed_styles(tree, linked)
    return tree


def main_page(tree: Any) -> Page:  # noqa: ANN401
    """The page, its main text written."""
    mains = tree.xpath("//main | //*[@role='main']") or tree.xpath("//article[not(ancestor::article)]")
    body = tree.find(".//body")
    body = tree if body is None else body
    around = Around(tree)
    for root, beside in [(root, around) for root in mains[:1] if len(mains) == 1] + [(body, around), (body, None)]:
        page = Page(beside, inside=root is not body)
        page.write(root)
        if page.prose.length >= _SHELL or (root is body and page.prose.length):
            break
    return page


class Page:
    """Walks the tree without recursion, writing as it goes. `around` knows what to leave out; without it everything is written."""

    def __init__(self, around: Around | None = None, *, inside: bool = True, prose: Prose | None = None) -> None:
        self.prose = prose or Prose()
        self.title = ""
        self._around = around
        self._inside = int(inside)
        self._pre = 0
        self._opens = False
        self._marks: list[int] = []
        self._item = ""
        self.left_out: Counter[str] = Counter()
        self._lists: list[ListCounter | None] = []
        self._tables = TableWalk(None)
        self._worded: dict[Any, bool] = {}
        self._lays_out: dict[Any, bool] = {}
        self._tabs: dict[str, str] = {}  # what buttons say, by their ids

    def write(self, root: Any) -> None:  # noqa: ANN401
        """Write everything below `root`."""
        self._tables = TableWalk(root)
        self._tabs = {one.get("id"): words_of(one) for one in root.getroottree().iter("button") if one.get("id")}
        walk = etree.iterwalk(root, events=("start", "end", "comment"))
        skipped = None
        for event, element in walk:
            if event == "start":
                if element is not root and self._dropped(element):
                    skipped = element
                    walk.skip_subtree()
                elif (said := self._as_text(element)) is not None:
                    skipped = element
                    walk.skip_subtree()
                    # drawn as a box of its own
                    apart = element.tag in FIELDS or (element.tag in ("svg", "img") and said)
                    if apart:
                        self.prose.gap(SPACE)
                    self._say(said)
                    if apart:
                        self.prose.gap(SPACE)
                else:
                    self._start(element)
            else:
                if event == "end" and element is not skipped:
                    self._end(element)
                if element is not root:
                    self._say(element.tail)

    def _dropped(self, element: Any) -> bool:  # noqa: ANN401
        if element.tag in NO_TEXT and element.tag not in FIELDS and element.tag != "svg" and not _is_formula(element):
            return True
        if element.tag in _STRUCK or "line-through" in element.get("style", ""):
            said = self._struck(element)
            self._say(said)
            self.left_out["struck-out text"] += not said
            if element.tag not in CELLS:
                return True
            element[:], element.text = [], None  # the cell stays
        if self._around is None or not self._around.holds(element, inside=self._inside > 0):
            return False
        self.left_out["blocks hidden from screen readers"] += (
            element.get("aria-hidden") == "true" and element.tag in _PARAGRAPHS and bool(words_of(element))
        )
        self.left_out["hidden text"] += is_unshown(element) and bool(words_of(element))
        return True

    def _struck(self, element: Any) -> str:  # noqa: ANN401
        """What is struck out in a line beside what holds; of cells, headings and blocks only what holds is told."""
        beside = element.getnext() is not None or self._beside_words(element)
        inline = element.tag not in PARTS and element.tag not in _PARAGRAPHS and element.getparent().tag not in HEADINGS
        return as_struck("".join(element.itertext())) if beside and inline and not self.prose.in_one_line else ""

    def _as_text(self, element: Any) -> str | None:  # noqa: ANN401
        """What is said for an element as a whole; None for one whose parts are read."""
        tag = element.tag
        if tag in SCRIPTS or tag == "math":
            return in_line(element, self.prose.last, starts=self.prose.starts)
        if tag == "a" and leads_to_note(element):
            return note_number("".join(element.itertext()))
        if tag in FIELDS:
            return field_value(element)
        if tag == "svg":
            return drawing(element) or (f" {name_of_sign(element)} " if _in_cell(element) else "")
        if tag == "script":
            return f"${one_line(element.text or '')}$"
        return picture(element, beside=self._beside_words(element)) if tag == "img" else self._sign(element)

    def _sign(self, element: Any) -> str | None:  # noqa: ANN401
        """The name of an icon without words that is not to be clicked; None for other elements."""
        tag = element.tag
        if tag not in _SIGNS or len(element) or (element.text or "").strip():
            return None
        name = name_of_sign(element)
        self.left_out["signs without words"] += tag == "i" and not name and _in_cell(element)
        return f" {name} " if next(element.iterancestors("a", "button"), None) is None else None

    def _beside_words(self, element: Any) -> bool:  # noqa: ANN401
        """Whether words stand beside an element in the same parent, looked up once a parent."""
        parent = element.getparent()
        if parent not in self._worded:
            said = (parent.text, *(child.tail for child in parent)) if parent is not None else ()
            self._worded[parent] = any((words or "").strip() for words in said)
        return self._worded[parent]

    def _start(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        if (prose := self._tables.begin(element, self.prose)) is not None:
            self.prose = prose
            self._say(element.text)
            return
        self._gap(element, opens=True)
        if element.get("role") == "tabpanel" and (label := self._panel_label(element)):
            self.prose.paragraph(label)
            self.prose.gap(PARAGRAPH)
        if tag == "dd" and not _beside_term(element):
            self.prose.margin += _BELOW_TERM
        elif tag == "pre":
            self._pre += 1
            self._opens = True
        elif tag in ("article", "main"):
            self._inside += 1
        elif tag in _LISTS:
            marked = tag == "ol" and not UNMARKED.search(element.get("style", ""))
            self._lists.append(ListCounter(element) if marked else None)
        elif tag == "li":
            self._begin_item(element)
        elif tag == "tab":  # as OpenDocument's set columns
            self.prose.next_cell()
        elif tag == "br":
            self.prose.gap(LINE)
        if tag in HEADINGS or tag == "a":
            self._marks.append(self.prose.mark())
        self._say(_marks_around(element)[0])
        self._say(element.text)

    def _panel_label(self, panel: Any) -> str:  # noqa: ANN401
        """What the tab of a panel says, where it is a button, whose words are no text of a page; else the panel's name."""
        tab = self._tabs.get(panel.get("aria-labelledby", ""))
        return one_line(panel.get("aria-label", "")) if tab is None else tab

    def _begin_item(self, element: Any) -> None:  # noqa: ANN401
        counted = self._lists[-1] if self._lists else None
        mark = counted.next(element) if counted is not None else "-"
        mark = "" if mark == "-" and self.prose.in_one_line else mark
        self._item = f"{'  ' * (len(self._lists) - 1)}{mark} " if mark else ""

    def _end(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        if (prose := self._tables.end(element, self.prose)) is not None:
            self.prose = prose
            return
        self._say(_marks_around(element)[1])
        if tag == "dd" and not _beside_term(element):
            self.prose.margin = self.prose.margin.removesuffix(_BELOW_TERM)
        elif tag in HEADINGS or tag == "a":
            found = self.prose.since(self._marks.pop())
            target = (element.get("href") or "").strip() if tag == "a" else ""
            if found and tag in HEADINGS:
                self.prose.heading(found, int(tag[1]))
                if tag == "h1" and not self.title:
                    self.title = one_line(self.prose.text[slice(*found)])
            elif found and leads_elsewhere(target):
                self.prose.links.append(Link(*found, one_line(target)))
        elif tag == "pre":
            self._pre -= 1
        elif tag == "li":
            self.prose.put(self._item.strip() if self.prose.in_one_line else "")  # a cell of a number alone
            self._item = ""
        elif tag in _LISTS:
            self._lists.pop()
        elif tag in ("article", "main"):
            self._inside -= 1
        self._gap(element, opens=False)

    def _gap(self, element: Any, *, opens: bool) -> None:  # noqa: ANN401
        tag = element.tag
        if self._pre and tag in _PARAGRAPHS and tag != "pre":  # code that is marked line by line
            self.prose.gap(LINE)
        elif tag == "p" and _alone(element, opens=opens):
            return
        elif tag in _LISTS and self._lists:  # a list within an item
            self.prose.gap(LINE)
        elif tag in _PARAGRAPHS and not self._item:  # a paragraph that begins an item stands beside its dash
            self.prose.gap(PARAGRAPH)
        elif tag == "dt" and not opens and (mark := _beside_term(element.getnext())):
            self.prose.close(mark.rstrip())
        elif tag == "dd" and opens and _beside_term(element):
            self.prose.gap(SPACE)
        elif tag in _LINES:
            self.prose.gap(LINE)
        elif tag in CELLS:
            self.prose.gap(CELL)
        elif not self._pre:
            self.prose.gap(self._set_apart(element, element.getprevious() if opens else element))

    def _set_apart(self, element: Any, before: Any) -> str:  # noqa: ANN401
        """The gap on one side of words that their style sets apart from those beside them; none before a mark. It is behind `before`."""
        if found := _DISPLAYED.search(element.get("style", "")):
            return SPACE if found[1].lower() in ("inline-", "table-cell") else LINE
        parent = element.getparent()
        if element.tag not in IN_LINE or parent is None:
            return ""
        if parent not in self._lays_out:
            self._lays_out[parent] = _lays_out(parent)
        behind = ((before.tail if before is not None else parent.text) or "").lstrip()[:1]
        apart = self._lays_out[parent] or element.tag == "label" or element.get("aria-hidden")
        return SPACE if apart and (behind.isalnum() or not behind) else ""

    def _say(self, text: str | None) -> None:
        if not text:
            return
        if self._item and text.strip():
            self.prose.lead(self._item.lstrip() if self.prose.in_one_line else self._item)
            text, self._item = text.lstrip(), ""
        if self._pre:
            # The line break after <pre> is not shown.
            self.prose.verbatim(text.lstrip("\n") if self._opens else text)
            self._opens = self._opens and not text.strip("\n")
        else:
            self.prose.say(text)


def _lays_out(block: Any) -> bool:  # noqa: ANN401
    """Whether all that a block holds are pieces without a space or a sign of code at their ends, as where its style sets them apart."""
    if block.tag not in _LAID_OUT or any(piece.tag not in IN_LINE for piece in block):
        return False
    said = [words for piece in block if (words := "".join(piece.itertext()))]
    apart = len(said) > 1 and not any(
        one[0] in _JOINS or one[-1] in _JOINS or (len(one) == 1 and one.isalpha()) for one in said
    )
    text = (block.text, *(piece.tail for piece in block))
    return (
        apart
        and not any(map(str.strip, filter(None, text)))
        and (block.tag != "p" or all(piece.get("class") for piece in block))
    )


def _marks_around(element: Any) -> tuple[str, str]:  # noqa: ANN401
    """What a browser puts around the words of an element; before a term's kind, by docutils, a colon."""
    if element.tag == "span" and element.get("class") == "classifier":
        return " : ", ""
    return ("“", "”") if element.tag == "q" else ("(", ")") if _is_reading(element) else ("", "")


def _is_formula(element: Any) -> bool:  # noqa: ANN401
    """Whether it is a formula in TeX that a script would draw, and did not."""
    before = element.getprevious()
    drawn = before is not None and "MathJax" in (before.get("class") or "") and bool(words_of(before))
    return element.tag == "script" and (element.get("type") or "").startswith("math/tex") and not drawn


def _is_reading(element: Any) -> bool:  # noqa: ANN401
    """Whether it says how the words before it are read, without the brackets that a page may set around it."""
    return element.tag == "rt" and all(
        one is None or one.tag != "rp" for one in (element.getprevious(), element.getnext())
    )


def _in_cell(element: Any) -> bool:  # noqa: ANN401
    return next(element.iterancestors(*CELLS), None) is not None


def _beside_term(part: Any) -> str:  # noqa: ANN401
    """The mark between a term and what is said of it in the same line: the one value of one term, short and no sentence; else ""."""
    term, after = (part.getprevious(), part.getnext()) if part is not None and part.tag == "dd" else (None, None)
    if (
        term is None
        or term.tag != "dt"
        or any(child.tag in _PARAGRAPHS | _LINES for child in part if not _is_all(child))
    ):
        return ""
    name, value = (" ".join("".join(one.itertext()).split()) for one in (term, part))
    mark = " " if name.endswith(":") else ": "
    if "docinfo" in (part.getparent().get("class") or "").split():  # docutils' bibliographic fields
        return mark
    before = term.getprevious()
    several = (before is not None and before.tag == "dt") or (after is not None and after.tag == "dd")
    short = len(value) <= _LONGEST_VALUE and value[-1:] not in ".!?:" and FIELD.fullmatch(f"{name}{mark}{value}")
    return mark if short and not several else ""


def _is_all(paragraph: Any) -> bool:  # noqa: ANN401
    """Whether a paragraph is all that its cell, item or definition holds."""
    return paragraph.tag == "p" and _alone(paragraph, opens=True) and _alone(paragraph, opens=False)


def _alone(paragraph: Any, *, opens: bool) -> bool:  # noqa: ANN401
    """Whether a paragraph begins a cell or item, or is all that it holds: then it makes no gap of its own there."""
    parent = paragraph.getparent()
    if parent is None or parent.tag not in _HOLDS or paragraph.getprevious() is not None or (parent.text or "").strip():
        return False
    return opens or (paragraph.getnext() is None and not (paragraph.tail or "").strip())


def as_page(text: str) -> str:
    """A page in HTML for one of the storage format; any other text as it is."""
    if "<ac:" not in text:
        return text
    text = _CDATA.sub(lambda found: html.escape(found[1]), text)
    for pattern, shown in _REWRITTEN:
        text = pattern.sub(shown, text)
    return text
