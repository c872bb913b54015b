"""The only place that spends the budget: a draft becomes the rendered string that the reader sees, never over the limit.

1. `fit` takes passages in the draft's order while the sum of their blocks' token counts stays within the limit (counted in batches of
   about the room left, so tokens far beyond the limit are never counted). The first that does not fit is cut after the last sentence
   that does; with no such sentence it is left out. Smaller passages after it may fill what is still free. Where not even the best
   passage's first sentence fits, the next passage that fits takes its place (traced as `assemble.best_left_out`).
2. The sum is only an estimate: joins cost tokens, and a tokenizer may count a whole otherwise than its parts. So the rendered string
   itself is counted, and while it is over the limit the last passage loses sentences (at least one a turn, twice as many tokens' worth
   each time), then goes. For any tokenizer, also one that is not additive or not even monotone, what comes out fits.
3. Where nothing is left, each passage's first sentences are rendered alone, in the draft's order, until one fits. `BudgetError` is raised
   only where none does, and names the limit that would do.

Tokens are counted about twice over the final text and a little beyond: linear in the budget, whatever the draft's length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from decoct import trace as tracing
from decoct.budget import Budget
from decoct.context.base import Layout, SupportsLine
from decoct.context.layouts import Numbered
from decoct.context.quotes import narrowed, whole_sentences
from decoct.data import Context, Draft, Passage, Query
from decoct.errors import BudgetError
from decoct.text.sentences import sentences
from decoct.trace import Trace

_USUAL = (
    4.0  # characters a token in prose: how many blocks are counted in the first call; the others go by what was counted
)
_CHARACTERS = 8  # a draft of fewer characters a token of the limit probably fits as a whole: one count decides
_FILLERS = 32  # later passages tried for the free room; they are ever less relevant


def assemble(
    query: Query, draft: Draft, budget: Budget, layout: Layout | None = None, record: Trace | None = None
) -> Context:
    """The context of `draft` for `query`; empty for an empty draft; `BudgetError` if no passage's first sentence fits."""
    layout = layout if layout is not None else Numbered()
    fitted, text = _fit(draft, budget, layout)
    tracing.count(left_out=len(draft.passages) - len(fitted.passages))
    notes = {name: tuple(_placed(note, fitted.passages) for note in found) for name, found in fitted.notes.items()}
    return Context(query.text, text, fitted.passages, budget, record if record is not None else Trace(), notes)


def _placed(note: object, passages: Sequence[Passage]) -> object:
    return note.on_its_line(passages) if isinstance(note, SupportsLine) else note


def fit(draft: Draft, budget: Budget, layout: Layout) -> Draft:
    """The draft reduced, in its order, to what its rendering has room for. Steps that reorder call it first."""
    return _fit(draft, budget, layout)[0]


def _fit(draft: Draft, budget: Budget, layout: Layout) -> tuple[Draft, str]:
    passages = draft.passages
    if not passages:
        return draft, ""
    if sum(len(passage.text) for passage in passages) <= _CHARACTERS * budget.limit:
        text = layout.render(draft)
        if budget.fits(text):
            return draft, text
    measure = _Measure(passages, budget, layout)
    kept = measure.estimated(passages)
    step = 1
    while kept:
        fitted = replace(draft, passages=tuple(kept))
        text = layout.render(fitted)
        over = budget.count(text) - budget.limit
        if over <= 0:
            break
        kept = measure.shortened(kept, over * step)
        step *= 2
    else:
        fitted = replace(draft, passages=(_first_that_fits(draft, budget, layout),))
        text = layout.render(fitted)
    if _begins(fitted) != _begins(draft):
        tracing.fallback("assemble.best_left_out")
    return fitted, text


def _first_that_fits(draft: Draft, budget: Budget, layout: Layout) -> Passage:
    """The first passage of which a sentence fits alone, cut after as many as do; `BudgetError` if there is none."""

    def alone(passage: Passage) -> str:
        return layout.render(replace(draft, passages=(passage,)))

    firsts = [_first_sentence(passage) for passage in draft.passages]
    counts = budget.tokenizer.counts([alone(first) for first in firsts])
    for passage, first, tokens in zip(draft.passages, firsts, counts, strict=True):
        if tokens <= budget.limit:
            end = whole_sentences(passage.text, lambda end: budget.fits(alone(narrowed(passage, 0, end))))  # noqa: B023
            longer = narrowed(passage, 0, end) if end else first
            return longer if budget.fits(alone(longer)) else first
    raise BudgetError(
        f"the budget of {budget.limit} tokens holds not even the first sentence of a passage; give at least {min(counts)} tokens"
    )


def _begins(draft: Draft) -> tuple[str, int]:
    first = draft.passages[0].support[0]
    return first.doc_id, first.start


class _Measure:
    """Counts blocks one by one, to estimate what their rendering will cost."""

    def __init__(self, passages: tuple[Passage, ...], budget: Budget, layout: Layout) -> None:
        self._budget, self._layout = budget, layout
        pair = layout.render(Draft(passages[:2]))
        lengths = [len(layout.block(number, passage)) for number, passage in enumerate(passages[:2], 1)]
        self._joint = budget.count(pair[lengths[0] : len(pair) - lengths[1]]) if len(lengths) > 1 else 0

    def estimated(self, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages that fit by the sum of their blocks' counts, from the first of which at least a sentence does."""
        kept: list[Passage] = []
        room = self._budget.limit
        for index, tokens in self._counted(passages):
            if tokens <= room:
                kept.append(passages[index])
                room -= tokens + self._joint
                continue
            part = self._cut(passages[index], len(kept) + 1, room)
            if part is None and not kept:
                continue
            if part is not None:
                kept.append(part)
                room -= self._tokens(len(kept), part) + self._joint
            return kept + self._fillers(passages[index + 1 :], len(kept) + 1, room)
        return kept

    def shortened(self, kept: list[Passage], over: int) -> list[Passage]:
        """`kept` less about `over` tokens from its end, and at least one sentence less; empty where it is one sentence."""
        *before, last = kept
        number = len(kept)
        part = self._cut(last, number, self._tokens(number, last) - over)
        if part is None and before:
            return before
        if part is None:
            part = _first_sentence(last)
        if len(part.text) < len(last.text):
            return [*before, part]
        found = sentences(last.text)
        return [*before, narrowed(last, 0, found[-2][1])] if len(found) > 1 else before

    def _tokens(self, number: int, passage: Passage) -> int:
        return self._budget.count(self._layout.block(number, passage))

    def _counted(self, passages: tuple[Passage, ...]) -> Iterator[tuple[int, int]]:
        """Index and tokens of each block; as many are counted in one call as the room probably holds."""
        at, room, per_token = 0, self._budget.limit, _USUAL
        while at < len(passages):
            blocks: list[str] = []
            wanted = room * per_token
            while at + len(blocks) < len(passages) and wanted >= 0:
                blocks.append(self._layout.block(at + len(blocks) + 1, passages[at + len(blocks)]))
                wanted -= len(blocks[-1])
            counts = self._budget.tokenizer.counts(blocks)
            yield from enumerate(counts, at)
            at += len(blocks)
            room = max(room - sum(counts), 1)
            per_token = sum(map(len, blocks)) / max(sum(counts), 1)

    def _cut(self, passage: Passage, number: int, room: int) -> Passage | None:
        """The longest prefix of whole sentences whose block has at most `room` tokens; None if there is none."""
        end = whole_sentences(passage.text, lambda end: self._tokens(number, narrowed(passage, 0, end)) <= room)
        return narrowed(passage, 0, end) if end else None

    def _fillers(self, later: tuple[Passage, ...], number: int, room: int) -> list[Passage]:
        """Passages of the next `_FILLERS` that fit whole into the free `room`."""
        kept = []
        candidates = [passage for passage in later[:_FILLERS] if len(passage.text) <= _CHARACTERS * room]
        counts = self._budget.tokenizer.counts([self._layout.block(number, passage) for passage in candidates])
        for passage, tokens in zip(candidates, counts, strict=True):
            if tokens <= room:
                kept.append(passage)
                room -= tokens + self._joint
        return kept


def _first_sentence(passage: Passage) -> Passage:
    found = sentences(passage.text)
    return narrowed(passage, 0, found[0][1]) if found else passage
