"""`decoct backup` and `decoct restore`: a library in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show
from decoct.counted import counted


def run(
    file: Annotated[str, typer.Argument(help="The file to write, .tar or .tar.gz.")],
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Write the library to one file, also while it is being read and written: the file holds one committed state."""
    from decoct.backup import back_up
    from decoct.index.resolve import folder_of

    place = library or options.settings().library
    documents = back_up(folder_of(place, "a backup"), Path(file).expanduser())
    if json:
        show.as_json({"file": file, "documents": documents})
    else:
        typer.echo(f"{file}: {counted(documents, 'document')}")


def restore(
    file: Annotated[str, typer.Argument(help="The file that `decoct backup` wrote.")],
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Put a backup back as a library in a folder that has none; its search indexes are built again at the first search."""
    from decoct.backup import restore as put_back
    from decoct.index.resolve import folder_of

    place = library or options.settings().library
    documents = put_back(Path(file).expanduser(), folder_of(place, "a backup"))
    if json:
        show.as_json({"library": place, "documents": documents})
    else:
        typer.echo(f"{place}: {counted(documents, 'document')}")
