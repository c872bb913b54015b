"""Connects only to public addresses, and to the very address that was checked.

A server that fetches URLs for others must not be led to its own network (SSRF). Checking the host's name is not enough: a name can
resolve to a private address, a redirect can lead to one, and a name can change its address between the check and the connection
(DNS rebinding). So the check stands where the connection is made: `PublicBackend` resolves a name once, refuses it if any of its
addresses is not public, and connects to one of those addresses; Host header and TLS name stay the original ones. It also holds
every read and write to one deadline, so a server that sends a byte now and then cannot keep the reader for ever.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import httpcore

from decoct.errors import CorpusError
from decoct.timed_stream import TimedStream

Resolver: TypeAlias = Callable[[str, int], list[str]]
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")
# Special-purpose addresses that the standard library's tables take for global: of IANA's registries, and a cloud's own wire server.
_SPECIAL = tuple(
    ipaddress.ip_network(one)
    for one in (
        "168.63.129.16/32",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "64:ff9b:1::/48",
        "3fff::/20",
        "5f00::/16",
        "100::/64",
    )
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # in the upper half of an interface's number; the lower half is an IPv4 address


def resolve(host: str, port: int) -> list[str]:
    """The addresses of `host`, as text, in the system's order of preference."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(address: str) -> bool:
    """Whether `address` is a global unicast address, also once every IPv4 address embedded in it is looked at."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None or ip in _NAT64 or ip in _COMPATIBLE:
            return is_public(str(_lower_half(ip)))
        if ip.is_site_local or not all(is_public(str(inner)) for inner in _embedded(ip)):
            return False  # site-local: withdrawn long ago, and still routed inside some networks
    if any(ip in network for network in _SPECIAL if network.version == ip.version):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _embedded(ip: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses to which a tunnel would bring what is sent there."""
    found = [inner for inner in (ip.sixtofour, *(ip.teredo or ())) if inner is not None]
    return [*found, _lower_half(ip)] if int(ip) >> 32 & 0xFFFFFFFF in _ISATAP else found


def _lower_half(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)


def addresses(host: str, port: int, resolver: Resolver, allow_private: bool) -> list[str]:
    """The addresses of `host` that may be connected to; `CorpusError` if one of them is not public and that is not allowed."""
    try:
        found = resolver(host, port)
    except (OSError, UnicodeError) as error:
        raise CorpusError(f"the host {host!r} cannot be found: check the URL and the network") from error
    if not found:
        raise CorpusError(f"the host {host!r} has no address: check the URL")
    for address in found:
        if not allow_private and not is_public(address):
            raise CorpusError(
                f"{host!r} leads to what is not a public address: allow private addresses if that is meant"
            )
    return found


@dataclass(slots=True)
class Deadline:
    """A moment after which nothing more is waited for."""

    seconds: float
    end: float = field(init=False)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds

    def left(self, timeout: float | None, error: type[Exception]) -> float:
        """The shorter of `timeout` and the time left; raises `error` when none is."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise error(f"it took longer than {self.seconds:g} s")
        return left if timeout is None else min(timeout, left)


class PublicBackend(httpcore.NetworkBackend):
    """httpcore's way to the network, with the check in it."""

    def __init__(
        self,
        deadline: Deadline,
        *,
        allow_private: bool = False,
        resolver: Resolver = resolve,
        network: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._deadline, self._allow_private = deadline, allow_private
        self._resolver, self._network = resolver, network or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that answers, once all of them are found to be allowed."""
        found = addresses(host, port, self._resolver, self._allow_private)
        for number, address in enumerate(found, 1):
            left = self._deadline.left(timeout, httpcore.ConnectTimeout)
            try:
                stream = self._network.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(found):
                    raise
            else:
                return cast("httpcore.NetworkStream", TimedStream(stream, self._deadline.left, httpcore))
        raise httpcore.ConnectError(f"no address of {host!r} answers")
