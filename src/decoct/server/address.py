"""Where a server listens, and by which names it may be called."""

from __future__ import annotations

import ipaddress
import socket

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
