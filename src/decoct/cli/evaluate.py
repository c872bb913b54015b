"""`decoct evaluate`: recipes compared on questions with known answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from decoct import plugins
from decoct.cli import options, show
from decoct.errors import ConfigError
from decoct.evaluate.reader_names import WITHOUT_MODEL, EvaluationReader, named_without_model

if TYPE_CHECKING:
    from decoct.llm.base import LLM

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The folder that holds the data set, or several by name [default: ./data, ../shared/data, else its hub].",
        envvar="DECOCT_DATA",
        show_envvar=True,
        metavar="DIR",
    ),
]
OptOption = Annotated[
    list[str] | None, typer.Option("--option", help="A setting of the data set; may be repeated.", metavar="KEY=VALUE")
]
QuestionsOption = Annotated[
    int | None, typer.Option("--questions", help="Ask so many, drawn with --seed [default: all].", min=1)
]
SeedOption = Annotated[int, typer.Option("--seed", help="For drawing questions.")]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Where libraries of data sets and replies are kept [default: ~/.cache/decoct/evaluate].",
        metavar="DIR",
    ),
]
EvaluateEmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        help="The embedding model of the data set's library: minilm, openai:NAME or onnx:DIR.",
        metavar="NAME",
    ),
]
ReaderOption = Annotated[
    EvaluationReader | None,
    typer.Option(
        "--reader",
        help="Who answers from the contexts: the model, the small bundled reader, whole sentences, or nobody "
        "[default: the model of --llm, where one is given].",
    ),
]
TokenizerOption = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        help="What counts the tokens of budgets: minilm, a tokenizer.json or its folder, or an encoding of tiktoken such as cl100k_base "
        "[default: the reader's own].",
        metavar="NAME",
    ),
]


def run(
    dataset: Annotated[
        str, typer.Argument(help="A data set's name, a questions file, or a folder in BEIR's or Decoct's layout.")
    ],
    recipes: Annotated[
        str, typer.Option(help="Names or .toml files, by commas; naive@600 sets the chunk size.")
    ] = "naive,hybrid,default",
    budgets: Annotated[
        str, typer.Option(help="Tokens of context, or average chunks as in 1x,5x, by commas.")
    ] = "900,1800,5400",
    data: DataOption = None,
    option: OptOption = None,
    llm: options.LLMOption = None,
    reader: ReaderOption = None,
    judge: Annotated[str | None, typer.Option(help="A language model that judges answers.", metavar="NAME")] = None,
    cite: Annotated[
        bool, typer.Option("--cite", help="Read as `decoct ask` does, with citations, and measure them.")
    ] = False,
    questions: QuestionsOption = None,
    seed: SeedOption = 0,
    library: options.LibraryOption = None,
    metrics: Annotated[str | None, typer.Option(help="Measures, by commas [default: the data set's own].")] = None,
    unit: Annotated[
        Literal["sentence", "passage", "document"] | None,
        typer.Option(help="Unit of gold: sentence, passage or document [default: the finest there is]."),
    ] = None,
    embedder: EvaluateEmbedderOption = "minilm",
    tokenizer: TokenizerOption = "",
    cache: CacheOption = None,
    out: Annotated[Path, typer.Option(help="The run's folder; an interrupted run goes on.", metavar="DIR")] = Path(
        "runs/evaluation"
    ),
    ray: options.RayOption = None,
    ray_workers: options.RayWorkersOption = None,
    ray_gpus: options.RayGPUsOption = 0.0,
    json: options.JSONOption = False,
) -> None:
    """Compare recipes at equal token budgets on a data set, or on your own questions about a library.

    Without a reader contexts and rankings are measured; with one it answers from all of them. The model of --llm reads, unless --reader
    names another; `--reader short-answers` (as `decoct ask` without a model) and `--reader extractive` need no model.
    The conditions no-retrieval and gold-passages can stand beside recipes. Read the run with `decoct report`.

    With --ray workers of a cluster make the rows, with the same figures; they must see the libraries (--library, --cache) and models.
    """
    from decoct.evaluate.amounts import amounts
    from decoct.evaluate.report.markdown import markdown
    from decoct.evaluate.report.tables import tables
    from decoct.evaluate.session import Setup, execute, open_dataset
    from decoct.evaluate.system import systems

    library = own_library(dataset, library)
    loaded = open_dataset(dataset, data, pairs(option), library)
    model, read_by = model_and_reader(llm, reader, cache)
    setup = Setup(
        budgets=amounts(budgets, "--budgets"),
        metrics=words_by_commas(metrics),
        questions=questions,
        seed=seed,
        unit=unit,
        llm=model,
        reader=read_by,
        cite=cite,
        judge=options_llm(judge, cache),
        library=library,
        cache=cache,
        embedder=embedder,
        tokenizer=tokenizer,
    )
    compared = systems(recipes.split(","))
    if ray:
        ray_evaluate = plugins.load("spread", "evaluate", "--ray")
        told = progress(json)
        runner = ray_evaluate(loaded, compared, setup, out, ray, workers=ray_workers, gpus=ray_gpus, progress=told)
    else:
        runner = execute(loaded, compared, setup, out, progress(json))
    made = tables([out])
    if json:
        show.as_json(made)
        return
    typer.echo(markdown(made))
    for name, amount in runner.fallbacks.items():
        if amount:
            typer.echo(f"fallback {name}: {amount}", err=True)
    typer.echo(f"recorded in {out}; a page with figures: decoct report {out}", err=True)


def own_library(dataset: str, library: str | None) -> str | None:
    """The library named, or for a questions file the one that the settings name, where it is there."""
    from decoct.evaluate.session import asks_library

    if library is None and asks_library(dataset):
        place = options.settings().library
        if "://" in place or (Path(place).expanduser() / "library.db").is_file():
            return place
    return library


def words_by_commas(text: str | None) -> tuple[str, ...]:
    """Words by commas."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def numbers(text: str, name: str) -> tuple[int, ...]:
    """Whole numbers by commas."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ConfigError(f"{name}: expected positive numbers by commas, not {text!r}")
    return tuple(int(part) for part in parts)


def pairs(given: list[str] | None) -> dict[str, str]:
    """`key=value` words as a table."""
    found = {}
    for item in given or []:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--option {item!r}: write it as key=value")
        found[key.strip()] = value.strip()
    return found


def model_and_reader(llm: str | None, reader: str | None, cache: Path | None) -> tuple[LLM | None, str]:
    """What `Setup.llm` and `Setup.reader` are for these options; --llm may name a reader that needs no model, as it once had to."""
    if llm is not None and llm in WITHOUT_MODEL:
        if reader not in (None, llm):
            raise ConfigError(
                f"--llm {llm} names a reader too, beside --reader {reader}: give --llm a model, or leave it out"
            )
        return None, llm
    if reader == "model" and llm is None:
        raise ConfigError("--reader model needs to know which: name it with --llm NAME")
    return options_llm(llm, cache), named_without_model(reader)


def options_llm(name: str | None, cache: Path | None) -> LLM | None:
    """The model of a name, its replies kept on disk so that a resumed run pays for nothing twice; None for None."""
    from decoct.evaluate.dataset_types import default_cache
    from decoct.llm.resolve import open_llm

    return open_llm(name, options.settings().models, (cache or default_cache()) / "replies") if name else None


def progress(quiet: bool) -> Callable[[str], None]:
    """Writes a line of progress to standard error: over itself on a terminal, else about every tenth."""
    terminal, count = sys.stderr.isatty(), 0

    def line(text: str) -> None:
        nonlocal count
        count += 1
        if terminal:
            show.progress_line(text)
        elif not quiet and count % 10 == 1:
            sys.stderr.write(f"{text}\n")

    return line
