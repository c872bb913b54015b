"""`decoct worlds`: conflict benchmarks with known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.counted import counted

app = typer.Typer(help="Generate questions over documents whose conflicts are planted and known.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Generate questions over documents whose conflicts are planted and known."""


@app.command("generate")
def generate(
    questions: Annotated[int, typer.Option("--questions", help="How many questions.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Equal seeds give equal files.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder to write questions.jsonl into; without it, standard output."),
    ] = None,
    split: Annotated[
        str, typer.Option("--split", help="dev, or test: template families that nothing is tuned on.")
    ] = "dev",
) -> None:
    """Write a seeded benchmark in the form of scidocs-conflicts; evaluate it with `decoct evaluate scidocs-conflicts --data OUT`."""
    import json
    from typing import cast

    from decoct.evaluate.worlds.families import Split
    from decoct.evaluate.worlds.generate import worlds
    from decoct.written import write_whole

    records = list(worlds(seed, questions, cast("Split", split)))
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if out is None:
        typer.echo("".join(lines), nl=False)
        return
    write_whole(out / "questions.jsonl", "".join(lines))
    documents = sum(len(record["documents"]) for record in records)
    typer.echo(
        f"{counted(len(records), 'question')} over {counted(documents, 'document')} in {out / 'questions.jsonl'} (seed {seed}, {split})"
    )
