"""`decoct documents`: what the library holds."""

from __future__ import annotations

from typing import Annotated

import typer

from decoct.cli import options, show

app = typer.Typer(help="List, show and delete documents.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(
    library: options.LibraryOption = None, filter_: options.FilterOption = None, json: options.JSONOption = False
) -> None:
    """List the documents in the order of their ids."""
    with options.open_library(library) as opened:
        infos = list(opened.documents(options.filters(filter_, opened)))
    rows = [
        {"id": i.id, "title": i.title, "characters": i.characters, "chunks": i.chunks, "source": i.source}
        for i in infos
    ]
    if json:
        show.as_json([{**row, "metadata": dict(info.metadata)} for row, info in zip(rows, infos, strict=True)])
    else:
        show.table(rows)


@app.command("show")
def show_(
    doc_id: Annotated[str, typer.Argument(help="The document's id.", metavar="ID")],
    start: Annotated[int, typer.Option(help="First character.", min=0)] = 0,
    end: Annotated[int | None, typer.Option(help="Character after the last.", min=0)] = None,
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Print a document's text, or the characters that a span names."""
    with options.open_library(library) as opened:
        document = opened.document(doc_id)
    text = document.text[start:end]
    if json:
        show.as_json(
            {
                "id": document.id,
                "title": document.title,
                "source": document.source,
                "metadata": dict(document.metadata),
                "text": text,
            }
        )
    else:
        typer.echo(text)


@app.command("delete")
def delete(
    doc_ids: Annotated[list[str], typer.Argument(help="Ids of documents.", metavar="ID...")],
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Remove documents and everything that was derived from them."""
    with options.open_library(library) as opened:
        known = [doc_id for doc_id in dict.fromkeys(doc_ids) if opened.store.digests([doc_id])]
        deleted = opened.delete(*known)
    unknown = [doc_id for doc_id in doc_ids if doc_id not in known]
    if json:
        show.as_json({"deleted": deleted, "unknown": unknown})
    else:
        typer.echo(f"{deleted} documents deleted")
        for doc_id in unknown:
            typer.echo(f"  no document {doc_id!r}", err=True)
    if unknown and not deleted:
        raise typer.Exit(2)
