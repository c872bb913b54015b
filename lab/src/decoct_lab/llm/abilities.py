"""What experiments ask of a language model beside its replies."""

from __future__ import annotations

from typing import cast

from decoct.errors import ConfigError
from decoct.llm.base import LLM, SupportsLogprobs
from decoct.llm.cache import Cached


def scoring(llm: LLM) -> SupportsLogprobs:
    """`llm` as one that gives losses; `ConfigError` where it has none."""
    if not hasattr(llm, "losses"):
        raise ConfigError(f"{llm.fingerprint} gives no log-probabilities; use a local model or a vLLM server")
    return cast("SupportsLogprobs", llm)


def without_kept_replies(llm: LLM | None) -> LLM | None:
    """The model itself, where `llm` keeps its replies: for what measures time."""
    return llm.llm if isinstance(llm, Cached) else llm
