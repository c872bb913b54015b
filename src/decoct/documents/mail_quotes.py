"""What an HTML message quotes of earlier ones gets the sign `>` that plain text has."""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from decoct.data import Link
from decoct.documents.html import main_page, page_tree
from decoct.text.wholes import Place

_SIGN = "> "
_MARK = "\ue000"  # of the private use area: stands in the page for a quotation until its text is known
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")
_DEEPEST = 20  # quotations in quotations


def quoted_page(text: str, left_out: Counter[str]) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    """The main text of an HTML message with its headings, their levels, and links; what it quotes has the sign `>` before each line."""
    return _read(page_tree(text), 0, left_out)


def _read(tree: etree._Element, depth: int, left_out: Counter[str]) -> tuple[str, list[tuple[Place, int]], list[Link]]:
    quotations: list[etree._Element] = []
    walk = etree.iterwalk(tree, events=("start",), tag="blockquote")
    for _, one in walk if depth <= _DEEPEST else ():
        quotations.append(one)
        walk.skip_subtree()
    said: list[str] = []
    for number, one in enumerate(quotations):
        inner = etree.fromstring("<html><body/></html>", etree.HTMLParser())
        inner[0].extend(list(one))
        inner[0].text, one.text = one.text, f"{_MARK}{number}{_MARK}"
        said.append("\n".join((_SIGN + line).rstrip() for line in _read(inner, depth + 1, left_out)[0].split("\n")))
    page = main_page(tree)
    left_out += page.left_out
    prose = page.prose
    text, links = prose.text, list(prose.links)
    headings = list(zip(prose.headings, prose.levels, strict=True))
    for mark in reversed(list(_MARKED.finditer(text))):
        quotation = said[int(mark[1])] if int(mark[1]) < len(said) else ""
        grown, end = len(quotation) - len(mark[0]), mark.end()
        text = text[: mark.start()] + quotation + text[end:]
        headings = [((at[0] + grown, at[1] + grown) if at[0] >= end else at, level) for at, level in headings]
        links = [Link(one.start + grown, one.end + grown, one.target) if one.start >= end else one for one in links]
    return text, headings, links
