"""Where cards are kept: a small library of their own inside the library's folder (`cards/`), with one document a card.

The card's text is the Markdown; its id, title, source and metadata are those of the document it stands for, so that filters work. It
has two chunks with a vector each: the whole card, and its questions (the paper's namespaces "paper-card" and "main research questions"),
or just the card where there is no question; with question-level vectors, a chunk a question follows. Each question is a link from its line
to `start-end`, the characters of the document that answer it. Cards are never handed out as chunks of the library: they cannot be quoted.

A chunk's traits say what it is (`Row`), so that a search reads no card. A card's digest is "SHAPE.DIGEST": how it was made, and the digest
in the library of the text it speaks of, so that a card of an older text is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary, finalize

from decoct.data import Document, Keys, Span
from decoct.embed.base import Embedder
from decoct.errors import MissingAbilityError, StaleIndexError
from decoct.index.abilities import SupportsCompanions, SupportsNames
from decoct.index.base import Store
from decoct.index.resolve import open_store, remove_store, stored_settings

NAME = "cards"
# Raised when what a card or its vectors are made of changes: cards of another format are made anew.
FORMAT = "3"
# Between the fields of a chunk's traits; the document's id comes last and may hold anything.
_FIELD = "\x1f"
_ADVICE = "run `decoct cards build`"
_OPEN: WeakKeyDictionary[Store, Store] = WeakKeyDictionary()
_COVERAGE: WeakKeyDictionary[Store, Coverage] = WeakKeyDictionary()


def location_of(store: Store) -> str:
    """Where the cards of the library `store` lie (whether there are any or not); `MissingAbilityError` where they cannot be kept."""
    if not isinstance(store, SupportsCompanions):
        raise MissingAbilityError(
            "cards are kept in a store beside the library's own, which this one cannot have: keep the library in a folder, "
            "or take a recipe without cards"
        )
    return store.companion(NAME)


def read_cards(store: Store, embedder: Embedder) -> Store:
    """The cards of the library `store`, opened once for as long as it lives; `StaleIndexError` where none can be used, with what to run."""
    if (known := _opened(store)) is not None:
        return known
    if not stored_settings(location_of(store)):
        raise StaleIndexError(f"the library has no cards yet: {_ADVICE}")
    if not usable_cards(store, embedder):
        raise StaleIndexError(
            f"the library's cards were built with another embedder or an older Decoct: {_ADVICE} again"
        )
    cards = open_store(location_of(store), _settings(embedder), create=False)
    use_cards(store, cards)
    finalize(store, cards.close)
    return cards


def usable_cards(store: Store, embedder: Embedder) -> bool:
    """Whether the library has cards that `embedder` can search, of the present format."""
    return _opened(store) is not None or stored_settings(location_of(store)) == _settings(embedder)


def _opened(store: Store) -> Store | None:
    """The cards that searches of `store` have open; those that were replaced since are let go."""
    known = _OPEN.get(store)
    if known is None or not getattr(known, "replaced", False):
        return known
    _OPEN.pop(store).close()
    _COVERAGE.pop(store, None)
    return None


def use_cards(store: Store, cards: Store) -> None:
    """Let searches of the library `store` use `cards` (tests; stores that keep their cards elsewhere)."""
    _OPEN[store] = cards
    _COVERAGE.pop(store, None)


def write_cards(store: Store, embedder: Embedder) -> Store:
    """The cards of the library `store`, opened for writing (close it after use); cards of another embedder or format are removed first."""
    location, wanted = location_of(store), _settings(embedder)
    if (old := _OPEN.pop(store, None)) is not None:
        old.close()
    _COVERAGE.pop(store, None)
    if (settings := stored_settings(location)) and settings != wanted:
        remove_store(location)
    return open_store(location, wanted)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the cards reach: documents of the library that have none, and the most chunks that a card has on average."""

    missing: int
    chunks: int


def coverage(store: Store, cards: Store) -> Coverage:
    """That of `cards`, counted when they were opened."""
    if (known := _COVERAGE.get(store)) is None:
        library, own = store.status(), cards.status()
        known = Coverage(max(0, library.documents - own.documents), max(2, -(-own.chunks // max(own.documents, 1))))
        _COVERAGE[store] = known
    return known


def storage(store: Store, cards: Store) -> dict[str, dict[str, int]]:
    """Vectors and bytes of the cards, and of the library's chunks without them (texts and indexes included in both)."""
    library, own = store.status(), cards.status()
    inside = own.bytes if stored_settings(location_of(store)) else 0
    return {
        "cards": {"documents": own.documents, "vectors": own.chunks, "bytes": own.bytes},
        "chunks": {"documents": library.documents, "vectors": library.chunks, "bytes": library.bytes - inside},
    }


def outdated(store: Store, cards: Store, doc_ids: Sequence[str]) -> list[str]:
    """Those of `doc_ids` whose card speaks of a text that the library has replaced since."""
    living, made = store.digests(doc_ids), cards.digests(doc_ids)
    return [doc_id for doc_id in living if doc_id in made and made[doc_id].partition(".")[2] != living[doc_id]]


class Row(NamedTuple):
    """What a chunk of the card library is: number 0 the card, 1 its questions, from 2 on a question, whose answer begins at `answer`.

    (A tuple, since a search reads hundreds.)
    """

    number: int
    answer: int
    doc_id: str

    def traits(self) -> bytes:
        """As stored."""
        return f"{self.number}{_FIELD}{self.answer}{_FIELD}{self.doc_id}".encode()


def rows(cards: Store, keys: Keys) -> list[Row | None]:
    """The rows of the chunks `keys` (None for one that is gone)."""
    found: list[Row | None] = []
    for traits in cast("SupportsNames", cards).traits(keys):
        if traits:
            number, answer, doc_id = traits.decode().split(_FIELD, 2)
            found.append(Row(int(number), int(answer), doc_id))
        else:
            found.append(None)
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on a card: its characters there, and the characters of the document that answer it."""

    start: int
    end: int
    answer: Span


def asked(card: Document) -> list[Asked]:
    """The questions of a stored card, in order."""
    found = []
    for link in card.links:
        start, _, end = link.target.partition("-")
        found.append(Asked(link.start, link.end, Span(card.id, int(start), int(end))))
    return found


def _settings(embedder: Embedder) -> dict[str, str]:
    return {"embedder": embedder.fingerprint, "cards": FORMAT}
