"""The limits of one attempt at an endpoint: a deadline for all of it, and how many bytes a reply may have.

The timeouts of an HTTP client are for one operation each: a server that sends a byte a second is never late. Here everything that an
attempt does, connecting, headers, body and all pieces of a stream, shares one moment at which it ends. Two places look at it:

- a hook on the response, for any transport: after each piece of the body, whose bytes it also counts;
- the connections (`timed_stream`), for a real network: no read or write waits longer than what is left, so that a server that goes silent,
  or drips its headers, is left in time too.

Compression is not asked for and refused: a reply of a few kilobytes could unpack to gigabytes.
"""

from __future__ import annotations

import importlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from decoct import trace
from decoct.errors import ModelError, RateLimitError, ReplyError
from decoct.timed_stream import TimedStream

# A reply of 100,000 tokens with a log-probability each has some 10 MB.
MOST_BYTES: Final = 16 << 20


class Attempt:
    """What is left of an attempt."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._bytes = 0

    def left(self, timeout: float | None, late: type[Exception]) -> float:
        """The shorter of `timeout` and the seconds left; raises `late` where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise late("the attempt took longer than its timeout")
        return left if timeout is None else min(timeout, left)

    def received(self, size: int) -> None:
        """Count bytes of the reply; `ReplyError` over the limit."""
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise ReplyError(f"the reply has more than {MOST_BYTES >> 20} MB; nothing that was asked for is so long")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The time inside (that of whoever takes the pieces of a stream) is not the endpoint's."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._end += time.monotonic() - start


_current: ContextVar[Attempt | None] = ContextVar("decoct_llm_attempt", default=None)


@contextmanager
def attempting(seconds: float) -> Iterator[Attempt]:
    """What is sent and received inside belongs to one attempt."""
    attempt = Attempt(seconds)
    token = _current.set(attempt)
    try:
        yield attempt
    finally:
        _current.reset(token)


def bounded_client(openai: Any, transport: Any) -> Any:  # noqa: ANN401
    """The HTTP client for `openai.OpenAI` that keeps the current attempt's limits; `transport` replaces the network."""
    library = openai.DefaultHttpxClient.__mro__[1].__module__.split(".")[0]  # httpx, or httpx2 since openai 3
    http = importlib.import_module(library)
    replaced = {"transport": transport} if transport is not None else {}
    client = openai.DefaultHttpxClient(
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [lambda response: _watched(response, http)]},
        **replaced,
    )
    core = importlib.import_module(library.replace("httpx", "httpcore"))
    for one in (client._transport, *client._mounts.values()):
        pool = getattr(one, "_pool", None)
        if pool is not None:
            pool._network_backend = _Backend(pool._network_backend, core)
    return client


def _watched(response: Any, http: Any) -> None:  # noqa: ANN401
    attempt = _current.get()
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise ReplyError("the reply is compressed, although that was not asked for")
    if attempt is not None:
        attempt.left(None, http.ReadTimeout)
        response.stream = _body(http)(response.stream, attempt)


def _body(http: Any) -> Any:  # noqa: ANN401
    class Body(http.SyncByteStream):  # type: ignore[misc]
        """A response's body under an attempt's limits."""

        def __init__(self, stream: Any, attempt: Attempt) -> None:  # noqa: ANN401
            self._stream, self._attempt = stream, attempt

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._stream:
                self._attempt.left(None, http.ReadTimeout)
                self._attempt.received(len(piece))
                yield piece

        def close(self) -> None:
            self._stream.close()

    return Body


class _Backend:
    """httpcore's way to the network, with connections that know the deadline."""

    def __init__(self, network: Any, core: Any) -> None:  # noqa: ANN401
        self._network, self._core = network, core

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **options: Any) -> Any:  # noqa: ANN401
        """Connect within what is left."""
        left = _left(timeout, self._core.ConnectTimeout)
        return TimedStream(self._network.connect_tcp(host, port, timeout=left, **options), _left, self._core)

    def sleep(self, seconds: float) -> None:
        """Wait, as httpcore does between tries to connect."""
        self._network.sleep(seconds)


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    attempt = _current.get()
    return timeout if attempt is None else attempt.left(timeout, late)


# Retries as the OpenAI client does them, and the concurrency and accounting that every provider shares.
#
# Delay before retry n (from 0): what the server asked for by Retry-After, if that is at most two minutes; otherwise
# min(0.5 * 2^n, 8) seconds, less a random part of up to a quarter so that many clients do not return at once. A server that asks
# for more than two minutes is not retried. Retried are errors whose `retryable` is true, and a `ReplyError`: inside an attempt that is
# an empty or broken reply, which a second try usually mends, and which waits for nothing, as the server is not at its limit.
#
# Workers write into their own `Usage`; the caller's thread adds them to the trace when all are done, so that counts never race and
# results stand by index, whatever the timing.
#
# The OpenAI client's own constants (its _constants.py).
FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
LONGEST_SERVER_DELAY = 120.0

_In = TypeVar("_In")
_Out = TypeVar("_Out")


@dataclass(slots=True)
class Usage:
    """What one request cost: counts for the trace's stage, and fallbacks by name."""

    counts: Counter[str] = field(default_factory=Counter)
    fallbacks: Counter[str] = field(default_factory=Counter)

    def record(self) -> None:
        """Add everything to the trace; call it in the thread of the run."""
        if self.counts:
            trace.count(**self.counts)
        for name, amount in self.fallbacks.items():
            trace.fallback(name, amount)


@dataclass(frozen=True, slots=True)
class Retry:
    """At most `retries` further attempts; `sleep` and `jitter` (a number in 0..1) can be replaced in tests."""

    retries: int = 2
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)
    jitter: Callable[[], float] = field(default=random.random, repr=False, compare=False)

    def call(self, work: Callable[[], _Out], usage: Usage) -> _Out:
        """What `work` returns; retried while it raises what a retry may mend, then the last error is raised."""
        for attempt in range(self.retries + 1):
            try:
                return work()
            except ModelError as error:
                delay = self._delay(error, attempt)
                if delay is None or attempt == self.retries:
                    if attempt:
                        error.add_note(f"after {attempt + 1} attempts")
                    raise
                usage.counts["retries"] += 1
                self.sleep(delay)
        raise AssertionError("unreachable: the loop returns or raises")

    def _delay(self, error: ModelError, attempt: int) -> float | None:
        if isinstance(error, ReplyError):
            return 0.0
        if not error.retryable:
            return None
        if isinstance(error, RateLimitError) and error.retry_after is not None and error.retry_after > 0:
            return error.retry_after if error.retry_after <= LONGEST_SERVER_DELAY else None
        return min(FIRST_DELAY * 2.0 ** min(attempt, 1000), LONGEST_DELAY) * (1 - 0.25 * self.jitter())


def run_all(work: Callable[[_In, Usage], _Out], items: Sequence[_In], concurrency: int) -> list[_Out | ModelError]:
    """`work` on every item with at most `concurrency` at once: its result or its `ModelError`, in the order of `items`.

    An error that is not a `ModelError` is a fault of ours and is raised, after the work under way has ended.
    """
    usages = [Usage() for _ in items]

    def one(index: int) -> _Out | ModelError:
        try:
            return work(items[index], usages[index])
        except ModelError as error:
            return error

    try:
        if len(items) == 1 or concurrency == 1:
            return [one(index) for index in range(len(items))]
        with ThreadPoolExecutor(max(1, min(concurrency, len(items))), thread_name_prefix="decoct-llm") as pool:
            return list(pool.map(one, range(len(items))))
    finally:
        for usage in usages:
            usage.record()
