"""Relevance by query likelihood: S(c; q) = -NLL(q | c), the mean log-probability of the question's tokens after the text.

Ponte and Croft, SIGIR 1998; with pretrained language models Sachan et al., EMNLP 2022. Nothing is generated and base models will do.
Ours: the wording of the prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from decoct.data import Floats
from decoct.llm.base import SupportsLogprobs
from decoct.llm.prompts import Prompt, load_prompt


@dataclass(frozen=True, slots=True)
class QueryLikelihoodScorer:
    """Scores a text by how well it lets `model` predict the question."""

    model: SupportsLogprobs

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Mean log-probabilities in nats, one a text; -inf where the model gives none."""
        prefixes = [_prompt().render({"passage": text})[0].content for text in texts]
        losses = self.model.losses([(prefix, f" {question}") for prefix in prefixes])
        return np.array([-loss.mean for loss in losses], np.float32)


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve", "score_query_likelihood", ("passage",))
