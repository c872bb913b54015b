"""Retrieval recall, precision and F1 at chunk level: the measure of the recall-oriented paper's Tables 1 and 2, for comparison with them.

Let C be all chunks of the corpus under the chunker in use, G = those of C that overlap a gold span in at least one character, R
= the retrieved chunks that went into the context. P = |R ∩ G| / |R|, recall = |R ∩ G| / |G|, F1 = 2 |R ∩ G| / (|R| + |G|);
macro mean over questions.

That the paper counts so follows from its figures (lab/docs/methods.md, Recall-oriented RAG): with windows of s tokens and stride s/2 over
one stream of text, a gold passage of g tokens overlaps about |G| = (g + s) / (s/2) windows, 4.98 / 2.75 / 2.37 for s = 150 / 600 / 1200 and
g = 223.6, which is what its recall and precision imply. Overlapping chunks make |G| count the same evidence twice and reward small strides:
use `evidence` to compare chunkers.

Edge cases. No gold chunk: None. Nothing retrieved: 0. `chunks_in_context` tells which chunks of the ranking a finished context was made of,
also where its steps joined or cut them. A chunk that was cut at the budget's end counts whole, as in the paper (n = ceil(L / s)); one that
was not given does not count, however much of its text stands there in the halves of its neighbours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable

from decoct.data import Span
from decoct.evaluate.metrics.evidence import Evidence, from_counts
from decoct.evaluate.metrics.ranking import by_document


def chunk_evidence(retrieved: Collection[Span], relevant_chunks: Collection[Span]) -> Evidence | None:
    """The measures of the retrieved chunks against the relevant ones; None without relevant ones. Chunks are equal by span."""
    found, wanted = set(retrieved), set(relevant_chunks)
    return from_counts(len(found & wanted), len(found), len(wanted)) if wanted else None


def chunks_in_context(ranking: Iterable[Span], context: Iterable[Span]) -> set[Span]:
    """The chunks of the ranking, best first, that the context's spans were made of.

    A span that begins where a chunk does and ends within it is that chunk, whole or cut. Of others (joined, or sentences), chunks are gone
    through by rank, each judged by the characters that no better one has brought: the context has some of these from a chunk that was
    given. A chunk that could bring nothing new was given if a worse one was.
    """
    spans_of = by_document(context)
    shown = {doc_id: _merged(spans) for doc_id, spans in spans_of.items()}
    heads = {doc_id: {span.start: span.end for span in sorted(spans)} for doc_id, spans in spans_of.items()}
    found: set[Span] = set()
    brought: dict[str, list[Span]] = {}
    waiting: list[Span] = []
    for chunk in ranking:
        fresh = _missing(chunk, _merged(brought.get(chunk.doc_id, [])))
        whole = heads.get(chunk.doc_id, {}).get(chunk.start, chunk.end + 1) <= chunk.end
        if not fresh and not whole:
            waiting.append(chunk)
        elif whole or any(_covered(part, shown.get(chunk.doc_id, [])) for part in fresh):
            found.update((chunk, *waiting))
            waiting.clear()
            brought.setdefault(chunk.doc_id, []).append(chunk)
    return found


def _merged(spans: list[Span]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(span.end, merged[-1][1])
        else:
            merged.append((span.start, span.end))
    return merged


def _covered(chunk: Span, shown: list[tuple[int, int]]) -> int:
    """Characters of `chunk` inside the merged ranges."""
    total = 0
    first = max(0, bisect_left(shown, (chunk.start, 0)) - 1)  # the range before may reach into the chunk
    for start, end in shown[first:]:
        if start >= chunk.end:
            break
        total += max(0, min(end, chunk.end) - max(start, chunk.start))
    return total


def _missing(chunk: Span, held: list[tuple[int, int]]) -> list[Span]:
    """The parts of `chunk` outside the merged ranges."""
    parts, at = [], chunk.start
    for start, end in held:
        if end <= at or start >= chunk.end:
            continue
        if start > at:
            parts.append(Span(chunk.doc_id, at, start))
        at = max(at, end)
    return [*parts, Span(chunk.doc_id, at, chunk.end)] if at < chunk.end else parts
