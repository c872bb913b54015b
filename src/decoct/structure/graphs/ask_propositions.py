"""Names and propositions by a language model, two requests a chunk, as PropRAG asks: the second is given what the first found."""

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


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct.structure.graphs", "propositions", ("title", "passage", "names"))


@dataclass(frozen=True, slots=True)
class PropositionsAsked:
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
        return _prompt().request(with_names(chunk, names), max_tokens=REPLY, schema=PROPOSITIONS)


def _noted(chunk: Chunk, names: Sequence[str], reply: dict[str, Any]) -> ChunkNotes:
    propositions = reply["propositions"]
    found = named(chunk, [*names, *(name for one in propositions for name in one["names"])])
    sentences = Sentences(chunk)
    statements = []
    for one in propositions:
        connected = tuple(dict.fromkeys(name for name in map(normal, one["names"]) if name in found))
        if connected:
            statements.append(Statement(one["text"].strip(), *sentences.of(one["text"]), connected))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(found.values()), tuple(statements))
