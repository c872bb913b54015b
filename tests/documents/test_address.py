"""Connecting to public addresses only."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore
import pytest

from decoct.documents.network.address import Deadline, PublicBackend, is_public
from decoct.errors import CorpusError

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::",
    "168.63.129.16", "192.0.0.8", "192.88.99.1", "3fff::1", "5f00::1", "2a01:db9::5efe:a00:1", "2a01:db9::200:5efe:10.0.0.1",
    "2002:0a00:0001::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "not-an-address", "",
]  # fmt: skip
PUBLIC = [
    "93.184.216.34",
    "8.8.8.8",
    "2606:2800:220:1:248:1893:25c8:1946",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2a01:db9::5efe:808:808",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(address)


class Network(httpcore.MockBackend):
    """Notes where it is asked to connect; addresses of `dead` do not answer."""

    def __init__(self, dead: tuple[str, ...] = ()) -> None:
        super().__init__([b""])
        self.asked: list[str] = []
        self.dead = dead

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        self.asked.append(host)
        if host in self.dead:
            raise httpcore.ConnectError("refused")
        return super().connect_tcp(host, port, timeout, local_address, socket_options)


def _connect(found: list[str], network: Network, *, allow_private: bool = False, seconds: float = 9) -> None:
    backend = PublicBackend(Deadline(seconds), allow_private=allow_private, resolver=lambda *_: found, network=network)
    backend.connect_tcp("host.example", 80)


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    network = Network()
    _connect(["8.8.8.8"], network)
    assert network.asked == ["8.8.8.8"]


def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    network = Network()
    with pytest.raises(CorpusError, match="leads to what is not a public address"):
        _connect(["8.8.8.8", "10.0.0.1"], network)
    assert network.asked == []
    _connect(["10.0.0.1"], network, allow_private=True)
    assert network.asked == ["10.0.0.1"]


def test_the_next_address_is_tried() -> None:
    network = Network(dead=("8.8.8.8",))
    _connect(["8.8.8.8", "8.8.4.4"], network)
    assert network.asked == ["8.8.8.8", "8.8.4.4"]
    with pytest.raises(httpcore.ConnectError):
        _connect(["8.8.8.8"], network)


def test_hosts_that_are_not_found() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(CorpusError, match="cannot be found"):
        PublicBackend(Deadline(9), resolver=unknown).connect_tcp("host.example", 80)
    with pytest.raises(CorpusError, match="no address"):
        _connect([], Network())


def test_after_the_deadline_nothing_is_waited_for() -> None:
    with pytest.raises(httpcore.ConnectTimeout):
        _connect(["8.8.8.8"], Network(), seconds=0)
    stream = PublicBackend(
        deadline := Deadline(9), resolver=lambda *_: ["8.8.8.8"], network=httpcore.MockBackend([b"x"])
    ).connect_tcp("h", 80)
    assert stream.read(9) == b"x"
    deadline.end = 0
    with pytest.raises(httpcore.ReadTimeout):
        stream.read(9)
    with pytest.raises(httpcore.WriteTimeout):
        stream.write(b"x")
