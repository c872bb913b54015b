"""Names and triples by a language model, two requests a chunk, as HippoRAG 2 asks: the second is given what the first found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct.data import Chunk
from decoct.errors import ModelError
from decoct.llm.base import LLM, Request, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct.structure.graphs.ask_names import TEXT, asked_in_turn, names_prompt, names_request, with_names
from decoct.structure.graphs.notes import ChunkNotes, Statement
from decoct.structure.graphs.places import Sentences, named
from decoct.text.names import normal

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


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct.structure.graphs", "triples", ("title", "passage", "names"))


@dataclass(frozen=True, slots=True)
class TriplesAsked:
    """Implements `NoteTaker`."""

    llm: LLM

    @property
    def fingerprint(self) -> str:
        """See `NoteTaker.fingerprint`."""
        return f"{self.llm.fingerprint}:{names_prompt().fingerprint}:{_prompt().fingerprint}"

    def requests(self, chunk: Chunk) -> list[Request]:
        """Two; the second is guessed with as many names as a passage has on average."""
        return [names_request(chunk), self.request(chunk, ["a name of two words"] * 8)]

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """See `NoteTaker.notes`; a chunk fails when either request does."""
        return asked_in_turn(self.llm, chunks, self.request, _noted)

    def request(self, chunk: Chunk, names: Sequence[str]) -> Request:
        """What is asked once the names are known."""
        return _prompt().request(with_names(chunk, names), max_tokens=REPLY, schema=TRIPLES)


def _noted(chunk: Chunk, names: Sequence[str], reply: dict[str, Any]) -> ChunkNotes:
    """As HippoRAG 2 has it, a triple's subject and object are nodes too; names without a triple are not left out."""
    triples = reply["triples"]
    ends = [triple[end] for triple in triples for end in ("subject", "object")]
    found = named(chunk, [*names, *ends])
    sentences = Sentences(chunk)
    statements = []
    for triple in triples:
        pair = tuple(dict.fromkeys(normal(triple[end]) for end in ("subject", "object")))
        if all(name in found for name in pair):
            text = " ".join(triple[field].strip() for field in _FIELDS)
            statements.append(Statement(text, *sentences.of(text), pair, triple["relation"]))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
