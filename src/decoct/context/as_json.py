"""A context as JSON-ready data: what `decoct context --json` prints and a server returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from decoct.data import Context, Hit, Passage, Span


@runtime_checkable
class SupportsAsDict(Protocol):
    """A note that can be written as JSON."""

    def as_dict(self) -> dict[str, Any]:
        """The note as JSON-ready data."""


def context_as_json(context: Context) -> dict[str, Any]:
    """Question, rendered text, tokens and limit, passages with their spans, notes by name (`merges`, `facts` …), and the trace."""
    notes = {name: [_note(note) for note in found] for name, found in context.notes.items()}
    return {
        "question": context.question,
        "text": context.text,
        "tokens": context.tokens,
        "limit": context.limit,
        "passages": [_passage(passage) for passage in context.passages],
        **notes,
        "trace": context.trace.as_dict(),
    }


def support_as_json(support: Sequence[Span]) -> list[dict[str, Any]]:
    """Spans as `{"doc_id", "start", "end"}`."""
    return [{"doc_id": span.doc_id, "start": span.start, "end": span.end} for span in support]


def hit_as_json(hit: Hit) -> dict[str, Any]:
    """A hit of a search."""
    return {
        **support_as_json([hit.chunk.span])[0],
        "title": hit.chunk.title,
        "text": hit.chunk.text,
        "score": float(hit.score),
        "found_by": {name: float(score) for name, score in hit.found_by.items()},
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "text": passage.text,
        "kind": passage.kind,
        "score": float(passage.score),
        "title": passage.title,
        "support": support_as_json(passage.support),
    }


def _note(note: object) -> object:
    if isinstance(note, SupportsAsDict):
        return note.as_dict()
    if note is None or isinstance(note, str | int | float):
        return note
    raise TypeError(f"a note of type {type(note).__name__} cannot be written as JSON: give it as_dict()")
