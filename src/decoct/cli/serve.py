"""`decoct serve`: the HTTP server and its web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options
from decoct.errors import ConfigError, MissingExtraError, UnknownLibraryError

StateOption = Annotated[
    str,
    typer.Option(
        "--state",
        help="Where keys, jobs and the libraries made by requests are kept; replicas share a postgresql:// address.",
        metavar="DIR|ADDRESS",
        envvar="DECOCT_STATE",
    ),
]
DEFAULT_STATE = ".decoct-server"


def run(
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            help="A library to serve, by its folder or address, under its own name or the one given; may be repeated.",
            metavar="PLACE|NAME=PLACE",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen to; any but this machine's own needs keys.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any free one; the URL is printed first.")] = 8000,
    state: StateOption = DEFAULT_STATE,
    llm: options.LLMOption = None,
    recipe: options.RecipesOption = None,
    prices: Annotated[
        str | None,
        typer.Option(help="Price of a million tokens in and out, to show what an answer cost.", metavar="IN,OUT"),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="Ask for a key also on this machine (see `decoct keys`).")
    ] = False,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host", help="A host name by which the server is addressed; may be repeated.", metavar="NAME"
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="A web page's origin (http://localhost:3000) whose scripts may ask; may be repeated.",
            metavar="ORIGIN",
        ),
    ] = None,
    allow_urls: Annotated[bool, typer.Option("--allow-urls", help="Let uploads name URLs to fetch.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Let these URLs name private addresses.")
    ] = False,
    upload_mb: Annotated[int, typer.Option("--upload-mb", min=1, help="The largest upload, in MB.")] = 200,
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve a library of the demo's documents, to look around.")
    ] = False,
) -> None:
    """Serve libraries over HTTP: contexts, cited answers, OpenAI's chat interface, ingest jobs, and a web page.

    Stop it with Ctrl-C or SIGTERM; jobs that were running go on at the next start.
    """
    try:
        from decoct.server.app import create_app
        from decoct.server.serving import serve
    except ModuleNotFoundError as error:
        raise MissingExtraError("`decoct serve`", "server") from error
    from decoct.index.resolve import is_folder, without_password
    from decoct.server.serving import is_loopback, listening, names_of
    from decoct.server.settings import (
        MB,
        ServerLimits,
        ServerSettings,
        allowed_recipes,
        checked_origins,
        named_libraries,
    )

    mine = options.settings()
    kept: str | Path = Path(state).expanduser().resolve() if is_folder(state) else state
    given = named_libraries(library or ([mine.library] if not demo else []))
    if not is_loopback(host) and not has_keys(kept):
        raise ConfigError(
            f"{host} can be reached from other machines, so it is served with keys only: make one first, "
            f"`decoct keys add --library NAME:read --state {without_password(state)}`"
        )
    if demo:
        from decoct.server.demo import demo_library

        if not isinstance(kept, Path):
            raise ConfigError("--demo makes a library in the state's folder: give --state DIR")
        given["demo"] = demo_library(kept)
    missing = [name for name, place in given.items() if not _is_there(place)]
    if missing and library:
        raise UnknownLibraryError(
            f"there is no library at {without_password(given[missing[0]])}; make one with `decoct ingest SOURCES --library DIR`"
        )
    settings = ServerSettings(
        state=kept,
        libraries={name: place for name, place in given.items() if name not in missing},
        recipes=allowed_recipes(recipe or ()),
        llm=llm or mine.llm,
        prices=_prices(prices),
        keys=keys or not is_loopback(host),
        hosts=names_of(host, tuple(allowed_host or ())),
        origins=checked_origins(allow_origin or ()),
        allow_urls=allow_urls,
        allow_private=allow_private,
        demo=demo,
        limits=ServerLimits(upload_bytes=upload_mb * MB),
    )
    with listening(host, port) as sock:
        serve(create_app(settings), sock, settings.limits.stop, typer.echo)


def has_keys(state: str | Path) -> bool:
    """Whether keys were made for the server whose state is there."""
    from decoct.server.shared_state import opened_keys

    with opened_keys(state) as keys:
        return bool(keys.all())


def _is_there(place: str | Path) -> bool:
    """Whether a library lies at `place`; of an address, whether there is a document in it."""
    from decoct.index.resolve import stored_settings

    return (place / "library.db").is_file() if isinstance(place, Path) else stored_settings(place) is not None


def _prices(text: str | None) -> tuple[float, float] | None:
    from decoct.cli.report import priced

    found = priced(text)
    return (found["prompt_tokens"], found["completion_tokens"]) if found else None
