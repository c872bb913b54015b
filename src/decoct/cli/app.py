"""The table of commands; each is imported when the program starts, what it needs only when it runs.

Commands of plug-ins (`decoct.plugins`) stand after ours and are looked up when the help is printed or no command of ours has the name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from decoct import plugins
from decoct.cli.backup import restore

# Each a module of this folder, in the order of the help.
COMMANDS = (
    *("ingest", "ask", "chat", "context", "search", "audit", "documents", "status", "doctor", "cards", "recipes"),
    *("evaluate", "report", "tune", "questions", "serve", "keys", "mcp", "copy", "backup"),
)


class CommandGroup(typer.core.TyperGroup):
    """Our commands, then those that plug-ins registered."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - click's classes, of whichever click typer carries
        """The names in the order of the help."""
        return list(dict.fromkeys((*super().list_commands(ctx), *sorted(plugins.points("commands")))))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """The command of that name; `MissingDistributionError` for one that a distribution of ours would bring."""
        if (own := super().get_command(ctx, cmd_name)) is not None:
            return own
        if cmd_name not in plugins.points("commands"):
            plugins.check_installed("commands", cmd_name, "command")
            return None
        return _group_of(cmd_name, plugins.load("commands", cmd_name)).get_command(ctx, cmd_name)


def _group_of(name: str, command: Any) -> Any:  # noqa: ANN401 - a function or a typer.Typer in, click's group out
    """A group that holds this command alone, made as ours are."""
    outer = typer.Typer(add_completion=False, rich_markup_mode=None)
    outer.callback()(lambda: None)
    if isinstance(command, typer.Typer):
        outer.add_typer(command, name=name)
    else:
        outer.command(name)(command)
    return typer.main.get_command(outer)


app = typer.Typer(
    name="decoct",
    cls=CommandGroup,
    help="The best context for a question from your documents: under a hard token budget, with provenance to the character.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _name in COMMANDS:
    _module = import_module(f"decoct.cli.{_name}")
    if hasattr(_module, "app"):  # several commands
        app.add_typer(_module.app, name=_name)
    else:
        app.command(_name)(_module.run)
app.command("restore")(restore)


@app.command("version")
def _tell_version() -> None:
    """Print the version."""
    _version(version=True)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"decoct {installed('decoct')}")
        raise typer.Exit
