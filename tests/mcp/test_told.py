"""An agent that hands its model one half of a tool's answer, whichever, shows it the words and the places."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from decoct import Document, Library
from decoct.mcp.results import HIT_CHARACTERS, hits_told, source_told, tool_result
from decoct.mcp.tools import build
from decoct.server.settings import allowed_recipes

RECIPES = allowed_recipes(["default"])
WORDS = "The old bridge was opened in 1934."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told") / "bridges"
    with Library.open(folder) as library:
        library.add([Document("bridge", f"{WORDS} " + "Ships waited below it for weeks. " * 30, "Old bridge")])
    return folder


def halves(place: Path, tool: str, **arguments: Any) -> tuple[str, str]:
    """What a model sees of a tool's answer: where its agent gives it `content`, and where it gives the structure as JSON."""

    async def talk() -> Any:
        with Library.open(place) as library:
            async with Client(build({"bridges": library}, RECIPES)) as client:
                return await client.call_tool(tool, arguments)

    answer = asyncio.run(talk())
    assert not answer.is_error
    return answer.content[0].text, json.dumps(answer.structured_content)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"question": "When was the bridge opened?"}),
        ("context", {"question": "When was the bridge opened?"}),
        ("ask", {"question": "When was the bridge opened?"}),
        ("open_source", {"doc_id": "bridge", "start": 0, "end": len(WORDS)}),
    ],
)
def test_words_and_places_are_in_both_halves(place: Path, tool: str, arguments: dict[str, Any]) -> None:
    text, table = halves(place, tool, **arguments)
    assert "1934" in text
    assert "1934" in table
    assert "bridge 0-" in text
    assert '"doc_id": "bridge"' in table
    assert '"start": 0' in table


def test_a_library_without_an_answer_says_so_in_both_halves(tmp_path: Path) -> None:
    with Library.open(tmp_path / "empty") as library:
        library.add([Document("a", "Salt is mined here.")])
    text, table = halves(tmp_path / "empty", "ask", question="Who painted the ceiling of the chapel in Rome?")
    assert json.loads(table)["answer"] == text
    assert json.loads(table)["found"] is False


def test_a_source_is_marked_in_the_text_and_cut_in_three_in_the_table() -> None:
    found = source_told("l", Document("d", "One two three.", "Numbers"), 4, 7, 4)
    assert found.content[0].text == "Numbers (d 4-7)\n\nOne «two» thr"  # type: ignore[union-attr]
    assert found.structured_content is not None
    assert [found.structured_content[name] for name in ("before", "text", "after")] == ["One ", "two", " thr"]


def test_a_hit_is_cut_the_same_in_both_halves(place: Path) -> None:
    with Library.open(place) as library:
        found = hits_told("l", library.search("bridge opened", 1, RECIPES["default"]))
    assert found.structured_content is not None
    shown = found.structured_content["hits"][0]["text"]
    assert len(shown) == HIT_CHARACTERS
    assert shown in found.content[0].text  # type: ignore[union-attr]
    assert tool_result("x", found).content[0].text == "x"  # type: ignore[union-attr]


def test_each_side_of_a_conflict_has_its_place_and_its_sentence_in_both_halves(tmp_path: Path) -> None:
    """Was: the place of one side alone, and no word of a side that a rule did not prefer."""
    said = {name: f"The annual leave of an employee is {days} days." for name, days in (("old", 25), ("new", 28))}
    with Library.open(tmp_path / "library") as library:
        library.add([Document(name, text, f"Rules {name}") for name, text in said.items()])
        server = build({"rules": library}, allowed_recipes(["default", "casc"]))

        async def talk() -> Any:
            async with Client(server) as client:
                question = "How many days of annual leave does an employee have?"
                return await client.call_tool("ask", {"question": question, "recipe": "casc"})

        answer = asyncio.run(talk())
    text, table = answer.content[0].text, answer.structured_content
    assert {one["doc_id"]: one["quote"] for one in table["citations"]} == said
    for name, quote in said.items():
        assert f"[1] Rules {name} ({name} 0-{len(quote)}): {quote}" in text
    (conflict,) = table["conflicts"]
    assert '"25 days" (old)' in conflict
    assert '"28 days" (new)' in conflict
    assert text.endswith(conflict)
