"""A recipe: one named system, from retrieval to the reader, as a small TOML file.

    description = "…"
    budget = 5400          # tokens, when the caller gives none
    depth = 100            # chunks that retrieval hands to the context

    [retrieve]             # one retriever; others nest inside it
    use = "dense"

    [[context]]            # steps in their order, none for the ranking as it is
    use = "stitch"

    [layout]               # optional: how passages are written (numbered)
    [read]                 # optional: the reader (cited with a language model, else short-answers)

Names without `.toml` are the recipes that ship in `decoct/recipes/`, and those of plug-ins (`decoct.plugins.recipe_files`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import Field, PositiveInt

from decoct import plugins
from decoct.config import StageSpec, resolve
from decoct.errors import ConfigError
from decoct.registry import nearest
from decoct.tables import TypedTable, read_table

RecipeSource: TypeAlias = "str | Path | Mapping[str, Any] | Recipe"
DEFAULT_BUDGET = 5400  # the recall-oriented paper's budget: beyond it readers lose what stands in the middle
DEFAULT_DEPTH = 100  # about twice what 5,400 tokens of 150-token chunks hold, so that overlaps and cuts leave no slack


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe, checked and with its defaults filled in."""

    name: str
    description: str
    retrieve: StageSpec
    context: tuple[StageSpec, ...]
    layout: StageSpec
    read: StageSpec | None
    budget: int = DEFAULT_BUDGET
    depth: int = DEFAULT_DEPTH

    @property
    def needs_llm(self) -> bool:
        """Whether a language model finds or makes its contexts; its reader may do with none."""
        return any(stage.needs_llm for stage in (self.retrieve, *self.context, self.layout))

    def as_dict(self) -> dict[str, Any]:
        """The whole recipe with nothing left out, for `decoct recipes show` and for records of runs."""
        return {
            "description": self.description,
            "budget": self.budget,
            "depth": self.depth,
            "retrieve": self.retrieve.as_dict(),
            "context": [step.as_dict() for step in self.context],
            "layout": self.layout.as_dict(),
            **({"read": self.read.as_dict()} if self.read else {}),
        }


def shipped() -> dict[str, str]:
    """Names and descriptions of the recipes that come with Decoct and its plug-ins, sorted."""
    return dict(_shipped())


@cache
def _shipped() -> Mapping[str, str]:
    files = plugins.recipe_files()
    return {name: str(tomllib.loads(files[name].read_text("utf-8")).get("description", "")) for name in sorted(files)}


def load_recipe(source: str | Path | Mapping[str, Any]) -> Recipe:
    """A recipe by name, by the path of a TOML file, or from a table; `ConfigError` names what is wrong and where."""
    if isinstance(source, Mapping):
        return _recipe("recipe", source)
    if not isinstance(source, str | Path):
        raise ConfigError(f"a recipe is a name, the path of a TOML file or a table, not {source!r:.80}")
    name = str(source)
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise ConfigError(f"there is no recipe file {name}")
        try:
            return _recipe(path.stem, _parsed(path.read_text("utf-8"), name))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{name}: the recipe cannot be read: {error}") from error
    if (file := plugins.recipe_files().get(name)) is None:
        plugins.check_installed("recipes", name, "recipe")
        raise ConfigError(f"there is no recipe {name!r}; {nearest(name, shipped())} (or give the path of a .toml file)")
    return _recipe(name, _parsed(file.read_text("utf-8"), name))


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not valid TOML: {error}") from error


class RecipeFile(TypedTable):
    """What a recipe's file may hold at its top; a stage is a table with `use`, or just a name, checked against its own fields."""

    retrieve: Any = None
    description: str = ""
    budget: PositiveInt = DEFAULT_BUDGET
    depth: PositiveInt = DEFAULT_DEPTH
    context: list[Any] = Field(default_factory=list)
    layout: Any = "numbered"
    read: Any = None


def _recipe(name: str, table: Mapping[str, Any]) -> Recipe:
    file = read_table(RecipeFile, table, name)
    if file.retrieve is None:
        raise ConfigError(f"{name}.retrieve: a recipe needs a retriever")
    return Recipe(
        name=name,
        description=file.description,
        retrieve=resolve(file.retrieve, "retrieve", f"{name}.retrieve"),
        context=tuple(resolve(step, "context", f"{name}.context[{i}]") for i, step in enumerate(file.context)),
        layout=resolve(file.layout, "layout", f"{name}.layout"),
        read=resolve(file.read, "read", f"{name}.read") if file.read is not None else None,
        budget=file.budget,
        depth=file.depth,
    )


def as_toml(table: Mapping[str, Any]) -> str:
    """A recipe's table (`Recipe.as_dict`) as a file that `load_recipe` reads: its values, then a section a part."""
    parts = {key: item for key, item in table.items() if item and isinstance(item, list | dict)}
    sections = [_pairs({key: item for key, item in table.items() if key not in parts})]
    for key, item in parts.items():
        name = f"[[{key}]]" if isinstance(item, list) else f"[{key}]"
        sections += [f"{name}\n{_pairs(one)}" for one in (item if isinstance(item, list) else (item,))]
    return "\n".join(sections)


def _pairs(table: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_inline(item)}\n" for key, item in table.items())


def _inline(value: Any) -> str:  # noqa: ANN401 - JSON-ready data
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)


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
