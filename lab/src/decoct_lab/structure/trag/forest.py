"""A forest of entities out of what sentences state: each entity has one parent, and nothing is inside itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decoct.data import Span
from decoct.text.names import normal

# Statements kept of a branch: one is enough to read, the others in case its document goes.
_KEPT = 3


@dataclass(frozen=True, slots=True)
class ContainmentStatement:
    """A sentence (or heading) that says it: `child` and `parent` as written, its place and words, and the chunks that hold it."""

    child: str
    parent: str
    span: Span
    text: str
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as it is mostly written, the key of what it is inside of (empty at a root), and the statements of that."""

    name: str
    parent: str = ""
    statements: tuple[ContainmentStatement, ...] = ()


def forest(statements: Iterable[ContainmentStatement]) -> dict[str, Entity]:
    """The entities by normalised name. Of several parents the one stated most often counts, the first stated of equals.

    Branches are drawn in that order; one that would put an entity inside itself is left out.
    """
    branches: dict[tuple[str, str], list[ContainmentStatement]] = defaultdict(list)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for one in statements:
        child, parent = normal(one.child), normal(one.parent)
        if child and parent and child != parent:
            branches[(child, parent)].append(one)
            written[child][one.child] += 1
            written[parent][one.parent] += 1
    above: dict[str, str] = {}
    for child, parent in sorted(branches, key=lambda branch: -len(branches[branch])):
        if child not in above and child not in _upwards(above, parent):
            above[child] = parent
    return {
        name: Entity(
            forms.most_common(1)[0][0],
            above.get(name, ""),
            tuple(branches[(name, above[name])][:_KEPT]) if name in above else (),
        )
        for name, forms in sorted(written.items())
    }


def _upwards(above: Mapping[str, str], name: str) -> list[str]:
    found = [name]
    while (name := above.get(name, "")) and name not in found:
        found.append(name)
    return found


def path(entities: Mapping[str, Entity], name: str, most: int) -> Sequence[Entity]:
    """The entity and what it is inside of, up to the root; at most `most` steps, none for an entity that is a root itself."""
    found: list[Entity] = []
    while len(found) < most and (one := entities.get(name)) is not None and one.parent:
        found.append(one)
        name = one.parent
    return found
