"""Names by a language model, one request a chunk; the statements are the sentences that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from decoct.data import Chunk
from decoct.errors import ModelError
from decoct.llm.base import LLM, Request, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.structure.graphs.by_model import checked_replies
from decoct_lab.structure.graphs.by_rules import self_contained, title_name
from decoct_lab.structure.graphs.notes import ChunkNotes, Noted, Statement
from decoct_lab.structure.graphs.places import ChunkSentences, names_in_chunk

TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 120}
NAMES: Schema = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": TEXT, "maxItems": 40}},
    "required": ["names"],
    "additionalProperties": False,
}
REPLY = 400  # tokens: forty names


@cache
def names_prompt() -> Prompt:
    """The request for names."""
    return load_prompt("decoct_lab.structure.graphs", "names", ("title", "passage"))


def names_request(chunk: Chunk) -> Request:
    """What is asked for the names of a chunk."""
    values = {"title": chunk.title, "passage": chunk.text}
    return names_prompt().request(values, max_tokens=REPLY, schema=NAMES)


def with_names(chunk: Chunk, names: Sequence[str]) -> dict[str, str]:
    """The slots of a request that is given a chunk's names."""
    return {"title": chunk.title, "passage": chunk.text, "names": json.dumps(list(names), ensure_ascii=False)}


@dataclass(frozen=True, slots=True)
class NamesAsked:
    """Implements `NoteTaker`."""

    llm: LLM

    @property
    def fingerprint(self) -> str:
        """See `NoteTaker.fingerprint`."""
        return f"{self.llm.fingerprint}:{names_prompt().fingerprint}"

    def requests(self, chunk: Chunk) -> list[Request]:
        """One."""
        return [names_request(chunk)]

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """See `NoteTaker.notes`."""
        replies = checked_replies(self.llm, [names_request(chunk) for chunk in chunks])
        return [
            reply
            if isinstance(reply, ModelError)
            else in_sentences(chunk, names_in_chunk(chunk, (reply or {})["names"]))
            for chunk, reply in zip(chunks, replies, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class AskedInTurn:
    """Implements `NoteTaker` with two requests a chunk: for its names, then `prompt` (a file's name) with those names.

    A reply has `most` tokens and holds to `schema`; `noted` makes the notes of a chunk, its names and the second reply.
    """

    llm: LLM
    prompt: str
    most: int
    schema: Schema = field(repr=False)
    noted: Callable[[Chunk, Sequence[str], dict[str, Any]], ChunkNotes]

    @property
    def fingerprint(self) -> str:
        """See `NoteTaker.fingerprint`."""
        return f"{self.llm.fingerprint}:{names_prompt().fingerprint}:{_with_names(self.prompt).fingerprint}"

    def requests(self, chunk: Chunk) -> list[Request]:
        """Two; the second is guessed with as many names as a passage has on average."""
        return [names_request(chunk), self.request(chunk, ["a name of two words"] * 8)]

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """See `NoteTaker.notes`; a chunk fails when either request does."""
        names = checked_replies(self.llm, [names_request(chunk) for chunk in chunks])
        known = [reply["names"] if isinstance(reply, dict) else None for reply in names]
        second = checked_replies(
            self.llm,
            [None if some is None else self.request(chunk, some) for chunk, some in zip(chunks, known, strict=True)],
        )
        outcomes: list[ChunkNotes | ModelError] = []
        for chunk, first, some, reply in zip(chunks, names, known, second, strict=True):
            if some is not None and isinstance(reply, dict):
                outcomes.append(self.noted(chunk, some, reply))
            else:
                outcomes.append(next(one for one in (first, reply) if isinstance(one, ModelError)))
        return outcomes

    def request(self, chunk: Chunk, names: Sequence[str]) -> Request:
        """What is asked once the names are known."""
        return _with_names(self.prompt).request(with_names(chunk, names), max_tokens=self.most, schema=self.schema)


@cache
def _with_names(name: str) -> Prompt:
    return load_prompt("decoct_lab.structure.graphs", name, ("title", "passage", "names"))


def in_sentences(chunk: Chunk, names: dict[str, Noted]) -> ChunkNotes:
    """Notes of a chunk with these names: every sentence that holds some is a statement, with the title's name as `by_rules` has it."""
    title = title_name(chunk.title)
    if title:
        names = {**names_in_chunk(chunk, [chunk.title.partition(" (")[0]]), **names}
    statements = []
    lower = chunk.text.lower()
    for start, end in ChunkSentences(chunk).ranges:
        inside = [key for key, one in names.items() if one.shown.lower() in lower[start:end]]
        connected = tuple(dict.fromkeys([*([title] if title in names else []), *inside]))
        if connected:
            text = self_contained(chunk.text[start:end], chunk.title, named=title in inside)
            statements.append(Statement(text, chunk.span.start + start, chunk.span.start + end, connected))
    return ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, tuple(names.values()), tuple(statements))
