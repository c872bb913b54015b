"""RECOMP: compress retrieved documents before the reader sees them (Xu, Shi and Choi, ICLR 2024, arXiv 2310.04408).

Extractive: the sentences of the top documents are scored against the question by a dual encoder, the best few are kept in their original
order. Kept: the selection. Ours: the library's own embedder in the place of their trained one (no weights ship), so read it as
"RECOMP-style"; every sentence stays a quote with its spans.

Abstractive: a model writes one summary of the top documents for this question; it may say that nothing helps, and then the context is
empty (the paper's selective augmentation). Kept: that, and one summary for all documents. Ours: any language model in the place of their
distilled T5, so the length is asked for (`share` of the documents). A summary is a rewrite: its support is all that was read. Where
the model fails, the documents go on as they are, and the trace counts it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Layout
from decoct.context.layouts import Numbered
from decoct.context.quotes import BETWEEN_TITLES, passage_of_ranges
from decoct.data import Draft, Passage, Query
from decoct.embed.base import Embedder, cosines
from decoct.errors import ConfigError, ModelError
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import Prompt, load_prompt
from decoct.text.sentences import sentences

NOTHING = "NOTHING HELPS"


@dataclass(frozen=True, slots=True)
class RecompExtractive:
    """Keeps the `keep` best sentences of the first `documents` passages; the paper keeps 1 for NQ and TriviaQA, 2 for HotpotQA.

    With `keep` 0 it keeps as many as the budget holds (ours): the control at an equal budget.
    """

    embedder: Embedder
    documents: int = 5
    keep: int = 2
    layout: Layout = field(default_factory=Numbered)

    def __post_init__(self) -> None:
        if self.documents < 1 or self.keep < 0:
            raise ConfigError("recomp-extractive: documents must be at least 1, keep at least 0 (as many as fit)")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The passages that keep a sentence, in their order; rewrites go on as they are."""
        passages = draft.passages[: self.documents]
        quotes = [passage for passage in passages if passage.kind == "quote"]
        units = [(n, place) for n, passage in enumerate(quotes) for place in sentences(passage.text)]
        if not units:
            return replace(draft, passages=passages)
        texts = [quotes[n].text[start:end] for n, (start, end) in units]
        near = cosines(self.embedder, query.text, texts)
        ranked = [units[at] for at in sorted(range(len(units)), key=lambda at: (-near[at], at))]
        rewrites = tuple(passage for passage in passages if passage.kind == "rewrite")

        def shortened(count: int) -> Draft:
            best = ranked[:count]
            found = [passage_of_ranges([(one, sorted(p for n, p in best if n == at))]) for at, one in enumerate(quotes)]
            return replace(draft, passages=(*(passage for passage in found if passage), *rewrites))

        def too_long(count: int) -> bool:
            return not budget.fits(self.layout.render(shortened(count)))

        # The number that fits is found by halving: each more sentence costs tokens. One is kept whatever it costs.
        count = self.keep or max(1, bisect_left(range(1, len(ranked) + 1), True, key=too_long))
        trace.count(sentences=len(units), kept=min(count, len(ranked)))
        return shortened(count)


@dataclass(frozen=True, slots=True)
class RecompAbstractive:
    """One summary by `llm` of the first `documents` passages, in at most about `share` of their tokens."""

    llm: LLM
    documents: int = 5
    share: float = 0.15

    def __post_init__(self) -> None:
        if self.documents < 1 or not 0 < self.share <= 1:
            raise ConfigError("recomp-abstractive: documents must be at least 1, share above 0 and at most 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The draft of the one summary; of nothing where the model says that nothing helps."""
        passages = draft.passages[: self.documents]
        if not passages:
            return draft
        blocks = [f"{passage.title}\n{passage.text}".strip() for passage in passages]
        room = min(max(32, int(self.share * sum(budget.tokenizer.counts(blocks)))), budget.limit)
        values = {"question": query.text, "documents": "\n\n".join(blocks), "words": str(max(20, room * 3 // 4))}
        try:
            reply = complete_one(self.llm, _prompt().request(values, max_tokens=room + room // 2))
        except ModelError as error:
            trace.fallback(f"recomp.{error.code}")
            return replace(draft, passages=passages)
        text = reply.text.strip()
        if not text or text.strip(" .\"'*").upper() == NOTHING:
            return replace(draft, passages=())
        return replace(draft, passages=(_summary(text, passages),))


def _summary(text: str, passages: Sequence[Passage]) -> Passage:
    titles = dict.fromkeys(passage.title for passage in passages if passage.title)
    support = tuple(dict.fromkeys(span for passage in passages for span in passage.support))
    return Passage(text, support, "rewrite", max(p.score for p in passages), BETWEEN_TITLES.join(titles))


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.context", "recomp_abstractive", ("question", "documents", "words"))
