"""`decoct keys`: who may use a server."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from decoct.cli import options, show
from decoct.cli.serve import DEFAULT_STATE, StateOption

app = typer.Typer(help="Keys of `decoct serve`: add, list, revoke.", no_args_is_help=True, rich_markup_mode=None)


@app.command("add")
def add(
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            help="What it may do: NAME:read, NAME:write or NAME:admin (* for all); may be repeated.",
            metavar="LIB:SCOPE",
        ),
    ] = None,
    server_admin: Annotated[bool, typer.Option("--server-admin", help="It may also make libraries.")] = False,
    note: Annotated[str, typer.Option(help="A word to know it by.")] = "",
    state: StateOption = DEFAULT_STATE,
    json: options.JSONOption = False,
) -> None:
    """Make a key and print it: this once, as only its digest is kept. A running server knows it at once."""
    from decoct.server.keys import grants
    from decoct.server.shared_state import opened_keys

    with opened_keys(state) as keys:
        key, token = keys.add(grants(library or []), server=server_admin, note=note)
    if json:
        show.as_json({"id": key.id, "key": token, "libraries": dict(key.libraries), "server_admin": key.server})
    else:
        typer.echo(token)


@app.command("list")
def list_(state: StateOption = DEFAULT_STATE, json: options.JSONOption = False) -> None:
    """List the keys, without their secrets."""
    from decoct.server.shared_state import opened_keys

    with opened_keys(state) as kept:
        known = kept.all()
    keys = [
        {
            "id": key.id,
            "libraries": dict(key.libraries),
            "server_admin": key.server,
            "note": key.note,
            "created": time.strftime("%Y-%m-%d %H:%M", time.localtime(key.created)),
        }
        for key in known
    ]
    if json:
        show.as_json(keys)
        return
    for key, row in zip(known, keys, strict=True):
        scopes = ", ".join(f"{name}:{scope}" for name, scope in key.libraries.items())
        typer.echo(f"{key.id}  {row['created']}  {scopes}{' server-admin' if key.server else ''}  {key.note}")


@app.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, as `decoct keys list` shows it.")],
    state: StateOption = DEFAULT_STATE,
) -> None:
    """Take a key away, at once also from a running server."""
    from decoct.server.shared_state import opened_keys

    with opened_keys(state) as keys:
        keys.revoke(key)
    typer.echo(f"revoked {key}")
