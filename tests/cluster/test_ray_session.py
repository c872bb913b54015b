"""Ray found, started and lost, with a double in the place of the package: what is begun is ended, and errors are told in our words."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from decoct.errors import ClusterError, MissingDistributionError
from decoct_ray.session import cluster


class RayError(Exception):
    """As Ray's own are."""


class Ray(ModuleType):
    """What of Ray is used here."""

    def __init__(self, *, connected: bool = False, refuses: Exception | None = None) -> None:
        super().__init__("ray")
        self.connected, self.refuses = connected, refuses
        self.calls: list[Any] = []
        self.context = SimpleNamespace(enable_progress_bars=True)
        self.data = SimpleNamespace(DataContext=SimpleNamespace(get_current=lambda: self.context))

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, address: str, **settings: Any) -> None:
        self.calls.append((address, settings))
        if self.refuses:
            raise self.refuses
        self.connected = True

    def shutdown(self) -> None:
        self.calls.append("shutdown")


def install(monkeypatch: pytest.MonkeyPatch, ray: Ray) -> Ray:
    errors = ModuleType("ray.exceptions")
    errors.RayError = RayError  # type: ignore[attr-defined]
    for name, module in (("ray", ray), ("ray.data", ray.data), ("ray.exceptions", errors)):
        monkeypatch.setitem(sys.modules, name, module)
    return ray


def test_what_is_started_here_is_ended_here(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = install(monkeypatch, Ray())
    with cluster("local") as found:
        assert found is ray
        assert ray.context.enable_progress_bars is False
    (address, settings), ended = ray.calls
    assert (address, settings["_node_ip_address"], settings["include_dashboard"]) == ("local", "127.0.0.1", False)
    assert (ended, ray.context.enable_progress_bars) == ("shutdown", True)


def test_a_cluster_elsewhere_is_asked_for_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = install(monkeypatch, Ray())
    with cluster("10.0.0.1:6379"):
        pass
    address, settings = ray.calls[0]
    assert (address, "_node_ip_address" in settings) == ("10.0.0.1:6379", False)


def test_a_connection_that_is_there_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = install(monkeypatch, Ray(connected=True))
    with cluster("auto"):
        pass
    assert ray.calls == []


def test_it_is_ended_whatever_fails_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = install(monkeypatch, Ray())
    with pytest.raises(ZeroDivisionError), cluster("local"):
        raise ZeroDivisionError
    assert (ray.calls[-1], ray.context.enable_progress_bars) == ("shutdown", True)


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (ConnectionError("no node answers\nat 10.0.0.1"), "no node answers"),
        (ValueError("not an address"), "not an address"),
        (AssertionError(), "AssertionError"),
        (Exception("the node timed out"), "the node timed out"),
    ],
)
def test_where_there_is_no_cluster_it_says_how_to_start_one(
    monkeypatch: pytest.MonkeyPatch, refusal: Exception, told: str
) -> None:
    ray = install(monkeypatch, Ray(refuses=refusal))
    with (
        pytest.raises(ClusterError, match=rf"'10.0.0.1:1' \({told}\): start one with `ray start --head`"),
        cluster("10.0.0.1:1"),
    ):
        pass
    assert "shutdown" not in ray.calls


@pytest.mark.parametrize(("error", "told"), [("first\n  the worker died", "the worker died"), (" ", "RayError")])
def test_a_lost_cluster_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, error: str, told: str) -> None:
    install(monkeypatch, Ray())
    with pytest.raises(ClusterError, match=f"failed: {told}; what was stored is kept"), cluster("local"):
        raise RayError(error)


def test_without_the_package_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDistributionError, match=r"decoct-ray"), cluster("local"):
        pass
