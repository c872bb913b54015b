"""`decoct mcp`: libraries as tools for agents."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from decoct.cli import options
from decoct.cli.serve import DEFAULT_STATE, StateOption, has_keys
from decoct.cli.show import stream_behind
from decoct.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def run(
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            help="A library to offer, under its folder's name or the one given; may be repeated.",
            metavar="DIR|NAME=DIR",
        ),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP on this machine instead of standard input and output.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --http; 0 for any free one. The URL is printed first.")
    ] = 8001,
    keys: Annotated[
        bool, typer.Option("--keys", help="With --http: ask for a key that may read every library (see `decoct keys`).")
    ] = False,
    state: StateOption = DEFAULT_STATE,
    allow_write: Annotated[bool, typer.Option("--allow-write", help="Also offer a tool that adds texts.")] = False,
    llm: options.LLMOption = None,
    recipe: options.RecipesOption = None,
) -> None:
    """Offer libraries to an agent by the Model Context Protocol: tools search, context, ask and open_source.

    Read-only unless --allow-write. Without --http it speaks on standard input and output, as desktop agents start it.
    """
    try:
        from decoct.mcp.tools import build
    except ModuleNotFoundError as error:
        raise MissingExtraError("`decoct mcp`", "mcp") from error
    from decoct.server.settings import ServerLimits, allowed_recipes, named_libraries

    mine = options.settings()
    given = named_libraries(library or [mine.library])
    recipes = allowed_recipes(recipe or ())
    with ExitStack() as opened:
        libraries = {
            name: opened.enter_context(options.open_library(str(place), llm or mine.llm))
            for name, place in given.items()
        }
        server = build(libraries, recipes, writes=allow_write)
        if not http:
            _stdio(server)
            return
        from decoct.mcp.guarded import PATH, guarded
        from decoct.server.serving import listening, serve

        folder = Path(state).expanduser().resolve()
        if keys and not has_keys(folder):
            raise ConfigError(
                f"there are no keys yet: make one with `decoct keys add --library NAME:read --state {state}`"
            )
        app = guarded(server, libraries, folder, keys=keys, writes=allow_write)
        with listening("127.0.0.1", port) as sock:
            serve(app, sock, ServerLimits().stop, typer.echo, PATH)


def _stdio(server: MCPServer) -> None:
    """Speak on the process's own streams: the protocol's bytes must not pass through what cleans words for terminals."""
    cleaned = sys.stdout
    sys.stdout = stream_behind(cleaned)
    try:
        server.run("stdio")
    finally:
        sys.stdout = cleaned
