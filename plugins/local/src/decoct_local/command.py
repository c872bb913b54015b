"""`decoct models`: language models on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show

app = typer.Typer(help="List and fetch language models in GGUF form.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(json: options.JSONOption = False) -> None:
    """List the models that Decoct knows by name and those that are on this machine."""
    from decoct_local.models import listing

    rows = listing()
    if json:
        show.as_json(rows)
    else:
        show.table(rows)


@app.command("pull")
def pull(
    model: Annotated[str, typer.Argument(help="A known name, a URL, or the path of a .gguf file.")],
    sha256: Annotated[str | None, typer.Option(help="The file's SHA-256 (needed for a URL).")] = None,
    into: Annotated[
        Path | None, typer.Option(help="The folder of models [default: DECOCT_MODELS, else the cache folder].")
    ] = None,
) -> None:
    """Fetch a model, check its SHA-256 and print its path; an interrupted download goes on where it stopped."""
    from decoct_local.models import pull as fetch

    def progress(done: int, total: int | None) -> None:
        if sys.stderr.isatty():
            share = f" of {total / 1e6:.0f}" if total else ""
            sys.stderr.write(f"\r{done / 1e6:.0f}{share} MB \x1b[K")

    typer.echo(str(fetch(model, sha256=sha256, into=into, progress=progress)))
