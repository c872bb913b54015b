"""One state a question: what a store is asked for one question comes from one committed state of it.

A question is many look-ups: words and vectors are ranked, then chunks are read by their keys. A write between two of them takes away what
the first found, and the second passes over it. So a question notes the store's state and which chunks it looked for in vain; where the
state moved on meanwhile and chunks are missing, or some of those it ended with are gone, it is asked again. Keys are never used twice, so a
chunk that is still there is still the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from decoct.data import Chunk, Keys
from decoct.errors import CorpusError, ProvenanceError
from decoct.index.abilities import StoreState, SupportsState
from decoct.index.base import Store

T = TypeVar("T")

# Times that a question is asked at most, and seconds after which it is not asked again: each time takes a write to what it found.
ATTEMPTS, LONGEST = 8, 10.0

_gone: ContextVar[set[int] | None] = ContextVar("decoct_gone", default=None)


def in_one_state(store: Store, ask: Callable[[], T], keys_of: Callable[[T], Sequence[int]]) -> tuple[T, bool]:
    """What `ask` finds in one state of the store, and whether it is of one (False: writers were faster each time).

    `keys_of` names the chunks that it ends with. Of a store whose state is not known only what was looked for in vain is.
    """
    until = time.monotonic() + LONGEST
    last_gone: set[int] | None = None
    for attempt in range(ATTEMPTS):
        before, last = _state(store), attempt == ATTEMPTS - 1 or time.monotonic() > until
        with _watching() as gone:
            try:
                found = ask()
            except (CorpusError, ProvenanceError):  # a document that was removed, or became shorter, meanwhile
                if last or not _moved(store, before) or (before is None and attempt):
                    raise
                continue
        if not _moved(store, before):
            return found, True
        if before is None:
            if not gone or gone == last_gone:  # what stays away was not taken away just now
                return found, True
        elif not gone and all(place is not None for place in store.places(keys_of(found))):
            return found, True
        if last:
            break
        last_gone = gone
    return found, False


def noted(keys: Keys | Sequence[int], found: list[Chunk]) -> list[Chunk]:
    """For stores: `found`, what there is of the chunks `keys`; those that are missing are noted for the question that asks."""
    missing = _gone.get()
    if missing is not None and len(found) < len(keys):
        there = {chunk.key for chunk in found}
        missing.update(key for key in map(int, keys) if key not in there)
    return found


def _state(store: Store) -> StoreState | None:
    return store.state() if isinstance(store, SupportsState) else None


def _moved(store: Store, before: StoreState | None) -> bool:
    return before is None or _state(store) != before


@contextmanager
def _watching() -> Iterator[set[int]]:
    gone: set[int] = set()
    token = _gone.set(gone)
    try:
        yield gone
    finally:
        _gone.reset(token)
