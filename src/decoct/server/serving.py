"""Runs the application: says its address first, gives a request's headers a limit of time, stops in order."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from decoct.errors import ConfigError

_LOCAL = {"localhost"}
HEADERS = 15.0  # seconds from a connection's, or a request's, first byte to the end of its headers


class TimedProtocol(H11Protocol):
    """uvicorn's protocol, which has no such limit of its own: a connection that brings no whole request in time is closed."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Begin to wait for the end of the next request's headers."""
        if self._late is None and self.conn.their_state is h11.IDLE:
            self._wait()
        super().data_received(data)

    def handle_events(self) -> None:
        """Stop waiting when the headers are there."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._came()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._came()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(HEADERS, self.transport.close)

    def _came(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def serve(app: ASGIApp, sock: socket.socket, stop: float, say: Callable[[str], None], path: str = "") -> None:
    """Serve until told to stop (SIGTERM, Ctrl-C), then let what runs end for at most `stop` seconds; `say` is told the URL of `path`."""
    host, port = sock.getsockname()[:2]
    say(f"http://{f'[{host}]' if ':' in host else host}:{port}{path}")
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(stop),
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=2_000,
        ws="none",
    )
    if threading.current_thread() is threading.main_thread():
        # uvicorn raises the signal anew when it has stopped: a server that was told to stop has not failed.
        signal.signal(signal.SIGTERM, lambda *_: None)
    uvicorn.Server(config).run(sockets=[sock])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in _LOCAL


def names_of(host: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The host names under which a server at `host` may be addressed: its own, this machine's, and those allowed.

    Where it listens to all addresses any address will do ("<ip>"): a name of another's that leads here is no address.
    """
    bracketed = f"[{host}]" if ":" in host else host
    own = ("<ip>",) if bracketed in {"0.0.0.0", "[::]"} else (bracketed,)  # noqa: S104 - compared, not bound
    return (*own, "localhost", "127.0.0.1", "[::1]", *(name.lower() for name in allowed))


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there, `port` 0 for any free one; `ConfigError` where that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns TCP_NODELAY on for what it accepts; without it every answer waits 40 ms for an acknowledgement.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(1024)
    except OSError as error:
        made.close()
        raise ConfigError(f"{host}:{port} cannot be listened to: {error.strerror}; give another --port") from error
    made.set_inheritable(False)
    return made
