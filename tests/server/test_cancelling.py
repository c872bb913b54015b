"""A request whose client goes away stops its work: in the queue, in a model's stream, and between the columns of a comparison."""

from __future__ import annotations

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest

from decoct.server import work
from decoct.server.problems import ProblemError
from decoct.server.settings import ServerLimits
from decoct.server.work import Cancel, ClientGoneError, Workers


class Client:
    """A request whose client is there until it is told to go."""

    def __init__(self) -> None:
        self.gone = False

    async def is_disconnected(self) -> bool:
        return self.gone


def test_work_that_runs_is_told_and_what_waits_is_dropped() -> None:
    ended, began = threading.Event(), []

    def long(cancel: Cancel) -> None:
        began.append("first")
        try:
            while True:
                cancel.check()
                time.sleep(0.01)
        except ClientGoneError:
            ended.set()
            raise

    async def story() -> None:
        workers, client = Workers("test", 1, 4, 60), Client()
        first = asyncio.create_task(workers.run(client, long))  # type: ignore[arg-type]
        second = asyncio.create_task(workers.run(client, lambda _: began.append("second")))  # type: ignore[arg-type]
        while not began:
            await asyncio.sleep(0.01)
        client.gone = True
        for task in (first, second):
            with pytest.raises(ProblemError) as error:
                await task
            assert error.value.status_code == 499
        assert await asyncio.to_thread(ended.wait, 400)
        assert await workers.run(Client(), lambda _: "served") == "served"  # type: ignore[arg-type]
        workers.close()

    asyncio.run(asyncio.wait_for(story(), 400))
    assert began == ["first"]


def test_what_waits_too_long_for_its_turn_is_told_to_come_back() -> None:
    go_on, begun = threading.Event(), []

    def long(_: Cancel) -> str:
        begun.append("first")
        assert go_on.wait(400)
        return "done"

    async def story() -> None:
        workers = Workers("test", 1, 4, 400)
        first = asyncio.create_task(workers.run(Client(), long))  # type: ignore[arg-type]
        while not begun:
            await asyncio.sleep(0.01)
        workers._patience = 0.2
        with pytest.raises(ProblemError, match="busy") as error:
            await workers.run(Client(), lambda _: begun.append("second"))  # type: ignore[arg-type]
        assert (error.value.status_code, error.value.code) == (429, "queue")
        assert error.value.headers == {"Retry-After": "5"}
        with pytest.raises(ProblemError, match="busy"):
            async for _ in workers.stream(Client(), lambda *_: begun.append("third")):  # type: ignore[arg-type]
                pass
        while workers.pending > 1:  # places in the queue are free again
            await asyncio.sleep(0.01)
        go_on.set()  # what runs is not ended by the time that others wait
        assert await first == "done"
        workers.close()

    asyncio.run(asyncio.wait_for(story(), 500))
    assert begun == ["first"]


def test_a_few_dozen_who_ask_at_once_are_all_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one thread, by what the server waits where nothing else is set; a second counts as thirty."""
    begun = time.monotonic()
    clock = SimpleNamespace(monotonic=lambda: begun + 30 * (time.monotonic() - begun))
    monkeypatch.setattr(work, "time", clock)
    limits = ServerLimits()

    async def story() -> list[None]:
        workers = Workers("test", 1, limits.queue, limits.patience)
        asked = [workers.run(Client(), lambda _: time.sleep(0.05)) for _ in range(40)]  # type: ignore[arg-type]
        return await asyncio.gather(*asked)

    assert asyncio.run(asyncio.wait_for(story(), 400)) == [None] * 40


def test_a_stream_that_nobody_reads_ends_at_its_next_word() -> None:
    ended = threading.Event()
    written: list[int] = []

    def writes(_: Cancel, put: object) -> None:
        assert callable(put)
        try:
            for number in range(100_000):
                written.append(number)
                put(str(number))
                time.sleep(0.005)
        finally:
            ended.set()

    async def story() -> None:
        workers = Workers("test", 1, 4, 60)
        pieces = workers.stream(Client(), writes)  # type: ignore[arg-type]
        assert await anext(pieces) == "0"
        await pieces.aclose()  # type: ignore[attr-defined]
        assert await asyncio.to_thread(ended.wait, 400)
        workers.close()

    asyncio.run(asyncio.wait_for(story(), 400))
    assert len(written) < 100_000
