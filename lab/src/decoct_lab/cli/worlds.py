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
        str,
        typer.Option(
            "--split",
            help="dev, or test: template families that nothing is tuned on; paraphrased-dev, paraphrased-test: in other words than the "
            "question's.",
        ),
    ] = "dev",
    passages: Annotated[
        str | None,
        typer.Option(
            "--passages", help="Plant conflicts in the real passages of this public set instead.", metavar="SET"
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", help="Where the public sets lie (with --passages).")] = None,
) -> None:
    """Write a seeded benchmark in the form of scidocs-conflicts; evaluate it with `decoct evaluate scidocs-conflicts --data OUT`."""
    import json
    from typing import cast

    from decoct.visible import write_whole
    from decoct_lab.worlds.families import Split
    from decoct_lab.worlds.generate import worlds

    if passages is not None:
        from decoct_lab.dataset import load
        from decoct_lab.worlds.passages import planted_questions

        records = list(planted_questions(seed, questions, load(passages, data)))
        made_of = f"passages of {passages}"
    else:
        records = list(worlds(seed, questions, cast("Split", split)))
        made_of = split
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if out is None:
        typer.echo("".join(lines), nl=False)
        return
    write_whole(out / "questions.jsonl", "".join(lines))
    documents = sum(len(record["documents"]) for record in records)
    typer.echo(
        f"{counted(len(records), 'question')} over {counted(documents, 'document')} in {out / 'questions.jsonl'} (seed {seed}, {made_of})"
    )
