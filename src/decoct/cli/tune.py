"""`decoct tune`: a recipe fitted to the user's own questions."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from decoct import plugins
from decoct.cli import options, show
from decoct.cli.evaluate import CacheOption, DataOption, OptOption, SeedOption, numbers, own_library, pairs, progress
from decoct.counted import counted


def run(
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="A questions file (with --library), or a data set's name or folder [default: what --data names]."
        ),
    ] = None,
    budget: Annotated[int, typer.Option(help="Tokens of context to tune for.", min=1)] = 1800,
    recipe: options.RecipeOption = None,
    data: DataOption = None,
    option: OptOption = None,
    library: options.LibraryOption = None,
    metric: Annotated[str, typer.Option(help="What to raise; any measure that needs no reader.")] = "evidence_recall",
    chunks: Annotated[
        str | None, typer.Option(help="Chunk sizes to try besides the library's, by commas (data sets only).")
    ] = None,
    seed: SeedOption = 0,
    cache: CacheOption = None,
    out: Annotated[Path, typer.Option(help="The recipe file to write.", metavar="FILE")] = Path("tuned.toml"),
    json: options.JSONOption = False,
) -> None:
    """Search retriever weights, feedback, order and chunk size for the best evidence recall at a budget.

    A third of the questions is kept for a check: the start recipe stays unless the best one is better there by more than noise.
    """
    from decoct.errors import ConfigError
    from decoct.evaluate.dataset_types import default_cache
    from decoct.evaluate.measure import chosen_measures
    from decoct.evaluate.session import open_dataset
    from decoct.evaluate.system import system
    from decoct.evaluate.tune import Tuner, as_toml, start_and_neighbours
    from decoct.library import Library
    from decoct.visible import write_whole

    chosen_measures((metric,), (), frozenset({"retrieval"}))
    start = system(recipe or options.settings().recipe)
    if start.recipe is None or start.needs_llm:
        raise ConfigError(f"{start.name!r} cannot be tuned: take a recipe that needs no language model")
    if chunks and library:
        raise ConfigError(
            "--chunks needs a data set: a library is cut as it was built (`decoct ingest --rebuild --chunker …` cuts it anew)"
        )
    if dataset is None:
        if data is None:
            raise ConfigError("name a questions file, or a data set by name or folder")
        dataset, data = str(data), None
    library = own_library(dataset, library)
    loaded = open_dataset(dataset, data, pairs(option), library)
    systems = start_and_neighbours(start, numbers(chunks, "--chunks") if chunks else ())
    cutters = {one.chunker for one in systems}
    with ExitStack() as stack:
        if library:
            opened = dict.fromkeys(cutters, stack.enter_context(Library.open(library, create=False)))
        else:
            libraries = plugins.load("evaluation", "libraries", "the libraries of a data set")
            opened = stack.enter_context(libraries(loaded, cutters, cache or default_cache(), progress=progress(json)))
        tuned = Tuner(loaded, opened, budget, metric, seed, progress(json)).tune(systems)
    write_whole(out, as_toml(tuned, budget))
    told = (
        tuned.check.verdict()
        if tuned.check
        else f"{tuned.start.name} itself was the best of {counted(len(systems), 'recipe')}"
    )
    if json:
        show.as_json(
            {
                "winner": tuned.winner.name,
                "replaced": tuned.replaced,
                "verdict": told,
                "rounds": list(tuned.rounds),
                "searched": tuned.searched,
                "checked": tuned.checked,
                "recipe": str(out),
            }
        )
        return
    show.table([{"recipe": name, metric: value} for name, value in list(tuned.rounds[-1]["systems"].items())[:10]])
    typer.echo(f"\nOn {counted(tuned.checked, 'question')} not searched on: {told}.")
    kept = f"written to {out}" if tuned.replaced else f"{tuned.start.name} stays; written to {out} as it is"
    typer.echo(f"{tuned.winner.name}: {kept}")
