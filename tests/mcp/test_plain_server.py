"""What an agent is told besides answers: who this is, what is wrong with its arguments, what there is, and that a long call still runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from talking import called, spoken

from decoct import Document, Library
from decoct.mcp import tools
from decoct.mcp.tools import PlainServer, build
from decoct.server.settings import allowed_recipes


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Any]:
    with Library.open(tmp_path / "lib") as library:
        library.add(
            [
                Document("old", "The bridge was opened in 1934.", "Old", metadata={"year": 1934}),
                Document("new", "The bridge was opened in 2001.", "New", metadata={"year": 2001}),
            ]
        )
        yield build({"lib": library}, allowed_recipes(["default", "bm25"]))


def test_the_server_tells_its_version_and_its_tools_have_titles(server: Any) -> None:
    assert isinstance(server, PlainServer)

    async def talk(client: Client) -> Any:
        return client.server_info, (await client.list_tools()).tools

    info, listed = spoken(server, talk)
    assert (info.version, info.title) == (version("decoct"), "Decoct")
    assert all(tool.title for tool in listed)
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed)


def test_an_argument_that_may_be_left_out_is_told_by_its_type_and_may_be_null(server: Any) -> None:
    listed = spoken(server, lambda client: client.list_tools()).tools
    told = next(tool.input_schema for tool in listed if tool.name == "ask")
    kinds = {name: (one.get("type"), one.get("nullable", False)) for name, one in told["properties"].items()}
    assert kinds == {
        "question": ("string", False),
        "library": ("string", True),
        "budget": ("integer", True),
        "recipe": ("string", True),
        "where": ("object", True),
        "caution": ("number", True),
        "history": ("array", True),
    }
    assert told["properties"]["caution"]["maximum"] == 1
    nulls = dict.fromkeys(name for name in kinds if name != "question")
    assert "1934" in called(server, "ask", question="When was the bridge opened?", **nulls).content[0].text
    assert called(server, "ask", question=None).content[0].text == "question: input should be a valid string"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("ask", {"question": "x", "budgett": 100}, "ask has no argument 'budgett'; did you mean 'budget'?"),
        ("ask", {}, "question is missing"),
        ("ask", {"question": "x", "history": [{"role": "user"}]}, "history.0.content is missing"),
        ("ask", {"question": "x", "budget": 1}, "budget: input should be greater than or equal to 50"),
        ("search", {"question": "x", "k": "many"}, "k: input should be a valid integer"),
        ("aks", {"question": "x"}, "there is no tool 'aks'; did you mean 'ask'?"),
    ],
)
def test_a_wrong_argument_is_told_in_plain_words(server: Any, tool: str, arguments: dict[str, Any], words: str) -> None:
    failed = called(server, tool, **arguments)
    assert failed.is_error
    assert words in failed.content[0].text
    assert "pydantic" not in failed.content[0].text


@pytest.mark.parametrize("tool", ["search", "context", "ask"])
def test_where_chooses_documents(server: Any, tool: str) -> None:
    found = called(server, tool, question="When was the bridge opened?", where={"year": {">=": 2000}})
    assert "2001" in found.content[0].text
    assert "1934" not in found.content[0].text


@pytest.mark.parametrize("tool", ["search", "context", "ask"])
def test_that_no_document_fits_where_is_said(server: Any, tool: str) -> None:
    found = called(server, tool, question="When was the bridge opened?", where={"yaer": 2001})
    assert found.content[-1].text.startswith("No document fits `where`")


def test_documents_and_recipes_are_listed(server: Any) -> None:
    page = called(server, "documents", limit=1)
    assert [one["doc_id"] for one in page.structured_content["documents"]] == ["new"]
    assert "after='new'" in page.content[0].text
    rest = called(server, "documents", after=page.structured_content["next"])
    assert rest.structured_content["next"] is None
    assert rest.structured_content["documents"][0]["metadata"] == {"year": 1934}
    none = called(server, "documents", where={"year": 1700})
    assert (none.structured_content["documents"], none.content[0].text) == ([], "No document fits `where`.")
    recipes = called(server, "recipes").structured_content["recipes"]
    assert [one["name"] for one in recipes] == ["default", "bm25"]
    assert all(one["description"] for one in recipes)


def test_prompts_and_resources_that_are_announced_have_content(server: Any) -> None:
    async def talk(client: Client) -> Any:
        prompt = await client.get_prompt("answer_from_documents", {"question": "When was it opened?"})
        listed = await client.list_resources()
        return prompt, listed, await client.read_resource("decoct://libraries")

    prompt, listed, resource = spoken(server, talk)
    assert [one.name for one in getattr(listed, "resources", listed)] == ["libraries"]
    assert "When was it opened?" in prompt.messages[0].content.text
    assert resource.contents[0].text == "lib: 2 documents"


def test_a_long_call_tells_that_it_runs(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "PROGRESS", 0.05)
    asked, told = Library.ask, threading.Event()

    def slow(*arguments: Any, **more: Any) -> Any:
        assert told.wait(400)
        return asked(*arguments, **more)

    monkeypatch.setattr(Library, "ask", slow)
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(str(message))
        told.set()

    spoken(server, lambda client: client.call_tool("ask", {"question": "When?"}, progress_callback=hear))
    assert heard
    assert "reading" in heard[0]
