"""The recipes over a library: retrieval to cited answer, with facts and conflicts on the context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from worlds_by_hand import APART, QUESTION, said

from decoct.answer.as_json import answer_as_json
from decoct.errors import ConfigError
from decoct.library import Library
from decoct.llm.base import Request
from decoct.reading.small import BUNDLED
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    place: Path = tmp_path_factory.mktemp("library")
    with Library.open(place, embedder=HashEmbedder()) as opened:
        opened.add([said("500 K", more=APART[0]), said("900 K", "blog", "2021-01-01", more=APART[1])])
        yield opened


def test_casc_rules_answers_with_the_preferred_side(library: Library) -> None:
    answer = library.ask(QUESTION, recipe="casc-rules")
    assert answer.text.startswith("500 K [")
    (conflict,) = answer_as_json(answer)["conflicts"]
    assert (conflict["chosen"], conflict["rule"]) == ("500 K", "authority")
    assert answer.context.tokens <= 405


needs_weights = pytest.mark.skipif(
    not (BUNDLED / "model.onnx").exists(), reason="the bundled reader's weights are not here"
)


@needs_weights
@pytest.mark.parametrize("recipe", ["casc-extract", "casc-extract-check"])
def test_the_ablations_run(library: Library, recipe: str) -> None:
    context = library.context(QUESTION, recipe=recipe)
    assert all(passage.kind == "quote" for passage in context.passages)
    assert bool(context.conflicts) == (recipe == "casc-extract-check")


@needs_weights
def test_casc_reads_without_a_language_model(library: Library) -> None:
    answer = library.ask(QUESTION, recipe="casc")
    (conflict,) = answer_as_json(answer)["conflicts"]
    assert {side["value"] for side in conflict["sides"]} == {"500 K", "900 K"}
    assert answer.text.startswith("500 K [")


@pytest.mark.parametrize("recipe", ["casc-llm", "casc-model"])
def test_recipes_that_a_model_extracts_for_require_one(library: Library, recipe: str) -> None:
    with pytest.raises(ConfigError, match="--llm"):
        library.context(QUESTION, recipe=recipe)


def test_casc_llm_asks_the_model_once_a_document_and_takes_null(library: Library) -> None:
    def reply(request: Request) -> str:
        if "lines" in (request.schema or {})["properties"]:
            line = {"section": "KEY FACTS", "text": 'Brandite melts at "500 K" (D1)', "claims": ["C1"]}
            return json.dumps({"lines": [line]})
        return json.dumps({"answer": "500 K" if "500 K" in request.messages[-1].content else None})

    llm = ScriptedLLM(reply)
    library.llm = llm
    try:
        context = library.context(QUESTION, recipe="casc-llm")
    finally:
        library.llm = None
    assert len(llm.requests) == 3  # each document, and the synthesis; one claim has nothing to be checked against
    assert context.passages[0].text == 'Brandite melts at "500 K" (D1)'
    assert context.conflicts == ()
    told = [(fact.value, fact.status, len(fact.sources)) for fact in context.facts if fact.value]  # type: ignore[attr-defined]
    assert told == [("500 K", "stated", 1)]


def test_casc_model_extracts_in_the_form_that_it_is_trained_for(library: Library) -> None:
    llm = ScriptedLLM(lambda request: '{"claims": []}' if request.schema else "I found no answer")
    library.llm = llm
    try:
        context = library.context(QUESTION, recipe="casc-model")
    finally:
        library.llm = None
    assert len(llm.requests) == 2
    assert context.conflicts == ()
