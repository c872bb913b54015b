"""Folders of a storage, by fsspec's own one in memory."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import pytest

from decoct import Library
from decoct.documents.base import Failure, Limits, Source
from decoct.documents.network.remote import is_stored, root_of
from decoct.documents.sources import sources

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    system.pipe(
        {"/shelf/a.md": b"# Rotor\n\nTwelve rotors.", "/shelf/in/b.txt": b"Stators: 7.", "/shelf/.git/c.txt": b"no"}
    )
    yield system
    system.rm("/shelf", recursive=True)


def test_a_storage_gives_its_files_as_a_folder_does(memory: Any) -> None:
    found = [one for one in sources(["memory://shelf"]) if isinstance(one, Source)]
    assert [one.name for one in found] == ["shelf/a.md", "shelf/in/b.txt"]
    assert [one.origin for one in found] == ["memory:///shelf/a.md", "memory:///shelf/in/b.txt"]
    assert found[1].read() == b"Stators: 7."
    (alone,) = sources(["memory://shelf/in/b.txt"])
    assert (alone.name if isinstance(alone, Source) else "") == "b.txt"
    small = next(iter(sources(["memory://shelf/in/b.txt"], limits=Limits(stream_bytes=3))))
    with pytest.raises(Exception, match="larger than the limit"):
        small.read() if isinstance(small, Source) else None


def test_what_a_storage_does_not_hold_or_know_is_a_failure(memory: Any) -> None:
    for address, reason in (("memory://nothing", "no file"), ("nowhere://x/y", "cannot be listed")):
        (failure,) = sources([address])
        assert isinstance(failure, Failure)
        assert reason in failure.reason


def test_addresses_are_kept_without_user_and_password() -> None:
    assert root_of("webdavs://ada:secret@cloud.example.org/files/a%20b/") == "webdavs://cloud.example.org/files/a b"
    assert [is_stored(one) for one in ("s3://b/x", "https://x.org", "file:///x")] == [True, False, False]


def test_a_sync_finds_what_is_gone_from_a_storage(memory: Any, tmp_path: Path) -> None:
    with Library.open(tmp_path / "l") as library:
        assert library.sync("memory://shelf").added == 2
        memory.rm("/shelf/in/b.txt")
        report = library.sync("memory://shelf", prune=True)
        assert (report.unchanged, report.removed) == (1, 1)
        assert [one.id for one in library.documents()] == ["shelf/a.md"]


def test_a_storage_is_listed_anew_each_time(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of fsspec's storages list a folder once a process; here the one in memory does."""
    find = type(memory).find
    kept: dict[str, Any] = {}

    def once(self: Any, path: str, **options: Any) -> Any:
        return kept.setdefault(path, find(self, path, **options))

    monkeypatch.setattr(type(memory), "find", once)
    monkeypatch.setattr(type(memory), "invalidate_cache", lambda *_: kept.clear())
    assert len(list(sources(["memory://shelf"]))) == 2
    memory.pipe("/shelf/c.md", b"new")
    assert len(list(sources(["memory://shelf"]))) == 3


class _Shelf(BaseHTTPRequestHandler):
    """A WebDAV server of two files for Ada, as far as they are listed and read."""

    files: ClassVar = {"/man uals/a.md": b"# Rotor\n\nTwelve rotors.", "/man uals/in#1/b? %41.txt": b"Stators: 7."}

    def _path(self) -> str:
        """The path asked for; empty for one who is not let in."""
        known = self.headers.get("Authorization") == "Basic " + base64.b64encode(b"ada:s@").decode()
        return unquote(self.path).rstrip("/") if known else ""

    def _send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PROPFIND(self) -> None:
        path = self._path()
        folders = {"/man uals", "/man uals/in#1"}
        if path not in folders | set(self.files):
            self._send(404 if path else 401, b"")
            return
        inside = [one for one in (*folders, *self.files) if one == path or one.rpartition("/")[0] == path]
        parts = [
            f"<d:response><d:href>{quote(one)}</d:href><d:propstat><d:prop><d:getcontentlength>{len(self.files.get(one, b''))}"
            f"</d:getcontentlength><d:resourcetype>{'<d:collection/>' if one in folders else ''}</d:resourcetype></d:prop>"
            "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            for one in inside
        ]
        self._send(207, f'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">{"".join(parts)}</d:multistatus>'.encode())

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._send(200, self.files[self._path()])

    def log_message(self, *_: object) -> None:
        pass


def test_a_webdav_server_is_read_with_user_and_password_that_are_kept_nowhere() -> None:
    pytest.importorskip("webdav4")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shelf)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        place = f"127.0.0.1:{server.server_port}/man%20uals"
        found = [one for one in sources([f"webdav://ada:s%40@{place}"]) if isinstance(one, Source)]
        assert [one.name for one in found] == ["man uals/a.md", "man uals/in#1/b? %41.txt"]
        assert found[1].origin == f"webdav://127.0.0.1:{server.server_port}/man uals/in#1/b? %41.txt"
        assert [one.read() for one in found] == list(_Shelf.files.values())
        (refused,) = sources([f"webdav://ada:wrong@{place}"])
        assert isinstance(refused, Failure)
        assert "wrong" not in refused.source + refused.reason
    finally:
        server.shutdown()
        server.server_close()
