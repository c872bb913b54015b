"""Names and triples by a language model, two requests a chunk, as HippoRAG 2 asks: the second is given what the first found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from decoct.data import Chunk
from decoct.llm.base import LLM, Schema
from decoct.text.names import normal
from decoct_lab.structure.graphs.ask_names import TEXT, AskedInTurn
from decoct_lab.structure.graphs.notes import ChunkNotes, Statement
from decoct_lab.structure.graphs.places import ChunkSentences, names_in_chunk

_FIELDS = ("subject", "relation", "object")
TRIPLES: Schema = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "maxItems": 30,
            "items": {
                "type": "object",
                "properties": dict.fromkeys(_FIELDS, TEXT),
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}
REPLY = 900  # tokens: thirty triples


def triples_asked(llm: LLM) -> AskedInTurn:
    """The taker of these notes."""
    return AskedInTurn(llm, "triples", REPLY, TRIPLES, _noted)


def _noted(chunk: Chunk, names: Sequence[str], reply: dict[str, Any]) -> ChunkNotes:
    """As HippoRAG 2 has it, a triple's subject and object are nodes too; names without a triple are not left out."""
    triples = reply["triples"]
    ends = [triple[end] for triple in triples for end in ("subject", "object")]
    found = names_in_chunk(chunk, [*names, *ends])
    sentences = ChunkSentences(chunk)
    statements = []
    for triple in triples:
        pair = tuple(dict.fromkeys(normal(triple[end]) for end in ("subject", "object")))
        if all(name in found for name in pair):
            text = " ".join(triple[field].strip() for field in _FIELDS)
            statements.append(Statement(text, *sentences.of(text), pair, triple["relation"]))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
