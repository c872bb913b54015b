"""Markdown: the source text itself is the canonical text, so every offset is one in what the author wrote.

markdown-it-py (CommonMark and tables) finds headings and links; it tells lines for blocks and nothing for what is inside them. Two
additions give exact offsets: the rules for links are wrapped to note where in its block a link's label stands, and a block's
content, which is its lines without indent and quote marks, is laid back over the source line by line.

To find where a link's label ends, markdown-it reads on from every bracket, up to the block's end where none closes it: quadratic work for
a text of brackets. Those steps are counted, and when a text takes far more of them than prose does, it is read again without links.

Headings may be written in HTML (`<h1 align="center">`), as many a README's first one is. The title is `title` of the front matter, else
the first heading; `aliases` of the front matter are names, further fields metadata.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, link
from markdown_it.token import Token

from decoct.data import Document, Link
from decoct.documents.base import MB, Source
from decoct.documents.canonical import one_line
from decoct.documents.frontmatter import front_matter
from decoct.documents.prose import leads_elsewhere
from decoct.documents.tables.records import NAMES, further_names, metadata_fields
from decoct.documents.text import read_text
from decoct.trace import fallback

_LARGEST = (
    4 * MB
)  # markdown-it takes seconds and some 4 KB of memory a line; a larger text is taken without its structure

_STEPS = 200_000  # some tenths of a second of work
_STEPS_A_CHARACTER = 2  # links of prose take less than one
_STEPS_LEFT = "decoct.steps-left"
_WORDS = frozenset({"text", "code_inline", "softbreak"})
_HTML_HEADING = re.compile(
    r"<h([1-6])\b[^<>]{0,200}>\s*+(?P<words>(?:(?!</?h[1-6]\b).){1,300}?)\s*</h\1>", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<[^>]*>")

_Headings = tuple[tuple[int, int], ...]
_Rule = Callable[[StateInline, bool], bool]


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a Markdown file."""
    text, notes = read_text(source)
    fields, begin = front_matter(text)
    headings, links, first, levels = structure(text, begin)
    title = fields.pop("title", "")
    if not (isinstance(title, str) and title.strip()):
        title = first
    told = metadata_fields({key: value for key, value in fields.items() if key not in NAMES})
    yield Document(
        source.name,
        text,
        title=one_line(title),
        source=source.origin,
        metadata={**source.metadata, **notes, **told},
        names=further_names(fields),
        headings=headings,
        links=links,
        levels=levels,
    )


def structure(text: str, begin: int = 0) -> tuple[_Headings, tuple[Link, ...], str, tuple[int, ...]]:
    """Ranges of headings, links, the words of the first heading, and the headings' levels: of `text` from `begin` (the start of a line)."""
    if len(text) > _LARGEST:
        fallback("markdown.structure")
        return (), (), "", ()
    starts = [begin]
    for line in text[begin:].split(
        "\n"
    ):  # as markdown-it does: other breaks that str.splitlines knows stay inside a line
        starts.append(starts[-1] + len(line) + 1)
    headings: list[tuple[int, int]] = []
    links: list[Link] = []
    levels: list[int] = []
    previous, level, cursor, first = "", 0, begin, ""
    for token in _tokens(text[begin:]):
        if token.type == "html_block" and token.map:
            for found in _HTML_HEADING.finditer(text, max(cursor, starts[token.map[0]]), starts[token.map[1]] - 1):
                if words := one_line(unescape(_TAG.sub(" ", found["words"]))):
                    first = first or words
                    headings.append(found.span("words"))
                    levels.append(int(found[1]))
                    cursor = found.end()
        if token.type == "inline" and token.map and token.content:
            lines = _lay(token, text, starts, cursor)
            cursor = max(cursor, lines.end)
            if previous == "heading_open":
                words = "".join(child.content or " " for child in token.children or () if child.type in _WORDS)
                first = first or one_line(words)
                if lines.sources:
                    headings.append((lines.sources[0], lines.end))
                    levels.append(level)
            links += _links(token, lines)
        previous, level = token.type, int(token.tag[1]) if token.type == "heading_open" else 0
    return tuple(headings), tuple(links), first, tuple(levels)


def _tokens(text: str) -> list[Token]:
    """The tokens of a text, without links if its brackets would take too long."""
    most = _STEPS + _STEPS_A_CHARACTER * len(text)
    try:
        return _markdown(links=True).parse(text, {_STEPS_LEFT: most})
    except _TooManyStepsError:
        fallback("markdown.links")
        return _markdown(links=False).parse(text)


@dataclass(frozen=True, slots=True)
class _Lines:
    """A block's content over its source: line `i` begins at `contents[i]` of the content and at `sources[i]` of the text."""

    contents: list[int]
    sources: list[int]
    end: int

    def place(self, at: int) -> int:
        """Where character `at` of the content stands in the text."""
        line = bisect_right(self.contents, at) - 1
        return self.sources[line] + at - self.contents[line]


def _lay(token: Token, text: str, starts: list[int], cursor: int) -> _Lines:
    """Find each line of the content in its source line; `cursor` is where the last block ended (cells share a line).

    Where a line is not found as it is (an escaped bar in a cell, a tab half used for indent), nothing is told of the block.
    """
    contents: list[int] = []
    sources: list[int] = []
    at = 0
    row = token.map[0] if token.map else 0
    for number, line in enumerate(token.content.split("\n"), row):
        if number + 1 >= len(starts):
            return _Lines([], [], 0)
        place = text.find(line, max(starts[number], cursor), starts[number + 1] - 1)
        if place < 0:
            return _Lines([], [], 0)
        contents.append(at)
        sources.append(place)
        at += len(line) + 1
    return _Lines(contents, sources, sources[-1] + at - 1 - contents[-1])


def _links(token: Token, lines: _Lines) -> Iterator[Link]:
    for child in token.children or ():
        label = child.meta.get("label")
        if label and lines.sources and label[0] < label[1]:
            target = one_line(str(child.attrs.get("href", "")))
            if leads_elsewhere(target):
                yield Link(lines.place(label[0]), lines.place(label[1] - 1) + 1, target)


class _TooManyStepsError(Exception):
    """The steps that a text may take to find its links are used up."""


@cache
def _markdown(*, links: bool) -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table")
    if not links:
        return markdown.disable(["link", "image"])
    step = markdown.inline.skipToken

    def counted(state: StateInline) -> None:
        state.env[_STEPS_LEFT] -= 1
        if state.env[_STEPS_LEFT] < 0:
            raise _TooManyStepsError
        step(state)

    markdown.inline.skipToken = counted  # type: ignore[method-assign]
    markdown.normalizeLink = lambda url: url  # type: ignore[method-assign]  # targets stay as written
    markdown.inline.ruler.at("link", _noting(link, lambda state, start: (start + 1, _label_end(state, start))))
    markdown.inline.ruler.at("autolink", _noting(autolink, lambda state, start: (start + 1, state.pos - 1)))
    return markdown


def _label_end(state: StateInline, start: int) -> int:
    end: int = state.md.helpers.parseLinkLabel(state, start, True)
    return end


def _noting(rule: _Rule, label: Callable[[StateInline, int], tuple[int, int]]) -> _Rule:
    """The rule, which also notes in the token it opens where in the block's content the label stands."""

    def noting(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            opened = next(token for token in state.tokens[before:] if token.type == "link_open")
            opened.meta["label"] = label(state, start)
        return True

    return noting
