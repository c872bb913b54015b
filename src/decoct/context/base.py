"""What a step of context construction promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeAlias, runtime_checkable

from decoct.budget import Budget
from decoct.data import Draft, Floats, Passage, Query
from decoct.text.wholes import Place


class Layout(Protocol):
    """Writes passages as the one string that the reader sees; `assemble` counts tokens on exactly this string."""

    def render(self, draft: Draft) -> str:
        """The context text; the empty string for no passages."""

    def block(self, number: int, passage: Passage) -> str:
        """How passage `number` (from 1) stands in the text, without separators."""


@runtime_checkable
class SupportsLine(Protocol):
    """A note that is told by a line of the context: `assemble` says which, once it is known what has room."""

    def on_its_line(self, passages: Sequence[Passage]) -> Self:
        """The note with the number (from 1) of the passage that tells it; with none where the budget left that out."""


class ContextStep(Protocol):
    """Maps a draft to a draft: selects, merges, orders or rewrites passages.

    A step may narrow a passage's support, never widen it beyond what its input passages or hits support. It is handed the budget to
    aim at; only `assemble` enforces it. Steps can be composed in any order.
    """

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The new draft; what the step learned beyond passages goes into `notes`."""


class Affinity(Protocol):
    """How well an anchor predicts a source: NLL(source | anchor) of MergeRAG, or a stand-in."""

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        """A matrix (sources x anchors): lower is better predicted; inf where it cannot be said."""


class Fuser(Protocol):
    """M(a, b; q) of MergeRAG: makes one passage of two."""

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        """One result a pair, in order; None means nothing relevant in either."""


# The sentences of each passage, as characters of its text in order, and for each its chance, from 0 to 1.
JudgedSentences: TypeAlias = tuple[list[list[Place]], list[Floats]]


class SentenceJudge(Protocol):
    """How likely each sentence of some passages is evidence for a question."""

    def judged(self, question: str, passages: Sequence[Passage]) -> JudgedSentences:
        """The sentences of each passage, and the chance of each that it is evidence."""


Fused: TypeAlias = list[Passage | None]


@runtime_checkable
class FusesWithin(Protocol):
    """A fuser that can be told how much room there is, so that one layer of merging is enough."""

    def fuse_within(self, question: str, groups: Sequence[Sequence[Passage]], left: Callable[[Fused], int]) -> Fused:
        """One passage a group (a pair, or what was left without a partner), of which all together fit if they can.

        `left` tells the tokens that such results would leave free: negative where they are over.
        The groups share the room by what they are worth. None for one that gets no room: nothing of it stays, also not its anchor.
        """
