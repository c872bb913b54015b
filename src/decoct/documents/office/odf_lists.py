"""The marks of lists and the numbers of headings in OpenDocument files, counted as LibreOffice counts them.

A list begins anew unless it continues another; a level, behind a paragraph of one above it. On slides a list goes on within its shape
where numbers look alike. A heading counts with the outline, or with the list that it stands in.
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from decoct.documents.counted import count_on, counted, forget_below, whole

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:"
TEXT, DRAW, STYLE = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("text", "drawing", "style"))
BULLET = "-"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_START = f"{TEXT}start-value"
_NUMBERED = frozenset({f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"})


class OdfLists:
    """Counts the items and headings of one file in their order. `trees` are the parts that hold its styles."""

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
