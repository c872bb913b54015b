"""What a recipe's file may hold at its top; the tables of stages are checked against the stages' own fields (`decoct.config`)."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PositiveInt

from decoct.recipe import DEFAULT_BUDGET, DEFAULT_DEPTH
from decoct.tables import TypedTable


class RecipeFile(TypedTable):
    """The keys of a recipe; a stage is a table with `use`, or just a name."""

    retrieve: Any = None
    description: str = ""
    budget: PositiveInt = DEFAULT_BUDGET
    depth: PositiveInt = DEFAULT_DEPTH
    context: list[Any] = Field(default_factory=list)
    layout: Any = "numbered"
    read: Any = None
