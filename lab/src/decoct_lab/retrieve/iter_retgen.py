"""ITER-RETGEN (Shao et al., Findings of EMNLP 2023): what the model writes from the passages is the query for better passages.

1. Passages are retrieved for the question q.
2. The model answers q from the best `k`, with its reasoning: y.
3. Passages are retrieved for "q y". Steps 2 and 3 repeat until there were `rounds` retrievals.

The last list is the result; the recipe's reader answers from it, which is the paper's last generation. So `rounds` = 3 costs two requests
here and one in the reader. Kept: the loop, the whole generation as the query, only the last passages for the answer. Ours: the prompt.
A generation that fails ends the loop with the list that is there (`iter_retgen.failed`). The paper finds most of the gain in round 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from decoct import trace
from decoct.data import Query, Ranking
from decoct.errors import ModelError
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import first_of

REPLY_TOKENS = 160  # three sentences and the answer


@dataclass(frozen=True, slots=True)
class IterRetgen:
    """Retrieves `rounds` times; between two, `llm` writes from the best `k` chunks."""

    retriever: Retriever
    store: Store
    llm: LLM
    rounds: int = 3
    k: int = 5

    def __post_init__(self) -> None:
        if min(self.rounds, self.k) < 1:
            raise ValueError("rounds and k must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks: the list of the last round."""
        with trace.stage("iter-retgen"):
            found = self.retriever.retrieve(query, max(k, self.k))
            for _ in range(self.rounds - 1):
                text = "\n\n".join(chunk.text for chunk in self.store.chunks(found.keys[: self.k]))
                request = _prompt().request(
                    {"question": query.text, "passages": text or "(none)"}, max_tokens=REPLY_TOKENS
                )
                (reply,) = self.llm.complete([request])
                if isinstance(reply, ModelError) or not reply.text.strip():
                    trace.fallback("iter_retgen.failed")
                    break
                found = self.retriever.retrieve(
                    Query(f"{query.text} {reply.text.strip()}", query.where), max(k, self.k)
                )
            return first_of(found, k)


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve", "iter_retgen", ("passages", "question"))
