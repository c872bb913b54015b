"""`decoct documents`: what the library holds."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

import typer

from decoct.cli import options, show
from decoct.counted import counted
from decoct.errors import ConfigError

if TYPE_CHECKING:
    from decoct.library import Library

app = typer.Typer(help="List, show and delete documents.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(
    library: options.LibraryOption = None, filter_: options.FilterOption = None, json: options.JSONOption = False
) -> None:
    """List the documents in the order of their ids."""
    with options.open_library(library) as opened:
        infos = list(opened.documents(options.filters(filter_, opened, as_json=json)))
    rows = [
        {"id": i.id, "title": i.title, "characters": i.characters, "chunks": i.chunks, "source": i.source}
        for i in infos
    ]
    if json:
        show.as_json([{**row, "metadata": dict(info.metadata)} for row, info in zip(rows, infos, strict=True)])
    elif rows:
        show.table(rows)
    else:
        typer.echo("no document fits the filter" if filter_ else "the library has no documents", err=True)
    options.end_unless(bool(rows) or not filter_)


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
    if not (text := document.text[start:end]):
        to = "" if end is None else f" to --end {end}"
        raise ConfigError(f"no character of {doc_id!r} lies from --start {start}{to}: it has {len(document.text)}")
    if json:
        told = {name: getattr(document, name) for name in ("id", "title", "source")}
        show.as_json({**told, "metadata": dict(document.metadata), "text": text})
    else:
        typer.echo(text)


@app.command("delete")
def delete(
    doc_ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of documents, or patterns such as 'sqlite/*'.", metavar="ID...")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", help="All that came from this file, folder or URL; may be repeated.", metavar="PATH|URL"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted and delete nothing.")] = False,
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Remove documents and everything that was derived from them.

    What is a document's id to the letter means that one; else it is a pattern: `*` stands for any characters, `/` too, `?` for one and
    `[ab]` for one of these.
    """
    if not doc_ids and not source:
        raise ConfigError("name documents by id or pattern, or what they came from by --source")
    with options.open_library(library) as opened:
        chosen: dict[str, None] = {}
        unknown = []
        for named, found in (
            *((one, _named(opened, one)) for one in doc_ids or ()),
            *((one, _from(opened, one)) for one in source or ()),
        ):
            chosen.update(dict.fromkeys(found))
            if not found:
                unknown.append(named)
        deleted = 0 if dry_run else opened.delete(*chosen)
    if json:
        more = {"dry_run": True, "ids": list(chosen)} if dry_run else {}
        show.as_json({"deleted": deleted, "unknown": unknown, **more})
    else:
        typer.echo(
            f"{counted(len(chosen), 'document')} would be deleted"
            if dry_run
            else f"{counted(deleted, 'document')} deleted"
        )
        for doc_id in chosen if dry_run else ():
            typer.echo(f"  {doc_id}")
        for named in unknown:
            typer.echo(f"  no document {named!r}", err=True)
    options.end_unless(bool(chosen))


def _named(opened: Library, name: str) -> list[str]:
    """The document of that very id, else those whose ids fit the pattern."""
    if opened.store.digests([name]):
        return [name]
    return [info.id for info in opened.documents() if fnmatchcase(info.id, name)]


def _from(opened: Library, name: str) -> list[str]:
    """The documents that came from the file, folder or URL."""
    from decoct.documents.files import expanded, printable
    from decoct.documents.sources import is_url
    from decoct.sync import is_within, origin_of

    if not name:
        raise ConfigError("--source is empty: name a file, folder or URL")
    place = name if is_url(name) else printable(expanded(name).resolve())
    found = []
    for info in opened.documents():
        origin = origin_of(info.source, info.id)
        if info.source in (name, place) or is_within(origin.path, place):
            found.append(info.id)
    return found
