"""What stands around a page's text: navigation, headers and footers of the site, tables of contents, hidden parts.

Told by structure, in this order: elements and roles made for it; classes and ids by which the usual generators mark it (Sphinx, DocBook,
Texinfo, Doxygen, Javadoc, AsciiDoctor, MediaWiki, WordPress, Docusaurus, MkDocs, mdBook, Hugo themes, Publican); and what the links of
a block say, for all the others:

- A block is **navigation** if nearly all its letters are in links and some of these lead to the next, previous or upper page, or home:
  by `rel`, by the access keys n, p, u and h, by pointing where the page's head says that its neighbours are, or by their words and arrows.
- An **aside** (`role="complementary"` too) goes if at least half of its letters are in links, and so does the footer of the main part, a
  quotation, an article or a section; one with words of its own is text.
- A list is a **table of contents** of its own page if it has three links or more, all within the page, and next to nothing beside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from decoct.documents.markup.htmlfields import words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NO_TEXT = _words(
    "script style noscript template svg canvas iframe object embed audio video map head title button select input "
    "textarea datalist progress meter annotation annotation-xml"
)
_AROUND = frozenset({"nav", "dialog", "menu"})
_PARTS = ("main", "blockquote", "article", "section", "figure")  # of a page, with footers of their own
IN_LINE = _words("span label b strong em small sup sub abbr time data a")
_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog"}
    | {"doc-toc", "doc-pagelist", "directory"}
)
_CLASSES = _words(
    "nav navbar navbox navigation sidebar menu breadcrumb breadcrumbs pagination pager footer site-footer site-header "
    "cookie-banner cookie-notice advertisement ads share-buttons social-share related-posts newsletter skip-link headerlink hash-link "
    "header-anchor doc-anchor anchor-link anchorjs-link mark-link permalink copiable-link copiable-anchor "
    "mw-editsection mw-jump-link noprint catlinks printfooter toc table-of-contents "
    # Sphinx and its themes
    "sphinxsidebar related related-pages toctree-wrapper toctree-checkbox sidebar-drawer toc-drawer bottom-of-page prev-next-area "
    "wy-nav-side wy-nav-top wy-breadcrumbs rst-versions rst-footer-buttons bd-sidebar bd-header bd-toc viewcode-link "
    # DocBook, Publican, Texinfo, gtk-doc
    "navheader navfooter docnav nav-panel node-up-header list-of-figures list-of-tables "
    # Doxygen, Javadoc
    "navpath tabs tabs2 tabs3 navtab topnav subnav bottomnav navlist skipnav "
    # MkDocs, mdBook, Docusaurus
    "md-sidebar md-header md-footer md-tabs md-source-file nav-chapters nav-wrapper menu-bar theme-doc-toc-mobile "
    "theme-doc-breadcrumbs pagination-nav theme-doc-footer"
)
_IDS = _words(
    "toc footer page-footer site-footer navigation sidebar breadcrumbs nav-path nav-tree side-nav doc-content-nav mw-navigation "
    "mw-panel mw-head catlinks searchbox toctitle footer-text table-of-contents"
)
_BESIDE = frozenset({"sidebar"})  # an aside is so called by its own meaning
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_RELS = _words("next prev previous up home start first last top contents toc index")
_KEYS = frozenset("npuh")
_SAYS = re.compile(
    r"(?:(?:go|back)\s+to\s+(?:the\s+)?)?(?:next|prev|previous|up|home|top|contents|(?:table|list)\s+of\s+contents|index|back|"
    r"forward|backward|fast\s+forward|(?:next|previous|prev)\s+(?:page|chapter|section|topic|up)|main\s+page|start|toc|skip\s+to\s+\w+)",
    re.I,
)
_ARROWS = re.compile(r"[<>«»‹›←→↑↓⇐⇒⇑⇧▲▼◀▶◄►⬅➡\-=|\[\]\s?]{1,8}")
_PERMALINK = re.compile(r"[#¶§🔗⚓\s]*")
_CONTENTS = re.compile(
    r"(table\s+of\s+)?contents|on\s+this\s+page|in\s+this\s+(page|article|section|chapter)|toc", re.I
)
_LETTER = re.compile(r"[^\W_]")
_BLOCKS = _words("div p table tbody tr ul ol dl center section header small font blockquote pre span")
_LISTS = _words("ul ol dl table div p")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class Around:
    """The parts of one page that stand around its text."""

    def __init__(self, tree: Any) -> None:  # noqa: ANN401 - lxml has no types
        neighbours = {
            link.get("href")
            for link in tree.iter("link")
            if not _RELS.isdisjoint((link.get("rel") or "").lower().split()) and link.get("href")
        }
        self._led: set[Any] = set(_navigation(tree, neighbours))

    def holds(self, element: Any, *, inside: bool) -> bool:  # noqa: ANN401
        """Whether the element is no text of the page. `inside`: it stands in the main part or an article."""
        tag = element.tag
        # Inside main or article a header belongs to the text, and a footer to the part that it ends.
        if tag in _AROUND or (tag == "header" and not inside and element.find(".//h1") is None):
            return True
        if tag == "footer" and next(element.iterancestors(*_PARTS), None) is None:
            return True
        if element in self._led or self._announces(element):
            return True
        return bool(element.attrib) and (_is_hidden(element) or _is_marked(element))

    def _announces(self, element: Any) -> bool:  # noqa: ANN401
        """Whether it is the heading of a table of contents that goes."""
        if element.tag not in HEADINGS and element.tag not in ("p", "b", "strong", "div"):
            return False
        following = element.getnext()
        if following is None or following not in self._led:
            return False
        return len(element) < 3 and bool(_CONTENTS.fullmatch(words_of(element).strip(" :")))


def _for_ears(element: Any) -> bool:  # noqa: ANN401
    return not {"sr-only", "visually-hidden"}.isdisjoint(element.get("class", "").lower().split())


def is_unshown(element: Any) -> bool:  # noqa: ANN401
    """Whether an attribute or its style hides it from all readers, and it is no panel that is a tab away."""
    hidden = element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")) is not None
    return hidden and element.get("role") != "tabpanel"


def _is_hidden(element: Any) -> bool:  # noqa: ANN401
    """Whether it is not shown, or said once more beside itself: for ears alone, or for eyes alone, if that is no ornament."""
    get = element.get
    if is_unshown(element):
        return element.find(".//math") is None  # a formula whose picture is shown
    if get("role") == "tabpanel":
        return False
    beside = [one for one in (element.getprevious(), element.getnext()) if isinstance(getattr(one, "tag", None), str)]
    if get("aria-hidden") != "true":
        if not _for_ears(element):
            return False
        cell = next(element.iterancestors("td"), None)
        alone = cell is not None and words_of(cell) == words_of(element)  # beside an icon
        return not alone and not any(one.get("aria-hidden") and len(words_of(one)) > 1 for one in beside)
    said = words_of(element)
    if element.tag not in IN_LINE - {"a"} or "icon" in get("class", "") or (len(said) < 2 and not said.isalnum()):
        return True
    return any(_for_ears(one) or one.find(".//math") is not None or words_of(one) == said for one in beside)


def _is_marked(element: Any) -> bool:  # noqa: ANN401
    """Whether its link, role, class or id says that it is no text."""
    tag, get = element.tag, element.get
    if tag == "a" and get("href", "").startswith("#") and _PERMALINK.fullmatch("".join(element.itertext())):
        return True
    said = {get("id", "").lower()} & _IDS | set(get("class", "").lower().split()) & _CLASSES | {get("role")} & _ROLES
    return bool(said - _BESIDE if tag == "aside" else said) or (
        tag == "table" and "navigation" in get("summary", "").lower()
    )


@dataclass(slots=True)
class _Count:
    """What a block holds: letters in links and outside, links, those within the page, those that lead around; headings and images."""

    plain: int = 0
    linked: int = 0
    links: int = 0
    here: int = 0
    leading: int = 0
    headings: int = 0

    def now(self) -> tuple[int, ...]:
        return self.plain, self.linked, self.links, self.here, self.leading, self.headings

    def since(self, before: tuple[int, ...]) -> _Count:
        """What came after it was `before`."""
        return _Count(*(one - other for one, other in zip(self.now(), before, strict=True)))

    def is_navigation(self) -> bool:
        if self.headings or not self.leading:
            return False
        if self.leading == 1:
            return self.plain <= 3 and self.links <= 3
        return self.plain <= 6 + 0.3 * self.linked and self.leading * 8 >= self.links

    def is_contents(self) -> bool:
        return not self.headings and self.links >= 3 and self.here == self.links and self.plain <= 6 + 0.1 * self.linked


def _navigation(tree: Any, neighbours: set[str | None]) -> list[Any]:  # noqa: ANN401
    """Blocks that are navigation or tables of contents by their links, in one walk."""
    found: list[Any] = []
    total, open_ = _Count(), list[tuple[int, ...]]()
    link = 0
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = element.tag
        if event == "start":
            open_.append(total.now())
            link += tag == "a"
            if tag not in NO_TEXT:
                _letters(element.text, link > 0, total)
        elif event == "end":
            before = open_.pop()
            link -= tag == "a"
            if tag == "a":
                _link(element, neighbours, total, total.linked - before[1])
            total.headings += tag in HEADINGS
            aside = tag in ("aside", "footer") or element.get("role") == "complementary"
            if aside or tag in _BLOCKS or tag in _LISTS:
                count = total.since(before)
                if (
                    (aside and count.linked >= count.plain)
                    or (tag in _BLOCKS and count.is_navigation())
                    or (tag in _LISTS and count.is_contents())
                ):
                    found.append(element)
        if event != "start":
            _letters(element.tail, link > 0, total)
    return found


def _letters(text: str | None, in_link: bool, count: _Count) -> None:
    if text and not text.isspace():
        if in_link:
            count.linked += len(_LETTER.findall(text))
        else:
            count.plain += len(_LETTER.findall(_SAYS.sub("", text) if len(text) < 200 else text))


def _link(element: Any, neighbours: set[str | None], count: _Count, letters: int) -> None:  # noqa: ANN401
    href = element.get("href")
    if not href:
        return
    count.links += 1
    count.here += href.startswith("#") and len(href) > 1
    words = words_of(element) if letters < 200 else ""
    if not words and (image := element.find(".//img")) is not None:
        words = (image.get("alt") or "").strip()
    bare = words.strip("<>«»‹›←→↑↓[]()|-=.: \u00a0")
    count.leading += bool(
        not _RELS.isdisjoint((element.get("rel") or "").lower().split())
        or (element.get("accesskey") or "").lower() in _KEYS
        or href in neighbours
        or (bare and _SAYS.fullmatch(bare))
        or (words and _ARROWS.fullmatch(words))
    )
