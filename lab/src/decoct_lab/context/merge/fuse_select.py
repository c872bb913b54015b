"""Merge by sentence numbers: the model says which sentences of both passages help, code puts them together.

Ours: the paper's duties - keep what is relevant, prune the rest, no answer, from the supplement only what the anchor does not
say - with nothing to copy wrongly and about a tenth of the tokens to generate. The anchor's sentences come first, each passage's in its
own order. One request a pair, all at once; a request that fails, or whose reply names nothing that exists, is merged by `fallback`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from decoct.context.base import Fuser
from decoct.context.merge.fuse_extract import Extract
from decoct.context.quotes import passage_of_ranges
from decoct.data import Passage
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.context.merge.outcomes import outcomes
from decoct_lab.context.numbered import Listing, listing


@dataclass(frozen=True, slots=True)
class Select:
    """Fuses by the sentence numbers that `llm` returns."""

    llm: LLM
    fallback: Fuser = field(default_factory=Extract)

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        """One quote a pair; None where the model keeps no sentence."""
        lists = [listing(pair) for pair in pairs]
        requests = [
            _prompt().request(
                {
                    "question": question,
                    "anchor_title": pair[0].title or "(untitled)",
                    "anchor": found.shown(0),
                    "source_title": pair[1].title or "(untitled)",
                    "source": found.shown(1),
                },
                max_tokens=found.reply_tokens,
                schema=found.schema,
            )
            for pair, found in zip(pairs, lists, strict=True)
        ]

        def read(number: int, reply: Reply) -> Passage | None:
            return _together(pairs[number], lists[number], reply)

        return outcomes(self.llm, requests, read, question=question, pairs=pairs, fallback=self.fallback)


def _together(pair: tuple[Passage, Passage], found: Listing, reply: Reply) -> Passage | None:
    chosen = found.chosen(reply)
    return passage_of_ranges(
        (passage, [place for owner, place in chosen if owner == n]) for n, passage in enumerate(pair)
    )


@cache
def _prompt() -> Prompt:
    slots = ("question", "anchor_title", "anchor", "source_title", "source")
    return load_prompt("decoct_lab.context.merge", "fuse_select", slots)
