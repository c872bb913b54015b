"""`decoct recipes`: the named systems."""

from __future__ import annotations

from typing import Annotated

import typer

from decoct.cli import options, show

app = typer.Typer(help="List recipes and show one resolved.", invoke_without_command=True, rich_markup_mode=None)


@app.callback()
def list_(context: typer.Context, json: options.JSONOption = False) -> None:
    """List the recipes that come with Decoct: four to know first, with when to take them and what they cost, then the others by paper."""
    from decoct.recipe import FIRST, by_paper, shipped

    if context.invoked_subcommand is not None:
        context.default_map = {"show": {"json": json}}
        return
    found = shipped()
    if json:
        show.as_json(found)
        return
    typer.echo("Four to know first\n")
    for known in FIRST:
        typer.echo(f"  {known.name:<13} {found[known.name]}")
        typer.echo(f"  {'':<13} when: {known.when}")
        typer.echo(f"  {'':<13} cost of a question: {known.cost}\n")
    for paper, names in by_paper(found):
        typer.echo(f"{paper}\n")
        width = max(map(len, names))
        for name in names:
            typer.echo(f"  {name:<{width}}  {found[name]}")
        typer.echo("")
    typer.echo("decoct recipes show NAME prints one with every default; --recipe takes a name or a file of yours.")


@app.command("show")
def show_(
    name: Annotated[str, typer.Argument(help="A recipe's name or a .toml file.")],
    json: options.JSONOption = False,
) -> None:
    """Print a recipe with every default filled in, as a file of its own."""
    from decoct.recipe import as_toml, load_recipe

    table = load_recipe(name).as_dict()
    if json:
        show.as_json(table)
    else:
        typer.echo(as_toml(table), nl=False)
