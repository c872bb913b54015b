"""What a question asks about (high level) and what it names (low level): by a language model, or by its own words.

Without a model the names in the question are the low level and the whole question is the high level. A model's reply that is no use is
replaced so too, counted (`lightrag.keywords_failed`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import LLM, Schema, complete_one
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.text.names import question_runs

_LIST: Schema = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 120}, "maxItems": 8}
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"high": _LIST, "low": _LIST},
    "required": ["high", "low"],
    "additionalProperties": False,
}
_REPLY = 150


@dataclass(frozen=True, slots=True)
class Keywords:
    """Each level's keywords as one text; empty where there are none."""

    high: str
    low: str


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve.graphs", "keywords", ("question",))


def keywords(question: str, llm: LLM | None) -> Keywords:
    """The question's keywords."""
    if llm is not None:
        request = _prompt().request({"question": question}, max_tokens=_REPLY, schema=_SCHEMA)
        try:
            found = json.loads(conform(complete_one(llm, request).text, _SCHEMA))
            return Keywords(", ".join(found["high"]), ", ".join(found["low"]))
        except ModelError:
            trace.fallback("lightrag.keywords_failed")
    return Keywords(question, ", ".join(question_runs(question)))
