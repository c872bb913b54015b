"""What the tools give is described, and bounded to what is described."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from decoct.data import Span
from decoct.mcp import results
from decoct.mcp.results import (
    AnswerResult,
    CitedPlace,
    ContextResult,
    FoundPlace,
    PassagePlaces,
    Place,
    SearchResult,
    SourceResult,
)

TOOLS = [
    one
    for one in vars(results).values()
    if isinstance(one, type) and issubclass(one, BaseModel) and one is not BaseModel
]


@pytest.mark.parametrize(
    ("model", "words", "places"),
    [
        (FoundPlace, "text", {"doc_id", "start", "end"}),
        (ContextResult, "text", {"passages"}),
        (AnswerResult, "answer", {"citations"}),
        (CitedPlace, "quote", {"doc_id", "start", "end"}),
        (SourceResult, "text", {"doc_id", "start", "end"}),
    ],
)
def test_structured_results_hold_words_and_places(model: type[BaseModel], words: str, places: set[str]) -> None:
    required = set(model.model_json_schema()["required"])
    assert {words, *places} <= required


@pytest.mark.parametrize("model", TOOLS, ids=lambda model: model.__name__)
def test_every_result_says_what_it_is(model: type[BaseModel]) -> None:
    assert model.__doc__


def test_places_go_there_and_back() -> None:
    hit = FoundPlace(doc_id="a/b", start=0, end=4, number=1, title="T", score=0.5, text="Cafe")
    found = SearchResult(library="l", hits=[hit])
    assert SearchResult.model_validate_json(found.model_dump_json()) == found
    assert Place.model_validate(found.hits[0].model_dump()) == Place(doc_id="a/b", start=0, end=4)
    context = ContextResult(
        library="l", text="[1] Cafe", tokens=9, limit=60, conflicts=0,
        passages=[PassagePlaces(number=1, title="", spans=[Span("a", 0, 4), Span("b", 1, 2)])],
    )  # fmt: skip
    assert ContextResult.model_validate_json(context.model_dump_json()) == context


@pytest.mark.parametrize("outcome", ["answer", "passages", "not-found"])
def test_an_answer_has_one_of_three_outcomes(outcome: str) -> None:
    cited = CitedPlace(doc_id="a", start=0, end=4, number=1, title="T", quote="Cafe")
    table = {
        "library": "l",
        "question": "Where?",
        "answer": "Cafe. [1]",
        "answers": [],
        "found": True,
        "tokens": 1,
        "limit": 2,
        "citations": [cited.model_dump()],
        "conflicts": [],
    }
    assert AnswerResult.model_validate({**table, "outcome": outcome}).outcome == outcome
    with pytest.raises(ValidationError):
        AnswerResult.model_validate({**table, "outcome": outcome.upper()})


def test_a_source_may_have_no_page_but_says_so() -> None:
    table = {
        "doc_id": "a", "start": 0, "end": 4, "library": "l", "title": "T", "page": None, "heading": "", "characters": 9,
        "before": "", "text": "Cafe", "after": " open",
    }  # fmt: skip
    assert SourceResult.model_validate(table).page is None
    with pytest.raises(ValidationError):
        SourceResult.model_validate({name: value for name, value in table.items() if name != "page"})
