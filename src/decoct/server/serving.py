"""Runs the application: finds its port, says its address first, stops in order."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from decoct.errors import ConfigError

_LOCAL = {"localhost"}


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
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(1024)
    except OSError as error:
        made.close()
        raise ConfigError(f"{host}:{port} cannot be listened to: {error.strerror}; give another --port") from error
    made.set_inheritable(False)
    return made


def serve(app: FastAPI, sock: socket.socket, stop: float, say: Callable[[str], None]) -> None:
    """Serve until told to stop (SIGTERM, Ctrl-C), then let what runs end for at most `stop` seconds."""
    host, port = sock.getsockname()[:2]
    say(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(stop),
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=2_000,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[sock])
