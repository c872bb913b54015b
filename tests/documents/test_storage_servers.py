"""Folders on an S3 server and on a WebDAV server of other makers, read and synced as a user does it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from decoct import Library
from decoct_testing.hash_embedder import HashEmbedder

pytestmark = pytest.mark.services
_NAME = "ordner ü/c d#1 %41?.txt"

# What a server has to be told: its address; put a file (None: take it away).
Storage = tuple[str, Callable[[str, "bytes | None"], None]]


def _s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    s3fs = pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in (
        ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()  # those of a server before
    system = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    system.mkdir("board")  # what moto holds is of the process, and another test has a shelf

    def put(name: str, data: bytes | None) -> None:
        system.rm(f"board/manuals/{name}") if data is None else system.pipe(f"board/manuals/{name}", data)

    yield "s3://board/manuals", put
    server.stop()


def _webdav(folder: Path) -> Iterator[Storage]:
    pytest.importorskip("webdav4")
    wsgi = pytest.importorskip("cheroot.wsgi")
    application = pytest.importorskip("wsgidav.wsgidav_app").WsgiDAVApp(
        {
            "provider_mapping": {"/dav": str(folder)},
            "simple_dc": {"user_mapping": {"*": {"ada": {"password": "s@/x"}}}},
            "verbose": 0,
        }
    )
    server = wsgi.Server(("127.0.0.1", 0), application)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()

    def put(name: str, data: bytes | None) -> None:
        path = folder / "manuals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink() if data is None else path.write_bytes(data)

    yield f"webdav://ada:s%40%2Fx@127.0.0.1:{server.bind_addr[1]}/dav/manuals", put
    server.stop()


@pytest.fixture(params=["s3", "webdav"])
def storage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    (tmp_path / "served").mkdir()
    yield from _s3(monkeypatch) if request.param == "s3" else _webdav(tmp_path / "served")


def test_a_folder_of_a_server_is_read_and_synced(storage: Storage, tmp_path: Path) -> None:
    address, put = storage
    put("a.md", b"# Rotor\n\nThe rotor weighs 12 kg.")
    put(_NAME, b"The valve opens at 8 bar.")
    put(".git/x.txt", b"no document")
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        assert library.sync(address).added == 2
        assert library.document(f"manuals/{_NAME}").text == "The valve opens at 8 bar."
        assert "ada" not in str(library.document("manuals/a.md").source)
        put("in/new.csv", b"part,stock\nbolt,41\nnut,7\n")
        put(_NAME, b"The valve opens at 9 bar.")
        report = library.sync(address, prune=True)
        assert (report.added, report.replaced, report.unchanged, report.failures) == (2, 1, 1, [])
        put("a.md", None)
        report = library.sync(address, prune=True)
        assert (report.unchanged, report.removed) == (3, 1)
        report = library.sync(address.replace("manuals", "nothing"), prune=True)
        assert [failure.code for failure in report.failures] == ["missing"]
        assert len(list(library.documents())) == 3
