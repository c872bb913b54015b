"""`decoct report`: a run, or several, as a page with figures, Markdown and JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show
from decoct.errors import ConfigError


def run(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", metavar="DIR…")],
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write [default: report.html, .md and .json in the first run].", metavar="DIR"),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The system that others are tested against [default: the first].")
    ] = None,
    prices: Annotated[
        str | None, typer.Option(help="Price of a million tokens in and out, for the cost table.", metavar="IN,OUT")
    ] = None,
    library: options.LibraryOption = None,
    cache: Annotated[Path | None, typer.Option(help="Where the libraries of the runs are kept.", metavar="DIR")] = None,
    json: options.JSONOption = False,
) -> None:
    """Write one self-contained HTML page with figures, and the same tables as Markdown and JSON.

    The page opens offline. It shows questions with their contexts where the libraries of the runs are still there.
    """
    from decoct.evaluate.report.excerpts import excerpts
    from decoct.evaluate.report.markdown import markdown
    from decoct.evaluate.report.page import need_figures, page
    from decoct.evaluate.report.tables import tables
    from decoct.visible import visible_json, write_whole

    need_figures()
    made = tables(runs, baseline=baseline, prices=priced(prices))
    if json:
        show.as_json(made)
        return
    folder = out or runs[0]
    shown = excerpts(runs, baseline=baseline, library=library, cache=cache)
    for name, text in (
        ("report.html", page(made, shown)),
        ("report.md", markdown(made)),
        ("report.json", visible_json(made) + "\n"),
    ):
        write_whole(folder / name, text)
        typer.echo(str(folder / name))


def priced(text: str | None) -> dict[str, float]:
    """`0.15,0.60` as prices of tokens in and out."""
    if text is None:
        return {}
    try:
        first, second = (float(part) for part in text.split(","))
        if not (0 <= first < math.inf and 0 <= second < math.inf):
            raise ValueError(text)  # noqa: TRY301 - numbers that are no prices are told like what is no number
    except ValueError as error:
        raise ConfigError(
            f"--prices {text!r}: write the price of a million tokens in and out, as in 0.15,0.60"
        ) from error
    return {"prompt_tokens": first, "completion_tokens": second}
