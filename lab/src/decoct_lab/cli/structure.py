"""`decoct structure`: what the structured systems (graphs, trees) retrieve by, built beforehand of a library's documents."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decoct import plugins
from decoct.cli import options, show
from decoct.counted import counted
from decoct.errors import ConfigError

if TYPE_CHECKING:
    from decoct_lab.structure.build import StructureReport

app = typer.Typer(
    help="Build, list and drop the structures that some recipes need.", no_args_is_help=True, rich_markup_mode=None
)
NameArgument = Annotated[str, typer.Argument(help="The structure's name, such as hipporag2.", metavar="NAME")]
# Failures that are shown one by one.
_SHOWN = 10


@app.command("build")
def build(
    name: NameArgument,
    library: options.LibraryOption = None,
    llm: options.LLMOption = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the method, as TOML; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Print what it would cost and stop.")] = False,
    ray: options.RayOption = None,
    ray_workers: options.RayWorkersOption = None,
    ray_gpus: options.RayGPUsOption = 0.0,
    json: options.JSONOption = False,
) -> None:
    """Build a structure, or bring it up to date with the library's documents.

    Without --llm it is built by rules and costs nothing but time. With a language model the cost is told before and after; a piece on
    which the model fails is left out, counted, and tried again by the next build. An interrupted build is resumed by running it again.

    With --ray documents are read, texts embedded and the model asked by workers of a cluster; the structure is the same.
    """
    from decoct_lab.structure.of_library import cost_line

    with options.open_library(library, llm) as opened:
        building = opened.structure(name, _settings(setting))
        documents, expected = building.estimate()
        result: dict[str, object] = {"structure": name, "estimate": {"documents": documents, **expected.as_dict()}}
        if not json:
            typer.echo(
                f"{name}: {counted(documents, 'document')} to read, {cost_line(expected, most=True)}", err=not estimate
            )
        report = None
        if not estimate and ray:
            ray_structure = plugins.load("spread", "structure", "--ray")

            report = ray_structure(
                opened,
                name,
                ray,
                settings=_settings(setting),
                workers=ray_workers,
                gpus=ray_gpus,
                progress=show.progress(json, _line),
            )
        elif not estimate:
            report = building.run(show.progress(json, _line))
    if report is not None:
        result |= report.as_dict()
    if json:
        show.as_json(result)
    elif report is not None:
        _summary(name, report)
    if report is not None and report.read and report.failed and report.failed >= report.chunks:
        raise typer.Exit(1)


@app.command("list")
def list_(library: options.LibraryOption = None, json: options.JSONOption = False) -> None:
    """Print the library's structures, how far they are behind it, and what can be built."""
    from decoct.registry import names

    with options.open_library(library) as opened:
        states = opened.structures.states()
    can_be_built = sorted(names("structure"))
    if json:
        show.as_json({"structures": [state.as_dict() for state in states], "methods": can_be_built})
        return
    for state in states:
        typer.echo(state.line)
    missing = [name for name in can_be_built if name not in {state.name for state in states}]
    if missing:
        typer.echo(f"not built: {', '.join(missing)} (`decoct structure build NAME`)")


@app.command("drop")
def drop(name: NameArgument, library: options.LibraryOption = None, json: options.JSONOption = False) -> None:
    """Remove a structure and everything that was read for it."""
    with options.open_library(library) as opened:
        size = opened.structures.drop(name)
    if json:
        show.as_json({"structure": name, "bytes": size})
    else:
        typer.echo(f"{name} removed ({size / 1e6:.1f} MB)")


def _settings(given: list[str] | None) -> dict[str, Any]:
    """`KEY=VALUE` pairs; a value that is no TOML is a text."""
    found: dict[str, Any] = {}
    for item in given or []:
        key, sign, value = item.partition("=")
        if not sign or not key.strip():
            raise ConfigError(f"--set {item!r}: write it as KEY=VALUE")
        try:
            found[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[key.strip()] = value
    return found


def _line(report: StructureReport) -> str:
    of = f" {report.done} of {report.total}" if report.total else ""
    failed = f", {report.failed} failed" if report.failed else ""
    return f"{report.doing}{of}{failed}, {report.seconds:.0f} s"


def _summary(name: str, report: StructureReport) -> None:
    show.end_progress()
    spent = report.spent
    failed = f", {counted(report.failed, 'piece')} failed" if report.failed else ""
    typer.echo(
        f"{name}: {counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')} "
        f"({report.read} read, {report.unchanged} unchanged, {report.removed} removed{failed}) in {report.seconds:.1f} s, "
        f"{report.bytes / 1e6:.1f} MB; {counted(spent.calls, 'model call')} ({spent.cached} from the cache), "
        f"{spent.prompt_tokens} prompt and {counted(spent.completion_tokens, 'completion token')}"
    )
    for what, amount in report.fallbacks.items():
        typer.echo(f"  fallback {what}: {amount}", err=True)
    for document, reasons in list(report.failures.items())[:_SHOWN]:
        typer.echo(f"  failed: {document}: {'; '.join(reasons)}", err=True)
    if len(report.failures) > _SHOWN:
        typer.echo(f"  and {len(report.failures) - _SHOWN} documents more; running it again tries them again", err=True)
