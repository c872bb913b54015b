"""Names and propositions by a language model, two requests a chunk, as PropRAG asks: the second is given what the first found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from decoct.data import Chunk
from decoct.llm.base import LLM, Schema
from decoct.text.names import normal
from decoct_lab.structure.graphs.ask_names import TEXT, AskedInTurn
from decoct_lab.structure.graphs.notes import ChunkNotes, Statement
from decoct_lab.structure.graphs.places import ChunkSentences, names_in_chunk

PROPOSITIONS: Schema = {
    "type": "object",
    "properties": {
        "propositions": {
            "type": "array",
            "maxItems": 30,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 500},
                    "names": {"type": "array", "items": TEXT, "maxItems": 12},
                },
                "required": ["text", "names"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["propositions"],
    "additionalProperties": False,
}
REPLY = 1200  # tokens: a passage written anew, with its names


def propositions_asked(llm: LLM) -> AskedInTurn:
    """The taker of these notes."""
    return AskedInTurn(llm, "propositions", REPLY, PROPOSITIONS, _noted)


def _noted(chunk: Chunk, names: Sequence[str], reply: dict[str, Any]) -> ChunkNotes:
    propositions = reply["propositions"]
    found = names_in_chunk(chunk, [*names, *(name for one in propositions for name in one["names"])])
    sentences = ChunkSentences(chunk)
    statements = []
    for one in propositions:
        connected = tuple(dict.fromkeys(name for name in map(normal, one["names"]) if name in found))
        if connected:
            statements.append(Statement(one["text"].strip(), *sentences.of(one["text"]), connected))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
