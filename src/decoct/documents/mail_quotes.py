"""What a message quotes of earlier ones: the signs `>` for quotations of an HTML message, and the lines that introduce a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from decoct.data import Link
from decoct.documents.html import main_page, page_tree
from decoct.text.wholes import Place

_SIGN = "> "
_MARK = "\ue000"  # of the private use area: stands in the page for a quotation until its text is known
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")
_LONGEST = 300  # characters of an introduction, which may take two lines
_DEEPEST = 20  # quotations in quotations
_INTRODUCED = re.compile(
    rf"(?<![^\n])(?!>)([^\n>][^\n]{{0,{_LONGEST}}}(?:\n[^\n>][^\n]{{0,80}})?:)[ \t]*\n(?:[ \t]*\n)?(?=>)"
)
_RULED = re.compile(r"^[-_]{3,}[^\n]{0,80}?[-_]{3,}[ \t]*$(?=\n+(?:[^\n:]{1,20}:[^\n]+\n){3})", re.MULTILINE)


def introductions(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of lines behind which a quotation begins: one with a colon before lines with `>`, and the ruled line of Outlook."""
    for found in _INTRODUCED.finditer(text):
        yield found.span(1)
    for found in _RULED.finditer(text):
        yield found.span()


def quoted_page(text: str) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    """The main text of an HTML message with its headings, their levels, and links; what it quotes has the sign `>` before each line."""
    return _read(page_tree(text), 0)


def _read(tree: etree._Element, depth: int) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    quotations = [] if depth > _DEEPEST else [one for one in tree.iter("blockquote") if not _inside(one)]
    said: list[str] = []
    for number, one in enumerate(quotations):
        inner = etree.fromstring("<html><body/></html>", etree.HTMLParser())
        inner[0].extend(list(one))
        inner[0].text, one.text = one.text, f"{_MARK}{number}{_MARK}"
        said.append("\n".join((_SIGN + line).rstrip() for line in _read(inner, depth + 1)[0].split("\n")))
    prose = main_page(tree).prose
    text, links = prose.text, list(prose.links)
    headings = list(zip(prose.headings, prose.levels, strict=True))
    for mark in reversed(list(_MARKED.finditer(text))):
        quotation = said[int(mark[1])] if int(mark[1]) < len(said) else ""
        grown, end = len(quotation) - len(mark[0]), mark.end()
        text = text[: mark.start()] + quotation + text[end:]
        headings = [((at[0] + grown, at[1] + grown) if at[0] >= end else at, level) for at, level in headings]
        links = [Link(one.start + grown, one.end + grown, one.target) if one.start >= end else one for one in links]
    return text, headings, links


def _inside(element: etree._Element) -> bool:
    """Whether an element stands in a quotation."""
    return next(element.iterancestors("blockquote"), None) is not None
