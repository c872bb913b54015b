"""docutils' tree with look-ups that do not search from the beginning each time, and its parser with states that are made when needed.

docutils takes a node away, exchanges it or asks for its neighbour by looking for it among its siblings, once for every reference that leads
nowhere, every message and every footnote: the square of their number. They come in order, so each is looked for from where the last one
was. What is found is the same.

For each list it makes a machine of fifteen states, each with a dozen patterns, of which a list meets two.
"""

from __future__ import annotations

import sys
from typing import Any

from docutils.nodes import (
    Element,
    Node,
    NodeVisitor,
    SkipChildren,
    SkipNode,
    Text,
    problematic,
    section,
    system_message,
)
from docutils.statemachine import StateMachine
from docutils.transforms.universal import FilterMessages
from docutils.utils import Reporter

_next_node = Node.next_node


def quicken() -> None:
    """Put the quick look-ups in the place of docutils' own, for this process."""
    Element.index, Element.remove, Node.next_node = _index, _remove, _next
    FilterMessages.apply = _without_messages
    StateMachine.add_states = _add_states
    NodeVisitor.dispatch_visit, NodeVisitor.dispatch_departure, Node.walkabout = _visit, _depart, _walkabout
    Reporter.system_message = _message
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


def _walkabout(self: Any, visitor: Any) -> bool:  # noqa: ANN401
    """As docutils does, without a message about each node to those who mend docutils; writers of pages skip no siblings."""
    try:
        visitor.dispatch_visit(self)
        for child in self.children[:]:
            child.walkabout(visitor)
    except SkipNode:
        return False
    except SkipChildren:
        pass
    visitor.dispatch_departure(self)
    return False


def _visit(self: Any, node: Any) -> Any:  # noqa: ANN401
    return getattr(self, f"visit_{node.__class__.__name__}", self.unknown_visit)(node)


def _depart(self: Any, node: Any) -> Any:  # noqa: ANN401
    return getattr(self, f"depart_{node.__class__.__name__}", self.unknown_departure)(node)


def _message(self: Any, level: int, _message: object, *_children: Any, **told: Any) -> Any:  # noqa: ANN401
    """A message, which is taken out before the document is written: without its words, and where it belongs."""
    told.pop("base_node", None)
    return system_message(**{"level": level, "type": self.levels[level], "source": self.source, **told})


def _index(self: Any, item: Any, start: int = 0, stop: int = sys.maxsize) -> int:  # noqa: ANN401 - docutils has no types
    if start or stop != sys.maxsize or isinstance(item, Text):  # texts are equal by their words, and the first is meant
        return int(self.children.index(item, start, stop))
    near = max(0, getattr(self, "_near", 0) - 1)
    try:
        at = self.children.index(item, near)
    except ValueError:
        at = self.children.index(item)
    self._near = at
    return int(at)


def _remove(self: Any, item: Any) -> None:  # noqa: ANN401
    del self.children[self.index(item)]


def _next(  # noqa: PLR0917 - docutils' own signature
    self: Any,  # noqa: ANN401
    condition: Any = None,  # noqa: ANN401
    include_self: bool = False,
    descend: bool = True,
    siblings: bool = False,
    ascend: bool = False,
) -> Any:  # noqa: ANN401
    if condition is not None or include_self or descend or not siblings or ascend:
        return _next_node(self, condition, include_self, descend, siblings, ascend)
    if isinstance(self, Text) or not self.parent:
        return _next_node(self, siblings=True, descend=False)
    at = self.parent.index(self) + 1
    return self.parent.children[at] if at < len(self.parent.children) else None


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
