"""The limits of one attempt: one moment at which all of it ends, and the bytes of a reply."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from decoct.errors import ReplyError
from decoct.llm import attempt
from decoct.llm.attempt import MOST_BYTES, Attempt, attempting


class LateError(Exception):
    """What the caller wants raised."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that is moved by hand."""
    now = SimpleNamespace(at=100.0)
    monkeypatch.setattr(attempt, "time", SimpleNamespace(monotonic=lambda: now.at))
    return now


def test_the_shorter_of_timeout_and_rest_counts(clock: SimpleNamespace) -> None:
    one = Attempt(10)
    assert one.left(None, LateError) == 10
    assert one.left(3, LateError) == 3
    clock.at += 8
    assert one.left(3, LateError) == 2


def test_an_attempt_that_is_over_raises_what_the_caller_names(clock: SimpleNamespace) -> None:
    one = Attempt(10)
    clock.at += 10
    with pytest.raises(LateError, match="longer than its timeout"):
        one.left(None, LateError)


def test_the_time_of_whoever_takes_the_pieces_is_not_the_endpoints(clock: SimpleNamespace) -> None:
    one = Attempt(10)
    with one.paused():
        clock.at += 1000
    assert one.left(None, LateError) == 10


def test_a_pause_that_raises_ends_too(clock: SimpleNamespace) -> None:
    one = Attempt(10)

    def fail() -> None:
        with one.paused():
            clock.at += 5
            raise LateError

    with pytest.raises(LateError):
        fail()
    assert one.left(None, LateError) == 10


def test_bytes_are_counted_over_all_pieces() -> None:
    one = Attempt(10)
    one.received(MOST_BYTES)
    with pytest.raises(ReplyError, match="16 MB"):
        one.received(1)


def test_an_attempt_ends_with_its_block() -> None:
    assert attempt._left(7, LateError) == 7
    with attempting(3) as one:
        left = attempt._left(None, LateError)
        assert left is not None
        assert 0 < left <= 3
        assert attempt._current.get() is one
    assert attempt._left(None, LateError) is None


class Pieces:
    """httpx's base of a body, and one that sends `sizes` bytes each."""

    def __init__(self, *sizes: int) -> None:
        self.sizes, self.closed = sizes, False

    def __iter__(self) -> Iterator[bytes]:
        for size in self.sizes:
            yield b"x" * size

    def close(self) -> None:
        self.closed = True


HTTP: Any = SimpleNamespace(SyncByteStream=object, ReadTimeout=LateError)


def test_a_body_under_its_limits_comes_through_and_is_closed() -> None:
    response = SimpleNamespace(headers={}, stream=Pieces(3, 4))
    inner = response.stream
    with attempting(60):
        attempt._watched(response, HTTP)
        assert [len(piece) for piece in response.stream] == [3, 4]
    response.stream.close()
    assert inner.closed


def test_a_body_that_comes_late_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    response = SimpleNamespace(headers={}, stream=Pieces(3, 4))
    with attempting(60) as one:
        attempt._watched(response, HTTP)
        pieces = iter(response.stream)
        next(pieces)
        monkeypatch.setattr(one, "_end", time.monotonic() - 1)
        with pytest.raises(LateError):
            next(pieces)


@pytest.mark.parametrize("encoding", ["gzip", "br", "Deflate"])
def test_a_compressed_reply_is_refused(encoding: str) -> None:
    response = SimpleNamespace(headers={"content-encoding": encoding}, stream=Pieces(3))
    with pytest.raises(ReplyError, match="compressed"):
        attempt._watched(response, HTTP)


def test_outside_an_attempt_nothing_is_watched() -> None:
    response = SimpleNamespace(headers={"content-encoding": " identity "}, stream=Pieces(3))
    stream = response.stream
    attempt._watched(response, HTTP)
    assert response.stream is stream
