"""A context as JSON-ready data: what `decoct context --json` prints and a server returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from decoct.data import Context, Hit, Passage, Span

Record = Mapping[str, Any]


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


def trees(records: Sequence[Record], shown: Callable[[Record], object], deepest: int = 900) -> list[dict[str, Any]]:
    """One tree for each passage that came out of a merge, or came to nothing, at most `deepest` merges deep.

    `shown` is what a place of a document (`doc_id`, `start`, `end`) is in the tree.
    """
    made = {record["output"]: record for record in records if record["output"] not in (None, record["inputs"][0])}
    used = {name for record in records for name in record["inputs"] if record["output"] != name}

    def node(record: Record, depth: int) -> dict[str, Any]:
        parts = []
        for name, score in zip(record["inputs"], record["scores"], strict=True):
            inner = made.get(name)
            deeper = inner is not None and inner is not record and depth < deepest
            parts.append({"name": name, "score": score, "made": node(inner, depth + 1) if inner and deeper else None})
        return {
            "name": record["output"] or "nothing",
            "layer": record["layer"],
            "before": record["tokens_before"],
            "after": record["tokens_after"],
            "affinity": record["affinity"],
            "how": record["how"],
            "kept": [shown(span) for span in record["kept"]],
            "dropped": [shown(span) for span in record["dropped"]],
            "parts": parts,
        }

    roots = [one for one in records if one["output"] not in used or one["output"] == one["inputs"][0]]
    return [node(record, 0) for record in roots]
