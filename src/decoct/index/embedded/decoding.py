"""What goes wrong in decoding what this package wrote itself is damage, and told as such."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from decoct.errors import ProvenanceError

P = ParamSpec("P")
R = TypeVar("R")


class UndecodableError(Exception):
    """What is stored cannot be what was put; `Database` tells it as damage of its library."""


def stored(read: Callable[P, R]) -> Callable[P, R]:
    """A reading function, with what goes wrong in decoding told as unreadable: it only ever decodes what this package wrote."""

    @wraps(read)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except UnicodeEncodeError:
            raise
        except (ValueError, TypeError, ProvenanceError) as error:
            raise UndecodableError(f"a {read.__name__.rstrip('s')} cannot be read: {error}") from error

    return checked
