"""The page `docs/cli.md`, written from the commands' own help: `python docs/command_page.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

_HEAD = """# Command line

Written from the commands' own help (`python docs/command_page.py`); a test keeps it true.

Settings come from options, else the environment (`DECOCT_LIBRARY`, `DECOCT_RECIPE`, `DECOCT_LLM`, `DECOCT_BUDGET`), else
`decoct.toml` in the working directory (or the file that `DECOCT_CONFIG` names).

Exit codes: 0 done; 1 nothing was found, a document that is named is not there, or a model, the store or every
source failed; 2 the call itself is wrong; 130 interrupted.
Errors are one line on standard error, with `--json` an object `{"error": {"message", "code"}}`; results, and JSON with `--json`, are on
standard output. `-` stands for standard input, as a question and as a source. `decoct --install-completion` lets the shell complete
commands and options.
"""


def page() -> str:
    """The whole page as Markdown."""
    from decoct.cli.app import app

    command = typer.main.get_command(app)
    return _HEAD + "".join(_sections(command, "decoct"))


def _sections(command: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - click's classes, of whichever click typer carries
    context = typer.Context(command, info_name=path)
    inner = {name: command.get_command(context, name) for name in getattr(command, "list_commands", _none)(context)}
    if not inner or getattr(command, "invoke_without_command", False):
        yield f"\n## {path}\n\n{(command.help or '').strip()}\n\n"
        for parameter in command.params:
            record = parameter.get_help_record(context)
            if record is None:
                record = (parameter.make_metavar(context), getattr(parameter, "help", "") or "")
            yield f"- `{' '.join(record[0].split())}`: {' '.join(record[1].split())}\n"
    for name, child in inner.items():
        yield from _sections(child, f"{path} {name}")


def _none(_context: object) -> tuple[str, ...]:
    return ()


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), "utf-8")
