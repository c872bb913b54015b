"""The command line: one file a command (`app` is their table, `program` a run of it)."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> None:
    """Run `decoct` with the arguments (the process's own by default) and exit."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:  # at once: the program itself takes a while to load
        from importlib.metadata import version

        print(f"decoct {version('decoct')}")  # noqa: T201
        sys.exit(0)
    from decoct.cli.program import run

    sys.exit(run(given))
