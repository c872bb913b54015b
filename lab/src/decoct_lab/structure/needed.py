"""The structures that the systems of a run retrieve by, built of the run's own libraries where they are missing.

Without a language model: what a model costs is for the user to decide. A structure built with one is measured by naming its library
(`--library DIR`), where nothing is built: a missing one ends the run with the command to give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from decoct.config import StageSpec
from decoct.evaluate.system import System
from decoct.library import Library


def build_needed(library: Library, systems: Iterable[System], progress: Callable[[str], None]) -> None:
    """Build, or bring up to date, what the systems need and the library lacks; a structure by a model is left as it is."""
    needed = dict.fromkeys(
        name for one in systems if one.recipe is not None for name in structures_read(one.recipe.retrieve)
    )
    if not needed:
        return
    there = {state.name: state for state in library.structures.states()}
    for name in needed:
        if name in there and (there[name].model or not there[name].stale):
            continue
        progress(f"building the structure {name}")
        library.structure(name, model=False).run(
            lambda report, name=name: progress(f"{name}: {report.doing} {report.done} of {report.total}")
        )


def structures_read(spec: StageSpec) -> Iterator[str]:
    """The structures that a stage and those inside it read."""
    if spec.needs("structures") and "structure" in spec.settings:
        yield str(spec.settings["structure"])
    for child in spec.children.values():
        for inner in child if isinstance(child, tuple) else (child,):
            yield from structures_read(inner)
