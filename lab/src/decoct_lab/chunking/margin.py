"""Margin sampling: ask a language model at every border whether to cut there (Zhao et al. 2024, "Meta-Chunking").

1. Split into sentences. For each neighbouring pair a prompt offers option 1 (separate) and option 2 (keep together).
2. The margin is p(2) - p(1), read from the model's probabilities of the two numbers; nothing is generated.
3. Cut where the margin is below the threshold: the mean of the document's margins before this one (0 for the first).

Kept: options, margin and running threshold. Ours: the prompt's wording; a pair is two sentences, not the growing chunk and the next
sentence, so that all questions of a document go to the model in one call; the guard `max_tokens`. `merge_words` is the paper's last step,
as in `perplexity`: neighbours are joined up to so many words (the paper: 200; 0: none are).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, bounded, cut
from decoct.data import Chunk, Document
from decoct.errors import ConfigError
from decoct.llm.base import SupportsLogprobs
from decoct.llm.prompts import load_prompt
from decoct.text.sentences import sentences
from decoct_lab.chunking.ranges import grouped, merged_ranges, ranges_within


@dataclass(frozen=True, slots=True)
class MarginSampling:
    """Chunks that end where `model` would rather separate two sentences than keep them together."""

    model: SupportsLogprobs
    tokenizer: SupportsOffsets
    merge_words: int = 0
    max_tokens: int = 250  # the default embedder reads 256, two of them special

    def __post_init__(self) -> None:
        if self.merge_words < 0 or self.max_tokens < 1:
            raise ConfigError("margin chunks: max_tokens must be at least 1 and merge_words at least 0")

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` between sentences; none for a blank text. Raises what the model raises."""
        text = document.text
        ruler = Ruler(text, self.tokenizer)
        pieces = bounded(ruler, sentences(text), self.max_tokens)
        ends = below_running_mean(self._margins([text[start:end] for start, end in pieces]))
        ranges = merged_ranges(text, grouped(pieces, ends, shared=False), self.merge_words)
        return cut(document, ranges_within(ruler, pieces, ranges, self.max_tokens))

    def _margins(self, parts: Sequence[str]) -> list[float]:
        """p(keep) - p(separate) at each border between `parts`."""
        prompt = load_prompt("decoct_lab.chunking", "margin_sampling", ["first", "second"])
        asked = [prompt.render({"first": a, "second": b})[0].content for a, b in pairwise(parts)]
        if not asked:
            return []
        losses = self.model.losses([(question, option) for question in asked for option in (" 1", " 2")])
        chances = [exp(-sum(found.values)) for found in losses]
        return [keep - separate for separate, keep in zip(chances[::2], chances[1::2], strict=True)]


def below_running_mean(margins: Sequence[float]) -> list[int]:
    """The numbers of the margins below the mean of those before them (the first: below 0)."""
    found: list[int] = []
    total = 0.0
    for i, margin in enumerate(margins):
        if margin < (total / i if i else 0.0):
            found.append(i)
        total += margin
    return found
