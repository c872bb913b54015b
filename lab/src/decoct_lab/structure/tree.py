"""Nodes of a tree over documents: leaves quote them, inner nodes say what lies below, and each knows the characters that it speaks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from decoct.data import PassageKind, Span
from decoct.errors import ProvenanceError

BETWEEN = "\n"  # between the spans of a quote, in what is embedded and counted


@dataclass(frozen=True, slots=True)
class Node:
    """A text and the `spans` behind it: exactly its words where it is a `quote`, all that was read for it where a model wrote it.

    `key` is its number in its tree, `layer` how many steps it stands above the leaves (0), `children` the keys below it; `title` says
    whose text it is: the document's title, or the path of headings down to it. `chunks` are a leaf's: the keys of the library's chunks
    that hold it, the one with most of it first.
    """

    key: int
    layer: int
    text: str
    spans: tuple[Span, ...]
    kind: PassageKind = "quote"
    children: tuple[int, ...] = ()
    title: str = ""
    chunks: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.spans:
            raise ProvenanceError("a node needs at least one span")
        if self.kind == "quote" and len(self.text) != length(self.spans):
            raise ProvenanceError(f"a node that quotes must have the length of its spans {self.spans}")

    def quotes(self) -> list[tuple[Span, str]]:
        """Of a quote: each span with its text."""
        found, at = [], 0
        for span in self.spans:
            past = at + span.end - span.start
            found.append((span, self.text[at:past]))
            at = past + len(BETWEEN)
        return found


def length(spans: tuple[Span, ...]) -> int:
    """Characters of the spans' texts with `BETWEEN` between them."""
    return sum(span.end - span.start for span in spans) + len(BETWEEN) * (len(spans) - 1)


def joined_quote(quotes: Iterable[tuple[Span, str]]) -> tuple[str, tuple[Span, ...]]:
    """Text and spans of a quote of these words in the order of the documents; spans that touch become one."""
    text: list[str] = []
    spans: list[Span] = []
    for span, words in sorted(quotes):
        if spans and (spans[-1].doc_id, spans[-1].end) == (span.doc_id, span.start):
            spans[-1] = Span(span.doc_id, spans[-1].start, span.end)
        else:
            text += [BETWEEN] * bool(spans)
            spans.append(span)
        text.append(words)
    return "".join(text), tuple(spans)


def title_of(nodes: Iterable[Node]) -> str:
    """The title that all of the nodes have; empty where they have several."""
    titles = {node.title for node in nodes}
    return titles.pop() if len(titles) == 1 else ""


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters in as few spans as hold them, by document and place."""
    found: list[Span] = []
    for doc_id, own in groupby(sorted(spans), key=lambda span: span.doc_id):
        start = end = -1
        for span in own:
            if span.start > end:
                if end > start:
                    found.append(Span(doc_id, start, end))
                start = span.start
            end = max(end, span.end)
        found.append(Span(doc_id, start, end))
    return tuple(found)


def leaves_below(nodes: Mapping[int, Node], key: int) -> list[int]:
    """The keys of the leaves under a node (itself where it is one), each once, in the order of its children."""
    found: dict[int, None] = {}
    left, seen = [key], {key}
    while left:
        node = nodes[left.pop()]
        if node.layer == 0:
            found[node.key] = None
            continue
        fresh = [child for child in node.children if child in nodes and child not in seen]
        seen.update(fresh)
        left.extend(reversed(fresh))
    return list(found)
