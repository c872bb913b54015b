"""Ask a model for the useful sentences of each passage on its own: the control that MergeRAG lacks.

The same model, the same duties and about the same calls as merging spends, but no pairing: whatever merging gains over this comes from
seeing two passages at once. Sentences are chosen by number under a schema (`numbered.py`), so all that is kept is a quote. A
passage of which nothing is kept is dropped; one whose request fails goes on as it is, and the trace counts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from decoct import trace
from decoct.budget import Budget
from decoct.context.quotes import passage_of_ranges
from decoct.data import Draft, Passage, Query
from decoct.errors import ConfigError, ModelError
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.context.numbered import listing


@dataclass(frozen=True, slots=True)
class ExtractEach:
    """Keeps what `llm` chooses of each of the first `n` passages; rewrites go on as they are."""

    llm: LLM
    n: int = 20

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ConfigError("extract-each: n must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The passages in their order, each cut to its useful sentences."""
        passages = list(draft.passages[: self.n])
        asked = [at for at, passage in enumerate(passages) if passage.kind == "quote" and passage.text.strip()]
        lists = [listing([passages[at]]) for at in asked]
        requests = [
            _prompt().request(
                {"question": query.text, "title": passages[at].title or "(untitled)", "passage": found.shown(0)},
                max_tokens=found.reply_tokens,
                schema=found.schema,
            )
            for at, found in zip(asked, lists, strict=True)
        ]
        results: dict[int, Passage | None] = {}
        for at, found, outcome in zip(asked, lists, self.llm.complete(requests), strict=True):
            try:
                if isinstance(outcome, ModelError):
                    raise outcome
                results[at] = passage_of_ranges([(passages[at], [place for _, place in found.chosen(outcome)])])
            except ModelError as error:
                trace.fallback(f"extract_each.{error.code}")
                results[at] = passages[at]
        left = [results.get(at, passage) for at, passage in enumerate(passages)]
        return replace(draft, passages=tuple(passage for passage in left if passage is not None))


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.context", "extract_each", ("question", "title", "passage"))
