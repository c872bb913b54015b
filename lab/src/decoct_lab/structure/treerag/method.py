"""TreeRAG-style trees as a structure: every chunk under the sections that it stands in, each section a node that can be found.

The paper's text is not public; known are that documents are chunked into a tree, that a chunk carries its path, and that retrieval walks
the tree both ways (Tao et al., Findings of ACL 2025). The rest is settled here.

1. *Sections* of a document, at most `depth` deep: its headings; where it has none and more than `few` chunks, an outline by a model
   (`outline`); without a model, cuts where neighbouring chunks are least alike (`sections`).
2. *Nodes*: the library's chunks are the leaves; a section with several of them is an inner node, and so is a document with several.
   A node's title is its path: the document's title and the headings above it. It is embedded with the text.
3. *An inner node says* what is below it in at most `summary_tokens` tokens: by a model, or its most central sentences.

Everything looks at one document alone, so what changes costs what it is. Where the model fails on an outline the cuts take its place, on a
summary the sentences; both are counted, and tried again by the next build.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from decoct.budget import Tokenizer
from decoct.data import Span
from decoct.errors import ModelError
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.stored_tree import embedded, write_tree
from decoct_lab.structure.summaries import Central, Summary, SummaryWriter, quotes_of
from decoct_lab.structure.tree import Node
from decoct_lab.structure.treerag import outline
from decoct_lab.structure.treerag.sections import ChunkSection, from_headings, from_similarity

FORMAT = 1
BETWEEN_TITLES = " › "


@dataclass(slots=True)
class _Grown:
    """A document's tree while it grows: nodes by key (leaves first), inner ones without words; `failed` as in `Part`."""

    document: Chunked
    sections: Sequence[ChunkSection]
    failed: list[str]
    nodes: dict[int, Node]


@dataclass(frozen=True, slots=True)
class SectionTrees:
    """Builds a tree for each document."""

    tokenizer: Tokenizer
    llm: LLM | None = None
    depth: int = 3
    few: int = 4
    summary_tokens: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 6 or self.few < 1 or self.summary_tokens < 10:
            raise ValueError("depth from 1 to 6, few at least 1, summary_tokens at least 10")

    @property
    def fingerprint(self) -> str:
        """Format, shape and what writes outlines and summaries."""
        by = self._written()
        shape = [FORMAT, self.depth, self.few, by.fingerprint if by is not None else self._central().fingerprint]
        return "treerag:" + json.dumps([*shape, outline.prompt().fingerprint] if by is not None else shape)

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return self.llm.fingerprint if self.llm is not None else ""

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """An outline for each long document without headings, a summary for each section, as many as there can be."""
        if self.llm is None:
            return Spending()
        calls = prompt = completion = 0
        for one in documents:
            tokens = self.tokenizer.count(one.document.text)
            asked = outline.requests(one.document.title, one.chunks, self.tokenizer) if self._to_outline(one) else []
            plain = sum(section.past - section.first > 1 for section in self._plain(one)) + (len(one.chunks) > 1)
            nodes = max(len(one.chunks) - 1, 0) if asked else plain  # a tree of n leaves has at most n - 1 inner nodes
            calls += len(asked) + nodes
            prompt += tokens * bool(asked) + tokens * self.depth * bool(nodes) + 120 * (len(asked) + nodes)
            completion += outline.REPLY * len(asked) + self.summary_tokens * nodes
        return Spending(calls, 0, prompt, completion)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Each document's tree, its nodes numbered from 0."""
        trees = [_Grown(one, *outlined, {}) for one, outlined in zip(documents, self._sections(documents), strict=True)]
        for tree in trees:
            tree.nodes = _nodes(tree.document, tree.sections)
        for layer in range(1, self.depth + 2):
            self._summarise(trees, layer)
        return [
            Part(json.dumps([_packed(node) for node in one.nodes.values()]).encode(), tuple(one.failed))
            for one in trees
        ]

    def put_together(self, workshop: Workshop) -> None:
        """All trees in one file, a layer's vectors in one."""
        nodes: list[Node] = []
        for doc_id, body in workshop.parts():
            nodes += _unpacked(doc_id, json.loads(body), len(nodes))
        for layer in range(max((node.layer for node in nodes), default=-1) + 1):
            embedded(workshop, layer, [node for node in nodes if node.layer == layer])
        write_tree(workshop.folder, nodes, {})

    def _sections(self, documents: Sequence[Chunked]) -> Iterator[tuple[Sequence[ChunkSection], list[str]]]:
        asked = {
            number: outline.requests(one.document.title, one.chunks, self.tokenizer)
            for number, one in enumerate(documents)
            if self.llm is not None and self._to_outline(one)
        }
        every = [request for own in asked.values() for request in own]
        replies = iter(self.llm.complete(every) if self.llm is not None and every else ())
        outcomes = {number: [next(replies) for _ in own] for number, own in asked.items()}
        errors = [one for own in outcomes.values() for one in own if isinstance(one, ModelError)]
        if errors and len(errors) == len(every) and all(error.retryable for error in errors):
            raise errors[0]
        for number, one in enumerate(documents):
            if number not in outcomes:
                yield self._plain(one), []
                continue
            found = outline.read(outcomes[number], len(one.chunks), self.depth)
            yield found.sections or self._plain(one), list(found.failed)

    def _to_outline(self, one: Chunked) -> bool:
        return len(one.chunks) > self.few and not from_headings(one.document, one.chunks, self.depth)

    def _plain(self, one: Chunked) -> list[ChunkSection]:
        """The sections without a model."""
        found = from_headings(one.document, one.chunks, self.depth)
        return found or from_similarity([chunk.text for chunk in one.chunks], self.depth, self.few)

    def _summarise(self, trees: Sequence[_Grown], layer: int) -> None:
        """Give the inner nodes of a layer their words, over all trees in one batch."""
        todo = [(tree, node) for tree in trees for node in tree.nodes.values() if node.layer == layer]
        groups = [[tree.nodes[child] for child in node.children] for tree, node in todo]
        by = self._written()
        outcomes: Sequence[Summary | ModelError]
        if by is None or not todo:
            outcomes = [self._central().summary(group) for group in groups]
        else:
            outcomes = by.summaries(groups)
            errors = [one for one in outcomes if isinstance(one, ModelError)]
            if errors and len(errors) == len(outcomes) and all(error.retryable for error in errors):
                raise errors[0]
        for (tree, node), group, outcome in zip(todo, groups, outcomes, strict=True):
            summary = outcome
            if isinstance(summary, ModelError):
                tree.failed.append(f"summary: {summary}")
                summary = self._central().summary(quotes_of(group, tree.nodes))
            tree.nodes[node.key] = replace(node, text=summary.text, spans=summary.spans, kind=summary.kind)

    def _central(self) -> Central:
        return Central(self.tokenizer, self.summary_tokens)

    def _written(self) -> SummaryWriter | None:
        return SummaryWriter(self.llm, _prompt(), self.summary_tokens) if self.llm is not None else None


def _nodes(one: Chunked, sections: Sequence[ChunkSection]) -> dict[int, Node]:
    """Leaves and inner nodes; an inner node's words are for the time being those of its first leaf."""
    chunks = one.chunks
    root = [one.document.title] if one.document.title else []
    paths = [list(root) for _ in chunks]
    for section in sections:
        for number in range(section.first, section.past):
            paths[number] += [section.title] * (bool(section.title) and section.title not in paths[number])
    nodes = {
        number: Node(
            number, 0, chunk.text, (chunk.span,), title=BETWEEN_TITLES.join(paths[number]), chunks=(chunk.key,)
        )
        for number, chunk in enumerate(chunks)
    }
    whole = ChunkSection("", 0, 0, len(chunks))
    _inner(whole, [section for section in sections if section.past - section.first > 1], root, nodes)
    return nodes


def _inner(section: ChunkSection, inside: Sequence[ChunkSection], path: Sequence[str], nodes: dict[int, Node]) -> int:
    """Add the node of a section and those inside it; its key (of its one child, where it has one)."""
    here = [*path, section.title] if section.title and section.title not in path else list(path)
    children: list[int] = []
    at = section.first
    while inside and at < section.past:
        part, rest = inside[0], [one for one in inside[1:] if one.first < inside[0].past]
        children += range(at, part.first)
        children.append(_inner(part, rest, here, nodes))
        at = part.past
        inside = [one for one in inside if one.first >= at]
    children += range(at, section.past)
    if len(children) == 1:
        return children[0]
    if not children:
        return -1
    layer = 1 + max(nodes[child].layer for child in children)
    first = nodes[children[0]]
    key = len(nodes)
    nodes[key] = Node(key, layer, first.text, first.spans, first.kind, tuple(children), BETWEEN_TITLES.join(here))
    return key


def _packed(node: Node) -> list[Any]:
    places = [[span.start, span.end] for span in node.spans]
    return [node.layer, node.text, places, node.kind, list(node.children), node.title, list(node.chunks)]


def _unpacked(doc_id: str, rows: Sequence[Any], first: int) -> Iterator[Node]:
    for number, (layer, text, places, kind, children, title, chunks) in enumerate(rows):
        spans = tuple(Span(doc_id, start, end) for start, end in places)
        below = tuple(first + child for child in children)
        yield Node(first + number, layer, text, spans, kind, below, title, tuple(chunks))


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.structure.treerag", "summary", ("text", "words"))
