"""XML: DocBook, Mallard, JATS, TEI, DITA, and any other by its shape; markup is never stored as prose.

Elements are known by their local names, which these vocabularies share to a great part: titles become headings, paragraphs and items
blocks, cells stand between bars, listings keep their lines. What only describes the document (credits, licences, the header of TEI) is
passed over. In a vocabulary that is not known, an element that holds only text is a line `name: text`, as are attributes, and what
holds several a paragraph below its name, so that records of data can be asked about; elements among words are words.

Entities that a file declares are resolved, within libxml2's limits; nothing outside the file is read, and what would be is refused.
"""

from __future__ import annotations

import html
import plistlib
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice

from lxml import etree

from decoct.data import Document
from decoct.documents.base import Source, left_out, size
from decoct.documents.canonical import canonical, one_line
from decoct.documents.encoding import decoded
from decoct.documents.markup.formulas import in_line
from decoct.documents.markup.html import main_page, page_tree
from decoct.documents.markup.html import parse as parse_page
from decoct.documents.markup.htmlfields import OF_CLASS, ListCounter, drawing, words_of
from decoct.documents.office.odf import flat_document
from decoct.documents.office.odf_page import FLAT
from decoct.documents.office.symbols import tick_box
from decoct.documents.prose import CELL, LINE, PARAGRAPH, SPACE, Prose
from decoct.documents.tables.markup_table import TABLES, local_name, table_grid, table_rows
from decoct.documents.tables.records import as_lines
from decoct.documents.tables.spreadsheet_xml import WORKBOOK, write_workbook
from decoct.errors import ParseError

_DECLARED = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"'][^>]*\?>")
_PROLOG = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[(.*?)\]\s*)?>", re.DOTALL)
_NAMED = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;)([A-Za-z_][\w.:-]*);")
_ENTITY = re.compile(r"<!ENTITY\s+(?:%\s+)?([\w.:-]+)")
_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9-]*>|<(?:br|img|hr|p)\b[^<>]*>", re.IGNORECASE)
_PROSE = frozenset("p para simpara section sect1 chapter sec div topic tgroup taskbody conbody refbody".split())
_TITLES = frozenset("title head article-title book-title".split())
_SHOWN = _TITLES | {"abstract", "annotation"}  # of what describes a document
_BREAKS = {"lb": SPACE, "br": LINE, "break": LINE, "sbr": LINE}
_REFERENCES = frozenset("element-citation bibl biblioentry bibliomixed biblioset analytic monogr product".split())
_SECTIONS = frozenset(
    "section sect1 sect2 sect3 sect4 sect5 chapter part appendix preface sec div topic article book refentry refsect1 refsect2".split()
)
_BLOCKS = _SECTIONS | frozenset(
    "p para simpara formalpara refnamediv refsynopsisdiv cmdsynopsis "
    "abstract quote-block blockquote note tip warning caution important table informaltable figure list "
    "itemizedlist orderedlist variablelist dl danger simpletable properties choicetable tbl "
    "steps step procedure context prereq postreq result shortdesc choices body text front back screen programlisting literallayout "
    "preformat codeblock code-block example glossary lg poem stanza epigraph cite sp ab caption synopsis".split()
)
_ROOTS = _BLOCKS | frozenset("tei teicorpus fictionbook page concept task reference map bookmap set opml".split())
_LINES = frozenset(
    "item listitem li list-item row tr l v verse-line text-author term member dt dd dlentry varlistentry def-item ref bibl biblioentry "
    "glossentry subtitle seglistitem stepxmp stepresult tutorialinfo".split()
)
_CELLS = frozenset("entry td th cell".split())
_VERBATIM = frozenset("screen programlisting literallayout preformat codeblock synopsis".split())
_ITEMS = frozenset("item listitem li list-item".split())
_STEPS = frozenset("step substep".split())
_LISTS = frozenset("list itemizedlist orderedlist ol ul procedure substeps steps steps-unordered choices".split())
_NUMBERED = frozenset("orderedlist ol procedure substeps steps".split())
_KINDS = {**OF_CLASS, "roman-lower": "i", "roman-upper": "I", "alpha-lower": "a", "alpha-upper": "A"}
_ADMONITIONS = frozenset("note tip warning caution important danger".split())  # whose readers see what they are
_PRESSED, _CHOSEN = ("keycombo", "keyseq"), ("menuchoice", "guiseq")
_FOOTNOTES, _STRUCK = ("fn", "footnote"), frozenset({"del", "strike", "strikethrough", "line-through"})
_SCRIPTS = {"sup": "sup", "superscript": "sup", "sub": "sub", "subscript": "sub"}
_READINGS = (
    frozenset({"corr", "reg", "expan"}),
    frozenset({"sic", "orig", "abbr"}),
)  # of TEI's choices: as corrected, as written
# What holds words, so that nothing stands between elements in it but what is written.
_WORDS = frozenset(
    "p para simpara title head l seg w ab hi emph emphasis bold italic b i term literal code command option filename entry td th cell "
    "article-title mixed-citation line phrase quote ph date num measure foreign named-content styled-content".split()
)
_ABOUT = frozenset(
    "info articleinfo bookinfo sectioninfo chapterinfo teiheader journal-meta article-id article-categories permissions prolog "
    "refentryinfo refmeta indexterm remark fw draft-comment required-cleanup processing-instruction binary "
    "title-info src-title-info document-info publish-info custom-info".split()
)
_MALLARD = "{http://projectmallard.org/"
_TEI = "{http://www.tei-c.org/"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_TODO = re.compile(r"<en-todo\b([^>]*)>(?:</en-todo>)?")  # of Evernote
_NUMBERS_TOUCH = re.compile(r"(?<=\d)\0+(?=\d)")


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an XML file."""
    data = source.read()
    if len(data) > source.limits.text_characters:  # as a tree in memory it is ten times as large
        raise ParseError(f"it is larger than the limit of {size(source.limits.text_characters)} for XML: split it")
    declared = _DECLARED.match(data[:300].decode("latin-1").lstrip("\ufeffï»¿"))
    text, notes = decoded(data, declared[1] if declared else "")
    if "<ac:" in text:  # a page of Confluence, whose prefixes nobody declares
        yield from parse_page(source)
        return
    root = _root(text)
    if local_name(root) == "html":
        yield from parse_page(source)
        return
    if root.tag == FLAT:
        yield flat_document(source, root)
        return
    if root.tag == WORKBOOK:
        prose = Prose()
        told = {**notes, **left_out(write_workbook(root, prose))}
        yield prose.document(source, one_line(root.findtext("{*}DocumentProperties/{*}Title") or ""), told)
        return
    _rejoin(root)
    if local_name(root) == "svg":
        said = [words_of(one) for one in root.iterfind("{*}desc")]
        yield source.document("\n".join([*said, drawing(root)]), _title(root), notes)
        return
    if root.tag == "plist":
        for one in root.iter("date"):  # told as it is written
            one.tag = "string"
        value = plistlib.loads(etree.tostring(root))
        told = {**notes, **left_out({"encoded data": sum(1 for _ in root.iter("data"))})}
        yield source.document(as_lines(value if isinstance(value, dict) else {"value": value}), metadata=told)
        return
    if root.tag == "opml":
        _as_list(root)
    foreign = local_name(root) not in _ROOTS
    known = root.tag == "opml" or any(
        local_name(one) in _PROSE and not str(one.tag).startswith(_XHTML) and not _is_record(one)
        for one in root.iter(etree.Element)
        if not (foreign and _is_value(one) and any(map(_told_attributes, one.iterancestors())))
    )
    writer = _Writer(known=known, foreign=foreign)
    writer.write(root, 0)
    if not writer.prose.length:  # a header alone, of a catalogue
        writer = _Writer(known=False)
        writer.write(root, 0)
    prose = writer.prose
    author = next((_author(element) for element in root.iter(etree.Element) if local_name(element) in _ABOUT), "")
    told = {**notes, **({"author": author} if author else {}), **left_out(writer.left_out)}
    yield source.document(canonical(prose.text), _title(root), told, headings=prose.headings, levels=prose.levels)


def _as_list(opml: etree._Element) -> None:
    """Make the outline of an OPML file a list of lists; its head a title."""
    for one in list(opml.iter("outline")):
        kept = [one.get(name) for name in ("text", "title", "_note", "url", "xmlUrl")]
        one.text = ": ".join(dict.fromkeys(filter(None, kept)))
        inner = etree.Element("list")
        inner.extend(list(one))
        one[:], one.tag = [inner] if len(inner) else [], "item"
        one.attrib.clear()
    for name, tag in (("body", "list"), ("head", "info")):
        for one in opml.iterfind(name):
            one.tag = tag


def _author(about: etree._Element) -> str:
    """The author that is named among what describes a document; empty where none is."""
    found = next((element for element in about.iter(etree.Element) if local_name(element) == "author"), None)
    if found is None:
        return ""
    parts = ("firstname", "first-name", "givenname", "given-names", "surname", "last-name")
    names = [one for one in found.iter(etree.Element) if local_name(one) in parts]
    return one_line(" ".join(" ".join(one.itertext()) for one in names or [found]))[:300]


def _root(text: str) -> etree._Element:
    text = _PROLOG.sub("", text)
    # A document has one: where it never ends, no other is looked for.
    kind = _DOCTYPE.match(text, max(0, text.find("<!DOCTYPE")))
    declared = frozenset(_ENTITY.findall(kind[1] or "")) if kind else frozenset[str]()
    if kind and not declared:  # nothing can be declared any more
        text = text[: kind.start()] + text[kind.end() :]
    text = _NAMED.sub(
        lambda name: name[0] if name[1] in declared else html.unescape(name[0]).replace("&", "&amp;"), text
    )
    try:
        parser = etree.XMLParser(
            resolve_entities="internal", no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
        )
        return etree.fromstring(canonical(text).strip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ParseError(_problem(error)) from error


def _problem(error: etree.XMLSyntaxError) -> str:
    """Why XML is refused: an entity of another file, entities that grow, or damage."""
    if error.code in (etree.ErrorTypes.ERR_UNDECLARED_ENTITY, etree.ErrorTypes.WAR_UNDECLARED_ENTITY):
        return f"it takes in another file (&{error.msg.split(chr(39))[1]};), which is not read: save it as one file"
    if "entity" in error.msg:
        return "it uses entities that grow without end, as an entity bomb does: save it without them"
    return f"its XML is damaged at line {error.lineno}: save it again"


def _counter(element: etree._Element, name: str) -> ListCounter | None:
    """Counts the items of a list that has numbers; None for another."""
    kind = element.get("numeration") or element.get("list-type") or element.get("type") or element.get("rend") or ""
    order, _, kind = kind.rpartition(":")
    if name not in _NUMBERED and kind not in _KINDS and not {order, kind} & {"order", "ordered", "numbered"}:
        return None
    if any(local_name(one) in ("label", "number") for item in element for one in item):  # each says its own
        return None
    page = etree.Element(
        "ol", type=_KINDS.get(kind, "1"), start=element.get("startingnumber") or element.get("start") or "1"
    )
    return ListCounter(page)


def _admonition(element: etree._Element, name: str) -> str:
    """What readers see above a warning or a note that has no title; empty for other elements, and for notes that are words of a text."""
    kind = (element.get("type") or name) if name in _ADMONITIONS else ""
    inside = [local_name(inner) for inner in element] if kind else []
    blocks = name != "note" or element.get("type") in _ADMONITIONS or (inside and not (element.text or "").strip())
    return kind if kind in _ADMONITIONS and blocks and not _TITLES & set(inside) else ""


def _reading(choice: etree._Element) -> etree._Element | None:
    """What of TEI's choices is read: as corrected and in full."""
    return next((one for names in _READINGS for one in choice if local_name(one) in names), None)


def _shown_as(element: etree._Element, name: str) -> list[str]:
    """Its name, and of highlighted words the names of how they are set."""
    if name not in ("hi", "emphasis", "phrase"):
        return [name]
    said = " ".join(element.get(key) or "" for key in ("rend", "rendition", "role"))
    return [name, *said.replace(":", " ").replace("#", " ").split()]


def _signature(prototype: etree._Element) -> str:
    """A function of DocBook with what it takes in brackets, as readers see it."""
    signs = {"void": "void", "varargs": "..."}
    parts = [
        one_line("".join(one.itertext())) or signs.get(local_name(one), "")
        for one in prototype.iterchildren(etree.Element)
    ]
    return f"{parts[0]}({', '.join(filter(None, parts[1:]))})" if parts else ""


def _menu_words(element: etree._Element) -> str:
    """Words; keys as they are pressed together, a way through menus, and the keys for it in brackets."""
    name = local_name(element)
    if name in _CHOSEN:
        keys = [f" ({_menu_words(one)})" for one in element if local_name(one) == "shortcut"]
        return " → ".join(
            filter(None, (_menu_words(one) for one in element if local_name(one) != "shortcut"))
        ) + "".join(keys)
    parts = [element.text or "", *(said for inner in element for said in (_menu_words(inner), inner.tail or ""))]
    return "+".join(filter(None, map(one_line, parts))) if name in _PRESSED else "".join(parts).strip()


def _rejoin(root: etree._Element) -> None:
    """Put words together that the end of a line of the original divides."""
    for one in root.iter("{*}lb"):
        before = one.getprevious()
        said = ((one.getparent().text if before is None else before.tail) or "").rstrip()
        if said[-1:] in ("-", "¬") and said[-2:-1].isalpha() and (one.tail or "").lstrip()[:1].islower():
            one.tail = one.tail.lstrip()
            one.set("break", "no")
            if before is None:
                one.getparent().text = said[:-1]
            else:
                before.tail = said[:-1]


def _among_words(element: etree._Element) -> bool:
    return any(local_name(one) in _WORDS for one in (element, *element.iterancestors()))


def _said_in(element: etree._Element) -> list[str]:
    """The words that stand in an element, before and behind each element in it; none where all are blank."""
    said = [(words or "").strip() for words in (element.text, *(inner.tail for inner in element))]
    return said if any(said) else []


def _stands_alone(element: etree._Element) -> bool:
    around = element.getparent()
    return around is not None and not _among_words(around) and not _said_in(around)


def _is_record(element: etree._Element) -> bool:
    """Whether it holds nothing but values, as an element named `p` may in data."""
    values = len(element) > 1 and all(not len(inner) and local_name(inner) not in _WORDS for inner in element)
    return values and not _said_in(element)


def _is_value(element: etree._Element) -> bool:
    """Whether it holds words alone, and no sentence."""
    said = (element.text or "").strip()
    return not len(element) and bool(said) and not said.endswith((".", "!", "?", ":", "…", "。"))


def _is_sentence(element: etree._Element) -> bool:
    """Whether each element in it stands beside words, or alone, so that no two values touch."""
    said = _said_in(element)
    return (len(element) < 2 or any(said)) and all(
        (len(element) == 1 or any(said[at : at + 2])) and _is_sentence(inner) for at, inner in enumerate(element)
    )


def _told_attributes(element: etree._Element) -> list[tuple[str, str]]:
    """The names and values of its attributes, but those of XML itself; its language where that of the element beside it is another."""
    own = (
        (key, value.strip()) for key, value in element.attrib.items() if not str(key).startswith("{http://www.w3.org/")
    )
    told = [(etree.QName(key).localname, value) for key, value in own if value]
    lang, beside = element.get(_LANG, ""), (element.getprevious(), element.getnext())
    other = any(one is not None and one.get(_LANG, lang) != lang for one in beside)
    return [*told, ("lang", lang)] if lang and other else told


def _begins_group(element: etree._Element, around: etree._Element, *, repeated: bool) -> bool:
    """Whether an element of data holds several values, and stands in no group, alone in one, or as a record beside others of its name."""
    if _said_in(element):
        return False
    values = (said for one in element.iter(etree.Element) for said in (one.text, *one.attrib.values()))
    several = sum(1 for _ in islice(filter(None, (said and said.strip() for said in values)), 2)) > 1
    above = element.getparent()
    top = above is around and (around.getparent() is None or len(around) == 1)
    return several and (top or (repeated and len(element) > 0))


def _holds_fields(element: etree._Element, name: str) -> bool:
    """Whether elements stand in the elements that it holds, and words in none but the last: an author, an address."""
    return (
        not _among_words(element)
        and any(len(inner) for inner in element)
        and not any(local_name(one) in _BLOCKS or (one.tail or "").strip() for one in element.iter(etree.Element))
    )


def _title(root: etree._Element) -> str:
    """The first title, or what a page of a manual is about."""
    titles = _TITLES | {"refname"} if local_name(root) == "refentry" else _TITLES
    own = root.find("{*}title")
    found = (
        next(
            (
                one
                for one in root.iter(etree.Element)
                if local_name(one) in titles and not any(local_name(inner) in titles for inner in one.iterdescendants())
            ),
            None,
        )
        if own is None
        else own
    )
    if found is None:
        return ""
    lines = list(found) if len(found) and all(local_name(one) == "p" for one in found) else [found]
    return one_line(" ".join("".join(line.itertext()) for line in lines))[:300]


class _Writer:
    """Writes a tree; `known`: it is of prose, and not of data; `foreign`: of a vocabulary whose attributes nobody knows."""

    def __init__(self, *, known: bool, foreign: bool = False) -> None:
        self.prose = Prose()
        self._known, self._foreign = known, foreign
        self.left_out: Counter[str] = Counter()
        self._group: etree._Element | None = None  # of data: whose values are being written
        self._begun = False  # the dash of an item was written, and nothing behind it
        self._lists: list[ListCounter | None] = []

    def write(self, element: etree._Element, depth: int) -> None:
        """Write an element and what it holds; `depth` counts the sections around it."""
        name = "li" if local_name(element.getparent()) == "choices" else local_name(element)
        mallard = str(element.tag).startswith(_MALLARD)
        about = self._known and name in _ABOUT and local_name(element.getparent()) not in _STEPS  # whose info is text
        if about or (mallard and name == "comment"):
            if not mallard:  # whose titles there are those of links
                self._titles_of(element, depth)
            return
        if self._known:
            self._write_prose(element, name, depth)
        else:
            self._write_data(element, (element, ""))

    def _titles_of(self, element: etree._Element, depth: int) -> None:
        """The title and the abstract that stand among what describes a document, which its readers see."""
        for inner in element if isinstance(element.tag, str) else ():
            if local_name(inner) in _SHOWN:
                self._write_prose(inner, local_name(inner), depth)

    def _as_words(self, element: etree._Element, name: str) -> str | None:
        """What is said for an element as a whole, so that a power, a reference or a correction stays apart; None for others."""
        shown = _shown_as(element, name)
        kind = next((_SCRIPTS[word] for word in shown if word in _SCRIPTS), None)
        note = name == "xref" or (name == "a" and element.get("type") == "note")
        if note or (kind and any(local_name(one) in ("xref", "footnoteref") for one in element.iter(etree.Element))):
            said = one_line("".join(element.itertext()))
            touches = self.prose.last not in ("", *"([{/–-")
            return f" ({said})" if said.isalnum() and touches else None if note else f" {said}"
        if name in ("date", "pub-date") and {local_name(one) for one in element} <= {"year", "month", "day"}:
            parts = (one_line(element.findtext(f"{{*}}{part}") or "") for part in ("year", "month", "day"))
            kind = element.get("date-type") or element.get("pub-type")
            written = "-".join(part.zfill(2) for part in parts if part) or one_line("".join(element.itertext()))
            return written and f"{kind}: " * bool(kind) + written
        if kind or name == "math":
            page = deepcopy(element)
            page.tail = None
            for one in page.iter(etree.Element):
                one.tag = local_name(one)
            page.tag = kind or "math"
            return in_line(page, self.prose.last, starts=self.prose.starts)
        if name in (*_PRESSED, *_CHOSEN):
            return _menu_words(element)
        if name == "choice" and (read := _reading(element)) is not None:
            return "".join(read.itertext())
        note = name in _FOOTNOTES or (name == "note" and str(element.tag).startswith(_TEI))
        note = note and _among_words(element.getparent())
        return "" if _STRUCK.intersection(shown) else f" ({self._in_one_line(element)})" if note else None

    def _write_prose(self, element: etree._Element, name: str, depth: int) -> None:
        around = element.getparent()
        if (name == "element-citation" and around.find("{*}mixed-citation") is not None) or (
            local_name(around) == "alternatives"
            and any(words.strip() for one in element.itersiblings(preceding=True) for words in one.itertext())
        ):
            return  # the same once more
        if name in _BREAKS:
            self.prose.gap("" if element.get("break") == "no" else _BREAKS[name])
            return
        if name == "funcprototype":
            self.prose.gap(LINE)
            self.prose.say(_signature(element))
            self.prose.gap(LINE)
            return
        if (said := self._as_words(element, name)) is not None:
            self.left_out["struck-out text"] += not _STRUCK.isdisjoint(_shown_as(element, name))
            self._begun = self._begun and not said
            self.prose.say(said)
            return
        told = _told_attributes(element) if self._foreign and not len(element) and not _among_words(element) else []
        if told and not (element.text or "").strip():
            values = told[0][1] if len(told) == 1 else ", ".join(f"{key} {value}" for key, value in told)
            self.prose.gap(LINE)
            self.prose.say(f"{etree.QName(element).localname}: {values}")
            self.prose.gap(LINE)
            return
        if name in _LISTS:
            self._lists.append(_counter(element, name))
            self._write_block(element, name, depth)
            self._lists.pop()
        else:
            self._write_block(element, name, depth)

    def _write_block(self, element: etree._Element, name: str, depth: int) -> None:
        # The title of another work, among words or in a reference, is none of this.
        title = name in _TITLES and local_name(element.getparent()) not in _WORDS | _REFERENCES
        gap = CELL if name in _CELLS else ""
        if name in _BLOCKS or title:
            gap = PARAGRAPH
        elif name in _LINES or _holds_fields(element, name):
            gap = LINE
        if not (self._begun and (name in _BLOCKS or title)):
            self.prose.gap(gap)
        if name in _VERBATIM or (name == "code" and _stands_alone(element)):
            self.prose.gap(PARAGRAPH)
            self.prose.verbatim("".join(element.itertext()))
            self.prose.gap(PARAGRAPH)
            return
        counted = self._lists[-1] if self._lists else None
        self._begun = name in _ITEMS or (name in _STEPS and counted is not None)
        if self._begun:
            sign = counted.next(element) if counted is not None else "-"
            self.prose.lead(f"{'  ' * (len(self._lists) - 1)}{sign} ")
        if name in TABLES and (rows := table_rows(element)):
            self._write_table(element, rows)
            return
        if kind := _admonition(element, name):
            self.prose.lead(f"{kind.capitalize()}:")
            self.prose.gap(SPACE)
            self._begun = True
        mark = self.prose.mark()
        self._write_inside(element, depth + (name in _SECTIONS))
        if title:
            self.prose.heading(self.prose.since(mark), max(depth, 1))
        self._begun = name == "label"  # what it is the number of follows in its line
        self.prose.gap(SPACE if self._begun else gap)

    def _write_inside(self, element: etree._Element, depth: int) -> None:
        if element.text and element.text.strip():
            self.prose.say(element.text.lstrip() if self._begun else element.text)
            self._begun = False
        apart = local_name(element) not in _WORDS and not any((inner.tail or "").strip() for inner in element)
        fields = apart and not (element.text or "").strip()  # names and dates, a field each
        for inner in element:
            self.write(inner, depth)
            following = inner.getnext()
            if fields and self.prose.last not in ".,;:" and following is not None and following.tag == inner.tag:
                more = any(map(str.strip, following.itertext())) and not _among_words(element)
                self.prose.put("," if more else "")  # keywords, institutions
            self.prose.say(inner.tail or "")
            if fields:
                self.prose.gap(SPACE)

    def _write_table(self, table: etree._Element, rows: list[etree._Element]) -> None:
        """A table, below what names it."""
        for inner in table.iter(etree.Element):
            if local_name(inner) in (*_TITLES, "caption", "label") and not any(
                local_name(one) in ("tr", "row") for one in inner.iterancestors()
            ):
                self.prose.gap(PARAGRAPH)
                self.prose.say("".join(inner.itertext()))
        table_grid(rows, self._in_one_line).write(self.prose)

    def _in_one_line(self, cell: etree._Element) -> str:
        inner = _Writer(known=True)
        inner.prose = Prose(in_one_line=True)
        inner._write_inside(cell, 0)
        return inner.prose.text

    def _plain(self, words: str, *, lines: bool = False) -> None:
        """Write words without the HTML that feeds and exports put into them; of other words the lines too, where they are to be kept."""
        if lines or not _TAG.search(words):
            self.prose.verbatim(words) if lines else self.prose.say(words)
            return
        page = main_page(page_tree(_TODO.sub(lambda box: f"{tick_box(ticked='true' in box[1])} ", words)))
        self.left_out += page.left_out
        self.prose.verbatim(page.prose.text)

    def _write_data(
        self, element: etree._Element, group: tuple[etree._Element, str], path: str = "", *, repeated: bool = False
    ) -> None:
        """An element of data: a value behind the names of what it stands in, from its group on, or a group of values below its name."""
        words, name = (element.text or "").strip(), etree.QName(element).localname
        if words and (element.get("encoding") or "").lower() == "base64":
            self.left_out["encoded data"] += 1
            words, element.text = "", None
        if str(element.tag).startswith(_XHTML):  # a page, or a part of one
            self._apart(etree.tostring(element, encoding="unicode", with_tail=False))
            return
        inside = list(element)
        told = _told_attributes(element)
        if element is not group[0]:
            path = f"{path} / {name}".removeprefix(" / ")
            if _begins_group(element, group[0], repeated=repeated):
                group, path = (element, f"{group[1]} / {path}".removeprefix(" / ")), ""
        if words and not inside:
            beside = ", ".join(f"{key} {value}" for key, value in told)
            label = f"{path} ({beside})" if beside else path or name
            self._field(group, label, words, lines=element.get(_SPACE) == "preserve")
        elif path and not inside and len(told) > 1:
            self._field(group, path, ", ".join(f"{key} {value}" for key, value in told))
        else:
            for key, value in told:
                self._field(group, f"{path} / {key}".removeprefix(" / "), value)
        if inside and _said_in(element) and _is_sentence(element):
            self._sentence(element, group, path)
        elif inside:
            self._field(group, "", words)
            names = Counter(inner.tag for inner in inside)
            for inner in inside:
                self._write_data(inner, group, path, repeated=names[inner.tag] > 1)
                self._field(group, "", inner.tail or "")

    def _sentence(self, element: etree._Element, group: tuple[etree._Element, str], path: str) -> None:
        """Words with elements among them: a value behind its name where one stands beside it, else a paragraph."""
        said = _NUMBERS_TOUCH.sub(" ", "\0".join(element.itertext())).replace("\0", "")
        beside = (element.getprevious(), element.getnext())
        if path and any(one is not None and not len(one) and (one.text or "").strip() for one in beside):
            self._field(group, path, said)
        else:
            self._apart(said)

    def _apart(self, words: str) -> None:
        """A paragraph among data, behind which a group is named again."""
        self.prose.gap(PARAGRAPH)
        self._plain(words)
        self.prose.gap(PARAGRAPH)
        self._group = None

    def _field(self, group: tuple[etree._Element, str], name: str, value: str, *, lines: bool = False) -> None:
        """A line of a group, behind the name of the group where another was written before."""
        if not value.strip():
            return
        if group[0] is not self._group:
            self._group = group[0]
            self.prose.gap(PARAGRAPH)
            self.prose.say(group[1])
        self.prose.gap(LINE)
        self.prose.say(f"{name}: " if name else "")
        self._plain(value, lines=lines)
