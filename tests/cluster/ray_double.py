"""A double of Ray's core calls, in one thread: actors work when they are waited for, last come first, unless told otherwise.

Everything goes through real pickles. `lose` names the numbers of calls (from 0) on which the actor is lost for good; `most_waiting` is the
largest number of calls that were ever handed over and not yet taken.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any


class RayError(Exception):
    pass


class RayErrors:
    RayError = RayError


@dataclass(eq=False)
class Reference:
    make: Callable[[], Any]
    done: bool = False
    value: Any = None
    error: Exception | None = None

    def finish(self) -> None:
        if not self.done:
            self.done = True
            try:
                self.value = self.make()
            except RayError as error:
                self.error = error


@dataclass(eq=False)
class Method:
    ray: RayDouble
    function: Callable[..., Any]
    work: bool

    def remote(self, *arguments: Any) -> Reference:
        given = [one.value if isinstance(one, Reference) else one for one in arguments]
        if not self.work:
            return Reference(lambda: self.function(*given))
        number = self.ray.calls
        self.ray.calls += 1
        self.ray.waiting += 1
        self.ray.most_waiting = max(self.ray.most_waiting, self.ray.waiting)

        def make() -> Any:
            if number in self.ray.lose:
                raise RayError("The actor is dead\nits machine went away")
            return self.function(*given)

        return Reference(make)


@dataclass(eq=False)
class Actor:
    introduce: Method
    outcome: Method


@dataclass
class Kind:
    ray: RayDouble
    made: type
    settings: dict[str, Any] = field(default_factory=dict)

    def options(self, **settings: Any) -> Kind:
        return Kind(self.ray, self.made, settings)

    def remote(self) -> Actor:
        self.ray.actors.append(self.settings)
        one = self.made()
        introduce = self.ray.introduce or one.introduce
        return Actor(Method(self.ray, introduce, work=False), Method(self.ray, one.outcome, work=True))


@dataclass
class RayDouble:
    processors: int = 4
    room: int = 100  # actors that can start
    lose: Collection[int] = ()
    introduce: Callable[[], Any] | None = None
    actors: list[dict[str, Any]] = field(default_factory=list)
    killed: int = 0
    calls: int = 0
    waiting: int = 0
    most_waiting: int = 0
    cloudpickle: Any = pickle
    exceptions: Any = RayErrors

    def remote(self, made: type) -> Kind:
        return Kind(self, made)

    def put(self, value: Any) -> Reference:
        return Reference(lambda: value, done=True, value=value)

    def wait(
        self, references: Sequence[Reference], *, num_returns: int, timeout: float
    ) -> tuple[list[Reference], list[Reference]]:
        ready = references[: self.room] if self.calls == 0 else references[len(references) // 2 :]
        for one in reversed(ready):
            one.finish()
        ready = [one for one in references if one.done][:num_returns]
        return list(ready), [one for one in references if one not in ready]

    def get(self, reference: Reference) -> Any:
        reference.finish()
        if isinstance(reference.value, bytes):
            self.waiting -= 1
        if reference.error is not None:
            raise reference.error
        return reference.value

    def kill(self, actor: Actor) -> None:
        self.killed += 1

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors)}

    def available_resources(self) -> dict[str, float]:
        return {"CPU": 0.0}
