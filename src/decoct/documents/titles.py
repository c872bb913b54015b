"""A page's title: the name of what it is about, which also says of which work it is a part.

The first `<h1>` is that, unless it is numbered ("1. Overview" says nothing alone) or missing. Then it is `<title>`, which in generated
manuals holds the page and the work ("1. Overview — Frobnicator 2.0"), without the number; and if that has no more to say than the page's
own words, the work is taken from the page's links to it (`rel` up, home, start, contents). A `<title>` without one word in common with
the `<h1>` is added to it: one of both names the site, and which is not told.
"""

from __future__ import annotations

import re
from typing import Any

from decoct.documents.canonical import one_line

_DIGITS = r"\d+(?:\.\d+)*"
_NAMED = r"(?:chapter|section|appendix|part|book|annex)\s+(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*[.:)]?(?:\s*[-–—])?\s+"
# A number and a dot before a title is a section's; one without a dot may belong to the name ("5.1 Release notes").
_SURE = re.compile(rf"(?:{_NAMED}|{_DIGITS}[.)]\s+|[A-Z](?:\.\d+)+\.?\s+)(?=\S)", re.I)
_LIKELY = re.compile(r"\d+(?:\.\d+)*\s+(?=[A-Z])")
_GENERIC = re.compile(
    r"overview|introduction|intro|contents|index|preface|summary|general|about|description|usage|installation|faq|notes?|"
    r"examples?|reference|tutorial|appendix|glossary|changes|readme|untitled|home|welcome",
    re.I,
)
# What writers put for a title: "Microsoft Word - draft3.doc", "untitled", "paper.tex", "output.dvi".
_NO_TITLE = re.compile(
    r"^(microsoft |untitled|title$|slide 1$|powerpoint presentation$|no title|document\d*$|\(.*\)$)"
    r"|\.(docx?|tex|dvi|pdf|indd|qxd|pptx?|odt|rtf)$",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{2}")
_PARENTS = ("up", "home", "start", "top", "contents", "toc")
_JOIN = " — "


def page_title(tree: Any, first: str) -> str:  # noqa: ANN401 - lxml has no types
    """The title of an HTML page whose text's first `<h1>` has the words `first` (empty: none)."""
    said = one_line(next((one.text or "" for one in tree.iter("title") if one.getparent().tag != "svg"), ""))
    if not first or _SURE.match(first) or _LIKELY.match(first) or _GENERIC.fullmatch(first):
        return _whole(tree, said if _says_more(said, first) else first)
    if said.casefold() not in {"", first.casefold()} and _terms(said).isdisjoint(_terms(first)):
        return first + _JOIN + unnumbered(said)
    return first


def told_title(said: str) -> str:
    """The title that a file's properties tell; empty where it holds no word, or what programs put there."""
    return said if _WORD.search(said) and not _NO_TITLE.search(said) else ""


def unnumbered(title: str) -> str:
    """`title` without the number of its chapter or section."""
    return _SURE.sub("", title, count=1) if _SURE.match(title) else title


def _whole(tree: Any, title: str) -> str:  # noqa: ANN401
    """The title without its number, and with the work it is a part of if it named none."""
    bare = unnumbered(title)
    if not title or (bare == title and not _LIKELY.match(title) and not _GENERIC.fullmatch(title)):
        return title
    if re.search(r"\s[—–|·»-]\s|\(.+\)$", bare):  # it goes on to name the work
        return bare
    parent = _parent(tree, bare)
    return bare + _JOIN + parent if parent else bare


def _parent(tree: Any, title: str) -> str:  # noqa: ANN401
    named = {
        rel: one_line(link.get("title") or "")
        for link in tree.iter("link")
        for rel in (link.get("rel") or "").lower().split()
        if link.get("title")
    }
    for rel in _PARENTS:
        name = unnumbered(named.get(rel, ""))
        if name and name != title and not _GENERIC.fullmatch(name):
            return name
    return ""


def _says_more(said: str, first: str) -> bool:
    return bool(said) and (not first or not _terms(first).isdisjoint(_terms(said)) or not unnumbered(first))


def _terms(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[^\W_]{2,}", text)}
