"""Choose sentences without merging: the control of `merge` with the fuser `extract`.

The same passages, the same judge of sentences and the same room, but nothing is paired: every passage keeps, by itself and at its own rank,
those of its sentences that are among the most worth of all. What merging has beyond this is what pairing brings: sentences of two passages
side by side under both titles, and repeats of the anchor left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Fused, Layout
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import joined_neighbours
from decoct.data import Draft, Passage, Query
from decoct.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Keeps the sentences of most worth of the first `n` passages that fit the budget together; rewrites follow as they are."""

    n: int = 20
    layout: Layout = field(default_factory=Numbered)

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ConfigError("extract-unpaired: n must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The passages that keep a sentence, in their order; all of them whole where they fit."""
        taken = draft.passages[: self.n]
        aside = tuple(passage for passage in taken if passage.kind == "rewrite")
        quotes = joined_neighbours([passage for passage in taken if passage.kind == "quote"])

        def shown(found: Fused) -> Draft:
            return replace(draft, passages=(*(passage for passage in found if passage is not None), *aside))

        whole: Fused = list[Passage | None](quotes)
        if not quotes or budget.fits(self.layout.render(shown(whole))):
            return shown(whole)
        found = Extract().fuse_within(
            query.text,
            [(passage,) for passage in quotes],
            lambda kept: budget.limit - budget.count(self.layout.render(shown(kept))),
        )
        trace.count(dropped_passages=sum(one is None for one in found))
        return shown(found)
