"""Notes of documents, by a language model or by rules: what all graph systems share of reading.

A chunk on which the model fails, or whose reply is not what was asked for, has no notes: it stays a passage of the graph, is counted,
and is asked again by the next build. A statement is kept once a chunk. A model that cannot be reached at all ends the build; what was
read before is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from decoct.data import Chunk
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelError, ModelUnavailableError
from decoct.llm.base import LLM, Reply, Request, Schema
from decoct_lab.structure.base import Chunked, Part, Spending
from decoct_lab.structure.graphs.by_rules import notes_by_rules
from decoct_lab.structure.graphs.notes import ChunkNotes, packed
from decoct_lab.structure.replies import listed_in


class NoteTaker(Protocol):
    """Takes notes of chunks by asking a model."""

    @property
    def fingerprint(self) -> str:
        """Names model, prompts and settings."""

    def requests(self, chunk: Chunk) -> list[Request]:
        """What will be asked of a chunk, as far as it is known before (for the estimate)."""

    def notes(self, chunks: Sequence[Chunk]) -> list[ChunkNotes | ModelError]:
        """One outcome a chunk, in order."""


def fingerprint_of(taker: NoteTaker | None) -> str:
    """How notes are taken; None: by rules."""
    return "rules-1" if taker is None else taker.fingerprint


def estimated(taker: NoteTaker | None, documents: Iterable[Chunked]) -> Spending:
    """What asking about the documents costs at most; rules cost nothing."""
    if taker is None:
        return Spending()
    tokenizer, total = default_tokenizer(), Spending()
    for document in documents:
        asked = [request for chunk in document.chunks for request in taker.requests(chunk)]
        prompts = tokenizer.counts([message.content for request in asked for message in request.messages])
        total += Spending(len(asked), 0, sum(prompts), sum(request.max_tokens for request in asked))
    return total


def read_by(taker: NoteTaker | None, documents: Sequence[Chunked]) -> list[Part]:
    """A part a document, by rules without a taker; the chunks of all of them are asked together."""
    if taker is None:
        return [Part(packed(notes_by_rules(document))) for document in documents]
    chunks = [chunk for document in documents for chunk in document.chunks]
    outcomes = taker.notes(chunks)
    lost = [one for one in outcomes if isinstance(one, ModelUnavailableError)]
    if outcomes and len(lost) == len(outcomes):
        raise lost[0]
    parts, at = [], 0
    for document in documents:
        own = outcomes[at : at + len(document.chunks)]
        at += len(own)
        failed = tuple(str(one) for one in own if isinstance(one, ModelError))
        notes = [
            ChunkNotes(chunk.key, chunk.span.start, chunk.span.end, (), ())
            if isinstance(one, ModelError)
            else replace(one, statements=tuple(dict.fromkeys(one.statements)))
            for chunk, one in zip(document.chunks, own, strict=True)
        ]
        parts.append(Part(packed(notes), failed))
    return parts


def checked_replies(llm: LLM, requests: Sequence[Request | None]) -> list[dict[str, Any] | ModelError | None]:
    """The replies' JSON, checked against the requests' schemas; None where nothing was to be asked."""
    sent = [request for request in requests if request is not None]
    replies = iter(llm.complete(sent) if sent else [])
    return [None if request is None else _value(next(replies), request.schema) for request in requests]


def _value(reply: Reply | ModelError, schema: Schema | None) -> dict[str, Any] | ModelError:
    try:
        return listed_in(reply, schema or {"type": "object"})
    except ModelError as error:
        return error
