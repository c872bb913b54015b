"""Take a library's cards along when it is built anew.

A card speaks of a text, not of its chunks: with the same embedder every card is copied, and only its digest is brought up to date, so that
nothing a language model was paid for is lost. Vectors of another embedder must be made anew, from more than a card holds (`vectors`):
cards by rules are, those by a model cannot be without that model.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from decoct.embed.base import Embedder
from decoct.errors import StaleIndexError
from decoct.index.abilities import SupportsCompanions
from decoct.index.base import Entry, Store
from decoct.index.resolve import open_store, stored_settings
from decoct.retrieve.cards.build import PAGE, Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.of_library import LibraryCards
from decoct.retrieve.cards.vectors import Vectors

_KINDS: tuple[Vectors, ...] = ("pooled", "paper")


def carry_cards(source: Store, target: Store, embedder: Embedder) -> None:
    """Give `target`, which holds the documents of `source`, its cards, with vectors of `embedder`; none where it has none.

    `StaleIndexError`, saying what to run, where they cannot be made without a model. What an interrupted call copied is passed over.
    """
    if not isinstance(source, SupportsCompanions):
        return
    kept, wanted = LibraryCards(source, embedder), LibraryCards(target, embedder)
    if not stored_settings(kept.location):
        return
    cards = open_store(kept.location, {}, create=False)
    try:
        if next(cards.documents(), None) is None:
            return
        if kept.usable():
            made = wanted.writable().cards
            try:
                ids = (info.id for info in cards.documents())
                while page := list(islice(ids, PAGE)):
                    made.put(_brought_up_to_date(source, target, cards, made, page))
            finally:
                made.close()
        elif (build := _by_rules(source, target, cards, wanted, embedder)) is not None:
            try:
                build.run()
            finally:
                build.cards.close()
        else:
            raise StaleIndexError(
                "the cards could not be taken along: they hold vectors of another embedder or of an older Decoct; run `decoct cards build` "
                "(with the --llm that wrote them: its replies are on disk)"
            )
    finally:
        cards.close()


def _brought_up_to_date(source: Store, target: Store, cards: Store, made: Store, page: Sequence[str]) -> list[Entry]:
    old, new, done = source.digests(page), target.digests(page), made.digests(page)
    entries = []
    for doc_id, digest in cards.digests(page).items():
        shape, _, text = digest.partition(".")
        # A card of an older text stays one.
        wanted = f"{shape}.{new[doc_id]}" if doc_id in new and text == old.get(doc_id) else digest
        if done.get(doc_id) != wanted:
            keys = cards.chunk_keys(doc_id)
            entries.append(Entry(cards.document(doc_id), tuple(cards.chunks(keys)), cards.vectors(keys), wanted))
    return entries


def _by_rules(source: Store, target: Store, cards: Store, wanted: LibraryCards, embedder: Embedder) -> Build | None:
    """The build that made `cards`, over `target`; None where it was not one by rules with the usual settings."""
    first = next(cards.documents())
    shape = cards.digests([first.id])[first.id].partition(".")[0]
    for kind in _KINDS:
        for question_vectors in (False, True):
            build = Build(source, cards, embedder, Rules(), kind, question_vectors)
            if build.shape == shape:
                return Build(target, wanted.writable().cards, embedder, Rules(), kind, question_vectors)
    return None
