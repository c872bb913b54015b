"""Selecting against rewriting on a real local model: the same pairs of passages, the same merged text.

    python benchmarks/merging_local.py --model ~/.cache/decoct/models/qwen2.5-coder-0.5b-instruct.gguf --questions 8

Small models answer in a few words instead of copying, so the time of their own `rewrite` says nothing: it is measured and shown, and
kept out of the ratio. What counts is `held to copy`: a schema makes the model write, letter by letter, the sentences that its `select`
kept of the pair. That is a rewrite by a model that copies faithfully, at the true speed of this one; both ways then make the same
passage. Pairs of which `select` kept nothing, or failed, are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from merging import questions

from decoct import trace
from decoct.context.base import Fuser
from decoct.context.merge.fuse_rewrite import Rewrite
from decoct.context.merge.fuse_select import Select
from decoct.data import Passage
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelError
from decoct.llm.base import LLM, Message, Reply, Request
from decoct.llm.llamacpp import LlamaCpp

Pair = tuple[Passage, Passage]
SELECT, OWN, HELD = "select", "rewrite, of its own", "rewrite, held to copy"


@dataclass(frozen=True, slots=True)
class Copying:
    """`llm` held by a schema to write `text` and nothing else."""

    llm: LLM
    text: str

    @property
    def fingerprint(self) -> str:
        return f"copying:{self.llm.fingerprint}"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        schema = {"type": "object", "properties": {"text": {"const": self.text}}, "required": ["text"]}
        outcomes = self.llm.complete([replace(r, schema=schema, max_tokens=2 * r.max_tokens) for r in requests])
        return [replace(o, text=json.loads(o.text)["text"]) if isinstance(o, Reply) else o for o in outcomes]


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


def race(llm: LLM, asked: Sequence[tuple[str, Pair]]) -> dict[str, Any]:
    """Each way on each pair, and their ratios over the pairs that both merged."""
    spent: dict[str, dict[int, Counter[str]]] = {SELECT: {}, OWN: {}, HELD: {}}
    for number, (question, pair) in enumerate(asked):
        kept, spent[SELECT][number] = fused(Select(llm), question, pair)
        _, spent[OWN][number] = fused(Rewrite(llm, default_tokenizer()), question, pair)
        if kept is not None and not any(name.startswith("fallback") for name in spent[SELECT][number]):
            copying = Copying(llm, " ".join(kept.text.split()))
            _, spent[HELD][number] = fused(Rewrite(copying, default_tokenizer()), question, pair)
        print(number, {name: dict(each[number]) for name, each in spent.items() if number in each}, flush=True)
    results: dict[str, Any] = {name: dict(sum(each.values(), Counter[str]())) for name, each in spent.items()}
    both = sorted(spent[HELD])
    results["pairs"], results["pairs compared"] = len(asked), len(both)
    for unit in ("milliseconds", "completion_tokens") if both else ():
        chosen, written = (sum(spent[name][number][unit] for number in both) for name in (SELECT, HELD))
        results[f"held to copy / select, {unit}"] = round(written / max(1, chosen), 2)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--model", required=True, help="a GGUF file")
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "merging_local.json"))
    arguments = parser.parse_args()
    asked = [(q, (passages[0], passages[1])) for q, passages in questions(arguments.data, arguments.questions)]
    model = LlamaCpp(Path(arguments.model).expanduser(), context=2048, concurrency=1)
    model.complete([Request((Message("user", "Say yes."),), max_tokens=1)])  # loads it
    results = {
        "model": model.fingerprint,
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        **race(model, asked),
    }
    print(json.dumps(results, indent=1))
    Path(arguments.out).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
