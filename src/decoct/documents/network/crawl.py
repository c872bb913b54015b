"""Follows the links of a page, a sitemap or a feed on the same host: `decoct ingest https://… --depth 1`.

Pages come breadth first, each once, one request at a time. robots.txt decides what is asked for (RFC 9309: none allows all, one that the
server fails to give forbids all; its delay is kept), and a page's own `robots` and `nofollow` which links are followed. Sitemaps and
feeds give links and are no documents. What else a link leads to (PDF, DOCX …) is a document as any.
"""

from __future__ import annotations

import io
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from decoct.documents.base import MB, Failure, Limits, Source
from decoct.documents.inflate import packing, unwrap
from decoct.documents.network.web import bare_address, fetch
from decoct.errors import CorpusError

AGENT = "decoct"
MOST_PAGES = 1_000
_LOOKED_AT = 10 * MB  # of a page, for links
_LONGEST_DELAY = 30.0  # seconds that robots.txt may ask for between two requests
_GONE = re.compile(r"answered 4\d\d")
_LISTS = frozenset({"urlset", "sitemapindex", "rss", "feed", "RDF"})

Fetch = Callable[[str], Source]


def crawl(
    url: str,
    depth: int,
    *,
    limits: Limits | None = None,
    allow_private: bool = False,
    most: int = MOST_PAGES,
    fetched: Fetch | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[Source | Failure]:
    """The page at `url` and those at most `depth` links away, on its host.

    What cannot be fetched is a `Failure` of code `url` (`gone` behind a dead link), also that there are more than `most` pages. `fetched`
    and `wait` replace the network and the clock.
    """
    get = fetched or (lambda one: fetch(one, limits=limits, allow_private=allow_private))
    first = _page(url)
    robots = _robots(first, get)
    pause = min(float(robots.crawl_delay(AGENT) or 0), _LONGEST_DELAY)
    waiting, known = deque([(first, 0)]), {first}
    count = 0
    while waiting:
        page, level = waiting.popleft()
        if not robots.can_fetch(AGENT, page):
            if not level:
                yield Failure(
                    page, "the site's robots.txt asks that it is not read by programs: save it to a file", "url"
                )
            continue
        if count == most:
            yield Failure(first, f"it leads to more than {most:,} pages: name parts of the site", "url")
            return
        if count and pause:
            wait(pause)
        count += 1
        try:
            source = get(page if level else url)  # whose user and password are for the page that was named
        except CorpusError as error:
            yield Failure(page, str(error), "gone" if level and _GONE.search(str(error)) else "url")
            continue
        listing, links = _links(source)
        if not listing:
            yield source
        if level < depth:
            new = [one for one in links if urlsplit(one).netloc == urlsplit(first).netloc and one not in known]
            known.update(new)
            waiting.extend((one, level + 1) for one in dict.fromkeys(new))


def folder_of(url: str) -> str:
    """The address below which `sync` may miss pages: that of the page without its last part; what is no address as it stands."""
    try:
        return urljoin(_page(url), ".").rstrip("/")
    except CorpusError:
        return url


def _robots(url: str, get: Fetch) -> RobotFileParser:
    robots = RobotFileParser()
    try:
        lines = get(urljoin(url, "/robots.txt")).read().decode("utf-8", "replace").splitlines()
    except CorpusError as error:
        lines = [] if _GONE.search(str(error)) else ["User-agent: *", "Disallow: /"]
    robots.parse(lines)
    return robots


def _links(source: Source) -> tuple[bool, list[str]]:
    """Whether the source is a list of links and no document, and the addresses that it leads to, in order."""
    head = source.head(_LOOKED_AT)
    if kind := packing(head):
        try:
            head = unwrap(source, kind).head(_LOOKED_AT)
        except CorpusError:  # it is told where it is read
            return False, []
    if (tree := _tree(head, xml=True)) is not None:
        name = tree.tag.rpartition("}")[2] if isinstance(tree.tag, str) else ""
        if name in _LISTS:
            found = tree.xpath("//*[local-name() = 'loc' or local-name() = 'link']")
            return True, [_absolute(source, one.get("href") or one.text or "") for one in found]
    tree = _tree(head, xml=False) if b"<" in head[:4096] and not head.startswith(b"%PDF") else None
    if tree is None or "nofollow" in _robots_meta(tree):
        return False, []
    base = next((one for one in tree.xpath("//base/@href")), "")
    anchors = "//*[self::a or self::area][not(contains(concat(' ', @rel, ' '), ' nofollow '))]/@href"
    found = tree.xpath(f"{anchors} | //frame/@src | //iframe/@src")
    return False, [one for href in found if (one := _absolute(source, urljoin(base, href)))]


def _tree(data: bytes, *, xml: bool) -> Any:  # noqa: ANN401 - lxml has no types
    """The markup's tree, read without the network, entities or a document type; None if there is none."""
    from lxml import etree

    if xml and not data.lstrip()[:5].startswith((b"<?xml", b"<rss", b"<feed", b"<urls", b"<site")):
        return None
    kind = etree.XMLParser if xml else etree.HTMLParser
    settings = {"resolve_entities": False} if xml else {}
    try:
        return etree.parse(io.BytesIO(data), kind(no_network=True, recover=True, huge_tree=False, **settings)).getroot()
    except (etree.LxmlError, ValueError):
        return None


def _robots_meta(tree: Any) -> str:  # noqa: ANN401
    """What the page says to programs that read it."""
    named = "translate(@name, 'ROBTS', 'robts') = 'robots'"
    return " ".join(tree.xpath(f"//meta[{named}]/@content")).lower()


def _absolute(source: Source, href: str) -> str:
    """The address that a page means; empty for what is no page of the web."""
    try:
        return _page(urljoin(source.origin, href.strip()))
    except (CorpusError, ValueError):
        return ""


def _page(url: str) -> str:
    """The address by which a page is known; `CorpusError` for what is none."""
    bare = bare_address(url)
    return bare if urlsplit(bare).path else urljoin(bare, "/")
