"""Self-Ask with retrieval (Press et al., Findings of EMNLP 2023): the model asks itself simpler questions, each looked up.

1. The model is shown the question, the follow-ups so far with their answers, and the passages found for the last one. It answers that one
   and writes the next follow-up, or none.
2. Passages are retrieved for the follow-up. Steps 1 and 2 repeat at most `follow_ups` times (three in the recall-oriented paper).
3. The lists of the question and of all follow-ups are fused by reciprocal ranks, and the recipe's reader answers from the result.

Kept: follow-up, look-up, intermediate answer, in a loop. Ours: one request a step, its reply JSON under a schema instead of a few-shot
scaffold with stop strings; all lists count, where implementations let the last one replace the others. A follow-up that repeats one
before it ends the loop; so does a failed request (`self_ask.failed`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from decoct import trace
from decoct.data import Query, Ranking
from decoct.errors import ModelError, ReplyError
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.retrieve.base import Retriever
from decoct.retrieve.fusion import found_by, rrf
from decoct.retrieve.ranking import continued, cut

SCHEMA = {
    "type": "object",
    "properties": {"intermediate_answer": {"type": "string"}, "follow_up": {"type": "string"}},
    "required": ["intermediate_answer", "follow_up"],
    "additionalProperties": False,
}
REPLY_TOKENS = 120  # a few words and one question


@dataclass(frozen=True, slots=True)
class SelfAsk:
    """Asks at most `follow_ups` questions of its own; each is answered from the best `k` chunks found for it.

    The first `depth` chunks of each question's list are fused.
    """

    retriever: Retriever
    store: Store
    llm: LLM
    follow_ups: int = 3
    k: int = 5
    depth: int = 100

    def __post_init__(self) -> None:
        if min(self.follow_ups, self.k, self.depth) < 1:
            raise ValueError("follow_ups, k and depth must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` of the fused lists."""
        with trace.stage("self-ask"):
            deep = max(k, self.depth)
            lists = [self.retriever.retrieve(query, deep)]
            asked: list[tuple[str, str]] = []
            passages = ""
            for _ in range(self.follow_ups):
                step = self._step(query.text, asked, passages)
                if step is None:
                    break
                answer, follow_up = step
                if asked:
                    asked[-1] = (asked[-1][0], answer or "unknown")
                if not follow_up or follow_up.casefold() in {question.casefold() for question, _ in asked}:
                    break
                found = self.retriever.retrieve(Query(follow_up, query.where), deep)
                lists.append(found)
                asked.append((follow_up, ""))
                passages = "\n\n".join(chunk.text for chunk in self.store.chunks(found.keys[: self.k]))
            trace.fact("self_ask.follow_ups", [question for question, _ in asked])
            if len(lists) == 1:
                return cut(lists[0], k)
            fused = rrf([cut(ranking, self.depth) for ranking in lists], [1.0] * len(lists), k)
            return continued(fused, lists, self.depth, k, found_by(lists))

    def _step(self, question: str, asked: list[tuple[str, str]], passages: str) -> tuple[str, str] | None:
        lines = [f"Follow-up: {follow_up}\nIntermediate answer: {answer}".rstrip() for follow_up, answer in asked]
        values = {
            "question": question,
            "transcript": "\n".join(lines) or "(nothing yet)",
            "passages": passages or "(none)",
        }
        (reply,) = self.llm.complete([_prompt().request(values, max_tokens=REPLY_TOKENS, schema=SCHEMA)])
        if isinstance(reply, ModelError):
            trace.fallback("self_ask.failed")
            return None
        try:
            data = json.loads(conform(reply.text, SCHEMA))
        except ReplyError:
            trace.fallback("self_ask.failed")
            return None
        return data["intermediate_answer"].strip(), data["follow_up"].strip()


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct.retrieve", "self_ask", ("passages", "question", "transcript"))
