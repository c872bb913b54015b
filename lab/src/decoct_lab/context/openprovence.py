"""Pruning by a trained model: Provence (Chirkova et al., ICLR 2025, arXiv 2501.16214) through OpenProvence's weights (MIT).

The model labels the sentences of a passage for a question. What it returns is aligned with the passage (`verbatim`), so what
is kept is a quote with its spans. It needs transformers and the model's own code, so `trust_remote_code` must be allowed by name: a
model of this kind runs code from where it is loaded.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from decoct import trace
from decoct.budget import Budget
from decoct.context.quotes import passage_of_ranges
from decoct.data import Draft, Query
from decoct.errors import ConfigError, MissingExtraError
from decoct_lab.context.verbatim import found_in


@dataclass(frozen=True, slots=True)
class OpenProvence:
    """Cuts each of the first `n` passages to the sentences that `model` keeps at `threshold`; empty ones are dropped."""

    model: str = "hotchpotch/open-provence-reranker-xsmall-v1"
    threshold: float = 0.1
    n: int = 20
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1 or self.n < 1:
            raise ConfigError("open-provence: threshold is a share, n at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The pruned passages in their order; rewrites go on as they are."""
        passages = draft.passages[: self.n]
        if not any(passage.kind == "quote" for passage in passages):
            return replace(draft, passages=passages)
        if not self.trust_remote_code:
            raise ConfigError(
                f"{self.model} runs its own code: set trust_remote_code = true if you trust where it comes from"
            )
        model = _load(self.model)
        found = []
        for passage in passages:
            if passage.kind == "rewrite":
                found.append(passage)
                continue
            pruned = model.process(question=query.text, context=passage.text, threshold=self.threshold)[
                "pruned_context"
            ]
            text = pruned if isinstance(pruned, str) else " ".join(map(str, pruned))
            quote = passage_of_ranges([(passage, sorted(place for _, place in found_in(text, [passage])))])
            if quote is not None:
                found.append(replace(quote, score=passage.score))
        trace.count(pruned_away=len(passages) - len(found))
        return replace(draft, passages=tuple(found))


@lru_cache(maxsize=1)
def _load(model: str) -> Any:  # noqa: ANN401
    try:
        transformers = importlib.import_module("transformers")
    except ModuleNotFoundError as error:
        raise MissingExtraError("OpenProvence (package transformers)", "torch") from error
    try:
        return transformers.AutoModel.from_pretrained(model, trust_remote_code=True).eval()
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(
            f"{model!r} cannot be loaded ({reason}); give a model's name on the hub or its folder"
        ) from error
