"""Replies of a language model under a schema, with one repair of those that do not fit it (lab/docs/methods.md, CASC)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from decoct import trace
from decoct.errors import ModelError, ReplyError
from decoct.llm.base import LLM, Reply, Request, Schema
from decoct.llm.prompts import load_prompt
from decoct.llm.schema import conform

_PACKAGE = "decoct_lab.casc"


def parsed(text: str, schema: Schema) -> tuple[Mapping[str, Any] | None, str]:
    """The reply as data, or None and what is wrong with it."""
    try:
        return cast("Mapping[str, Any]", json.loads(conform(text, schema))), ""
    except ReplyError as error:
        return None, str(error)


def usable(
    llm: LLM, outcomes: list[Reply | ModelError], schema: Schema, max_tokens: int
) -> list[Mapping[str, Any] | None]:
    """The replies as data; those that do not fit are repaired in one further batch (`casc.repaired`); None where nothing came of it."""
    found: list[Mapping[str, Any] | None] = [None] * len(outcomes)
    broken: list[tuple[int, Request]] = []
    prompt = load_prompt(_PACKAGE, "repair", ("reply", "error"))
    for i, outcome in enumerate(outcomes):
        if isinstance(outcome, ReplyError):
            text, why = outcome.reply, str(outcome)
        elif isinstance(outcome, ModelError):
            continue
        else:
            text = outcome.text
            found[i], why = parsed(text, schema)
            if found[i] is not None:
                continue
        broken.append((i, prompt.request({"reply": text, "error": why}, max_tokens=max_tokens, schema=schema)))
    if broken:
        for (i, _), outcome in zip(broken, llm.complete([request for _, request in broken]), strict=True):
            if isinstance(outcome, Reply):
                found[i], _why = parsed(outcome.text, schema)
                if found[i] is not None:
                    trace.fallback("casc.repaired")
    return found
