"""Relevance as a language model's odds of "Yes": S(c; q) = log P(" Yes") - log P(" No") when asked whether the text helps to answer.

After monoT5 (Nogueira et al., Findings of EMNLP 2020), without its training, for any model that follows instructions. Nothing is
generated. Both answers follow the same prefix, so a model that shares prefixes reads each text once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.llm.base import SupportsLogprobs
from decoct.llm.prompts import Prompt, load_prompt

ANSWERS = (" Yes", " No")


@dataclass(frozen=True, slots=True)
class YesNoScorer:
    """Scores a text by the logit of "Yes" against "No"."""

    model: SupportsLogprobs

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits, one a text; 0 is undecided, and so is a text to which the model gives no probabilities (a recorded fallback)."""
        prefixes = [_prompt().render({"passage": text, "question": question})[0].content for text in texts]
        losses = self.model.losses([(prefix, answer) for prefix in prefixes for answer in ANSWERS])
        scores = np.zeros(len(texts), np.float32)
        for n, (yes, no) in enumerate(zip(losses[::2], losses[1::2], strict=True)):
            if yes.values and no.values:
                # Sums, not means: an answer of two tokens is as likely as both together.
                scores[n] = sum(no.values) - sum(yes.values)
            else:
                trace.fallback("score_yes_no.no_probabilities")
        return scores


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve", "score_yes_no", ("passage", "question"))
