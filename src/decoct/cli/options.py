"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from decoct.cli.show import error_line
from decoct.errors import ConfigError, QueryError

if TYPE_CHECKING:
    from decoct.data import Range
    from decoct.library import Library
    from decoct.settings import Settings


def _not_empty(library: str | None) -> str | None:
    if library == "":  # of a variable of the shell that is not set: another library was meant than the default
        raise ConfigError("--library is empty: name the library, or leave the option out")
    return library


LibraryOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        help="The library's directory [default: DECOCT_LIBRARY, else .decoct].",
        metavar="DIR",
        callback=_not_empty,
    ),
]
RecipeOption = Annotated[
    str | None,
    typer.Option("--recipe", help="A recipe's name or a .toml file [default: default].", metavar="NAME|FILE"),
]
RecipesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--recipe",
        help="Only these recipes may be asked for; may be repeated. The first is also the default.",
        metavar="NAME|FILE",
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="Most tokens of context, or of average retrieved chunks as in 5x [default: the recipe's, 5400].",
        metavar="N|Nx",
    ),
]
LLMOption = Annotated[
    str | None,
    typer.Option(
        "--llm",
        help="A language model: openai:MODEL, local:NAME, a .gguf file, or a name of decoct.toml.",
        metavar="NAME",
    ),
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="Only documents with this metadata: kind=paper,report (any of them), 'year>=2020' (also >, <=, <); may be repeated.",
        metavar="KEY=VALUE",
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray", help="Spread the work over a Ray cluster: local, auto or HOST:PORT (decoct-ray).", metavar="ADDRESS"
    ),
]
RayWorkersOption = Annotated[
    int | None,
    typer.Option("--ray-workers", help="With --ray: how many actors work [default: one a processor but one].", min=1),
]
RayGPUsOption = Annotated[
    float, typer.Option("--ray-gpus", help="With --ray: how much of a GPU each actor is given.", min=0.0)
]
JSONOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CautionOption = Annotated[
    float | None,
    typer.Option("--caution", min=0, max=1, help="Claim only what is right with at least this probability (no model)."),
]
QuestionArgument = Annotated[str, typer.Argument(help="The question; - reads it from standard input.")]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Also print what ran, how long it took and what it found.")
]


def settings() -> Settings:
    """The user's settings."""
    from decoct.settings import load_settings

    return load_settings()


def open_library(library: str | None, llm: str | None = None) -> Library:
    """The library that the options and settings name."""
    from decoct.library import Library

    place = library or settings().library
    return Library.open(place, llm=llm, create=False)


def end_unless(found: bool) -> None:
    """Exit code 1 where nothing was found, as of grep: what was printed says so."""
    if not found:
        raise typer.Exit(1)


def asked(question: str) -> str:
    """The question, which "-" says is on standard input."""
    return sys.stdin.read().strip() if question == "-" else question


def filters(given: list[str] | None, library: Library, *, as_json: bool = False) -> dict[str, tuple[str | Range, ...]]:
    """`key=value`, `key=a,b` and `key>=bound` options as a filter of `library`; says so where no document has a key.

    A comma separates values unless a document has the whole as its value.
    """
    from decoct.index.filters import where_of_written

    parsed = [_parsed(item) for item in given or []]
    _tell_unknown([key for key, *_ in parsed], library, as_json=as_json)
    return where_of_written(
        (key, operator, _alternatives(key, value, library) if operator == "=" else value)
        for key, operator, value in parsed
    )


def _parsed(item: str) -> tuple[str, str, str]:
    from decoct.index.filters import written_condition

    if (found := written_condition(item)) is None:
        raise QueryError(f"--filter {item!r}: write it as key=value, key=one,another or 'key>=value' (also >, <=, <)")
    return found


def _alternatives(key: str, value: str, library: Library) -> list[str]:
    if "," not in value or next(library.documents({key: value}), None) is not None:
        return [value]
    return [part.strip() for part in value.split(",") if part.strip()]


def _tell_unknown(keys: list[str], library: Library, *, as_json: bool) -> None:
    known = library.store.metadata_keys() if keys else []
    for key in dict.fromkeys(keys):
        if key in known:
            continue
        close = get_close_matches(key, known, 1, 0.6)
        told = f"did you mean {close[0]!r}?" if close else f"they have {', '.join(known[:20]) or 'no metadata'}"
        typer.echo(error_line(f"no document has the metadata {key!r}; {told}", "query", as_json=as_json), err=True)
