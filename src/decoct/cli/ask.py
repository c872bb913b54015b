"""`decoct ask`: a cited answer."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from decoct.cli import options, show


def run(
    question: options.QuestionArgument,
    library: options.LibraryOption = None,
    recipe: options.RecipeOption = None,
    budget: options.BudgetOption = None,
    llm: options.LLMOption = None,
    filter_: options.FilterOption = None,
    json: options.JSONOption = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print the answer as it is written.")] = False,
    explain: options.ExplainOption = False,
    caution: options.CautionOption = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader",
            help="Who reads the passages without a model: small, small:FOLDER or hub:NAME (question answering in ONNX).",
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second",
            help="Who reads again what would be claimed: llm, the model of --llm; the answer is then quoted, not written.",
        ),
    ] = None,
) -> None:
    """Answer a question from the library, with citations.

    Without a language model the best supporting sentences are the answer, or are shown where none is sure enough; with one (--llm) it
    writes the answer, or only checks what was found (--second llm).
    """
    from decoct.answer.as_json import answer_as_json
    from decoct.context.as_json import SupportsAsDict

    mine = options.settings()
    live = stream and not json
    with options.open_library(library, llm or mine.llm) as opened:
        answer = opened.ask(
            options.asked(question),
            budget=mine.budget if budget is None else budget,
            recipe=recipe or mine.recipe,
            where=options.filters(filter_, opened, as_json=json),
            sink=partial(typer.echo, nl=False) if live else None,
            caution=caution,
            reader=reader,
            second=second,
        )
        if json:
            show.as_json(answer_as_json(answer))
            options.end_unless(answer.outcome != "not-found")
            return
        if live:
            typer.echo("")
        show.notes(answer.trace)
        show.answer(answer, opened.document, written=live)
    if answer.context.conflicts:
        typer.echo("\nConflicts")
        show.casc(
            {
                "conflicts": [
                    conflict.as_dict() for conflict in answer.context.conflicts if isinstance(conflict, SupportsAsDict)
                ]
            }
        )
    if explain:
        show.trace(answer.trace)
    options.end_unless(answer.outcome != "not-found")
