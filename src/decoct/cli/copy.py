"""`decoct copy`: a library from one store to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from decoct.cli import options, show
from decoct.counted import counted

if TYPE_CHECKING:
    from decoct.copying import CopyReport

_NAMED = 5  # documents of the target alone that are named; --json names all


def run(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A library's folder or address.", show_default=False)],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="Another, made where it is not there.", show_default=False)
    ],
    json: options.JSONOption = False,
) -> None:
    """Copy a library to another store: documents, vectors, names and cards, nothing embedded again. Run it again after an interruption."""
    from decoct.copying import copy_library

    def told(report: CopyReport) -> None:
        typer.echo(f"{report.done} of {counted(report.documents, 'document')}", err=True)

    report = copy_library(source, target, None if json else told)
    if json:
        show.as_json(report.as_dict())
        return
    typer.echo(
        f"copied {counted(report.copied, 'document')}, {report.unchanged} were there unchanged; every one was compared"
    )
    for name, one in report.companions.items():
        typer.echo(f"{name}: copied {one.copied}, {one.unchanged} unchanged")
    for name in report.structures:
        typer.echo(
            f"structure {name}: what was read of the documents is there; put it together with `decoct structure build {name}`"
        )
    for line in report.left:
        typer.echo(f"left: {line}")
    if report.others:
        named = ", ".join(report.others[:_NAMED]) + (" …" if len(report.others) > _NAMED else "")
        typer.echo(f"{counted(len(report.others), 'document')} only in the target, kept: {named}")
