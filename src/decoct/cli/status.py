"""`decoct status`: what a library holds and how it was built."""

from __future__ import annotations

import typer

from decoct.cli import options, show


def run(library: options.LibraryOption = None, json: options.JSONOption = False) -> None:
    """Print counts, size and settings of the library."""
    with options.open_library(library) as opened:
        status = opened.status()
        structures = opened.structures.states()
    counts = {name: getattr(status, name) for name in ("documents", "chunks", "names", "bytes", "sequence")}
    data = {
        "library": library or options.settings().library,
        **counts,
        "derived": dict(status.derived),
        "id": status.library,
        "generation": status.generation,
        "settings": dict(status.settings),
    }
    if json:
        show.as_json({**data, "structures": [state.as_dict() for state in structures]})
        return
    data["derived"] = ", ".join(f"{name} {_state(at, status.sequence)}" for name, at in status.derived.items())
    for name, value in data.items():
        typer.echo(f"{name:10} {value}")
    for state in structures:
        typer.echo(f"{'structure':10} {state.line}")


def _state(sequence: int, now: int) -> str:
    if sequence < 0:
        return "not there, or damaged: it is built at the next search"
    return "up to date" if sequence == now else f"{now - sequence} changes behind"
