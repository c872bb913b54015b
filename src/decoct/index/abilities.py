"""What only some stores can do, a protocol each; what every store must do is `decoct.index.base.Store`.

An ability is asked for where it is needed, and never guessed from a store's class: a part whose field is typed with one is handed the
store if it has it (`decoct.config`), everything else goes through the functions at the end. Each has its contract in `decoct_testing`
(`store_names_contract`, `store_abilities_contract`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from decoct.data import Floats, Keys
from decoct.index.base import Entry, Mask, Signatures, Store, Where
from decoct.text.analysis import ENGLISH


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who mentions names: pairs (`names[i]`, `keys[i]`) sorted by name and key, and in how many chunks each name asked for stands."""

    names: Keys
    keys: Keys
    counts: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Named:
    """Whom names mean: triples (`names[i]`, `keys[i]`, `strengths[i]`) sorted by name and key, one a chunk of each document meant."""

    names: Keys
    keys: Keys
    strengths: Floats


@dataclass(frozen=True, slots=True)
class Checked:
    """Of one kind of thing that a library holds: how many were looked at, what of them is `damaged`, how many changes `behind` it is."""

    what: str
    checked: int
    damaged: tuple[str, ...] = ()
    behind: int = 0


class StoreState(NamedTuple):
    """Which committed state a store is in: of which library, built anew how often, after which change."""

    library: str
    generation: int
    sequence: int


@runtime_checkable
class SupportsNames(Store, Protocol):
    """A store that keeps what `structure.traits` found in the chunks, and can follow names: what links between passages need.

    A few milliseconds a question are all there is: each is called once or twice for it, with up to about a thousand keys or names.
    """

    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks (title or text) each stem of the lexical index occurs, and how many chunks there are."""

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """`Entry.traits` of each chunk, in that order; empty for a key that no longer exists."""

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """`Entry.signatures`, one row each in that order; zeros for a key that no longer exists or has none."""

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention the names, for those that `least` to `most` chunks mention; how many do, for all."""

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by the names, for those by which at most `most` documents are known."""

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """For each chunk its document's first key and the key after its last, shape (n, 2); (0, 0) for a key that no longer exists.

        The keys of a document's chunks are consecutive, in text order.
        """

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Which chunks exist and pass the filter."""


@runtime_checkable
class SupportsNearWords(Store, Protocol):
    """A store that finds words which were typed wrong."""

    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks (title or text) each stem of the lexical index occurs, and how many chunks there are."""

    def near_words(self, stem: str, edits: int, k: int) -> Keys:
        """At most `k` chunks that hold a stem at most `edits` (0 to 2) from `stem`.

        An edit is an insertion, a deletion, a substitution or a swap of neighbours.
        """


@runtime_checkable
class SupportsLanguages(Protocol):
    """A store that stems documents by their language."""

    def languages(self) -> tuple[str, ...]:
        """The languages of its documents, as codes of `decoct.text.analysis.STEMMERS` or "none"; at least one."""


@runtime_checkable
class SupportsSessions(Protocol):
    """A store that one process writes at a time: others get `StoreBusyError`."""

    def session(self) -> AbstractContextManager[object]:
        """Writes that belong together: nobody else writes until the end. `StoreBusyError` at once where somebody does."""


@runtime_checkable
class SupportsRefresh(Protocol):
    """A store whose search indexes are derived, and may lag behind what was written."""

    def refresh(self) -> None:
        """Let them catch up now (they do at the latest when next searched)."""


@runtime_checkable
class SupportsState(Protocol):
    """A store that tells its state, so that what is found for one question is of one (`decoct.index.one_state`)."""

    def state(self) -> StoreState:
        """The last committed one; every change makes another, and nothing else does. Microseconds, as each question asks twice."""


@runtime_checkable
class SupportsVerify(Protocol):
    """A store that can be held to what was stored."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Checked]:
        """Read everything, compute every digest again, and tell what differs; `progress` is told documents done and of how many."""


@runtime_checkable
class SupportsEntries(Protocol):
    """A store that gives back what was put, names and mentions with it."""

    def entries(self, doc_ids: Sequence[str]) -> list[Entry]:
        """The documents of `doc_ids` that are stored, in that order; vectors as the store holds them."""


@runtime_checkable
class SupportsReplacement(Protocol):
    """A store that notices when another is put where it lies."""

    @property
    def replaced(self) -> bool:
        """Whether another store lies at the location than the one that is open."""


@runtime_checkable
class SupportsCompanions(Protocol):
    """A store beside which another can be kept that belongs to it, as cards are: it is backed up and removed with it."""

    def companion(self, name: str) -> str:
        """The location of the store `name` (letters and dashes) that belongs to this one, whether it is there or not.

        What it holds counts in `status().bytes` of this one.
        """


def languages_of(store: Store) -> tuple[str, ...]:
    """The languages in which a question to `store` is to be stemmed: English for a store that knows no others."""
    return store.languages() if isinstance(store, SupportsLanguages) else ENGLISH


def session_of(store: Store) -> AbstractContextManager[object]:
    """The session in which writes to `store` belong together, where it has such a thing."""
    return store.session() if isinstance(store, SupportsSessions) else nullcontext()


def caught_up(store: Store) -> None:
    """Return when the search indexes of `store` hold everything that was written."""
    if isinstance(store, SupportsRefresh):
        store.refresh()
