"""A plug-in as another house would write it: a part, a stage of its own, a store, and a command, one module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Protocol

import typer

from decoct.data import Query, Ranking
from decoct.index.base import Store
from decoct.retrieve.lexical import BM25
from decoct_testing.memory_store import MemoryStore


class Greeter(Protocol):
    """The promise of the stage `greet`."""

    def greeting(self) -> str:
        """A word."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A part of the stage `greet`."""

    name: str = "you"

    def greeting(self) -> str:
        """A word and a name."""
        return f"hello {self.name}"


@dataclass(frozen=True, slots=True)
class Greeting:
    """A retriever that takes a part of the stage `greet`."""

    store: Store
    greeter: Greeter

    def retrieve(self, query: Query, k: int) -> Ranking:
        """Words, and the greeting's among them."""
        return BM25(self.store).retrieve(Query(f"{query.text} {self.greeter.greeting()}"), k)


class Shelf:
    """A backend whose stores are in memory."""

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> Store:
        """A new one each time."""
        return MemoryStore()


def greet(name: Annotated[str, typer.Argument()] = "you") -> None:
    """Say hello."""
    typer.echo(f"hello {name}")
