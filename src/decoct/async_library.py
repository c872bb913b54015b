"""The library for programs on an event loop: the same methods, awaited. Each call runs in a thread, so that the loop goes on.

async with await AsyncLibrary.open("my-library") as library:
    answer = await library.ask("When was the bridge opened?")

A task that is cancelled ends at once. What runs for it in the thread ends at its next step: an `ask` with its model's next words, an `add`
with the next report (what was stored stays); a search of some milliseconds comes to its end unheard.

The methods are made of the library's own, and type checkers see their parameters. What a call tells of (`progress`, `sink`) is called in
the thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from decoct.data import Answer
from decoct.index.base import DocumentInfo
from decoct.library import Library, Where

P = ParamSpec("P")
R = TypeVar("R")


class CallEndedError(Exception):
    """Ends, inside its thread, work that nobody waits for any more."""


def _awaited(
    method: Callable[Concatenate[Library, P], R], callback: str = ""
) -> Callable[Concatenate[AsyncLibrary, P], Coroutine[Any, Any, R]]:
    """`method` in a thread, which ends where `callback` is called once nobody waits for it."""

    @wraps(method)
    async def run(self: AsyncLibrary, /, *args: P.args, **kwargs: P.kwargs) -> R:
        gone, told = threading.Event(), kwargs.get(callback)

        def tell(said: object) -> None:
            if gone.is_set():
                raise CallEndedError
            if callable(told):
                told(said)

        if callback and (told is None or callable(told)):
            kwargs[callback] = tell
        try:
            return await asyncio.to_thread(method, self.library, *args, **kwargs)
        except asyncio.CancelledError:
            gone.set()
            raise

    run.__doc__ = f"See `Library.{method.__name__}`."
    return run


def _opened(
    method: Callable[P, Library],
) -> Callable[Concatenate[type[AsyncLibrary], P], Coroutine[Any, Any, AsyncLibrary]]:
    @wraps(getattr(method, "__func__", method))  # whose first parameter is the class, as here
    async def run(cls: type[AsyncLibrary], /, *args: P.args, **kwargs: P.kwargs) -> AsyncLibrary:
        return cls(await asyncio.to_thread(method, *args, **kwargs))

    run.__doc__ = "See `Library.open`."
    return run


def _streamed(
    ask: Callable[Concatenate[AsyncLibrary, P], Coroutine[Any, Any, Answer]],
) -> Callable[Concatenate[AsyncLibrary, P], AsyncIterator[str | Answer]]:
    @wraps(ask)
    async def run(self: AsyncLibrary, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[str | Answer]:
        loop, pieces = asyncio.get_running_loop(), asyncio.Queue[str]()
        kwargs["sink"] = lambda piece: loop.call_soon_threadsafe(pieces.put_nowait, piece)
        answering = asyncio.ensure_future(ask(self, *args, **kwargs))
        try:
            while not answering.done() or not pieces.empty():
                waiting = asyncio.ensure_future(pieces.get())
                await asyncio.wait({waiting, answering}, return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                else:
                    waiting.cancel()
            yield await answering
        finally:
            answering.cancel()

    run.__doc__ = "The answer's pieces as they are written, then the `Answer`."
    return run


class AsyncLibrary:
    """An open `library`, whose methods are awaited; it may be used from threads beside that, as it is one."""

    def __init__(self, library: Library) -> None:
        self.library = library

    open = classmethod(_opened(Library.open))
    add = _awaited(Library.add, "progress")
    sync = _awaited(Library.sync, "progress")
    delete = _awaited(Library.delete)
    document = _awaited(Library.document)
    span = _awaited(Library.span)
    status = _awaited(Library.status)
    structure = _awaited(Library.structure)
    follow = _awaited(Library.follow)
    search = _awaited(Library.search)
    context = _awaited(Library.context)
    ask = _awaited(Library.ask, "sink")
    stream = _streamed(ask)
    close = _awaited(Library.close)

    async def documents(self, where: Where | None = None) -> list[DocumentInfo]:
        """See `Library.documents`; all at once."""
        return await asyncio.to_thread(lambda: list(self.library.documents(where)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
