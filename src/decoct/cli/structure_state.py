"""A structure's state in words, for `decoct status` and `decoct structure list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoct.counted import counted

if TYPE_CHECKING:
    from decoct.structure.base import Spending
    from decoct.structure.of_library import StructureState


def state_line(state: StructureState) -> str:
    """A structure's state on one line: form, size, and, where it is stale, what bringing it up to date costs."""
    if not state.finished:
        return f"{state.name}  begun, not finished: run `decoct structure build {state.name}` again"
    failed = f", {state.failed} failed" if state.failed else ""
    shown = (
        f"{state.name}  {f'by {state.model}' if state.model else 'without a model'}, {counted(state.documents, 'document')}, "
        f"{counted(state.chunks, 'chunk')}{failed}, {state.bytes / 1e6:.1f} MB"
    )
    if not state.stale:
        return f"{shown}, up to date"
    behind = ", ".join(
        f"{count} {what}"
        for what, count in (("new", state.new), ("changed", state.changed), ("gone", state.gone))
        if count
    )
    cost, seconds = cost_line(state.rebuild), max(1, round(state.rebuild_seconds))
    return f"{shown}, stale ({behind}): building it again costs {cost} and about {seconds} s"


def cost_line(spent: Spending, *, most: bool = False) -> str:
    """What a build asks of a model, in words."""
    if not spent.calls:
        return "no model call"
    return (
        f"about {counted(spent.calls, 'model call')}, {spent.prompt_tokens} prompt and "
        f"{'at most ' if most else ''}{counted(spent.completion_tokens, 'completion token')}"
    )
