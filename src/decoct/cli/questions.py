"""`decoct questions`: questions to evaluate with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show
from decoct.cli.evaluate import progress
from decoct.counted import counted

app = typer.Typer(help="Make questions from your documents.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make questions from your documents."""


@app.command("generate")
def generate(
    library: options.LibraryOption = None,
    n: Annotated[int, typer.Option("-n", help="How many questions.", min=1)] = 100,
    llm: options.LLMOption = None,
    seed: Annotated[int, typer.Option("--seed", help="For drawing documents.")] = 0,
    out: Annotated[Path, typer.Option(help="The questions file to write.", metavar="FILE")] = Path("questions.jsonl"),
    json: options.JSONOption = False,
) -> None:
    """Make questions from the library's documents, each with its answer and the characters that hold it.

    With --llm a language model writes them; without, rules (of decoct-lab) make them of sentences that cannot well be misread, such as
    definitions: few, and none of most technical pages. Evaluate with them: `decoct evaluate questions.jsonl --library DIR`.
    """
    from decoct.evaluate.generate import NEEDS_MODEL, write
    from decoct.evaluate.generate import generate as made_from

    with options.open_library(library, llm) as opened:
        made = made_from(opened, n, seed=seed, progress=progress(json))
    write(made.questions, out)
    if json:
        show.as_json({"out": str(out), "questions": len(made.questions), "dropped": dict(made.dropped)})
        return
    typer.echo(f"{counted(len(made.questions), 'question')} written to {out}")
    for reason, amount in made.dropped.items():
        if reason != NEEDS_MODEL:
            typer.echo(f"dropped {amount}: {reason}", err=True)
    if NEEDS_MODEL in made.dropped:
        typer.echo(
            f"rules found no more well-formed questions; {made.dropped[NEEDS_MODEL]} more need a language model (--llm)",
            err=True,
        )
