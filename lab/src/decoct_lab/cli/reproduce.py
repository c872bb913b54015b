"""`decoct reproduce`: a paper's tables, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show
from decoct.cli.evaluate import (
    CacheOption,
    DataOption,
    EvaluateEmbedderOption,
    QuestionsOption,
    ReaderOption,
    SeedOption,
    TokenizerOption,
    model_and_reader,
    options_llm,
    progress,
    words_by_commas,
)


def run(
    paper: Annotated[
        str,
        typer.Argument(
            help="The paper: casc, mergerag, question-compression or recall-oriented; or the .toml file of an experiment of your own."
        ),
    ],
    table: Annotated[
        str | None,
        typer.Option(
            help="The table's number, or figure-2 [default: every table that can be run with what is given].",
            metavar="TABLE",
        ),
    ] = None,
    data: DataOption = None,
    llm: options.LLMOption = None,
    reader: ReaderOption = None,
    judge: Annotated[str | None, typer.Option(help="A language model that judges answers.", metavar="NAME")] = None,
    questions: QuestionsOption = None,
    seed: SeedOption = 0,
    budgets: Annotated[
        str | None,
        typer.Option(
            help="Tokens of context, or average chunks as in 1x,5x, by commas, not a table's own: its figures are not comparable then."
        ),
    ] = None,
    sets: Annotated[str | None, typer.Option(help="Only these data sets, by commas.")] = None,
    conditions: Annotated[str | None, typer.Option(help="Only these conditions, by commas.")] = None,
    whole_corpus: Annotated[
        bool,
        typer.Option(
            "--whole-corpus",
            help="Search the whole set with --questions too, not only what comes with those questions.",
        ),
    ] = False,
    embedder: EvaluateEmbedderOption = "minilm",
    tokenizer: TokenizerOption = "",
    cache: CacheOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the runs go [default: runs/reproduce/PAPER].", metavar="DIR")
    ] = None,
    json: options.JSONOption = False,
) -> None:
    """Run a paper's tables again and print ours beside theirs; at the end which of its claims the run bears out.

    A figure is OK, near or differs, and why; a claim holds, does not, or cannot be told, with its interval, n, and the smallest difference
    that so many questions would tell.

    Without --llm the conditions that need none are run and retrieval is compared; what was left out is named with the reason.
    The model of --llm also reads, unless --reader names another; `--reader short-answers` and `--reader extractive` need no model.
    """
    from decoct.evaluate.amounts import amounts
    from decoct.evaluate.session import Setup
    from decoct.visible import visible_json, write_whole
    from decoct_lab.reproduce.base import ReproductionRequest
    from decoct_lab.reproduce.papers import reproduction

    loaded = reproduction(paper)
    model, read_by = model_and_reader(llm, reader, cache)
    request = ReproductionRequest(
        setup=Setup(
            budgets=(),
            questions=questions,
            seed=seed,
            llm=model,
            reader=read_by,
            judge=options_llm(judge, cache),
            cache=cache,
            embedder=embedder,
            tokenizer=tokenizer,
        ),
        out=out or Path("runs/reproduce") / loaded.name,
        data=data,
        sets=words_by_commas(sets),
        conditions=words_by_commas(conditions),
        budgets=amounts(budgets, "--budgets") if budgets else (),
        whole_corpus=whole_corpus,
        progress=progress(json),
    )
    if table is None:
        result, name = loaded.every(request), loaded.name
        text = loaded.markdown(result)
    else:
        (result, text), name = loaded.one(table, request), f"table-{table}"
    write_whole(request.out / f"{name}.json", visible_json(result) + "\n")
    write_whole(request.out / f"{name}.md", text)
    if json:
        show.as_json(result)
    else:
        typer.echo(text)
