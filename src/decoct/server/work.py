"""Where the synchronous engine runs: a bounded number of threads, a bounded queue, and an end to work that nobody waits for.

A request whose client went away before its turn is dropped from the queue; one that runs is told through its `Cancel`, which the sinks
of answers look at.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from starlette.requests import Request

from decoct.server.problems import ProblemError

T = TypeVar("T")
_LOOK = 0.3  # seconds between two looks at whether the client is still there
_AGAIN = 5  # seconds after which who was refused may ask again: a few calls are done by then


class ClientGoneError(Exception):
    """The client went away: raised inside the engine to end work that nobody waits for."""


class Cancel:
    """A flag that a running call looks at. Thread-safe."""

    def __init__(self) -> None:
        self._set = threading.Event()

    def cancel(self) -> None:
        """Ask the work to end."""
        self._set.set()

    def check(self, _piece: str = "") -> None:
        """Raise `ClientGoneError` where nobody waits any more; may stand in for a sink."""
        if self._set.is_set():
            raise ClientGoneError


class Workers:
    """Threads for the engine's calls.

    More than `threads` + `queue` at once are refused with 429, and so is what has waited `patience` seconds for its turn: longer than
    that nobody waits without a word. Whoever gives up sooner is dropped, and holds up no other.
    """

    def __init__(self, name: str, threads: int, queue: int, patience: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most, self._patience = threads + queue, patience
        self.pending = 0

    async def run(self, request: Request, work: Callable[[Cancel], T]) -> T:
        """The result of `work`, unless the client goes away before."""
        pieces = self.stream(request, lambda cancel, put: put(work(cancel)))
        async with aclosing(pieces) as found:  # type: ignore[type-var]
            results: list[T] = [result async for result in found]
        if not results:
            raise ProblemError(499, "the client went away", code="client-gone")
        return results[0]

    async def stream(
        self, request: Request, work: Callable[[Cancel, Callable[[Any], None]], None]
    ) -> AsyncIterator[Any]:
        """What `work` hands to its sink, as it comes; raises what it raises. Leaving the loop ends the work."""
        loop, cancel = asyncio.get_running_loop(), Cancel()
        pieces: asyncio.Queue[Any] = asyncio.Queue()
        end, began = object(), time.monotonic()

        def put(piece: Any) -> None:  # noqa: ANN401
            cancel.check()
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def whole() -> None:
            try:
                work(cancel, put)
            finally:
                with suppress(RuntimeError):  # the loop was closed
                    loop.call_soon_threadsafe(pieces.put_nowait, end)

        future = self._submit(whole)
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(self._done)
        try:
            while True:
                try:
                    piece = await asyncio.wait_for(pieces.get(), _LOOK)
                except TimeoutError:
                    self._check_turn(future, began)
                    if await request.is_disconnected():
                        return
                    continue
                if piece is end:
                    await waiting
                    return
                yield piece
        finally:
            cancel.cancel()
            future.cancel()

    def close(self) -> None:
        """Take no more work; what runs is left to end by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        if self.pending >= self._most:
            raise ProblemError(
                429, "too many requests are waiting; try again in a moment", code="queue", retry_after=_AGAIN
            )
        try:
            future = self._pool.submit(contextvars.copy_context().run, work)
        except RuntimeError as error:
            raise ProblemError(503, "the server is stopping", code="stopping", retry_after=5) from error
        self.pending += 1
        return future

    def _check_turn(self, future: Future[Any], began: float) -> None:
        """429 for a call that has waited too long and does not run yet: it will not run any more."""
        if time.monotonic() - began >= self._patience and future.cancel():
            told = f"the server is busy: nobody could take this up within {self._patience:g} seconds; try again later"
            raise ProblemError(429, told, code="queue", retry_after=_AGAIN)

    def _done(self, ended: asyncio.Future[Any]) -> None:
        self.pending -= 1
        if not ended.cancelled():
            ended.exception()  # looked at: asyncio would log it where nobody waits any more
