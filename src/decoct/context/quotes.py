"""The only place where quotes are made and narrowed, so that a quote always equals its documents at its spans.

A quote's text is its spans' texts in order, each joined to the one before by nothing where they touch and by a line break where they do
not. So the place of every span in the text follows from the spans alone, and any range of the text maps back to exact spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from decoct.data import Passage, Span
from decoct.errors import ProvenanceError

JOINT = "\n"  # between two spans of one quote that do not touch (the rule is part of `Passage`)


def touches(left: Span, right: Span) -> bool:
    """Whether `right` begins in the document where `left` ends."""
    return left.doc_id == right.doc_id and left.end == right.start


def quote_of(parts: Sequence[tuple[Span, str]]) -> tuple[str, tuple[Span, ...]]:
    """The text and support of a quote made of (span, text of the span), in that order; spans that touch become one."""
    text: list[str] = []
    support: list[Span] = []
    for span, words in parts:
        if support and touches(support[-1], span):
            support[-1] = Span(span.doc_id, support[-1].start, span.end)
        else:
            if support:
                text.append(JOINT)
            support.append(span)
        text.append(words)
    return "".join(text), tuple(support)


def pieces(passage: Passage) -> list[tuple[int, Span]]:
    """Where in a quote's text each of its spans begins; `ProvenanceError` if the spans do not make up the text."""
    found: list[tuple[int, Span]] = []
    at = 0
    for span in passage.support:
        if found and not touches(found[-1][1], span):
            at += len(JOINT)
        found.append((at, span))
        at += span.end - span.start
    if at != len(passage.text):
        raise ProvenanceError(f"a quote of {len(passage.text)} characters cannot be its spans' {at}: {passage.support}")
    return found


def narrowed(passage: Passage, start: int, end: int) -> Passage:
    """The passage cut to characters `start` to `end` of its text: a quote's support shrinks with it, a rewrite keeps its own.

    `ProvenanceError` if nothing of a span is left.
    """
    if passage.kind == "rewrite":
        return replace(passage, text=passage.text[start:end])
    kept = support_of(passage, start, end)
    if not kept:
        raise ProvenanceError(f"characters {start}..{end} of a quote hold nothing of its spans {passage.support}")
    first, last = kept[0][0], kept[-1]
    text = passage.text[first : last[0] + last[1].end - last[1].start]
    return replace(passage, text=text, support=tuple(span for _, span in kept))


def support_of(passage: Passage, start: int, end: int) -> list[tuple[int, Span]]:
    """The spans behind characters `start` to `end` of a quote's text, each with where it begins in that text."""
    kept = []
    for at, span in pieces(passage):
        length = span.end - span.start
        low, high = max(start, at), min(end, at + length)
        if low < high:
            kept.append((low, Span(span.doc_id, span.start + low - at, span.start + high - at)))
    return kept
