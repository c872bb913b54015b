"""`decoct ingest`: files, folders and URLs into the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decoct.cli import options, show

if TYPE_CHECKING:
    from decoct.ingest import Report


def run(
    sources: Annotated[list[str] | None, typer.Argument(help="Files, folders or URLs.", metavar="SOURCE...")] = None,
    library: options.LibraryOption = None,
    embedder: Annotated[
        str | None,
        typer.Option(help="For a new library: minilm, st:NAME or openai:MODEL [default: minilm].", metavar="NAME"),
    ] = None,
    chunker: Annotated[
        str | None,
        typer.Option(help="For a new library: structure, sentence, fixed … [default: structure].", metavar="NAME"),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="For a new library: stem words as in this language (de, fr …) [default: each document's own].",
            metavar="CODE",
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First build the library anew from its own stored texts.")
    ] = False,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Let URLs name private addresses.")] = False,
    json: options.JSONOption = False,
) -> None:
    """Add documents to the library (made if it is not there).

    What is there unchanged costs nothing and what changed is replaced, so an interrupted run is resumed by running it again. A source
    that cannot be read is reported and does not stop the others; the exit code is 1 when nothing at all could be read.
    """
    from decoct.errors import ConfigError
    from decoct.library import Library
    from decoct.rebuild import rebuild as build_anew

    if not sources and not rebuild:
        raise ConfigError("name the files, folders or URLs to ingest")
    for source in sources or ():
        if "://" not in source and not Path(source).expanduser().exists():
            raise ConfigError(f"there is no file or folder {source!r}; nothing was ingested")
    place = library or options.settings().library
    progress = show.progress(json, _told)
    report = (
        build_anew(place, embedder=embedder, chunker=chunker, language=language, progress=progress) if rebuild else None
    )
    if sources:
        with Library.open(place, embedder=embedder, chunker=chunker, language=language) as opened:
            report = opened.add(sources, allow_private=allow_private, progress=progress)
    assert report is not None
    if json:
        show.as_json({"library": place, **report.as_dict()})
    else:
        _summary(report)
    if report.failures and not report.documents:
        raise typer.Exit(1)


def _told(report: Report) -> str:
    failed = f", {len(report.failures)} failed" if report.failures else ""
    return f"{report.documents} documents, {report.chunks} chunks{failed}"


def _summary(report: Report) -> None:
    show.end_progress()
    typer.echo(
        f"{report.documents} documents: {report.added} added, {report.replaced} replaced, {report.unchanged} unchanged; "
        f"{report.chunks} chunks written"
    )
    for failure in report.failures:
        typer.echo(f"  failed: {failure.source}: {failure.reason}", err=True)
