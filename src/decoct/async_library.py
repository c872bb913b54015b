"""The library for programs on an event loop: the same methods, awaited. Each call runs in a thread, so that the loop goes on.

async with await AsyncLibrary.open("my-library") as library:
    answer = await library.ask("When was the bridge opened?")

A task that is cancelled ends at once. What runs for it in the thread ends at its next step: an `ask` with its model's next words, an `add`
with the next report (what was stored stays); a search of some milliseconds comes to its end unheard.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from decoct.data import Answer, Context, Document, Hit
from decoct.embed.base import Embedder
from decoct.index.base import DocumentInfo, Status
from decoct.ingest import Report
from decoct.library import Library, Where
from decoct.llm.base import LLM
from decoct.recipe import RecipeSource

if TYPE_CHECKING:
    from decoct.conversation.turns import History
    from decoct.feed import ReadFile
    from decoct.reading.base import PassageReader
    from decoct.reading.second import SecondReader

T = TypeVar("T")
Check = Callable[..., None]


class CallEndedError(Exception):
    """Ends, inside its thread, work that nobody waits for any more."""


class AsyncLibrary:
    """An open `library`, whose methods are awaited; it may be used from threads beside that, as it is one."""

    def __init__(self, library: Library) -> None:
        self.library = library

    @classmethod
    async def open(
        cls,
        location: str | Path,
        *,
        embedder: str | Embedder | None = None,
        chunker: str | Mapping[str, Any] | None = None,
        llm: str | LLM | None = None,
        language: str | None = None,
        create: bool = True,
    ) -> Self:
        """See `Library.open`."""

        def opened() -> Library:
            return Library.open(location, embedder=embedder, chunker=chunker, llm=llm, language=language, create=create)

        return cls(await asyncio.to_thread(opened))

    async def add(
        self,
        sources: str | Path | Document | Mapping[str, Any] | Iterable[str | Path | Document | object],
        *,
        allow_private: bool = False,
        depth: int = 0,
        progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """See `Library.add`; `progress` is called in the thread."""
        return await _in_thread(
            lambda check: self.library.add(
                sources, allow_private=allow_private, depth=depth, progress=_both(check, progress)
            )
        )

    async def sync(
        self,
        source: str | Path | Iterable[str | Path],
        *,
        prune: bool = False,
        allow_private: bool = False,
        depth: int = 0,
        progress: Callable[[Report], None] | None = None,
        remembered: dict[str, ReadFile] | None = None,
    ) -> Report:
        """See `Library.sync`; `progress` is called in the thread."""
        return await _in_thread(
            lambda check: self.library.sync(
                source,
                prune=prune,
                allow_private=allow_private,
                depth=depth,
                progress=_both(check, progress),
                remembered=remembered,
            )
        )

    async def delete(self, *doc_ids: str) -> int:
        """See `Library.delete`."""
        return await asyncio.to_thread(self.library.delete, *doc_ids)

    async def document(self, doc_id: str) -> Document:
        """See `Library.document`."""
        return await asyncio.to_thread(self.library.document, doc_id)

    async def documents(self, where: Where | None = None) -> list[DocumentInfo]:
        """See `Library.documents`; all at once."""
        return await asyncio.to_thread(lambda: list(self.library.documents(where)))

    async def status(self) -> Status:
        """See `Library.status`."""
        return await asyncio.to_thread(self.library.status)

    async def structure(self, name: str, settings: Mapping[str, Any] | None = None, *, model: bool = True) -> Any:  # noqa: ANN401
        """See `Library.structure`."""
        return await asyncio.to_thread(lambda: self.library.structure(name, settings, model=model))

    async def follow(self) -> None:
        """See `Library.follow`."""
        await asyncio.to_thread(self.library.follow)

    async def search(
        self, question: str, k: int = 10, recipe: RecipeSource = "default", *, where: Where | None = None
    ) -> list[Hit]:
        """See `Library.search`."""
        return await asyncio.to_thread(lambda: self.library.search(question, k, recipe, where=where))

    async def context(
        self,
        question: str,
        budget: int | str | None = None,
        recipe: RecipeSource = "default",
        *,
        where: Where | None = None,
    ) -> Context:
        """See `Library.context`."""
        return await asyncio.to_thread(lambda: self.library.context(question, budget, recipe, where=where))

    async def ask(
        self,
        question: str,
        budget: int | str | None = None,
        recipe: RecipeSource = "default",
        *,
        where: Where | None = None,
        caution: float | None = None,
        history: History | None = None,
        reader: str | PassageReader | None = None,
        second: str | SecondReader | None = None,
    ) -> Answer:
        """See `Library.ask`; `stream` is what its `sink` is."""
        return await _in_thread(
            lambda check: self.library.ask(
                question,
                budget,
                recipe,
                where=where,
                sink=check,
                caution=caution,
                history=history,
                reader=reader,
                second=second,
            )
        )

    async def stream(
        self,
        question: str,
        budget: int | str | None = None,
        recipe: RecipeSource = "default",
        *,
        where: Where | None = None,
        caution: float | None = None,
        history: History | None = None,
        reader: str | PassageReader | None = None,
        second: str | SecondReader | None = None,
    ) -> AsyncIterator[str | Answer]:
        """The answer's pieces as they are written, then the `Answer`."""
        loop, pieces = asyncio.get_running_loop(), asyncio.Queue[str]()

        def work(check: Check) -> Answer:
            def written(piece: str) -> None:
                check()
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

            return self.library.ask(
                question,
                budget,
                recipe,
                where=where,
                sink=written,
                caution=caution,
                history=history,
                reader=reader,
                second=second,
            )

        answering = asyncio.ensure_future(_in_thread(work))
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

    async def close(self) -> None:
        """See `Library.close`."""
        await asyncio.to_thread(self.library.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()


def _both(check: Check, progress: Callable[[Report], None] | None) -> Callable[[Report], None]:
    """Ends the work where nobody waits for it, and tells how far it is."""

    def told(report: Report) -> None:
        check()
        if progress is not None:
            progress(report)

    return told


async def _in_thread(work: Callable[[Check], T]) -> T:
    """The result of `work` in a thread; what it is handed raises there once the task is cancelled."""
    gone = threading.Event()

    def check(*_: object) -> None:
        if gone.is_set():
            raise CallEndedError

    try:
        return await asyncio.to_thread(work, check)
    except asyncio.CancelledError:
        gone.set()
        raise
