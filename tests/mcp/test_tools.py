"""The tools by the SDK's own client: in memory, on standard input and output, over HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from talking import called, spoken

from decoct import Document, Library
from decoct.mcp.tools import build
from decoct.rebuild import rebuild
from decoct.server.settings import allowed_recipes

RECIPES = allowed_recipes(["default", "bm25"])
LONG = "The harbour froze in 1947. " + "Ships waited outside for many weeks. " * 40


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "bridges"
    with Library.open(folder) as library:
        library.add(
            [
                Document("bridge", "The old bridge was opened in 1934.", "Old bridge"),
                Document("harbour", LONG, "Harbour"),
            ]
        )
    return folder


@pytest.fixture
def library(place: Path) -> Iterator[Library]:
    with Library.open(place) as opened:
        yield opened


def test_an_answer_names_its_places_and_open_source_shows_them(library: Library) -> None:
    server = build({"bridges": library}, RECIPES)
    answer = called(server, "ask", question="When was the bridge opened?")
    assert not answer.is_error
    assert re.search(r"1934.* \(\d\d% sure\)\n\n", answer.content[0].text)
    told = answer.structured_content
    assert (told["found"], told["outcome"]) == (True, "answer")
    cited = told["citations"][0]
    source = called(server, "open_source", doc_id=cited["doc_id"], start=cited["start"], end=cited["end"])
    assert "«The old bridge was opened in 1934.»" in source.content[0].text


def test_caution_keeps_what_is_not_sure_enough_from_being_claimed(library: Library) -> None:
    server = build({"bridges": library}, RECIPES)
    told = called(server, "ask", question="When was the bridge opened?", caution=0).structured_content
    assert ("1934" in told["answers"][0]["text"], 0 < told["answers"][0]["score"] < 1) == (True, True)
    told = called(server, "ask", question="When was the bridge opened?", caution=1).structured_content
    assert (told["outcome"], told["answers"]) == ("passages", [])
    assert called(server, "ask", question="When was the bridge opened?", caution=2).is_error


def test_a_citation_is_titled_by_its_own_document_where_a_passage_holds_sentences_of_two(tmp_path: Path) -> None:
    with Library.open(tmp_path / "two") as two:
        two.add(
            [
                Document("old", "Lunch costs 65 kroner in the canteen of Bergen.", "Canteen 2023"),
                Document("new", "Lunch costs 79 kroner in the canteen of Bergen.", "Canteen 2025"),
            ]
        )
        answer = called(build({"two": two}, RECIPES), "ask", question="What does lunch cost?", budget=90)
        titles = {"old": "Canteen 2023", "new": "Canteen 2025"}
        cited = answer.structured_content["citations"]
        assert [one["title"] for one in cited] == [titles[one["doc_id"]] for one in cited]
        assert cited


def test_a_context_keeps_its_budget(library: Library) -> None:
    found = called(build({"bridges": library}, RECIPES), "context", question="When did the harbour freeze?", budget=60)
    told = found.structured_content
    assert told["tokens"] <= told["limit"] == 60
    assert told["passages"][0]["spans"][0]["doc_id"] == "harbour"
    assert "1947" in found.content[0].text
    assert "1947" in told["text"]


def test_a_hits_text_is_short(library: Library) -> None:
    found = called(build({"bridges": library}, RECIPES), "search", question="ships in the harbour", k=3)
    assert found.structured_content["hits"][0]["doc_id"] == "harbour"
    assert all(len(line) <= 300 for line in found.content[0].text.splitlines())
    assert all(len(hit["text"]) <= 300 for hit in found.structured_content["hits"])


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("ask", {"question": "x", "recipe": "nope"}, "no recipe 'nope'"),
        ("ask", {"question": "x", "library": "nope"}, "no library 'nope'"),
        ("context", {"question": "bridge", "budget": 20_001}, "20000"),
        ("open_source", {"doc_id": "nope", "start": 0, "end": 3}, "nope"),
        ("open_source", {"doc_id": "bridge", "start": 0, "end": 3_000}, "start < end"),
        ("search", {"question": "   "}, "empty"),
    ],
)
def test_what_fails_is_an_error_that_says_why(
    library: Library, tool: str, arguments: dict[str, Any], words: str
) -> None:
    failed = called(build({"bridges": library}, RECIPES), tool, **arguments)
    assert failed.is_error
    assert words in failed.content[0].text


def test_tools_are_read_only_unless_writing_is_allowed(library: Library, tmp_path: Path) -> None:
    tools = spoken(build({"bridges": library}, RECIPES), lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == {"search", "context", "ask", "open_source", "documents", "recipes"}
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.output_schema for tool in tools)
    with Library.open(tmp_path / "own") as own:
        server = build({"own": own, "bridges": library}, RECIPES, writes=True)
        names = {tool.name for tool in spoken(server, lambda client: client.list_tools()).tools}
        assert names == {"search", "context", "ask", "open_source", "documents", "recipes", "libraries", "add_text"}
        added = called(server, "add_text", doc_id="dam", text="The dam was built in 1911.", library="own")
        assert added.structured_content["added"] == 1
        assert "1911" in called(server, "ask", question="When was the dam built?", library="own").content[0].text
        unnamed = called(server, "ask", question="When was the dam built?")
        assert unnamed.is_error
        assert "bridges" in unnamed.content[0].text
        counted = called(server, "libraries").structured_content["libraries"]
        assert counted == [
            {"name": "own", "documents": 1, "chunks": 1},
            {"name": "bridges", "documents": 2, "chunks": 3},
        ]


def _command(place: Path, *more: str) -> list[str]:
    return ["-c", "from decoct.cli import main; main()", "mcp", "--library", str(place), *more]


@pytest.mark.services
def test_standard_input_and_output(place: Path) -> None:
    started = StdioServerParameters(command=sys.executable, args=_command(place), env=dict(os.environ))
    assert "1934" in called(started, "ask", question="When was the bridge opened?").content[0].text


@pytest.mark.services
def test_over_http(place: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *_command(place, "--http", "--port", "0")], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert "1934" in called(url, "ask", question="When was the bridge opened?").content[0].text
    finally:
        process.terminate()
        process.wait(400)
        assert process.stdout is not None
        process.stdout.close()


def test_a_library_that_is_built_anew_is_asked_on(tmp_path: Path) -> None:
    with Library.open(tmp_path / "lib") as opened:
        opened.add(Document("bridge", "The old bridge was opened in 1934.", "Old bridge"))
        opened.close()
    with Library.open(tmp_path / "lib") as opened:
        server = build({"lib": opened}, RECIPES)
        rebuild(tmp_path / "lib", chunker={"use": "sentence", "tokens": 20})
        assert "1934" in called(server, "ask", question="When was the bridge opened?").content[0].text
        rebuild(tmp_path / "lib", chunker="fixed")
        assert not called(server, "open_source", doc_id="bridge", start=0, end=5).is_error


def test_a_question_is_understood_with_the_turns_before_it(library: Library) -> None:
    before = [
        {"role": "user", "content": "Where is the old bridge?"},
        {"role": "assistant", "content": "I do not know that."},
    ]
    server = build({"bridges": library}, RECIPES)
    told = called(server, "ask", question="When was it opened?", history=before)
    assert told.structured_content["question"] == "When was the old bridge opened?"
    assert told.content[0].text.startswith("(asked: When was the old bridge opened?)")
    assert "1934" in told.structured_content["answer"]
    alone = called(server, "ask", question="When was the bridge opened?")
    assert not alone.content[0].text.startswith("(asked")
    assert called(server, "ask", question="x", history=[{"role": "user"}]).is_error
