"""Decoct: the best context for a question under a hard token budget, with provenance to the character.

    from decoct import Library

    library = Library.open("my-library")
    library.add("docs/")
    print(library.ask("When was the bridge opened?").text)

Names are loaded when they are first used, so importing the package is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from decoct.moved import redirect

if TYPE_CHECKING:
    from decoct.async_library import AsyncLibrary
    from decoct.budget import Budget
    from decoct.data import Answer, Chunk, Citation, Context, Document, Hit, Passage, Query, Span
    from decoct.errors import DecoctError
    from decoct.library import Library
    from decoct.pipeline import Pipeline
    from decoct.recipe import Recipe, load_recipe

_HOMES = {
    name: f"decoct.{module}"
    for module, names in {
        "async_library": "AsyncLibrary",
        "budget": "Budget",
        "data": "Answer Chunk Citation Context Document Hit Passage Query Span",
        "errors": "DecoctError",
        "library": "Library",
        "pipeline": "Pipeline",
        "recipe": "Recipe load_recipe",
    }.items()
    for name in names.split()
}

__all__ = [
    "Answer",
    "AsyncLibrary",
    "Budget",
    "Chunk",
    "Citation",
    "Context",
    "DecoctError",
    "Document",
    "Hit",
    "Library",
    "Passage",
    "Pipeline",
    "Query",
    "Recipe",
    "Span",
    "load_recipe",
]

redirect()


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("decoct")
    if name not in _HOMES:
        raise AttributeError(f"module 'decoct' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
