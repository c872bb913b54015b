"""LLMLingua and LongLLMLingua: drop passages, then tokens, that a causal model finds easy to predict.

Jiang et al., EMNLP 2023 (arXiv 2310.05736) and ACL 2024 (arXiv 2310.06839). A token that the model predicts well carries little, so the
reader can do without it.

1. Coarse. `long`: passages are ranked by how well they let the model predict the question followed by a sentence that ties the two together
   (lowest mean loss first); plain: by their own perplexity, highest first. The best are kept until `slack` tokens over the target, and
   stand in the order of that ranking (`long`) or in the one they were given in (plain).
2. Shares. Each kept passage gets the rate that meets the target; `long` moves it linearly by rank from +`spread` to -`spread`.
3. Fine. A passage's token losses are cut into segments of 200; in each the tokens of highest loss stay. `long` contrasts: the loss without
   the question less the loss after it, so what stays is what the question makes likely.

4. Recovery. What the reader copies is put back into the documents' words (`llmlingua_recovery`): what came from where is in the note
   `compressed`.

Kept: all of it, with the defaults of the project's `compress_prompt` for the plain form (rate .5, no spread) and of its examples for the
long one (rate .55, spread .3); slack 100, segments of 200 for both. Ours: the losses come from any model that gives them; the target is
the budget where that is the smaller; the loss of a token does not see what was already dropped before it (one call for all passages
instead of one a segment).

What comes out is no longer the documents' text, so passages are rewrites; their support is that of the passage.
The official package is the part `llmlingua-official`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from decoct import trace
from decoct.budget import Budget
from decoct.data import Draft, Floats, Passage, Query
from decoct.errors import ConfigError
from decoct.llm.base import Losses, SupportsLogprobs
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.context.llmlingua_recovery import Compressed, CompressedPassages

SEGMENT = 200  # tokens that compete with each other: a dull passage keeps its best words too


@dataclass(frozen=True, slots=True)
class LLMLingua:
    """Compresses to `rate` of the tokens, and into the budget; `long` is LongLLMLingua. Left out, `rate` and `spread` are the project's.

    The first `n` passages are compressed, as in every step of this kind.
    """

    model: SupportsLogprobs
    long: bool = False
    rate: float | None = None
    spread: float | None = None
    slack: int = 100
    n: int = 20

    def __post_init__(self) -> None:
        rate, spread = self._defaults
        if not 0 < rate <= 1 or not 0 <= spread <= 1 or self.slack < 0 or self.n < 1:
            raise ConfigError("llmlingua: rate and spread are shares, slack is not negative, n at least 1")

    @property
    def _defaults(self) -> tuple[float, float]:
        rate, spread = (0.55, 0.3) if self.long else (0.5, 0.0)
        return rate if self.rate is None else self.rate, spread if self.spread is None else self.spread

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The kept passages, each with its dull tokens left out: best first if `long`, else in their order."""
        passages = list(draft.passages[: self.n])
        if not passages:
            return draft
        plain = self.model.losses([("", passage.text) for passage in passages])
        tokens = budget.tokenizer.counts([passage.text for passage in passages])
        order = self._ranked(query.text, passages, plain)
        rate, spread = self._defaults
        target = min(rate * sum(tokens), budget.limit)
        chosen: list[int] = []
        for at in order:
            if chosen and sum(tokens[n] for n in chosen) >= target + self.slack:
                break
            chosen.append(at)
        if not self.long:
            chosen.sort()
        trace.count(dropped_passages=len(passages) - len(chosen))
        worth = self._worth(query.text, [passages[at] for at in chosen], [plain[at] for at in chosen])
        rates = _rates(min(1.0, target / max(1, sum(tokens[at] for at in chosen))), len(chosen), spread)
        found = [
            _compressed(passages[at], plain[at].offsets, values, rate)
            for at, values, rate in zip(chosen, worth, rates, strict=True)
        ]
        left = [one for one in found if one is not None]
        notes = {**draft.notes, "compressed": CompressedPassages(one for _, one in left if one is not None)}
        return replace(draft, passages=tuple(passage for passage, _ in left), notes=notes)

    def _ranked(self, question: str, passages: Sequence[Passage], plain: Sequence[Losses]) -> list[int]:
        if not self.long:
            return sorted(range(len(passages)), key=lambda at: (-_mean(plain[at]), at))
        asked = _prompt().render({"question": question})[0].content
        found = self.model.losses([(f"{passage.text}\n\n", asked) for passage in passages])
        return sorted(range(len(passages)), key=lambda at: (found[at].mean, at))

    def _worth(self, question: str, passages: Sequence[Passage], plain: Sequence[Losses]) -> list[Floats]:
        if not self.long:
            return [np.array(loss.values, np.float32) for loss in plain]
        told = self.model.losses([(f"{question}\n\n", passage.text) for passage in passages])
        # After a prefix the first token has a loss too; without one it may have none: compare from the end.
        return [
            np.array(a.values, np.float32) - np.array(b.values[len(b.values) - len(a.values) :], np.float32)
            for a, b in zip(plain, told, strict=True)
        ]


def _mean(losses: Losses) -> float:
    return losses.mean if losses.values else -np.inf


def _rates(rate: float, n: int, spread: float) -> list[float]:
    """The rate of each rank, best first: linear from +spread to -spread (relative to the rate), within 0..1."""
    steps = np.linspace(1, -1, n) if n > 1 else np.zeros(n)
    return np.clip(rate * (1 + spread * steps), 0.0, 1.0).tolist()  # type: ignore[no-any-return]


def _compressed(
    passage: Passage, offsets: Sequence[tuple[int, int]], worth: Floats, rate: float
) -> tuple[Passage, Compressed | None] | None:
    """The passage without its least worthy tokens, and what came from where; whole where the rate is 1, None where nothing stays."""
    if rate >= 1 or not len(worth):
        return passage, None
    keep = np.zeros(len(worth), bool)
    for start in range(0, len(worth), SEGMENT):
        part = worth[start : start + SEGMENT]
        best = np.argsort(-part, kind="stable")[: round(rate * len(part))]
        keep[start + best] = True
    parts: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    end, length = -1, 0
    for (low, high), stays in zip(offsets, keep, strict=True):
        if not stays or low == high:
            continue
        text = passage.text[low:high] if end >= 0 else passage.text[low:high].lstrip()  # no blank stands first
        if not text:
            continue
        start = high - len(text)
        apart = end not in (start, -1)
        spaced = end >= 0 and not passage.text[end:start].strip()
        gap = passage.text[end:start] if spaced else " " if apart and not text[:1].isspace() else ""
        parts += (gap, text)
        pieces.append((length + len(gap), start, len(text)))
        end, length = high, length + len(gap) + len(text)
    words = "".join(parts).rstrip()
    if not words:
        return None
    return replace(passage, text=words, kind="rewrite"), Compressed(words, passage.text, tuple(pieces))


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.context", "llmlingua", ("question",))
