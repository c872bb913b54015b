"""A library's pipelines: each recipe is read and built once, and used again by every question in every thread."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from pathlib import Path

from decoct.config import Resources
from decoct.pipeline import Pipeline
from decoct.recipe import Recipe, RecipeSource, load_recipe

# More recipes than a person or a server asks one library with; those asked longest ago are let go.
MOST = 64


class Pipelines:
    """Pipelines by recipe. Thread-safe: a recipe that several threads ask for at once is built by one of them."""

    def __init__(self) -> None:
        self._built: OrderedDict[Hashable, Pipeline] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, recipe: RecipeSource, resources: Resources) -> Pipeline:
        """The pipeline of a recipe over `resources`; it is made anew where they are others than those it was built with."""
        key = _identity(recipe)
        with self._lock:
            known = self._built.get(key)
            if known is None or known.resources is not resources:
                known = Pipeline(recipe if isinstance(recipe, Recipe) else load_recipe(recipe), resources)
                self._built[key] = known
            self._built.move_to_end(key)
            while len(self._built) > MOST:
                self._built.popitem(last=False)
            return known


def _identity(recipe: RecipeSource) -> Hashable:
    """What tells a recipe from another, without reading it; a file is another once it was written again."""
    if isinstance(recipe, Recipe):
        return "recipe", recipe.name, json.dumps(recipe.as_dict(), default=repr)
    if isinstance(recipe, Mapping):
        return "table", json.dumps(recipe, default=repr)
    name = str(recipe)
    if name.endswith(".toml") and (file := Path(name)).is_file():
        found = file.stat()
        return "file", str(file.absolute()), found.st_mtime_ns, found.st_size, found.st_ino
    return "name", name
