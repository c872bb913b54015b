"""Which recipes a library can be asked with here: what chat programs list as models."""

from __future__ import annotations

import time

from fastapi import Request

from decoct.errors import CorpusError, DecoctError
from decoct.library import Library
from decoct.recipe import Recipe
from decoct.server.state import caller_of, server_of
from decoct.server.work import Cancel

_KNOWN = 60.0  # seconds for which it is known what can run


async def model_ids(request: Request) -> list[str]:
    """`LIBRARY/RECIPE`, and the bare recipe where the caller sees one library: those that can run here, as it is now."""
    visible = server_of(request).visible(caller_of(request))
    found = {library: await runnable_recipes(request, library) for library in visible}
    ids = [f"{library}/{recipe}" for library, recipes in found.items() for recipe in recipes]
    return [*ids, *found[visible[0]]] if len(visible) == 1 else ids


async def runnable_recipes(request: Request, name: str) -> list[str]:
    """The recipes that a library can be asked with: it has their structures and cards, and there is a model where they need one."""
    server, known = server_of(request), request.app.state.runnable
    if name in known and time.monotonic() - known[name][0] < _KNOWN:
        return list(known[name][1])

    def work(cancel: Cancel) -> list[str]:
        found = []
        with server.libraries.use(name) as library:
            for one, recipe in server.settings.recipes.items():
                cancel.check()
                if _runs(library, recipe):
                    found.append(one)
        return found

    found = await server.workers.run(request, work)
    known[name] = (time.monotonic(), found)
    return found


def _runs(library: Library, recipe: Recipe) -> bool:
    """Whether a recipe's parts are there; one that asks no language model is tried."""
    try:
        pipeline = library.pipeline(recipe)
        _ = pipeline.retrieval, pipeline.construction, pipeline.reader
        if not recipe.needs_llm:
            library.search("library", 1, recipe)
    except CorpusError:  # an empty library can be asked
        return True
    except DecoctError:
        return False
    return True
