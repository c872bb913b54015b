"""`decoct context`: the context alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import typer

from decoct.cli import options, show
from decoct.context.merge.trees import Record, trees
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
            where=options.filters(filter_, opened, as_json=json),
        )
        shown = context_as_json(context)
        tree = lines(shown.get("merges", []), lambda doc_id, start, end: opened.document(doc_id).text[start:end])
    if json:
        show.as_json(shown)
        options.end_unless(bool(context.passages))
        return
    show.notes(context.trace)
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


def lines(records: Sequence[Record], text: Callable[[str, int, int], str]) -> list[str]:
    """One tree for each passage that came out (or came to nothing), its parts below it; `text` reads characters of a document.

    `+` are the texts that a merge kept, `-` the sentences that it dropped.
    """

    def shown(span: Record) -> str:
        doc_id, start, end = span["doc_id"], span["start"], span["end"]
        return f"{' '.join(text(doc_id, start, end).split())}  ({doc_id} {start}-{end})"

    return [line for tree in trees(records, shown) for line in _branch(tree, "")]


def _branch(node: Mapping[str, Any], indent: str) -> Iterator[str]:
    affinity = "" if node["affinity"] is None else f"  affinity {node['affinity']:.3f}"
    how = "" if node["how"] == "fused" else f"  ({node['how']})"
    yield f"{indent}{node['name']}  layer {node['layer']}  {node['before']} -> {node['after']} tokens{affinity}{how}"
    for mark, places in (("+", node["kept"]), ("-", node["dropped"])):
        yield from (f"{indent}  {mark} {place}" for place in places)
    for part in node["parts"]:
        yield f"{indent}  of {part['name']}  score {part['score']:.3f}"
        if part["made"]:
            yield from _branch(part["made"], indent + "    ")
