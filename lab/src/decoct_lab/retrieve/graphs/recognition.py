"""Recognition memory: a language model keeps, of the facts that were found, those that help to answer (HippoRAG 2).

The authors have the model write the kept facts out again and map them back to the nearest; ours asks for their numbers, which cannot be
written wrongly. A reply that is no use keeps all, counted (`hipporag2.recognition_failed`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import LLM, Schema, complete_one
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform

MOST = 4
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": MOST}},
    "required": ["facts"],
    "additionalProperties": False,
}
_REPLY = 60


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve.graphs", "recognition", ("question", "facts"))


def recognised(llm: LLM, question: str, facts: Sequence[str]) -> list[int]:
    """Which of `facts` (by place, from 0) the model keeps, in its order."""
    shown = "\n".join(f"{n}. {' '.join(fact.split())}" for n, fact in enumerate(facts, 1))
    request = _prompt().request({"question": question, "facts": shown}, max_tokens=_REPLY, schema=_SCHEMA)
    try:
        numbers = json.loads(conform(complete_one(llm, request).text, _SCHEMA))["facts"]
    except ModelError:
        trace.fallback("hipporag2.recognition_failed")
        return list(range(len(facts)))
    return list(dict.fromkeys(number - 1 for number in numbers if number <= len(facts)))
