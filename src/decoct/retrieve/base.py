"""What retrievers and scorers promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from decoct.data import Draft, Floats, Hit, Query, Ranking

if TYPE_CHECKING:
    from decoct.retrieve.cards.index import OpenCards


class Retriever(Protocol):
    """Ranks chunks for a question. A frozen dataclass over a store; thread-safe."""

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks, best first, none twice, ties by key; `query.where` is kept.

        The ranking does not depend on `k`: fewer are its beginning, with the same scores. So what a search of ten shows is what a
        context of a hundred begins with.
        """


@runtime_checkable
class SupportsPassages(Protocol):
    """A retriever that has more to show than chunks: summaries, descriptions, sentences of its own choice."""

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """What construction begins with, best first, in the place of `hits`, the first `k` of its ranking for this question.

        Every passage has spans; `query.where` is kept: a passage made of several documents is shown only where all of them pass.
        """


class Scorer(Protocol):
    """Judges texts against a question: S(c; q) of MergeRAG, rerankers of any kind."""

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """One score a text, shape (len(texts),): higher is more relevant; only the order is promised."""


class CardSource(Protocol):
    """The cards of a library. Two that are equal hold the same cards; thread-safe."""

    def opened(self) -> OpenCards:
        """Them, for one question; `StaleIndexError` where there are none that can be used, with what to run."""
