"""The awaited library: the loop goes on beside it, and a cancelled task ends its work."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from haystack import Document as HaystackDocument
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import TextNode

from decoct import AsyncLibrary, Document, Library
from decoct.data import Answer
from decoct.errors import CorpusError
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

BRIDGE = Document("bridge", "The old bridge was opened in 1934.", "Old bridge")


def test_every_method_is_awaited(tmp_path: Path) -> None:
    async def use() -> None:
        async with await AsyncLibrary.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
            assert (await library.add([BRIDGE, Document("b", "Another text.")])).added == 2
            assert (await library.status()).documents == 2
            assert [one.id for one in await library.documents()] == ["b", "bridge"]
            assert (await library.document("b")).text == "Another text."
            assert (await library.span("b", 8, 12, 100)).text == "text"
            assert (await library.search("old bridge", 1))[0].chunk.span.doc_id == "bridge"
            assert "1934" in (await library.context("old bridge", 100)).text
            assert "1934" in (await library.ask("When was the old bridge opened?")).text
            assert await library.delete("b") == 1
            (tmp_path / "c.txt").write_text("A third text.")
            assert (await library.sync(tmp_path / "c.txt")).added == 1

    asyncio.run(use())


def test_it_takes_what_the_library_takes() -> None:
    """What has no work to wait for (a property, a part) is `library.library`'s."""
    at_once = {"budget", "build", "llm", "pipeline", "use_cards"}
    for name, method in inspect.getmembers(Library):
        if not name.startswith("_") and name not in at_once:
            theirs = set(inspect.signature(method).parameters)
            assert set(inspect.signature(getattr(AsyncLibrary, name)).parameters) - {"self"} == theirs - {"self"}, name
    assert (
        inspect.signature(AsyncLibrary.stream).parameters.keys()
        == inspect.signature(AsyncLibrary.ask).parameters.keys()
    )


def test_documents_of_frameworks_and_plain_tables_are_taken(tmp_path: Path) -> None:
    async def use() -> None:
        async with await AsyncLibrary.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
            theirs = LangChainDocument("The mill was built in 1701.", metadata={"source": "mill.md"}, id="mill")
            llama = TextNode(id_="lock", text="The lock was built in 1802.")
            hay = HaystackDocument(id="pier", content="The pier was built in 1903.")
            plain = {"id": "well", "text": "The well was dug in 1604.", "metadata": {"kind": "well"}}
            assert (await library.add([theirs, llama, hay, plain])).added == 4
            assert [one.id for one in await library.documents()] == ["lock", "mill", "pier", "well"]
            assert (await library.document("well")).metadata["kind"] == "well"
            for wrong in (3, {"title": "no text"}, [object()]):
                with pytest.raises(CorpusError):
                    await library.add(wrong)  # type: ignore[arg-type]

    asyncio.run(use())


def test_the_loop_goes_on_while_a_call_runs(tmp_path: Path) -> None:
    async def use() -> None:
        library = await AsyncLibrary.open(tmp_path / "lib", embedder=HashEmbedder())
        await library.add(BRIDGE)
        waits, goes_on = threading.Event(), asyncio.Event()
        library.library.llm = ScriptedLLM(lambda _: "In 1934 [1]." if waits.wait(400) else "late")
        asking = asyncio.create_task(library.ask("When was the old bridge opened?"))
        asyncio.get_running_loop().call_soon(goes_on.set)
        await asyncio.wait_for(goes_on.wait(), 400)
        assert not asking.done()
        waits.set()
        assert (await asking).text == "In 1934 [1]."
        await library.close()

    asyncio.run(use())


def test_a_stream_has_the_pieces_and_then_the_answer(tmp_path: Path) -> None:
    async def use() -> None:
        library = await AsyncLibrary.open(tmp_path / "lib", embedder=HashEmbedder())
        await library.add(BRIDGE)
        library.library.llm = ScriptedLLM(["It was opened in 1934 [1], as told."])
        found = [piece async for piece in library.stream("When was the old bridge opened?")]
        *pieces, answer = found
        assert isinstance(answer, Answer)
        assert "".join(str(piece) for piece in pieces) == answer.text
        await library.close()

    asyncio.run(use())


def test_a_cancelled_add_ends_with_what_was_stored(tmp_path: Path) -> None:
    async def use() -> int:
        library = await AsyncLibrary.open(tmp_path / "lib", embedder=HashEmbedder())
        began, ended = threading.Event(), threading.Event()

        def held(_: object) -> None:
            began.set()
            ended.wait(400)

        sources = [Document(f"d{n}", f"Text number {n}.") for n in range(3_000)]
        adding = asyncio.create_task(library.add(sources, progress=held))
        await asyncio.to_thread(began.wait, 400)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        ended.set()
        before, count = -1, 0
        while count != before:  # the thread ends with its next report
            await asyncio.sleep(0.3)
            before, count = count, (await library.status()).documents
        await library.close()
        return count

    assert asyncio.run(use()) < 3_000
