"""Who does work that can be divided: this process, or workers that hand back what each item gave (`decoct_ray.pool`).

Whoever has such work (a structure's builder, a run of questions) writes it as a callable and items, and is handed a `Workforce`. Its code
is the same for all of them, and so is what it makes: results come in the order of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workforce(Protocol):
    """Does work on items."""

    @property
    def width(self) -> int:
        """How many items are worked on side by side."""

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Each item with what `work` gives for it, in the order of `items`, which are taken only as fast as they are done.

        What `work` raises is raised at its item's place. What it counts goes to the trace of whoever takes the result. An item may be
        done twice (a worker that was lost), but gives one result. Work and items that go to other processes must be such as can be
        pickled: `ConfigError`.
        """


@dataclass(frozen=True, slots=True)
class Here:
    """The process that asks, one item after the other."""

    @property
    def width(self) -> int:
        """One."""
        return 1

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """See `Workforce.results`: an item is taken and done when its result is asked for."""
        return ((item, work(item)) for item in items)
