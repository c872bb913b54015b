"""What requests may hold: budgets at their limits, questions, filters, documents and names of libraries."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from decoct.server.parameters import (
    CompareIn,
    DocumentIn,
    DocumentsIn,
    LibraryIn,
    QuestionIn,
    SearchIn,
    checked_budget,
)


@pytest.mark.parametrize("budget", [None, 1, 200_000, "200000", " 7 ", "1000x", "0.5x", "5 ×"])
def test_a_budget_that_can_be_meant_stays_as_it_was_given(budget: int | str | None) -> None:
    assert checked_budget(budget) == budget


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (200_001, "at most 200,000 tokens"),
        ("200001", "at most 200,000 tokens"),
        ("1000.5x", "or 1000x"),
        (10**400, "at most 200,000 tokens"),
        (0, "holds nothing"),
        ("-5", "holds nothing"),
        ("9" * 5000, "give a number of tokens"),
        ("1_000", "give a number of tokens"),
        ("²", "give a number of tokens"),
        (True, "give a number of tokens"),
        ("", "give a number of tokens"),
    ],
)
def test_another_budget_tells_what_is_wrong(budget: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked_budget(budget)


def test_a_question_has_defaults() -> None:
    asked = QuestionIn(question="Who?")
    assert (asked.budget, asked.recipe, asked.where) == (None, "default", None)
    assert SearchIn.model_validate({"question": "Who?"}).k == 10


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"question": ""}, "question"),
        ({"question": " \n\t"}, "question"),
        ({"question": "x" * 8_001}, "question"),
        ({"budget": "many"}, "budget"),
        ({"recipe": "r" * 65}, "recipe"),
        ({"where": {"": "a"}}, "where"),
        ({"where": {"year": {}}}, "where"),
        ({"where": {"year": {"=": 5}}}, "where"),
        ({"where": {f"k{i}": "v" for i in range(21)}}, "where"),
        ({"budgets": 5}, "budgets"),
    ],
)
def test_what_no_question_may_hold_is_named(fields: dict[str, Any], at: str) -> None:
    with pytest.raises(ValidationError) as error:
        QuestionIn(**{"question": "Who?", **fields})
    assert {str(one["loc"][0]) for one in error.value.errors()} == {at}


def test_the_longest_question_and_the_most_keys_are_taken() -> None:
    where: dict[str, Any] = {f"k{i}": "v" for i in range(20)}
    assert len(QuestionIn(question="x" * 8_000, where=where).question) == 8_000


@pytest.mark.parametrize("k", [0, 101])
def test_a_search_is_for_one_to_a_hundred(k: int) -> None:
    with pytest.raises(ValidationError):
        SearchIn(question="Who?", k=k)


@pytest.mark.parametrize(("recipes", "taken"), [(1, False), (2, True), (4, True), (5, False)])
def test_two_to_four_recipes_are_compared(recipes: int, taken: bool) -> None:
    fields: dict[str, Any] = {"question": "Who?", "recipes": [f"r{i}" for i in range(recipes)]}
    if taken:
        assert len(CompareIn(**fields).recipes) == recipes
        return
    with pytest.raises(ValidationError, match="recipes"):
        CompareIn(**fields)


def test_a_document_is_an_id_and_a_text_and_keeps_its_metadata() -> None:
    document = DocumentIn.model_validate({"id": "a", "text": "b", "metadata": {"year": 2020, "draft": True}})
    assert document.metadata == {"year": 2020, "draft": True}
    for wrong in ({"id": "", "text": "b"}, {"id": "a", "text": ""}, {"id": "a", "text": "b", "source": "/etc/passwd"}):
        with pytest.raises(ValidationError):
            DocumentIn.model_validate(wrong)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.b/c", " http://a.b", "javascript:alert(1)"])
def test_only_web_addresses_are_urls(url: str) -> None:
    assert DocumentsIn(urls=["https://a.b/c"]).urls == ["https://a.b/c"]
    with pytest.raises(ValidationError):
        DocumentsIn(urls=[url])


@pytest.mark.parametrize("name", ["", "../x", "a/b", "A", "-a", "a" * 64, "a.b", "a\n"])
def test_a_librarys_name_is_never_a_path(name: str) -> None:
    assert LibraryIn(name="a" * 63).embedder == "minilm"
    with pytest.raises(ValidationError):
        LibraryIn(name=name)
