from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from contexts import context_of

from decoct import Document, Library
from decoct.answer.as_json import answer_as_json
from decoct.answer.citations import cited
from decoct.context.as_json import context_as_json
from decoct.data import Answer
from decoct.errors import MissingExtraError
from decoct.recipe import load_recipe, shipped
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM


def test_an_answer_is_its_context_and_its_cited_words() -> None:
    context = context_of("q", "One.", "Two.")
    text, citations = cited("It is two [2].", context)
    shown = answer_as_json(Answer(text, citations, context))
    assert json.loads(json.dumps(shown)) == {
        **context_as_json(context),
        "answer": "It is two [1].",
        "found": True,
        "outcome": "answer",
        "score": None,
        "answers": [],
        "citations": [
            {
                "number": 1,
                "start": 10,
                "end": 13,
                "passage": 1,
                "support": [{"doc_id": "d2", "start": 100, "end": 104}],
                "source": {"doc_id": "d2", "start": 100, "end": 104, "quote": "Two."},
            }
        ],
    }


def reply(request: Any) -> str:
    """What each part of a recipe can read: sentences to keep, an answer, a text."""
    if request.schema is None:
        return "The bridge over the Aare was opened in 1934 [1]."
    return '{"keep": [1]}' if "keep" in request.schema["properties"] else '{"answer": "1934"}'


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    documents = [
        Document("a", "The bridge over the Aare was opened in 1934. It is long. Ada Green painted it red.", "Bridge"),
        Document("b", "The bridge over the Aare was opened in 1936, and repaired in 1999.", "Repairs"),
        Document("c", "| bridge | opened |\n|---|---|\n| Aare | 1934 |\n| Rhine | |\n", "Table"),
    ]
    folder = tmp_path_factory.mktemp("json") / "library"
    with Library.open(folder, embedder=HashEmbedder(), llm=ScriptedLLM(reply)) as opened:
        opened.add(documents)
        yield opened


@pytest.mark.parametrize("name", shipped())
def test_every_recipes_context_and_answer_can_be_written_as_json(library: Library, name: str) -> None:
    """With its own steps, layout and reader; chunks are found by words, as structures and cards are another matter."""
    recipe = replace(load_recipe(name), retrieve=load_recipe("bm25").retrieve)
    try:
        answer = library.ask("When was the bridge over the Aare opened?", 300, recipe)
    except MissingExtraError as error:
        pytest.skip(str(error))
    shown = json.loads(json.dumps(answer_as_json(answer), allow_nan=False))
    assert shown["answer"] == answer.text
    assert set(answer.context.notes) <= set(shown)
    if "llmlingua" in name:
        (first, *_) = shown["compressed"]
        start, origin, length = first["pieces"][0]
        assert first["text"][start : start + length] == first["original"][origin : origin + length]
