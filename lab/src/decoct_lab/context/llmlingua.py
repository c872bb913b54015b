"""LLMLingua and LongLLMLingua: drop passages, then tokens, that a causal model finds easy to predict.

Jiang et al., EMNLP 2023 (arXiv 2310.05736) and ACL 2024 (arXiv 2310.06839). A token that the model predicts well carries little, so the
reader can do without it.

1. Coarse. `long`: passages are ranked by how well they let the model predict the question followed by a sentence that ties the two together
   (lowest mean loss first); plain: by their own perplexity, highest first. The best are kept until `slack` tokens over the target, and
   stand in the order of that ranking (`long`) or in the one they were given in (plain).
2. Shares. Each kept passage gets the rate that meets the target; `long` moves it linearly by rank from +`spread` to -`spread`.
3. Fine, from the first passage to the last, in segments of 200 tokens: in each the tokens of highest loss stay, where the loss is that
   after what was kept before it. `long` contrasts: the loss without the question less the loss after it, so what stays is what the
   question makes likely.

4. Recovery. What the reader copies is put back into the documents' words (`llmlingua_recovery`): what came from where is in the note
   `compressed`.

Kept: all of it, with the defaults of the project's `compress_prompt` for the plain form (rate .5, no spread) and of its examples for the
long one (rate .55, spread .3); slack 100, segments of 200 for both. Ours: the losses come from any model that gives them; the target is
the budget where that is the smaller; a segment ends with its passage.

What comes out is no longer the documents' text, so passages are rewrites; their support is that of the passage.
The official package is the part `llmlingua-official`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

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
        rates = _rates(min(1.0, target / max(1, sum(tokens[at] for at in chosen))), len(chosen), spread)
        found = []
        kept = ""  # what the reader sees before a segment
        for at, rate in zip(chosen, rates, strict=True):
            one = self._left(query.text, kept, passages[at], plain[at], rate)
            if one is not None:
                found.append(one)
                kept += f"{one[0].text}\n\n"
        notes = {**draft.notes, "compressed": CompressedPassages(one for _, one in found if one is not None)}
        return replace(draft, passages=tuple(passage for passage, _ in found), notes=notes)

    def _ranked(self, question: str, passages: Sequence[Passage], plain: Sequence[Losses]) -> list[int]:
        if not self.long:
            return sorted(range(len(passages)), key=lambda at: (-_mean(plain[at]), at))
        asked = _prompt().render({"question": question})[0].content
        found = self.model.losses([(f"{passage.text}\n\n", asked) for passage in passages])
        return sorted(range(len(passages)), key=lambda at: (found[at].mean, at))

    def _left(
        self, question: str, before: str, passage: Passage, plain: Losses, rate: float
    ) -> tuple[Passage, Compressed | None] | None:
        """The passage without its dull tokens, and what came from where; whole where the rate is 1, None where nothing stays."""
        if rate >= 1 or not plain.values:
            return passage, None
        stays: list[tuple[int, int]] = []
        starts = [0, *(start for start, _ in plain.offsets[SEGMENT::SEGMENT]), len(passage.text)]
        for low, high in pairwise(starts):
            segment = passage.text[low:high]
            offsets, worth = self._worth(question, before + _words_left(passage, stays)[0], segment)
            best = np.sort(np.argsort(-worth, kind="stable")[: round(rate * len(worth))])
            stays += [(offsets[n][0] + low, offsets[n][1] + low) for n in best.tolist()]
        words, pieces = _words_left(passage, stays)
        if not words:
            return None
        return replace(passage, text=words, kind="rewrite"), Compressed(words, passage.text, pieces)

    def _worth(self, question: str, before: str, segment: str) -> tuple[Sequence[tuple[int, int]], Floats]:
        """The places of a segment's tokens and what each is worth after `before`."""
        (plain,) = self.model.losses([(before, segment)])
        values = np.array(plain.values, np.float32)
        if self.long:
            (told,) = self.model.losses([(f"{question}\n\n{before}", segment)])
            # After a prefix the first token has a loss too; without one it may have none: compare from the end.
            values -= np.array(told.values[len(told.values) - len(values) :], np.float32)
        return plain.offsets, values


def _mean(losses: Losses) -> float:
    return losses.mean if losses.values else -np.inf


def _rates(rate: float, n: int, spread: float) -> list[float]:
    """The rate of each rank, best first: linear from +spread to -spread (relative to the rate), within 0..1."""
    steps = np.linspace(1, -1, n) if n > 1 else np.zeros(n)
    return np.clip(rate * (1 + spread * steps), 0.0, 1.0).tolist()  # type: ignore[no-any-return]


def _words_left(passage: Passage, stays: Sequence[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int, int], ...]]:
    """The words of the tokens that stay, and the pieces that they are made of."""
    parts: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    end, length = -1, 0
    for low, high in stays:
        if low == high:
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
    return "".join(parts).rstrip(), tuple(pieces)


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.context", "llmlingua", ("question",))
