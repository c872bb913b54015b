"""Typed entities and relations by a language model, as LightRAG asks: one request a chunk, and `gleaning` more for what it left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct.data import Chunk
from decoct.errors import ModelError
from decoct.llm.base import LLM, Request, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct.text.names import normal
from decoct_lab.structure.graphs.ask_names import TEXT
from decoct_lab.structure.graphs.by_model import checked_replies
from decoct_lab.structure.graphs.notes import ChunkNotes, Statement, statement_weight
from decoct_lab.structure.graphs.places import ChunkSentences, names_in_chunk

_TOLD: Schema = {"type": "string", "maxLength": 400}
_ENTITY = {"name": TEXT, "type": {"type": "string", "maxLength": 40}, "description": _TOLD}
_RELATION = {
    "source": TEXT,
    "target": TEXT,
    "description": _TOLD,
    "keywords": {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 5},
    "strength": {"type": "number", "minimum": 0},
}


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "array", "maxItems": 30, "items": item}


RELATIONS: Schema = {
    "type": "object",
    "properties": {"entities": _listed(_ENTITY), "relations": _listed(_RELATION)},
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
REPLY = 1000  # tokens: about ten entities and as many relations; what was complete of a reply that is cut is kept


@cache
def _prompt(name: str) -> Prompt:
    return load_prompt(
        "decoct_lab.structure.graphs", name, ("title", "passage", *(["there"] if name == "gleaning" else []))
    )


@dataclass(frozen=True, slots=True)
class RelationsAsked:
    """Implements `NoteTaker`."""

    llm: LLM
    gleaning: int = 1

    @property
    def fingerprint(self) -> str:
        """See `NoteTaker.fingerprint`."""
        prompts = f"{_prompt('relations').fingerprint}:{_prompt('gleaning').fingerprint}"
        return f"{self.llm.fingerprint}:{prompts}:{self.gleaning}"

    def requests(self, chunk: Chunk) -> list[Request]:
        """One, and a round of gleaning for each of `gleaning`, which is guessed to have found as much as the passage is long."""
        return [_request(chunk), *([_request(chunk, chunk.text)] * self.gleaning)]

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """See `NoteTaker.notes`; a gleaning that fails leaves what was there before it."""
        replies = checked_replies(self.llm, [_request(chunk) for chunk in chunks])
        for _ in range(self.gleaning):
            there = [json.dumps(reply, ensure_ascii=False) if isinstance(reply, dict) else None for reply in replies]
            more = checked_replies(
                self.llm,
                [None if some is None else _request(chunk, some) for chunk, some in zip(chunks, there, strict=True)],
            )
            replies = [_with_gleaned(one, other) for one, other in zip(replies, more, strict=True)]
        return [
            reply if isinstance(reply, ModelError) else _noted(chunk, reply or {})
            for chunk, reply in zip(chunks, replies, strict=True)
        ]


def _request(chunk: Chunk, there: str | None = None) -> Request:
    values = {"title": chunk.title, "passage": chunk.text}
    if there is None:
        return _prompt("relations").request(values, max_tokens=REPLY, schema=RELATIONS)
    return _prompt("gleaning").request({**values, "there": there}, max_tokens=REPLY, schema=RELATIONS)


def _with_gleaned(
    first: dict[str, Any] | ModelError | None, more: dict[str, Any] | ModelError | None
) -> dict[str, Any] | ModelError | None:
    if not (isinstance(first, dict) and isinstance(more, dict)):
        return first
    return {key: [*first[key], *more[key]] for key in ("entities", "relations")}


def _noted(chunk: Chunk, reply: dict[str, Any]) -> ChunkNotes:
    entities, relations = reply["entities"], reply["relations"]
    about = {normal(one["name"]): (one["type"].strip(), one["description"].strip()) for one in reversed(entities)}
    shown = [*(one["name"] for one in entities), *(one[end] for one in relations for end in ("source", "target"))]
    found = names_in_chunk(chunk, shown, about)
    sentences = ChunkSentences(chunk)
    statements = []
    for one in relations:
        pair = tuple(dict.fromkeys((normal(one["source"]), normal(one["target"]))))
        text = one["description"].strip() or " ".join((one["source"], *one["keywords"], one["target"]))
        if len(pair) == 2 and all(name in found for name in pair):
            keywords = ", ".join(word.strip() for word in one["keywords"])
            statements.append(Statement(text, *sentences.of(text), pair, keywords, statement_weight(one["strength"])))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
