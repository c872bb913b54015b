"""Self-Ask with retrieval (Press et al., Findings of EMNLP 2023): the model asks itself simpler questions, each looked up.

1. After two worked examples the model is shown the question and goes on in their form: whether follow-up questions are needed, and the
   first. It is stopped where an intermediate answer is due.
2. Passages are retrieved for the follow-up and stand as its context; the model writes the intermediate answer, then the next follow-up or
   the final answer. At most `follow_ups` times (three in the recall-oriented paper).
3. The lists of the question and of all follow-ups are fused by reciprocal ranks, and the recipe's reader answers from the result.

Kept: the few-shot form with its marks and stop strings; follow-up, look-up, intermediate answer, in a loop. Ours: the examples' words; that
the model reads the intermediate answer out of passages, where the paper takes a search engine's; all lists count, where
implementations let the last one replace the others. Models that were trained on chats often end their turn with the intermediate answer:
it is written into the form and they are asked to go on, as after a search engine's. A follow-up that repeats one before it ends the
loop; so does a "no" to the first question, a request that fails, and a reply that leaves the form (the last two: `self_ask.failed`).
The final answer is in the trace (`self_ask.answer`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from decoct import trace
from decoct.data import Query, Ranking, holds_words
from decoct.errors import ModelError
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct.retrieve.base import Retriever
from decoct.retrieve.fusion import found_by, rrf
from decoct.retrieve.ranking import continued, first_of

_MARK = re.compile(
    r"^[ \t]*follow[ -]up:[ \t]*(?P<follow_up>\S.*)$|(?:so )?the final answer is:?[ \t]*(?P<final>.*)",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_NEEDED = re.compile(r"no(?:\.|$|[ ,]+follow)", re.IGNORECASE)
STOP = ("\nContext:", "\nIntermediate answer:", "\nQuestion:")
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
                if not holds_words(follow_up) or follow_up.casefold() in {question.casefold() for question, _ in asked}:
                    break
                found = self.retriever.retrieve(Query(follow_up, query.where), deep)
                lists.append(found)
                asked.append((follow_up, ""))
                passages = "\n\n".join(chunk.text for chunk in self.store.chunks(found.keys[: self.k]))
            trace.fact("self_ask.follow_ups", [question for question, _ in asked])
            if len(lists) == 1:
                return first_of(lists[0], k)
            fused = rrf([first_of(ranking, self.depth) for ranking in lists], [1.0] * len(lists), k)
            return continued(fused, lists, self.depth, k, found_by(lists))

    def _step(self, question: str, asked: list[tuple[str, str]], passages: str) -> tuple[str, str] | None:
        """The answer to the last follow-up and the next one ("" for none); None where the model failed or left the form."""
        if not asked:
            reply = self._reply(question, [])
            if reply and not _MARK.search(reply) and _NOT_NEEDED.match(reply):
                return "", ""
            return _read(reply)
        lines = [" Yes."]
        for follow_up, answer in asked[:-1]:
            lines += [f"Follow up: {follow_up}", f"Intermediate answer: {answer}"]
        lines.append(f"Follow up: {asked[-1][0]}")
        reply = self._reply(question, [*lines, f"Context: {passages or '(nothing was found)'}", "Intermediate answer:"])
        if not reply or _MARK.search(reply):
            return _read(reply)
        answer = _intermediate_answer(reply).partition("\n")[0]
        step = _read(self._reply(question, [*lines, f"Intermediate answer: {answer}\n"]))
        return step and (answer, step[1])

    def _reply(self, question: str, lines: list[str]) -> str | None:
        """How the model goes on behind these lines of the form, stripped; None where the request failed."""
        values = {"question": question, "transcript": "\n".join(lines)}
        request = replace(_prompt().request(values, max_tokens=REPLY_TOKENS), stop=STOP)
        (reply,) = self.llm.complete([request])
        return None if isinstance(reply, ModelError) else reply.text.strip()


def _intermediate_answer(words: str) -> str:
    return words.strip().removeprefix("Intermediate answer:").strip()


def _read(reply: str | None) -> tuple[str, str] | None:
    """The intermediate answer (the words before the first mark) and the follow-up; None, counted, where there is no reply or no mark."""
    mark = _MARK.search(reply or "")
    if reply is None or mark is None:
        trace.fallback("self_ask.failed")
        return None
    answer = _intermediate_answer(reply[: mark.start()])
    if mark["follow_up"] is not None:
        return answer, mark["follow_up"].strip()
    trace.fact("self_ask.answer", mark["final"].strip())
    return answer, ""


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve", "self_ask", ("question", "transcript"))
