"""A connection that brings no request is closed; one that does is kept."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from decoct.server import serving
from decoct.server.address import is_loopback, listening, names_of

Serve = Callable[..., TestClient]


@pytest.mark.services
def test_headers_that_do_not_end_are_not_waited_for(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADERS", 1.0)
    app = serve().app
    said: list[str] = []
    with listening("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        threading.Thread(target=serving.serve, args=(app, sock, 1, said.append), daemon=True).start()
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
    assert said == [f"http://127.0.0.1:{port}"]


def test_answers_are_sent_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without TCP_NODELAY the second part of an answer waits for the client's acknowledgement: 40 ms a request."""
    found: list[int] = []
    made = serving.TimedProtocol.connection_made

    def seen(self: serving.TimedProtocol, transport: Any) -> None:
        accepted = transport.get_extra_info("socket")
        found.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(serving.TimedProtocol, "connection_made", seen)
    app = serve().app
    with listening("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        threading.Thread(target=serving.serve, args=(app, sock, 1, lambda _: None), daemon=True).start()
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
