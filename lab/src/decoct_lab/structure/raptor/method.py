"""RAPTOR: a tree of summaries over a library (Sarthi et al., ICLR 2024), as a structure.

1. *Leaves*: each document's sentences, packed to `leaf_tokens` tokens, across whatever chunks the library has; none tears a sentence.
2. *Above them*: clusters of clusters (`cluster`), each with a summary of at most `summary_tokens` tokens, by a model or (without one)
   its most central sentences (`decoct_lab.structure.summaries`). At most `layers` layers.
3. New, changed and removed documents join or leave the tree (`grow`); it is grown anew once as many have as were clustered.

Kept from the authors' code: leaf and summary length, the clustering's numbers, the order of steps. Ours: sentences are found by our own
rules; a title is embedded with its leaf, as with a chunk of the library; the prompt's words. A summary that the model fails on is made
without it and counted (`raptor.summary_failed`); a model that cannot be reached ends the build, and the next one goes on there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Literal

from decoct.budget import SupportsOffsets, Tokenizer
from decoct.chunking.sentence import SentencePacked
from decoct.data import Span
from decoct.errors import MissingExtraError
from decoct.llm.base import LLM
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.leaves import chunks_holding
from decoct_lab.structure.raptor.cluster import Clustering
from decoct_lab.structure.raptor.grow import Tools, tree_above, tree_brought_up_to_date
from decoct_lab.structure.stored_tree import embedded, read_tree, write_tree
from decoct_lab.structure.summaries import Central, Summarising, SummaryWriter
from decoct_lab.structure.tree import Node

FORMAT = 1
# What a build was seen to ask: a summary for every fourth leaf, over all layers, of which each reads the layer below about once.
_LEAVES_A_SUMMARY, _READ = 4, 1.5


@dataclass(frozen=True, slots=True)
class RaptorTree:
    """Builds the tree.

    `layout`, `dimensions`, `membership`, `most`, `neighbours`, `longest` and `seed` are the clustering's, with the numbers of the authors'
    code (`cluster`).
    """

    tokenizer: Tokenizer
    offsets: SupportsOffsets
    llm: LLM | None = None
    leaf_tokens: int = 100
    summary_tokens: int = 100
    layers: int = 5
    layout: Literal["umap", "pca"] = "umap"
    dimensions: int = 10
    membership: float = 0.1
    most: int = 50
    neighbours: int = 10
    longest: int = 3500
    seed: int = 224

    def __post_init__(self) -> None:
        if min(self.leaf_tokens, self.summary_tokens) < 10 or self.layers < 1:
            raise ValueError("leaf_tokens and summary_tokens at least 10, layers at least 1")
        self._clustering()
        if self.layout == "umap" and find_spec("umap") is None:  # said now, not after the leaves were read
            raise MissingExtraError("the structure 'raptor'", "structured", "decoct-lab")

    @property
    def fingerprint(self) -> str:
        """Format, leaves, clustering and what writes the summaries."""
        shape = [FORMAT, self.leaf_tokens, self.layers, repr(self._clustering()), self._summariser().fingerprint]
        return "raptor:" + json.dumps(shape)

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return self.llm.fingerprint if self.llm is not None else ""

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """About what the summaries of these documents' leaves will cost."""
        if self.llm is None:
            return Spending()
        counts = [self.tokenizer.count(one.document.text) for one in documents]
        leaves = sum(-(-count // self.leaf_tokens) for count in counts)
        calls = -(-leaves // _LEAVES_A_SUMMARY)
        own = sum(self.tokenizer.count(turn.content) for turn in _prompt().turns)
        return Spending(calls, 0, round(_READ * sum(counts)) + calls * own, calls * self.summary_tokens)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """The leaves of each document, with the chunks that hold them."""
        cut = SentencePacked(self.offsets, self.leaf_tokens)
        found = []
        for one in documents:
            leaves = [
                [leaf.span.start, leaf.text, list(keys)]
                for leaf in cut.chunk(one.document)
                if (keys := chunks_holding(leaf.span, one.chunks))
            ]
            found.append(Part(json.dumps([one.document.title, leaves]).encode()))
        return found

    def put_together(self, workshop: Workshop) -> None:
        """Grow the tree, or let that of before follow."""
        leaves = list(_leaves(workshop.parts()))
        tools = self._tools(workshop)
        nodes: Mapping[int, Node]
        clustered, moved = len(leaves), 0
        if (tree := read_tree(workshop.before) if workshop.before is not None else None) is not None and tree.layers:
            vectors = {node.key: tree.vectors[row] for row, node in enumerate(tree.nodes)}
            clustered = int(tree.facts["clustered"])
            present = {(leaf.spans, leaf.text) for leaf in leaves}
            old = {(node.spans, node.text) for node in tree.nodes if node.layer == 0}
            moved = int(tree.facts["moved"]) + len(present ^ old)
        if tree is not None and tree.layers and moved <= clustered:
            nodes, _ = tree_brought_up_to_date({node.key: node for node in tree.nodes}, vectors, leaves, tools)
        else:
            clustered, moved = len(leaves), 0
            nodes = tree_above(leaves, tools)
        write_tree(workshop.folder, nodes.values(), {"clustered": clustered, "moved": moved})

    def _tools(self, workshop: Workshop) -> Tools:
        summaries = Summarising(workshop, self._summariser(), Central(self.tokenizer, self.summary_tokens), "raptor")
        return Tools(
            self._clustering(),
            self.layers,
            summaries.of,
            lambda layer, nodes: embedded(workshop, layer, nodes),
            lambda nodes: self.tokenizer.counts([node.text for node in nodes]),
        )

    def _clustering(self) -> Clustering:
        return Clustering(
            self.layout, self.dimensions, self.membership, self.most, self.neighbours, self.longest, self.seed
        )

    def _summariser(self) -> Central | SummaryWriter:
        if self.llm is None:
            return Central(self.tokenizer, self.summary_tokens)
        return SummaryWriter(self.llm, _prompt(), self.summary_tokens)


def _leaves(parts: Iterable[tuple[str, bytes]]) -> Iterator[Node]:
    key = 0
    for doc_id, body in parts:
        title, leaves = json.loads(body)
        for start, text, chunks in leaves:
            yield Node(key, 0, text, (Span(doc_id, start, start + len(text)),), title=title, chunks=tuple(chunks))
            key += 1


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.structure.raptor", "summary", ("text", "words"))
