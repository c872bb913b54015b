"""Merging through the library: recipes, budgets in chunks, records, and spans that hold what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Library
from decoct.context.as_json import context_as_json
from decoct.data import Document
from decoct.errors import ConfigError
from decoct.llm.base import Request
from decoct.recipe import load_recipe, shipped
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

QUESTION = "Who is the mayor of Town 3?"
FORMS = [name for name in shipped() if name.startswith("merge-")]


def script(request: Request) -> str:
    if request.schema is not None:
        return '{"keep": [2]}'
    return "The mayor of Town 3 is Person 3. I made this up."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "library", embedder=HashEmbedder(), llm=ScriptedLLM(script))
    for n in range(12):
        text = f"Town {n} lies on the river Aare. The mayor of Town {n} is Person {n}. It has a school. It is visited in summer."
        opened.add([Document(f"t{n}", text, f"Town {n}")])
    return opened


@pytest.mark.parametrize("recipe", FORMS)
def test_every_form_merges_into_quotes_that_fit(library: Library, recipe: str) -> None:
    context = library.context(QUESTION, budget="3x", recipe=recipe)
    assert 0 < context.tokens <= context.limit
    assert context.merges
    for passage in context.passages:
        shown = [library.document(s.doc_id).text[s.start : s.end] for s in passage.support]
        assert passage.text.split() == " ".join(shown).split()
    assert len(context_as_json(context)["merges"]) == len(context.merges)
    assert "Person 3" in context.text


def test_a_budget_in_chunks_is_that_many_mean_chunks(library: Library) -> None:
    hits = library.search(QUESTION, k=20, recipe="merge-extract")
    tokens = [library.budget(1).count(hit.chunk.text) for hit in hits]
    assert library.context(QUESTION, budget="2x", recipe="merge-extract").limit == -(-2 * sum(tokens) // len(tokens))
    with pytest.raises(ConfigError, match="5x"):
        library.context(QUESTION, budget="many")


def test_a_large_budget_merges_nothing(library: Library) -> None:
    context = library.context(QUESTION, budget=5000, recipe="merge-extract")
    assert context.merges == ()
    assert len(context.passages) == 12


def test_recipes_name_what_the_papers_do() -> None:
    step = load_recipe("merge-asymmetric-sequential").context[0]
    assert (step.settings["strategy"], step.settings["schedule"]) == ("asymmetric", "sequential")
    assert step.needs("logprobs")
    assert not load_recipe("merge-extract").context[0].needs("llm")
