"""docutils where it is slow: states that are made when needed, a walk without generators, messages taken out on one way.

For each list docutils makes a machine of fifteen states, each with a dozen patterns, of which a list meets two. The ids of the messages
that it takes out, one for every reference that leads nowhere, it looks for in a list: the square of their number.
"""

from __future__ import annotations

from typing import Any

from docutils.nodes import Node, Text, problematic, section, system_message
from docutils.statemachine import StateMachine
from docutils.transforms.universal import FilterMessages


def quicken() -> None:
    """Put what is quicker in the place of docutils' own, for this process."""
    FilterMessages.apply = _without_messages
    StateMachine.add_states = _add_states
    Node._fast_findall = _findall


class _States(dict[str, Any]):
    """The states of a machine by their names, each made when it is first asked for."""

    def __init__(self, machine: Any, classes: dict[str, Any]) -> None:  # noqa: ANN401
        super().__init__()
        self._machine, self._classes = machine, classes

    def __missing__(self, name: str) -> Any:  # noqa: ANN401
        state = self[name] = self._classes[name](self._machine, self._machine.debug)
        if hasattr(self._machine, "memo"):  # it runs
            state.runtime_init()
        return state


def _add_states(self: Any, classes: Any) -> None:  # noqa: ANN401
    self.states = _States(self, {one.__name__: one for one in classes})


def _findall(self: Any, cls: Any) -> Any:  # noqa: ANN401
    """The nodes of a class in their order, without a generator for each node on the way."""
    waiting = [self]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cls):
            yield node
        if node.children:
            waiting += node.children[::-1]


def _without_messages(self: Any) -> None:  # noqa: ANN401
    """As docutils does, on one way through the tree, and the messages' ids in a set and not in a list."""
    document, removed = self.document, set()
    found = tuple(document.findall((system_message, problematic, section)))
    for node in found:
        if isinstance(node, system_message) and node["level"] < document.reporter.report_level:
            node.parent.remove(node)
            removed.update(node["ids"])
    for one in removed:
        document.ids.pop(one, None)
    for node in found:
        if isinstance(node, problematic) and node.get("refid") in removed:
            node.parent.replace(node, Text(node.astext()))
    for node in found:
        if isinstance(node, section) and "system-messages" in node["classes"] and len(node) == 1:
            node.parent.remove(node)
