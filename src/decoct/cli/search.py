"""`decoct search`: the ranking alone."""

from __future__ import annotations

from typing import Annotated

import typer

from decoct.cli import options, show


def run(
    question: options.QuestionArgument,
    k: Annotated[int, typer.Option("-k", help="How many hits.", min=1)] = 10,
    library: options.LibraryOption = None,
    recipe: options.RecipeOption = None,
    llm: options.LLMOption = None,
    filter_: options.FilterOption = None,
    json: options.JSONOption = False,
    explain: options.ExplainOption = False,
) -> None:
    """Print the best chunks with their scores; --explain tells who found each."""
    from decoct import trace
    from decoct.context.as_json import hit_as_json
    from decoct.recipe import load_recipe

    mine = options.settings()
    chosen = load_recipe(recipe or mine.recipe)
    model = llm or (mine.llm if chosen.retrieve.needs_llm else None)  # a search that asks none is not held up by one
    with options.open_library(library, model) as opened, trace.recording() as record:
        question = options.asked(question)
        found = opened.search(question, k, chosen, where=options.filters(filter_, opened, as_json=json))
    if json:
        show.as_json({"question": question, "hits": list(map(hit_as_json, found)), "trace": record.as_dict()})
        options.end_unless(bool(found))
        return
    if not found:
        typer.echo("decoct: nothing in the library matches the question", err=True)
    show.notes(record)
    show.hits(found, explain)
    if explain:
        show.trace(record)
    options.end_unless(bool(found))
