"""Knowledge segments with their entities by a language model, as HyperGraphRAG asks, one request a chunk.

Its two rounds of gleaning are left out by default (`gleaning` in the authors' settings is 2): they ask the same again for what is
missing, and cost as much as the first each.
"""

from __future__ import annotations

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

_ENTITY = {
    "name": TEXT,
    "type": {"type": "string", "maxLength": 40},
    "description": {"type": "string", "maxLength": 400},
    "score": {"type": "number", "minimum": 0},
}
_SEGMENT = {
    "text": {"type": "string", "minLength": 1, "maxLength": 500},
    "score": {"type": "number", "minimum": 0},
    "entities": {
        "type": "array",
        "maxItems": 12,
        "items": {"type": "object", "properties": _ENTITY, "required": list(_ENTITY), "additionalProperties": False},
    },
}
SEGMENTS: Schema = {
    "type": "object",
    "properties": {
        "segments": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "type": "object",
                "properties": _SEGMENT,
                "required": list(_SEGMENT),
                "additionalProperties": False,
            },
        }
    },
    "required": ["segments"],
    "additionalProperties": False,
}
REPLY = 1000  # tokens: of the complete replies of a model of 0.5B about passages of 100 tokens, 19 of 20 were shorter


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.structure.graphs", "segments", ("title", "passage"))


def segments_request(title: str, passage: str, most: int = REPLY) -> Request:
    """What is asked of a passage, or of a question, which the method reads in the same way; the reply has `most` tokens."""
    return _prompt().request({"title": title, "passage": passage}, max_tokens=most, schema=SEGMENTS)


@dataclass(frozen=True, slots=True)
class SegmentsAsked:
    """Implements `NoteTaker`."""

    llm: LLM

    @property
    def fingerprint(self) -> str:
        """See `NoteTaker.fingerprint`."""
        return f"{self.llm.fingerprint}:{_prompt().fingerprint}"

    def requests(self, chunk: Chunk) -> list[Request]:
        """One."""
        return [segments_request(chunk.title, chunk.text)]

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """See `NoteTaker.notes`."""
        replies = checked_replies(self.llm, [segments_request(chunk.title, chunk.text) for chunk in chunks])
        return [
            reply if isinstance(reply, ModelError) else _noted(chunk, reply or {})
            for chunk, reply in zip(chunks, replies, strict=True)
        ]


def _noted(chunk: Chunk, reply: dict[str, Any]) -> ChunkNotes:
    entities = [one for segment in reply["segments"] for one in segment["entities"]]
    about = {normal(one["name"]): (one["type"].strip(), one["description"].strip()) for one in reversed(entities)}
    found = names_in_chunk(chunk, [one["name"] for one in entities], about)
    sentences = ChunkSentences(chunk)
    statements = []
    for one in reply["segments"]:
        ordered = sorted(one["entities"], key=lambda entity: -entity["score"])
        connected = tuple(dict.fromkeys(key for key in (normal(e["name"]) for e in ordered) if key in found))
        if connected:
            text = one["text"].strip()
            statements.append(Statement(text, *sentences.of(text), connected, weight=statement_weight(one["score"])))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
