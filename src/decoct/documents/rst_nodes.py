"""docutils where it is slow, and where it loses what it did not understand.

For each list docutils makes a machine of fifteen states, each with a dozen patterns, of which a list meets two: here states are made when
they are needed. It writes messages about nearly every node, with words that nobody sees, walks through all nodes for each kind that it
looks for, tells a reporter of each step, and looks for markup and addresses where no sign of one stands. With its errors it takes out the
lines that they are about (a table whose columns do not fit, a figure with a width that is none): these stay, as they were written.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.statemachine import StateMachine
from docutils.transforms.misc import Transitions
from docutils.transforms.references import DanglingReferences, DanglingReferencesVisitor, InternalTargets
from docutils.transforms.universal import FilterMessages
from docutils.utils import Reporter

_SIGNS = re.compile(r"[*`_|\\:@\0]")  # in all markup within a line, and all addresses
_inline, _implicit = Inliner.parse, Inliner.implicit_inline
_REFERENCES = (nodes.reference, nodes.footnote_reference, nodes.citation_reference)


def quicken() -> None:
    """Put what is quicker in the place of docutils' own, for this process."""
    FilterMessages.apply = _without_messages
    DanglingReferences.apply = _resolve
    StateMachine.add_states = _add_states
    nodes.Node._fast_findall = _findall
    nodes.NodeVisitor.dispatch_visit, nodes.NodeVisitor.dispatch_departure = _visit, _depart
    Reporter.system_message = _message
    Inliner.parse, Inliner.implicit_inline = _parse, _implicit_inline
    # Who is told of each line, where a line may be drawn, and what is looked for below once more.
    StateMachine.notify_observers = Transitions.apply = InternalTargets.apply = _nothing


def _nothing(_self: object) -> None:
    pass


def _parse(self: Any, text: str, lineno: int, memo: Any, parent: Any) -> Any:  # noqa: ANN401
    return _inline(self, text, lineno, memo, parent) if _SIGNS.search(text) else (_words(text), [])


def _implicit_inline(self: Any, text: str, lineno: int) -> Any:  # noqa: ANN401
    return _implicit(self, text, lineno) if _SIGNS.search(text) else _words(text)


def _words(text: str) -> list[Any]:
    return [nodes.Text(text)] if text else []


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


def _visit(self: Any, node: Any) -> Any:  # noqa: ANN401
    return getattr(self, f"visit_{node.__class__.__name__}", self.unknown_visit)(node)


def _depart(self: Any, node: Any) -> Any:  # noqa: ANN401
    return getattr(self, f"depart_{node.__class__.__name__}", self.unknown_departure)(node)


def _resolve(self: Any) -> None:  # noqa: ANN401
    """Look at the references that lead nowhere yet, not at every node."""
    visitor = DanglingReferencesVisitor(self.document, self.document.transformer.unknown_reference_resolvers)
    for node in tuple(self.document.findall(_REFERENCES)):
        visitor.dispatch_visit(node)


def _message(self: Any, level: int, _words: object, *about: Any, **said: Any) -> Any:  # noqa: ANN401
    """A message without words: of an error, with the lines that it is about."""
    lost = [one for one in about if isinstance(one, nodes.literal_block)] if level >= self.ERROR_LEVEL else []
    return nodes.system_message("", *lost, level=level, backrefs=said.get("backrefs", []))


def _without_messages(self: Any) -> None:  # noqa: ANN401
    """Take all messages out, but for the lines that they are about; what they say is a problem is the text that it was."""
    found = tuple(self.document.findall((nodes.system_message, nodes.problematic)))
    for parent in {node.parent: None for node in found if isinstance(node, nodes.system_message)}:
        parent[:] = [
            one
            for node in parent.children
            for one in (_lines(node) if isinstance(node, nodes.system_message) else [node])
        ]
    for node in found:
        if isinstance(node, nodes.problematic):
            node.parent.replace(node, nodes.Text(node.astext()))


def _lines(message: Any) -> list[Any]:  # noqa: ANN401
    """The lines that a message is about, but those of a directive without content."""
    return [one for one in message.children if not one.astext().rstrip().endswith("::")]
