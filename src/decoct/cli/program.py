"""A run of the command line: the border where errors become one line and an exit code.

Exit codes: 0 done; 1 nothing was found, a document that is named is not there, or a model, the store or every source failed; 2 the call
itself is wrong (option, recipe, question, budget …); 130 interrupted. With `--json` an error is an object on standard error.
"""

from __future__ import annotations

import os
import sys

import typer

from decoct.cli.show import clean_streams, error_line
from decoct.errors import (
    BudgetError,
    ConfigError,
    CorpusError,
    DecoctError,
    EvaluationError,
    QueryError,
    StaleIndexError,
    UnknownDocumentError,
    UnknownLibraryError,
    is_disk_full,
)

# typer exports only the leaf of click's error tree, and carries a click of its own since 0.29; the leaf knows its parents.
_UsageError: type[Exception]
_ClickException: type[Exception]
_UsageError, _ClickException = typer.BadParameter.__mro__[1:3]

_INTERRUPTED = 130
# What only looks keeps nothing that a second run would go on with.
_LOOKS = frozenset(
    {"ask", "audit", "chat", "context", "doctor", "documents", "recipes", "report", "search", "serve", "mcp", "status"}
)
_CALLER = (ConfigError, CorpusError, QueryError, BudgetError, EvaluationError, StaleIndexError, UnknownLibraryError)


def run(arguments: list[str]) -> int:
    """Run `decoct` with the arguments; the exit code."""
    with clean_streams():
        try:
            return _code(arguments, as_json="--json" in arguments)
        except SystemExit as error:  # as which click tells that the reader of a pipe went away: not an error of ours
            if not isinstance(error.__context__, BrokenPipeError):
                raise
            return 0


def _code(arguments: list[str], *, as_json: bool) -> int:
    def _say(message: str, code: int, name: str = "usage") -> int:
        """One line on standard error, or with --json an object of the server's form; the exit code."""
        print(error_line(message, name, as_json=as_json), file=sys.stderr)  # noqa: T201
        return code

    try:
        from decoct.cli.app import app

        code = app(arguments, prog_name="decoct", standalone_mode=False)
    except DecoctError as error:
        called = isinstance(error, _CALLER) and not isinstance(error, UnknownDocumentError)
        code = _say(str(error), 2 if called else 1, error.code)
    except (typer.Abort, KeyboardInterrupt):
        code = _INTERRUPTED
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(_message(error))
            return 0
        context = getattr(error, "ctx", None)
        code = _say(f"{_message(error)} (see `{context.command_path if context else 'decoct'} --help`)", 2)
    except _ClickException as error:
        code = _say(_message(error), 2)
    except OSError as error:
        if not is_disk_full(error):
            raise
        code = _say(f"nothing more can be written, there is no room: {error.strerror}", 1, "disk-full")
        try:
            sys.stdout.flush()
        except OSError:  # at its end Python would try once more, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if code == _INTERRUPTED:  # typer mostly catches Ctrl-C itself, and returns this without a word
        kept = (
            "" if _LOOKS.intersection(arguments[:1]) else "; what was committed is kept, run the same command to go on"
        )
        _say(f"interrupted{kept}", _INTERRUPTED, "interrupted")
    return code if isinstance(code, int) else 0


def _message(error: Exception) -> str:
    return str(error.format_message()) if hasattr(error, "format_message") else str(error)
