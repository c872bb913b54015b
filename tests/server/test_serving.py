"""A connection that brings no request is closed; one that does is kept."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from decoct.server import serving
from decoct.server.app import create_app
from decoct.server.serving import is_loopback, listening, names_of
from decoct.server.settings import ServerSettings


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server in a thread, which ends with the test: one that stayed would write into the log of those that follow."""
    servers: list[uvicorn.Server] = []

    class Known(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            servers.append(self)

    monkeypatch.setattr(uvicorn, "Server", Known)
    app, said = create_app(ServerSettings(tmp_path / "state")), list[str]()
    with listening("127.0.0.1", 0) as sock:
        number = int(sock.getsockname()[1])
        thread = threading.Thread(target=serving.serve, args=(app, sock, 1, said.append), daemon=True)
        thread.start()
        yield number
        servers[0].should_exit = True
        thread.join(400)
        assert not thread.is_alive()
    assert said == [f"http://127.0.0.1:{number}"]


@pytest.mark.services
def test_headers_that_do_not_end_are_not_waited_for(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADERS", 1.0)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=400) as client:
        assert client.get("/health").status_code == 200
        began = time.monotonic()
        slow = socket.create_connection(("127.0.0.1", port))
        slow.settimeout(400)  # without an end of its own it would take this long, and be an error
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert slow.recv(100) == b""
        assert time.monotonic() - began > 0.5
        slow.close()
        assert client.get("/health").status_code == 200


def test_answers_are_sent_at_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without TCP_NODELAY the second part of an answer waits for the client's acknowledgement: 40 ms a request."""
    found: list[int] = []
    made = serving.TimedProtocol.connection_made

    def seen(self: serving.TimedProtocol, transport: Any) -> None:
        accepted = transport.get_extra_info("socket")
        found.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(serving.TimedProtocol, "connection_made", seen)
    assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=400).status_code == 200
    assert found
    assert all(found)


def test_which_names_and_addresses_are_its_own() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.7", "me.example")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
    assert "<ip>" in names_of("0.0.0.0", ())
    assert "<ip>" not in names_of("127.0.0.1", ("Docs.example",))
    assert "docs.example" in names_of("127.0.0.1", ("Docs.example",))
