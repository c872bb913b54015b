"""`decoct recipes`: the named systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from decoct.cli import options, show

app = typer.Typer(help="List recipes and show one resolved.", invoke_without_command=True, rich_markup_mode=None)


@app.callback()
def list_(context: typer.Context, json: options.JSONOption = False) -> None:
    """List the recipes that come with Decoct: four to know first, with when to take them and what they cost, then the others by paper."""
    from decoct.recipe import shipped

    if context.invoked_subcommand is not None:
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
    """Print a recipe with every default filled in."""
    from decoct.recipe import load_recipe

    table = load_recipe(name).as_dict()
    if json:
        show.as_json(table)
    else:
        typer.echo("\n".join(_lines(table, 0)))


def _lines(value: Any, depth: int) -> list[str]:  # noqa: ANN401 - TOML data
    pad = "  " * depth
    lines: list[str] = []
    for key, item in value.items():
        if isinstance(item, dict):
            lines += [f"{pad}{key}:", *_lines(item, depth + 1)]
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            lines.append(f"{pad}{key}:")
            for entry in item:
                first, *rest = _lines(entry, depth + 2)
                lines += [f"{pad}  - {first.strip()}", *rest]
        else:
            lines.append(f"{pad}{key}: {item}")
    return lines


# Which recipes a user should know first, and to which paper the others belong.


@dataclass(frozen=True, slots=True)
class Known:
    """A recipe to know first: when to take it, and what a question costs (docs/recipes.md says how measured)."""

    name: str
    when: str
    cost: str


FIRST = (
    Known(
        "default",
        "almost always; it also finds what the question does not name",
        "about 25 ms (10,000 chunks, 5,400 tokens); no model",
    ),
    Known("merge-links", "little room: the most evidence in 60 to 750 tokens", "as default; no model"),
    Known(
        "casc",
        "documents that may disagree: what they agree on, and every side of a conflict",
        "as default, and reading its passages with the bundled reader (15 ms each); no language model",
    ),
    Known(
        "cards+links",
        "many long documents, one of which is meant",
        "as default; before it, once: `decoct cards build`, some tenths of a second a document; no model",
    ),
)
# The beginnings of names that belong to a paper; a recipe belongs to the first that fits.
PAPERS = (
    (
        "Recall-oriented RAG, its baselines and ablations",
        ("recall", "naive", "dos", "iter-retgen", "self-ask", "summarise", "decompose"),
    ),
    (
        "MergeRAG (Guo et al. 2026), its variants and baselines",
        ("merge-", "recomp-", "llmlingua", "longllmlingua", "extract-each", "top20"),
    ),
    ("CASC (Zhou et al.) and its ablations", ("casc",)),
    ("Question compression (Eponon et al. 2026)", ("cards", "syntactic")),
    ("Further", ("",)),
)


def by_paper(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The recipes that are not known first, under the paper they belong to."""
    first = {known.name for known in FIRST}
    under: dict[str, list[str]] = {paper: [] for paper, _ in PAPERS}
    for name in names:
        if name not in first:
            under[next(paper for paper, begins in PAPERS if name.startswith(begins))].append(name)
    yield from ((paper, found) for paper, found in under.items() if found)
