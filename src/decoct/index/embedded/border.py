"""The border to tantivy: its errors become ours, told apart by whether the index is damaged or the system failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from decoct.errors import ProvenanceError, StoreError

# What tantivy's messages hold when the disk or the system failed, and the index itself may be sound.
_OUTSIDE = ("No space left", "too large", "Permission denied", "Read-only", "Too many open files", "LockBusy")


class DamagedIndexError(StoreError):
    """The index cannot be read; building it again from SQLite mends it."""


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """The border: tantivy raises ValueError, OSError, or its panics (a BaseException of its own)."""
    try:
        yield
    except (ValueError, OSError) as error:
        if not any(sign in str(error) for sign in _OUTSIDE):
            raise DamagedIndexError(f"the search index {folder} is damaged ({error})") from error
        raise StoreError(
            f"the search index {folder} failed ({error}); the documents are safe. "
            "Check the disk; deleting the folder makes the next search build it again"
        ) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DamagedIndexError(f"the search index {folder} is damaged ({error})") from error


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
