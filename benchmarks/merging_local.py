"""Selecting against rewriting on a real local model: the same pairs of passages, the same merged text.

    python benchmarks/merging_local.py --model ~/.cache/decoct/models/qwen2.5-coder-0.5b-instruct.gguf --questions 8

Small models answer in a few words instead of copying, so the time of their own `rewrite` says nothing of rewriting. What counts is a
faithful rewrite, one that copies the sentences that `select` kept of the pair, so that both make the same passage. Its time is worked
out, not measured: that of the model's own rewrite of the pair (which reads the same prompt), with as many tokens as the kept text
has in the model's vocabulary, at the seconds a token that the model takes to go on writing after that prompt. (Holding the model to
the text by a grammar would measure the grammar: it picks other, shorter tokens, three times as many.) Pairs of which `select` kept
nothing, or failed, are left out.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from merging import questions
from setting import command_line, setting, write

from decoct import trace
from decoct.context.base import Fuser
from decoct.data import Passage
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelError
from decoct.llm.base import Message, Reply, Request
from decoct_lab.context.merge.fuse_rewrite import Rewrite
from decoct_lab.context.merge.fuse_select import Select
from decoct_local.llamacpp import LlamaCpp

Pair = tuple[Passage, Passage]
SELECT, OWN, FAITHFUL = "select", "rewrite, of its own", "rewrite, faithful (worked out)"
# Tokens that are written to learn the speed: enough that the first one weighs little.
SPEED_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Noting:
    """`llm`, which remembers the last request."""

    llm: LlamaCpp
    requests: list[Request] = field(default_factory=list)

    @property
    def fingerprint(self) -> str:
        return self.llm.fingerprint

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        self.requests[:] = requests[-1:]
        return self.llm.complete(requests)


def seconds_a_token(llm: LlamaCpp, request: Request) -> float:
    """How long the model takes to write one token more after this prompt."""
    onward = (*request.messages, Message("assistant", "One moment."), Message("user", "Now write a long story."))
    longer = replace(request, messages=onward, max_tokens=SPEED_TOKENS, schema=None, stop=())
    llm.complete([replace(longer, max_tokens=1)])  # reads the prompt, which is then known
    start = time.perf_counter()
    (reply,) = llm.complete([longer])
    spent = time.perf_counter() - start
    if not isinstance(reply, Reply):
        raise reply
    return spent / max(1, reply.completion_tokens)


def fused(fuser: Fuser, question: str, pair: Pair) -> tuple[Passage | None, Counter[str]]:
    """What the fuser makes of a pair, and what it cost."""
    start = time.perf_counter()
    with trace.recording() as record, trace.stage("fuse"):
        (found,) = fuser.fuse(question, [pair])
    cost = sum((stage.counts for stage in record.stages), Counter[str]())
    cost["milliseconds"] = round(1000 * (time.perf_counter() - start))
    cost["kept_characters"] = len(found.text) if found else 0
    cost.update({f"fallback {kind}": n for kind, n in record.fallbacks.items()})
    return found, cost


def race(llm: LlamaCpp, asked: Sequence[tuple[str, Pair]]) -> dict[str, Any]:
    """Each way on each pair, and their ratios over the pairs of which `select` kept something."""
    spent: dict[str, dict[int, Counter[str]]] = {SELECT: {}, OWN: {}, FAITHFUL: {}}
    for number, (question, pair) in enumerate(asked):
        kept, spent[SELECT][number] = fused(Select(llm), question, pair)
        noting = Noting(llm)
        _, own = fused(Rewrite(noting, default_tokenizer()), question, pair)
        spent[OWN][number] = own
        if kept is not None and not any(name.startswith("fallback") for name in spent[SELECT][number]):
            tokens, speed = llm.count(kept.text), seconds_a_token(llm, noting.requests[-1])
            milliseconds = own["milliseconds"] + 1000 * speed * (tokens - own["completion_tokens"])
            spent[FAITHFUL][number] = Counter(
                milliseconds=round(milliseconds), completion_tokens=tokens, microseconds_a_token=round(1e6 * speed)
            )
        print(number, {name: dict(each[number]) for name, each in spent.items() if number in each}, flush=True)
    results: dict[str, Any] = {name: dict(sum(each.values(), Counter[str]())) for name, each in spent.items()}
    both = sorted(spent[FAITHFUL])
    if both:
        results[FAITHFUL]["microseconds_a_token"] //= len(both)
    results["pairs"], results["pairs compared"] = len(asked), len(both)
    for unit in ("milliseconds", "completion_tokens") if both else ():
        chosen, written = (sum(spent[name][number][unit] for number in both) for name in (SELECT, FAITHFUL))
        results[f"faithful rewrite / select, {unit}"] = round(written / max(1, chosen), 2)
    return results


def main() -> None:
    parser = command_line(__doc__, data=True, questions=8, out="merging_local.json")
    parser.add_argument("--model", required=True, help="a GGUF file")
    parser.add_argument("--threads", type=int, default=0, help="of the model (0: all cores)")
    arguments = parser.parse_args()
    asked = [(q, (passages[0], passages[1])) for q, passages in questions(arguments.data, arguments.questions)]
    model = LlamaCpp(Path(arguments.model).expanduser(), context=2048, concurrency=1, threads=arguments.threads)
    model.complete([Request((Message("user", "Say yes."),), max_tokens=1)])  # loads it
    results = {
        "model": model.fingerprint,
        **setting(),
        **race(model, asked),
    }
    write(arguments.out, results)


if __name__ == "__main__":
    main()
