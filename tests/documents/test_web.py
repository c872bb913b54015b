"""Fetching URLs: no network, but for one loopback server that is allowed."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpcore
import httpx
import pytest

from decoct.documents.base import MB, Limits
from decoct.documents.network import web
from decoct.documents.network.address import Deadline, PublicBackend
from decoct.documents.network.web import fetch
from decoct.errors import CorpusError


def _mock(handler: Callable[[httpx.Request], httpx.Response]) -> httpx.MockTransport:
    return httpx.MockTransport(handler)


def test_a_page_is_named_by_its_url_without_secrets() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"].startswith("Basic ")
        return httpx.Response(200, content=b"<p>words", headers={"content-type": "text/html; charset=utf-8"})

    source = fetch("HTTPS://user:secret@Example.org:8443/a%20b?q=1#part", transport=_mock(handler))
    assert source.name == source.origin == "https://example.org:8443/a%20b?q=1"
    assert source.media_type == "text/html; charset=utf-8"
    assert source.read() == b"<p>words"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://[::1",
        "http://h:99999999/",
        "gopher://x",
    ],
)
def test_other_schemes_and_broken_urls_are_refused(url: str) -> None:
    with pytest.raises(CorpusError):
        fetch(url, transport=_mock(lambda _: httpx.Response(200, content=b"x")))


def test_redirects_are_followed_and_counted() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        left = int(request.url.path.strip("/"))
        if left:
            return httpx.Response(302, headers={"location": f"../{left - 1}"})
        return httpx.Response(200, content=b"end")

    source = fetch("http://example.org/5", transport=_mock(handler))
    assert (source.name, source.read()) == ("http://example.org/5", b"end")
    with pytest.raises(CorpusError, match="redirects more than 5 times"):
        fetch("http://example.org/6", transport=_mock(handler))


def test_a_redirect_to_another_scheme_is_refused() -> None:
    for location in ("file:///etc/passwd", "ftp://example.org/", "http://"):
        moved = httpx.Response(301, headers={"location": location})
        with pytest.raises(CorpusError):
            fetch("http://example.org/", transport=_mock(lambda _, moved=moved: moved))  # type: ignore[misc]


def test_a_password_is_not_sent_on_to_another_host() -> None:
    seen: list[bool] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append("authorization" in request.headers)
        if request.url.host == "a.example":
            return httpx.Response(302, headers={"location": "http://b.example/"})
        return httpx.Response(200, content=b"x")

    fetch("http://u:p@a.example/", transport=_mock(handler))
    assert seen == [True, False]


@pytest.mark.parametrize("status", [204, 206, 304, 401, 404, 429, 500, 503])
def test_only_200_is_a_page(status: int) -> None:
    with pytest.raises(CorpusError, match=f"answered {status}"):
        fetch("http://example.org/", transport=_mock(lambda _: httpx.Response(status, content=b"")))


def test_size_is_bounded_by_what_is_announced_and_by_what_comes() -> None:
    limits = Limits(file_bytes=1000)
    announced = httpx.Response(200, headers={"content-length": "99999999"}, content=iter([b"x"]))
    with pytest.raises(CorpusError, match="larger than the limit"):
        fetch("http://example.org/", limits=limits, transport=_mock(lambda _: announced))

    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 100

    with pytest.raises(CorpusError, match="larger than the limit"):
        fetch("http://example.org/", limits=limits, transport=_mock(lambda _: httpx.Response(200, content=endless())))
    assert taken == 11


def test_compressed_pages_are_inflated_within_the_limits() -> None:
    def compressed(data: bytes, encoding: str = "gzip") -> httpx.MockTransport:
        return _mock(lambda _: httpx.Response(200, headers={"content-encoding": encoding}, content=iter([data])))

    assert fetch("http://e.org/", transport=compressed(gzip.compress(b"words"))).read() == b"words"
    with pytest.raises(CorpusError, match="larger than the limit"):
        fetch("http://e.org/", limits=Limits(file_bytes=MB), transport=compressed(gzip.compress(bytes(2 * MB))))
    with pytest.raises(CorpusError, match="zip bomb"):
        fetch("http://e.org/", transport=compressed(gzip.compress(bytes(40 * MB))))
    with pytest.raises(CorpusError, match="damaged"):
        fetch("http://e.org/", transport=compressed(gzip.compress(b"words" * 100)[:-9]))
    with pytest.raises(CorpusError, match="'br'"):
        fetch("http://e.org/", transport=compressed(b"x", "br"))


def test_an_error_of_the_network_is_ours() -> None:
    def fail(error: Exception) -> Callable[[httpx.Request], httpx.Response]:
        def handler(_: httpx.Request) -> httpx.Response:
            raise error

        return handler

    with pytest.raises(CorpusError, match="in time"):
        fetch("http://e.org/", transport=_mock(fail(httpx.ReadTimeout("slow"))))
    for error in (httpx.ConnectError("no"), httpx.RemoteProtocolError("no"), httpcore.RemoteProtocolError("no")):
        with pytest.raises(CorpusError, match="could not be fetched"):
            fetch("http://e.org/", transport=_mock(fail(error)))


def test_time_is_bounded() -> None:
    def slow() -> Iterator[bytes]:
        while True:
            time.sleep(0.02)
            yield b"x" * MB

    with pytest.raises(CorpusError, match="in time"):
        fetch(
            "http://e.org/", limits=Limits(seconds=0.1), transport=_mock(lambda _: httpx.Response(200, content=slow()))
        )


def _wired(replies: list[bytes], hosts: dict[str, str]) -> httpx.BaseTransport:
    """The real transport over a scripted network."""
    network = httpcore.MockBackend(replies)
    return web._Transport(PublicBackend(Deadline(9), resolver=lambda host, _: [hosts[host]], network=network))


def test_the_check_stands_on_every_redirect() -> None:
    hosts = {"public.example": "8.8.8.8", "inner.example": "169.254.169.254"}
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://inner.example/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with pytest.raises(CorpusError, match=r"'inner\.example' leads to what is not a public address"):
        fetch("http://public.example/", transport=_wired([moved], hosts))
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nwords"
    assert fetch("http://public.example/", transport=_wired([page], hosts)).read() == b"words"


def test_a_body_that_is_cut_off_is_an_error() -> None:
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nwords"
    with pytest.raises(CorpusError, match="could not be fetched"):
        fetch("http://public.example/", transport=_wired([cut, b""], {"public.example": "8.8.8.8"}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]"])
def test_local_hosts_are_refused_however_they_are_written(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def local(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host if ":" in host else "127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", local)
    with pytest.raises(CorpusError, match="not a public address"):
        fetch(f"http://{host}/")


@contextmanager
def _server(handle: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            handle(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/page"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.services
def test_a_real_server_on_loopback_only_if_allowed() -> None:
    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/markdown")
        request.end_headers()
        request.wfile.write(f"# {request.headers['Host']}".encode())

    with _server(handle) as url:
        source = fetch(url, allow_private=True)
        assert source.read().decode() == f"# {url.split('/')[2]}"
        with pytest.raises(CorpusError, match="not a public address"):
            fetch(url)


@pytest.mark.services
@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_drips_is_left_at_the_deadline(part: str) -> None:
    def handle(request: BaseHTTPRequestHandler) -> None:
        try:
            request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"X: " if part == "headers" else b"\r\n"))
            while True:  # only a deadline of the whole ends it
                request.wfile.write(b"x")
                time.sleep(0.05)
        except OSError:
            return

    with _server(handle) as url, pytest.raises(CorpusError, match="in time"):
        fetch(url, allow_private=True, limits=Limits(seconds=0.5))
