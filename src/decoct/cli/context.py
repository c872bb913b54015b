"""`decoct context`: the context alone."""

from __future__ import annotations

import typer

from decoct.cli import merge_tree, options, show
from decoct.counted import counted


def run(
    question: options.QuestionArgument,
    library: options.LibraryOption = None,
    recipe: options.RecipeOption = None,
    budget: options.BudgetOption = None,
    llm: options.LLMOption = None,
    filter_: options.FilterOption = None,
    json: options.JSONOption = False,
    explain: options.ExplainOption = False,
) -> None:
    """Print the context for a question, ready to paste or pipe; --json gives its passages with their spans.

    With a recipe that merges, --explain also prints the tree of merges.
    """
    from decoct.context.as_json import context_as_json

    mine = options.settings()
    chosen = recipe or mine.recipe
    with options.open_library(library, llm or mine.llm) as opened:
        context = opened.context(
            options.asked(question),
            budget=mine.budget if budget is None else budget,
            recipe=chosen,
            where=options.filters(filter_, opened),
        )
        shown = context_as_json(context)
        tree = merge_tree.lines(
            shown.get("merges", []), lambda doc_id, start, end: opened.document(doc_id).text[start:end]
        )
    if json:
        show.as_json(shown)
        options.end_unless(bool(context.passages))
        return
    show.language_note(context.trace)
    show.spelling_note(context.trace)
    if context.passages:
        typer.echo(context.text)
    else:
        typer.echo("decoct: nothing in the library matches the question; the context is empty", err=True)
    if explain:
        typer.echo(
            f"{context.tokens} of {counted(context.limit, 'token')}, {counted(len(context.passages), 'passage')}",
            err=True,
        )
        typer.echo("\n".join(tree), err=True, nl=bool(tree))
        show.trace(context.trace)
    options.end_unless(bool(context.passages))
