"""PPL chunking: cut after sentences that the text before them predicts well (Zhao et al. 2024, "Meta-Chunking").

1. Split into sentences. A language model reads the text once and gives each token's loss; a sentence's loss is the mean over its tokens.
2. Sentence i ends a chunk when its loss is a local minimum (below both neighbours) and at least one neighbour is higher by `theta`
   or more; or when it fell by `theta` or more and the next sentence's loss is equal. The first and last sentence never cut.
3. `dynamic`: once 100 cuts were made, `theta` becomes the smallest rise to a neighbour among the last 100 cuts. (In the paper's code
   this carries over from text to text; here every document starts anew, so that a chunk depends on its document alone.)
4. `shared`: the minimum sentence belongs to both chunks. `merge_words`: neighbouring chunks are joined while they hold no more words.

Kept: the rule, the defaults (theta 0, no sharing). Ours: long texts are read in batches of sentences, each with the sentences before it
as its prefix, which any `SupportsLogprobs` can do; sentences over `max_tokens` are cut (the paper clips them for the model), and chunks
over it are packed sentence by sentence, since an embedder would not see their end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, bounded, cut, pack
from decoct.data import Chunk, Document
from decoct.errors import ConfigError
from decoct.llm.base import SupportsLogprobs
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct_lab.chunking.ranges import grouped, merged_ranges, ranges_within

HISTORY = 100  # cuts that a dynamic theta looks back on, as in the paper's code


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Chunks that end at local minima of the sentences' losses under `model`.

    The model reads batches of about `batch` tokens after a prefix of about `prefix` tokens (counted by `tokenizer`; the paper reads 4,096
    within 9,000): the sum must fit its window. `max_tokens` 0 leaves chunks as long as they come.
    """

    model: SupportsLogprobs
    tokenizer: SupportsOffsets
    theta: float = 0.0
    dynamic: bool = False
    shared: bool = False
    merge_words: int = 0
    max_tokens: int = 250  # the default embedder reads 256, two of them special
    batch: int = 1024
    prefix: int = 512

    def __post_init__(self) -> None:
        if self.batch < 1 or min(self.theta, self.merge_words, self.max_tokens, self.prefix) < 0:
            raise ConfigError("perplexity chunks: batch must be at least 1, and no other setting below 0")

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` between sentences; none for a blank text. Raises what the model raises."""
        text = document.text
        ruler = Ruler(text, self.tokenizer)
        pieces = bounded(ruler, sentences(text), self.max_tokens or self.batch)
        ends = minima(self._losses(text, ruler, pieces), self.theta, dynamic=self.dynamic)
        ranges = merged_ranges(text, grouped(pieces, ends, shared=self.shared), self.merge_words)
        return cut(document, ranges_within(ruler, pieces, ranges, self.max_tokens) if self.max_tokens else ranges)

    def _losses(self, text: str, ruler: Ruler, pieces: Sequence[Place]) -> list[float]:
        """The mean loss of each piece; NaN where no token of it has one."""
        if len(pieces) < 3:  # nothing can be cut
            return [nan] * len(pieces)
        batches = pack(pieces, ruler.tokens, self.batch, lambda j, i: False)
        pairs = []
        for number, (start, end) in enumerate(batches):
            # The white space before a batch goes with it, as the model's tokens usually begin with it.
            at = batches[number - 1][1] if number else start
            pairs.append((text[self._prefix_start(ruler, at) : at], text[at:end]))
        totals, counts = [0.0] * len(pieces), [0] * len(pieces)
        stops = [end for _, end in pieces]
        for (_, continuation), (_, end), losses in zip(pairs, batches, self.model.losses(pairs), strict=True):
            at = end - len(continuation)
            # A token belongs to the piece that holds its last character.
            for value, (_, token_end) in zip(losses.values, losses.offsets, strict=True):
                piece = min(bisect_right(stops, at + max(token_end, 1) - 1), len(pieces) - 1)
                totals[piece] += value
                counts[piece] += 1
        return [total / count if count else nan for total, count in zip(totals, counts, strict=True)]

    def _prefix_start(self, ruler: Ruler, at: int) -> int:
        return ruler.border(ruler.tokens(0, at) - self.prefix)


def minima(losses: Sequence[float], theta: float, *, dynamic: bool) -> list[int]:
    """The numbers of the sentences that end a chunk, by the rule of the module's text. NaN is no minimum and makes none."""
    found: list[int] = []
    drops: list[float] = []
    for i in range(1, len(losses) - 1):
        before, after = losses[i - 1] - losses[i], losses[i + 1] - losses[i]
        lowest = before > 0 and after > 0 and max(before, after) >= theta
        levels_out = before > 0 and after == 0 and before >= theta
        if lowest or levels_out:
            found.append(i)
            drops.append(min(before, after) if lowest else before)
            if dynamic and len(drops) >= HISTORY:
                theta = min(drops[-HISTORY:])
    return found
