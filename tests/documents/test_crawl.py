"""Links are followed on one host, breadth first, as robots.txt and the pages allow; lists of links are no documents."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import pytest

from decoct.documents.base import Failure, Source
from decoct.documents.network import crawl as crawling
from decoct.documents.network.crawl import MOST_PAGES, crawl, folder_of
from decoct.documents.sources import sources
from decoct.errors import CorpusError
from decoct.library import Library

HOST = "https://example.org"


class Site:
    """A site of pages by path; a status in the place of a page is answered with it. `asked` are the paths in order."""

    def __init__(self, pages: Mapping[str, str | int]) -> None:
        self.pages, self.asked = dict(pages), list[str]()

    def __call__(self, url: str) -> Source:
        path = url.removeprefix(HOST)
        self.asked.append(path)
        found = self.pages.get(path, 404)
        if isinstance(found, int):
            raise CorpusError(f"the server answered {found} Reason")
        return Source.of(url, found.encode(), origin=url, media_type="text/html")


def links(*paths: str, more: str = "") -> str:
    anchors = "".join(f'<a href="{path}">x</a>' for path in paths)
    return f"<html><head>{more}</head><body><p>words</p>{anchors}</body></html>"


def got(site: Site, depth: int, path: str = "/", most: int = MOST_PAGES) -> list[str]:
    found = crawl(f"{HOST}{path}", depth, fetched=site, wait=lambda _: None, most=most)
    return [f"{one.code} {one.source}" if isinstance(one, Failure) else one.name.removeprefix(HOST) for one in found]


def test_pages_come_breadth_first_each_once_and_from_one_host() -> None:
    pages = {
        "/": links("b/", "a#part", "https://elsewhere.org/", "mailto:x@y.z", "/a", "ftp://example.org/"),
        "/a": links("/", "c"),
        "/b/": links("d"),
    }
    site = Site({**pages, "/c": links("/e"), "/b/d": links(), "/e": links()})
    assert got(site, 0) == ["/"]
    assert got(site, 1) == ["/", "/b/", "/a"]
    assert got(site, 2) == ["/", "/b/", "/a", "/b/d", "/c"]


def test_frames_areas_and_packed_sitemaps_are_followed() -> None:
    framed = '<html><frameset><frame src="/a"></frameset><area href="/b"></html>'
    listing = gzip.compress(f"<urlset><url><loc>{HOST}/c</loc></url></urlset>".encode())
    site = Site({"/": framed, **dict.fromkeys(("/a", "/b", "/c"), links())})
    packed = Source.of(f"{HOST}/s.xml.gz", listing, origin=f"{HOST}/s.xml.gz")
    found = crawl(f"{HOST}/s.xml.gz", 1, fetched=lambda url: packed if url == packed.name else site(url))
    assert [one.name for one in found if isinstance(one, Source)] == [f"{HOST}/c"]
    assert got(site, 1) == ["/", "/a", "/b"]


def test_robots_txt_decides_and_its_delay_is_kept() -> None:
    site = Site(
        {
            "/robots.txt": "User-agent: *\nDisallow: /secret\nCrawl-delay: 2",
            "/": links("/secret", "/a", "/b"),
            "/a": links(),
            "/b": links(),
        }
    )
    waited = list[float]()
    found = crawl(f"{HOST}/", 1, fetched=site, wait=waited.append)
    assert [one.name.removeprefix(HOST) for one in found if isinstance(one, Source)] == ["/", "/a", "/b"]
    assert waited == [2.0, 2.0]
    assert "/secret" not in site.asked
    (refused,) = crawl(f"{HOST}/secret", 1, fetched=site)
    assert isinstance(refused, Failure)
    assert "robots.txt" in refused.reason


def test_a_site_that_fails_to_give_its_robots_txt_is_not_read() -> None:
    assert got(Site({"/robots.txt": 503, "/": links()}), 1) == [f"url {HOST}/"]


def test_pages_that_ask_for_it_are_not_followed() -> None:
    site = Site({"/": links("/a", more='<meta name="Robots" content="noindex, NOFOLLOW">'), "/a": links()})
    assert got(site, 1) == ["/"]
    site = Site({"/": links("/a").replace("<a ", '<a rel="ugc nofollow" '), "/a": links()})
    assert got(site, 1) == ["/"]


@pytest.mark.parametrize(
    "listing",
    [
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
        "<loc> https://example.org/a </loc></url></urlset>",
        "<rss><channel><item><title>A</title><link>https://example.org/a</link></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>',
    ],
)
def test_sitemaps_and_feeds_give_links_and_are_no_documents(listing: str) -> None:
    assert got(Site({"/list.xml": listing, "/a": links()}), 1, "/list.xml") == ["/a"]


def test_dead_links_and_too_many_pages_are_told() -> None:
    site = Site({"/": links("/dead", "/down", "/a"), "/down": 500, "/a": links()})
    assert got(site, 1) == ["/", f"gone {HOST}/dead", f"url {HOST}/down", "/a"]
    assert got(site, 1, most=2)[-1] == f"url {HOST}/"


def test_entities_of_a_list_are_not_resolved() -> None:
    entity = '<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    site = Site({"/list.xml": f"{entity}<urlset><loc>https://example.org/&x;</loc></urlset>"})
    assert all("localhost" not in one for one in got(site, 1, "/list.xml"))
    assert set(site.asked) <= {"/robots.txt", "/list.xml", "/"}


def test_a_page_that_is_no_longer_linked_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(
        {
            "/docs/": links("a", "b"),
            "/docs/a": links().replace("words", "rivers"),
            "/docs/b": links().replace("words", "bridges"),
        }
    )
    monkeypatch.setattr(crawling, "fetch", lambda url, **_: site(url))
    with Library.open(tmp_path / "library") as library:
        assert library.sync(f"{HOST}/docs/", depth=1).added == 3
        site.pages["/docs/"] = links("b")
        report = library.sync(f"{HOST}/docs/", depth=1, prune=True)
        assert report.gone_ids == [f"{HOST}/docs/a"]
        assert report.removed == 1
        site.pages["/docs/b"] = 500  # a doubt: nothing is removed
        report = library.sync(f"{HOST}/docs/", depth=1, prune=True)
        assert (report.removed, len(report.kept)) == (0, 1)


def test_a_password_is_for_the_page_that_is_named_and_is_never_told() -> None:
    asked = list[str]()

    def get(url: str) -> Source:
        asked.append(url)
        if url.endswith("/dead"):
            raise CorpusError("the server answered 404 Reason")
        page = links("/a", "/dead") if url.endswith("/docs/") else links()
        return Source.of(url, page.encode(), origin=url.replace("me:secret@", ""))

    found = list(crawl("https://me:secret@example.org/docs/", 1, fetched=get))
    assert asked == [f"{HOST}/robots.txt", "https://me:secret@example.org/docs/", f"{HOST}/a", f"{HOST}/dead"]
    assert [one.source for one in found if isinstance(one, Failure)] == [f"{HOST}/dead"]
    assert folder_of("https://me:secret@example.org/docs/") == f"{HOST}/docs"


def test_an_address_that_is_none_is_a_failure_as_without_links() -> None:
    for depth in (0, 1):
        (failed,) = sources(["git+ssh://me:secret@example.org/docs"], depth=depth)
        assert isinstance(failed, Failure)
        assert (failed.source, failed.code) == ("git+ssh://example.org/docs", "unreadable")
        assert "secret" not in failed.reason


def test_the_folder_of_an_address() -> None:
    assert folder_of("https://Example.org/docs/index.html#x") == "https://example.org/docs"
