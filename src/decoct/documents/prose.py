"""Writes running text out of a tree of blocks and inline pieces (HTML, DOCX), and keeps the ranges of headings and links.

White space folds as in a browser: pieces are words with single spaces; a block asks for a gap, and of the gaps asked for between two
pieces the widest is written. So the text never begins or ends with a gap, and a range begins at its first letter. The cell of a table is
written in one line: between its blocks stands a semicolon, or a space where a mark ends the one before, so that 12 and 14 are not 12 14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from decoct.data import Document, Link, Metadata
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.places import PAGE_BREAK, PAGE_END

SPACE, CELL, LINE, PARAGRAPH = " ", " | ", "\n", "\n\n"
_WIDTH = {"": 0, SPACE: 1, CELL: 2, LINE: 3, PARAGRAPH: 4}
_ENDS = frozenset(".,;:!?-–—…。、！？：；(/")
# What folds: HTML's white space. A no-break space between words is kept, as the author wrote it.
_WHITE = re.compile("[ \t\n\r\f]+")
_INSIDE = re.compile(r"\n(?!\n)")
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


_MARK = 6  # letters of the number of an item and its sign, which no such has
_NOWHERE = ("#", "javascript:", "mailto:", "tel:", "data:")


def column_bars(line: str, before: str, after: str) -> list[bool]:
    """For each tab of a paragraph whether a bar stands for it: none where no paragraph beside it has as many, or both have several.

    A tab behind the number of an item, an indent, or the name in pairs of a name and its value (`Name:`) parts no columns.
    """
    cells, *others = ([cell.strip() for cell in one.split("\t")] for one in (line, before, after))
    full = len(cells) > 2 and all(cells)
    beside = [one for one in others if len(one) == len(cells) or (full and len(one) > 2 and all(one[1:]))]
    pairs = 2 * sum(cell[-1:] == ":" for cell in cells) == len(cells)
    bars = []
    for at, cell in enumerate(cells[:-1] if beside else ()):
        indent = not any(any(one[: at + 1]) for one in (cells, *(beside if len(cells) > 2 else ())))
        mark = at == len(cells) - 2 and cell[-1:] in (".", ")") and len(cell) < _MARK and not any(cells[:at])
        bars.append(not (indent or (mark and cell.strip("().").isalnum()) or (pairs and cell[-1:] == ":")))
    return bars


def remark(author: str, text: str, about: str = "") -> str:
    """A comment in the margin, as it stands behind the block that it is about, or with the words of it."""
    on = f' on "{about}"' if about else ""
    return f"Comment{on}{f' by {author}' if author else ''}: {text}"


def leads_elsewhere(target: str) -> bool:
    """Whether a link's target can be another document."""
    return bool(target) and not target.lower().startswith(_NOWHERE)


class Prose:
    """A text in the making; `headings` and `links` hold character ranges of it. `in_one_line`: it is a cell of a table.

    Lines begin with `margin`, but the rows of a table.
    """

    def __init__(self, *, in_one_line: bool = False) -> None:
        self.in_one_line = in_one_line
        self.margin = ""
        self.headings: list[tuple[int, int]] = []
        self.links: list[Link] = []
        self._levels: dict[tuple[int, int], int] = {}
        self.length = 0
        self.breaks: list[int] = []  # of a cell: where its lines end, blank ones too
        self._pieces: list[str] = []
        self._gap = ""
        self._held = ""  # white space at the end of preformatted text, which belongs to it if more follows
        self._starts: list[int] = []

    @property
    def last(self) -> str:
        """The character right before the next piece, if no gap comes between; else the empty string."""
        return self._pieces[-1][-1] if self._pieces and not self._gap and not self._held else ""

    @property
    def starts(self) -> bool:
        """Whether the next piece is the first of its block."""
        return not self._pieces or _WIDTH[self._gap] > _WIDTH[SPACE]

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._pieces)

    def say(self, text: str) -> None:
        """Add inline text, with its white space folded."""
        if text[:1].isspace() or self._held:
            self.gap(SPACE)
        if words := text.strip():
            self._write(_WHITE.sub(SPACE, words))
            if text[-1].isspace():
                self.gap(SPACE)

    def verbatim(self, text: str) -> None:
        """Add preformatted text; its own line breaks and spaces stay, but in a cell."""
        if self.in_one_line:
            for number, line in enumerate(text.split("\n")):
                if number:
                    self.gap(LINE)
                self.say(line)
            return
        if not self._pieces:  # the text does not begin with blank lines, nor with what stood before a gap
            text, self._held = _BLANK_LINES.sub("", ("" if self._gap else self._held) + text), ""
        body = text.rstrip()
        if body:
            held, self._held = self._held, ""
            if held and not self._gap:
                self._pieces.append(self._moved(held))
                self.length += len(self._pieces[-1])
            self._write(self._moved(body))
        self._held += text[len(body) :]

    def close(self, mark: str) -> None:
        """Add a mark, if any, right behind the last words."""
        if mark:
            self._gap = self._held = ""
            self._write(mark)

    def lead(self, text: str) -> None:
        """Add a mark or number that stands before words; it is in no range that begins with them."""
        self._write(text)
        self._starts.pop()

    def put(self, text: str, links: Iterable[Link] = ()) -> None:
        """Add `text` as it is, with the links at ranges of it."""
        if text:
            self._write(text)
            begin = self.length - len(text)
            self.links += [Link(link.start + begin, link.end + begin, link.target) for link in links]

    def include(self, text: str, headings: Iterable[tuple[tuple[int, int], int]], links: Iterable[Link]) -> None:
        """Add a text that was written elsewhere, with its headings, their levels and its links."""
        self.verbatim(text)
        begin = self.length - len(text.rstrip())
        for (start, end), level in headings:
            self.heading((begin + start, begin + end), level)
        self.links += [Link(link.start + begin, link.end + begin, link.target) for link in links]

    def gap(self, gap: str) -> None:
        """Ask for a gap before the next piece."""
        if gap == SPACE and self._pieces and self._pieces[-1][-1] == SPACE:  # behind the mark of an item
            return
        if self.in_one_line and _WIDTH[gap] >= _WIDTH[LINE]:
            self.breaks.append(self.length)
        if _WIDTH[gap] > _WIDTH[self._gap]:
            self._gap = gap

    def next_cell(self) -> None:
        """A tab that parts columns: a bar, and one around a blank cell at the start of its line."""
        if self.starts:
            self.lead("| |")
        else:
            self.close(" |")
        self.gap(SPACE)

    def mark(self) -> int:
        """A place to give to `since`."""
        return len(self._starts)

    def since(self, mark: int) -> tuple[int, int] | None:
        """The range of what was written since `mark`, without the gaps around it; None if nothing was."""
        return (self._starts[mark], self.length) if len(self._starts) > mark else None

    def heading(self, found: tuple[int, int] | None, level: int = 0) -> None:
        """Note a heading at this range, if there is one; `level` from 1 where it is known."""
        if found:
            self.headings.append(found)
            self._levels[found] = level

    @property
    def levels(self) -> tuple[int, ...]:
        """The level of each heading, 0 where it is not known."""
        return tuple(self._levels.get(found, 0) for found in self.headings)

    def title(self, text: str, level: int) -> None:
        """Add a heading of `level` as a block."""
        self.gap(PARAGRAPH)
        mark = self.mark()
        self.say(text)
        self.heading(self.since(mark), level)

    def paragraph(self, text: str) -> None:
        """Add inline text that begins a block."""
        self.gap(PARAGRAPH)
        self.say(text)

    @property
    def first_heading(self) -> str:
        """The words of the first heading in one line; empty if there is none."""
        return one_line(self.text[slice(*self.headings[0])]) if self.headings else ""

    def document(self, source: Source, title: str = "", metadata: Metadata | None = None) -> Document:
        """What was written as the one document of `source`."""
        return source.document(self.text, title, metadata, headings=self.headings, levels=self.levels, links=self.links)

    def _moved(self, lines: str) -> str:
        return _INSIDE.sub(f"\n{self.margin}", lines) if self.margin else lines

    def _write(self, text: str) -> None:
        if self._pieces and self._gap:
            gap = self._gap
            if self.in_one_line and _WIDTH[gap] > _WIDTH[SPACE]:
                gap = SPACE if self._pieces[-1][-1] in _ENDS else "; "
            elif _WIDTH[gap] >= _WIDTH[LINE]:
                gap += self.margin
            self._pieces.append(gap)
            self.length += len(gap)
        self._gap = self._held = ""
        self._starts.append(self.length)
        self._pieces.append(text)
        self.length += len(text)


def document_of_pages(
    source: Source, pages: Sequence[Prose], title: str = "", metadata: Metadata | None = None
) -> Document:
    """The pages or slides of `source` as its one document, divided as those of a PDF are."""
    headings: list[tuple[int, int]] = []
    levels: list[int] = []
    links: list[Link] = []
    at = 0
    for page in pages:
        headings += [(start + at, end + at) for start, end in page.headings]
        levels += page.levels
        links += [Link(link.start + at, link.end + at, link.target) for link in page.links]
        at += page.length + len(PAGE_END)
    text = PAGE_END.join(canonical(page.text).replace(PAGE_BREAK, " ") for page in pages)
    return source.document(text, title, metadata, headings=headings, levels=levels, links=links)


def around_texts(written: Iterable[tuple[str, str]]) -> list[str]:
    """Headers and footers (what each is, and its text) in a line each, once; without those that hold no word, but a page's number."""
    said = ((kind, "; ".join(line for line in map(one_line, text.split("\n")) if line)) for kind, text in written)
    return list(dict.fromkeys(f"{kind}: {text}" for kind, text in said if re.search(r"[^\W\d_]{2}", text)))
