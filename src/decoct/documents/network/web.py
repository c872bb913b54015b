"""Fetches one page or file by URL.

http and https only; redirects are followed here, one at a time, at most `Limits.redirects`; each connection passes the check of
`decoct.documents.network.address`. The body is counted while it streams and again while it is inflated. Proxies of the environment are not
used: behind one, the proxy would resolve the name and the check would prove nothing. Errors are `CorpusError`s whose message says
what to do; the body is complete or there is an error.
"""

from __future__ import annotations

import io
import ssl
from collections.abc import Iterator
from typing import BinaryIO, cast
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpcore
import httpx

from decoct.documents.base import PIECE, Limits, Source, size
from decoct.documents.inflate import inflated
from decoct.documents.network.address import Deadline, PublicBackend
from decoct.errors import CorpusError, ParseError

# "identity" first: gzip is only a favour to servers that insist. Nothing else is undone here.
_HEADERS = {"User-Agent": "decoct (document reader)", "Accept": "*/*", "Accept-Encoding": "gzip, identity"}
_TIMEOUT = httpx.Timeout(15.0)  # for each wait; Limits.seconds bounds them all together
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def fetch(
    url: str, *, limits: Limits | None = None, allow_private: bool = False, transport: httpx.BaseTransport | None = None
) -> Source:
    """The bytes at `url`, in memory, under the name of the URL given (without user, password and fragment).

    `transport` replaces the network (tests). Raises `CorpusError`.
    """
    limits = limits or Limits()
    name = bare_address(url)
    deadline = Deadline(limits.seconds)
    way = transport or _Transport(PublicBackend(deadline, allow_private=allow_private))
    try:
        with httpx.Client(transport=way, trust_env=False, timeout=_TIMEOUT, headers=_HEADERS) as client:
            data, media_type = _follow(client, url, limits, deadline)
    except (httpx.TimeoutException, httpcore.TimeoutException) as error:
        raise CorpusError("the server did not answer in time: try again later") from error
    except (httpx.HTTPError, httpx.InvalidURL, httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError) as error:
        raise CorpusError(f"it could not be fetched: {error}") from error
    return Source.of(name, data, origin=name, media_type=media_type, limits=limits)


def bare_address(url: str) -> str:
    """The URL as a name, without user, password and fragment; `CorpusError` for what is not fetched at all."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise CorpusError(f"it is not a valid URL: {error}") from error
    if parts.scheme.lower() not in ("http", "https"):
        raise CorpusError(
            f"only http and https URLs are fetched, not {parts.scheme!r}: save it to a file and name that"
        )
    if not parts.hostname:
        raise CorpusError("the URL names no host")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    netloc = host if port is None else f"{host}:{port}"
    return urlunsplit((parts.scheme.lower(), netloc, parts.path, parts.query, ""))


def _follow(client: httpx.Client, url: str, limits: Limits, deadline: Deadline) -> tuple[bytes, str]:
    """Body and media type of the page at the end of the redirects."""
    for _ in range(limits.redirects + 1):
        bare_address(url)
        with client.stream("GET", url, follow_redirects=False) as response:
            if response.status_code in _REDIRECTS and (target := response.headers.get("location")):
                url = urljoin(url, target)
                continue
            if response.status_code != 200:
                raise CorpusError(f"the server answered {response.status_code} {response.reason_phrase}".rstrip())
            return _body(response, limits, deadline), response.headers.get("content-type", "")
    raise CorpusError(f"it redirects more than {limits.redirects} times: name the page it should lead to")


def _body(response: httpx.Response, limits: Limits, deadline: Deadline) -> bytes:
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limits.file_bytes:
        raise CorpusError(_too_large(limits))
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise CorpusError(
            f"the server sends it in the encoding {encoding!r}, which was not asked for: save it to a file"
        )
    # The transport's own stream: nothing is gathered or inflated before it is counted.
    data = _limited(iter(cast("httpx.SyncByteStream", response.stream)), limits, deadline)
    if encoding not in ("gzip", "x-gzip"):
        return data
    try:
        with inflated(io.BytesIO(data), limits) as stream:
            return _limited(_pieces(stream), limits, deadline)
    except ParseError as error:
        raise CorpusError(str(error)) from error


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        yield piece


def _limited(pieces: Iterator[bytes], limits: Limits, deadline: Deadline) -> bytes:
    data = bytearray()
    for piece in pieces:
        deadline.left(None, httpx.ReadTimeout)
        data += piece
        if len(data) > limits.file_bytes:
            raise CorpusError(_too_large(limits))
    return bytes(data)


def _too_large(limits: Limits) -> str:
    return f"it is larger than the limit of {size(limits.file_bytes)} for a page: fetch it to a file, and split that"


class _Body(httpx.SyncByteStream):
    """httpcore's body as httpx wants it."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _Transport(httpx.BaseTransport):
    """httpx over a connection pool with our own way to the network (httpx itself offers no place for one)."""

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False), network_backend=backend
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        response = self._pool.handle_request(
            httpcore.Request(request.method, url, headers=request.headers.raw, extensions=request.extensions)
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
