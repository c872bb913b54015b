"""What a search by cards is handed: the cards of its library, however they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from decoct.retrieve.cards.index import OpenCards


class CardSource(Protocol):
    """The cards of a library. Two that are equal hold the same cards; thread-safe."""

    def opened(self) -> OpenCards:
        """Them, for one question; `StaleIndexError` where there are none that can be used, with what to run."""
