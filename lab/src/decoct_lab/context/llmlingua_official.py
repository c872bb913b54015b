"""The official `llmlingua` package (Microsoft, MIT) as a step: for comparisons with our own LLMLingua.

It needs the package `llmlingua` and a model that transformers can load. The package compresses all passages into one prompt, so there is
one passage, a rewrite supported by all that was read.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from decoct.budget import Budget
from decoct.context.quotes import BETWEEN_TITLES
from decoct.data import Draft, Passage, Query
from decoct.errors import ConfigError, MissingExtraError


@dataclass(frozen=True, slots=True)
class OfficialLLMLingua:
    """Compresses the first `n` passages into the budget with `model` on `device`, where its users have one.

    `long` is LongLLMLingua; `two` means that the model is an LLMLingua-2 token classifier.
    """

    model: str
    long: bool = False
    two: bool = False
    n: int = 20
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ConfigError("llmlingua-official: n must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The compressed text as one passage. `MissingExtraError` without the package; `ConfigError` if the model cannot be loaded."""
        passages = draft.passages[: self.n]
        if not passages:
            return draft
        settings: dict[str, Any] = {"target_token": budget.limit}
        if not self.two:
            settings |= {"question": query.text, "concate_question": False}
        if self.long and not self.two:
            settings |= {
                "rank_method": "longllmlingua", "condition_in_question": "after_condition", "reorder_context": "sort",
                "condition_compare": True, "dynamic_context_compression_ratio": 0.3, "context_budget": "+100",
            }  # fmt: skip
        compressor = _load(self.model, self.two, self.device)
        found = compressor.compress_prompt([passage.text for passage in passages], **settings)
        text = str(found["compressed_prompt"]).strip()
        if not text:
            return replace(draft, passages=())
        titles = dict.fromkeys(passage.title for passage in passages if passage.title)
        support = tuple(dict.fromkeys(span for passage in passages for span in passage.support))
        one = Passage(text, support, "rewrite", max(p.score for p in passages), BETWEEN_TITLES.join(titles))
        return replace(draft, passages=(one,))


@lru_cache(maxsize=1)
def _load(model: str, two: bool, device: str) -> Any:  # noqa: ANN401
    try:
        package = importlib.import_module("llmlingua")
    except ModuleNotFoundError as error:
        # The package is in no extra of ours; what it runs on is.
        raise MissingExtraError("the official LLMLingua (first: pip install llmlingua)", "torch") from error
    try:
        return package.PromptCompressor(model, device_map=device, use_llmlingua2=two)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(
            f"llmlingua cannot load {model!r} ({reason}); give a model's name on the hub or its folder"
        ) from error
