"""Going on where a library is replaced under an open handle."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from decoct.index.embedded.database import ReplacedError


class Reopens(Protocol):
    """What can open the library that lies at its path now."""

    def reopen(self) -> None:
        """Do it; `StaleIndexError` where that cannot stand for the one that was open."""


# Times that a call is begun: each takes another library to be put in place while it runs.
ATTEMPTS = 8

T = TypeVar("T")
S = TypeVar("S", bound=Reopens)
P = ParamSpec("P")
R = TypeVar("R")


def of_one_library(look: Callable[[], T]) -> T:
    """What `look` finds of the library at a path, looked for again where another took its place meanwhile."""
    for _ in range(ATTEMPTS - 1):
        with suppress(ReplacedError):
            return look()
    return look()


def surviving(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that starts again on the new library where the old one was replaced before it ran, or meanwhile."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(ATTEMPTS - 1):
            try:
                return method(self, *args, **kwargs)
            except ReplacedError:
                with suppress(ReplacedError):  # by a third one, just now
                    self.reopen()
        return method(self, *args, **kwargs)

    return run
