"""MergeRAG: merge retrieved passages, seen from the question, until they fit the budget.

Guo et al. 2026, "Rethinking Retrieval-Augmentation as Synthesis: A Query-Aware Context Merging Approach" (arXiv 2603.20286). While
the passages are over the budget and more than one: choose pairs (`decoct.context.merge.step`), merge each by the operator M (a
`Fuser`), score what came out again. Sequential: one pair a turn (Algorithms 1, 2). Hierarchical: all disjoint pairs of a layer at once,
the budget looked at between layers only (Algorithms 3, 4); depth <= ceil(log2 n).

Kept: all of that. Every point the paper leaves open is a field, its default as lab/docs/methods.md has it (no other is an option):

- `n` passages are merged, the best of the ranking; lower ones are not seen.
- `concurrency` (B) pairs are handed to the fuser at once. Results stand by pair, so neither B nor the order of completion changes anything.
- `rescore`: merged passages are scored by the scorer again; `max`, `mean`, `len_weighted` take it from the parts. Without a scorer the
  ranking's own scores count, and a merged passage has the better one's.
- `pair_order`: in symmetric merging the better passage stands first in the prompt and the text.
- `affinity` of asymmetric merging is the laboratory's `cache-lm` where none is named.
- `order` of the merged passages in the context: `score_desc`, `score_asc`, `document`, `sides` (as the step `order` has them).
- `grow_policy`: a merged text that is not shorter than its parts together is replaced by `fallback`'s (extractive), cut to that length;
  `cut` cuts the grown text itself.
- Nothing relevant: symmetric merging drops both, asymmetric keeps the anchor as it is; the last passages are never all dropped. A
  fuser that is told its room (`extract`) says so itself when an anchor stays: what it leaves out is dropped.
- `overflow`: one passage left and still too long is cut by sentences, the least relevant first (`trim`), or handed on as it is
  (`paper`; the assembly then cuts its end, since the budget is hard).
- `layer_mode="just_enough"` (ours) makes only as many pairs as are probably needed, by the mean shrinking seen so far.

Ours: what a fuser that is told its room chose is told by document (`by_document`), each under its own title, so that every line says
whose it is; neighbours of one document are one passage first (windows that overlap would otherwise be merged with their own text); the
scorer and the affinity read titles too; the budget is measured on the rendered text, titles and numbers included; every merged text that
our fusers make is a quote with exact spans, so provenance survives all layers; a record a pair goes into the note "merges". Passages that
a model has already rewritten cannot be quoted, so they are not merged: they follow the merged ones.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from decoct import registry, trace
from decoct.budget import Budget
from decoct.context.base import Affinity, Fused, Fuser, FusesWithin, Layout
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.quotes import (
    BETWEEN_TITLES,
    Spread,
    check_provenance,
    passage_of_ranges,
    pieces,
    quote_of,
    support_of,
    unshown,
)
from decoct.context.sentence_judge import judged
from decoct.context.steps import Order
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ConfigError, ModelError
from decoct.retrieve.base import Scorer
from decoct.text.sentences import sentences
from decoct.text.wholes import Place


# What merging did, a record a pair: the note "merges" of a context.
@dataclass(frozen=True, slots=True)
class MergeRecord:
    """Two passages became one, or less; or one that had no partner was cut where its layer was given its room.

    `inputs` are ids, the anchor (or the better one) first: of a retrieved passage `document:start-end`, of a merged one `merge-N`.
    `output` is None where nothing of either was kept, and the anchor's own id where it stayed as it was. `scores` are those of the inputs;
    `affinity` is NLL(source | anchor), None without one. Tokens are the reader's, of the texts alone. `kept` is the support of what
    remained, `dropped` the sentences of the inputs that did not. `how` is "fused", or the fallback that was taken.
    """

    layer: int
    inputs: tuple[str, ...]
    output: str | None
    scores: tuple[float, ...]
    affinity: float | None
    tokens_before: int
    tokens_after: int
    kept: tuple[Span, ...]
    dropped: tuple[Span, ...]
    how: str = "fused"

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data."""
        return {name: list(told) if isinstance(told, tuple) else told for name, told in asdict(self).items()}


# Cut one passage to what fits, by sentences: the least relevant go first, the rest keep their order (lab/docs/methods.md, `overflow`).
def trimmed(question: str, passage: Passage, fits: Callable[[Passage], bool]) -> Passage:
    """The best sentences of the quote `passage` for which `fits` holds; its best one alone if none fits with another.

    `fits` is asked O(log sentences) times, on passages that hold ever more of the sentences by their worth.
    """
    (places,), (worth,) = judged(question, [passage])
    ranked = sorted(range(len(places)), key=lambda at: (-worth[at], at))

    def too_many(count: int) -> bool:
        return not fits(_of(passage, [places[at] for at in ranked[:count]]))

    fitting = 1 + bisect_left(range(2, len(ranked) + 1), True, key=too_many)
    best = ranked[:fitting]
    for at in ranked[fitting + 1 :]:  # a shorter one may still fit where a longer one did not
        if fits(_of(passage, [places[n] for n in (*best, at)])):
            best.append(at)
    return _of(passage, [places[at] for at in best])


def _of(passage: Passage, places: list[Place]) -> Passage:
    return passage_of_ranges([(passage, sorted(places))]) or passage


@dataclass(frozen=True, slots=True)
class Merge:
    """Merges passages until they fit; see the module for the fields."""

    fuser: Fuser
    strategy: Literal["symmetric", "asymmetric"] = "symmetric"
    scorer: Scorer | None = None
    affinity: Affinity | None = None
    schedule: Literal["hierarchical", "sequential"] = "hierarchical"
    layer_mode: Literal["full", "just_enough"] = "full"
    n: int = 20
    concurrency: int = 8
    rescore: Literal["scorer", "max", "mean", "len_weighted"] = "scorer"
    pair_order: Literal["score_desc", "score_asc"] = "score_desc"
    order: Literal["score_desc", "score_asc", "document", "sides"] = "score_desc"
    grow_policy: Literal["fallback_extract", "cut"] = "fallback_extract"
    overflow: Literal["trim", "paper"] = "trim"
    fallback: Fuser = field(default_factory=Extract)
    layout: Layout = field(default_factory=Numbered)

    def __post_init__(self) -> None:
        if self.n < 1 or self.concurrency < 1:
            raise ConfigError("merge: n and concurrency must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The merged passages in the order asked for, and a record of each merge in the note "merges"."""
        taken = draft.passages[: self.n]
        aside = tuple(passage for passage in taken if passage.kind == "rewrite")
        if aside:
            trace.fallback("merge.rewritten", len(aside))
        tree = Tree(self, query.text, budget, aside)
        nodes = tree.grow(leaves([p for p in taken if p.kind == "quote"], budget))
        trace.count(merges=len(tree.records), merge_layers=tree.layer)
        passages = self._ordered(query, tree.told(node.passage for node in nodes), budget)
        notes = {**draft.notes, "merges": (*draft.notes.get("merges", ()), *tree.records)}
        return replace(draft, passages=passages + aside, notes=notes)

    def _ordered(self, query: Query, best_first: tuple[Passage, ...], budget: Budget) -> tuple[Passage, ...]:
        if self.order == "score_desc" or len(best_first) < 2:
            return best_first
        if self.order == "score_asc":
            return best_first[::-1]
        return Order(self.order, self.layout).apply(query, Draft(best_first), budget).passages


# Before anything was merged: the paper's worked example shrinks 763 tokens to 361.
_USUAL_SHRINK = 0.5
# A merge keeps at least this of its pair when only a little has to go, so that no turn of sequential merging empties it.
_LEAST_SHARE = 0.3
# Leaves that are so many times over by their own tokens are over together: no tokenizer counts half because texts stand side by side.
_FAR_OVER = 2
_WHOLE_LAYERS = ("hierarchical", "full")


class Tree:
    """State of one run: `records` so far, `layer` the number of layers made."""

    def __init__(self, step: Merge, question: str, budget: Budget, aside: tuple[Passage, ...]) -> None:
        self.step, self.question, self.budget, self.aside = step, question, budget, aside
        self.records: list[MergeRecord] = []
        self.layer = 0
        self._made = 0
        self._titles: dict[str, str] = {}
        self._before = self._after = 0
        self._counted: dict[str, int] = {}
        # Asked once: of a protocol that is a look at each of its methods.
        self._within_room = isinstance(step.fuser, FusesWithin)

    def grow(self, leaves: Sequence[MergeNode]) -> list[MergeNode]:
        """The merged nodes, best first, that fit the budget together (or one, cut as `overflow` says)."""
        for leaf in leaves:
            for span in leaf.passage.support:
                self._titles.setdefault(span.doc_id, leaf.passage.title)
        self._made = len(leaves)
        nodes = _best_first(leaves)
        over = self._over_at_first(nodes)
        if over > 0 and len(nodes) > 1:
            nodes = _best_first(self._scored(nodes, leaves=True))
        while over > 0 and len(nodes) > 1:
            self.layer += 1
            nodes = _best_first(self._merged(nodes, over))
            over = self._over(nodes)
        if over > 0 and nodes and self.step.overflow == "trim":
            (node,) = nodes
            trace.fallback("merge.trimmed")
            cut = titled(trimmed(self.question, node.passage, lambda p: self._left([p]) >= 0), self._titles)
            nodes = [replace(node, passage=cut, tokens=self.budget.count(cut.text))]
        return nodes

    def _tokens(self, text: str) -> int:
        """Tokens of a merged text; it is looked at as a result and as a node."""
        if text not in self._counted:
            self._counted[text] = self.budget.count(text)
        return self._counted[text]

    def _over_at_first(self, nodes: Sequence[MergeNode]) -> int:
        """`_over`, guessed from the leaves' own tokens where they are far over and whole layers are merged, which only ask whether."""
        tokens = sum(node.tokens for node in nodes)
        if tokens >= _FAR_OVER * self.budget.limit and (self.step.schedule, self.step.layer_mode) == _WHOLE_LAYERS:
            return tokens - self.budget.limit
        return self._over(nodes)

    def told(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        """The passages as the context tells them: by document where the fuser only chose sentences of a whole layer."""
        return by_document(passages, self._titles) if self._within_room else tuple(passages)

    def _over(self, nodes: Sequence[MergeNode]) -> int:
        return -self._left(node.passage for node in nodes)

    def _left(self, passages: Iterable[Passage]) -> int:
        """Tokens that the limit leaves beside them, negative where they are over."""
        text = self.step.layout.render(Draft((*self.told(passages), *self.aside)))
        return self.budget.limit - self.budget.count(text)

    # -- one layer ------------------------------------------------------------------------------------------------
    def _merged(self, nodes: list[MergeNode], over: int) -> list[MergeNode]:
        pairs = self._pairs(nodes, self._most(nodes, over))
        paired = {node.order for pair in pairs for node in (pair.first, pair.second)}
        left = [node for node in nodes if node.order not in paired]
        fused, left = self._fused(pairs, left, over)
        fresh: list[MergeNode] = []
        for pair, (passage, how) in zip(pairs, fused, strict=True):
            node = self._node(pair, passage, how)
            if node is not None:
                (left if node is pair.first else fresh).append(node)
        found = left + self._scored(fresh, leaves=False)
        if not found:
            trace.fallback("merge.all_dropped")
            found = [max(nodes, key=lambda node: (node.score, -node.order))]
        return found

    def _most(self, nodes: Sequence[MergeNode], over: int) -> int:
        if self.step.schedule == "sequential":
            return 1
        most = len(nodes) // 2
        if self.step.layer_mode == "full":
            return most
        shrink = self._after / self._before if self._before else _USUAL_SHRINK
        saved = max(1.0, (1 - shrink) * 2 * sum(node.tokens for node in nodes) / len(nodes))
        return min(most, max(1, math.ceil(over / saved)))

    def _pairs(self, nodes: Sequence[MergeNode], most: int) -> list[Pair]:
        if self.step.strategy == "symmetric":
            return symmetric(nodes, most, self.step.pair_order == "score_desc")
        affinity = self.step.affinity or registry.load("affinity", "cache-lm", "merge.affinity")()
        with trace.stage("affinity"):
            return asymmetric(nodes, most, affinity, [self._read(node) for node in nodes])

    def _fused(
        self, pairs: Sequence[Pair], left: list[MergeNode], over: int
    ) -> tuple[list[tuple[Passage | None, str]], list[MergeNode]]:
        """What became of each pair, and the nodes without a partner (cut too, where the fuser is told its room)."""
        given = [(pair.first.passage, pair.second.passage) for pair in pairs]
        with trace.stage("fuse"):
            if isinstance(self.step.fuser, FusesWithin):
                found, left = self._within(self.step.fuser, given, left, over)
            else:
                size = self.step.concurrency
                batches = [given[at : at + size] for at in range(0, len(given), size)]
                found = [passage for batch in batches for passage in self.step.fuser.fuse(self.question, batch)]
            return [self._checked(*one) for one in zip(pairs, found, strict=True)], left

    def _within(
        self, fuser: FusesWithin, given: list[tuple[Passage, Passage]], left: list[MergeNode], over: int
    ) -> tuple[Fused, list[MergeNode]]:
        """One layer that fits, nodes without a partner cut with it; or, merging no more than needed, one that loses what is over."""
        if (self.step.schedule, self.step.layer_mode) == _WHOLE_LAYERS:
            groups = [*given, *((node.passage,) for node in left)]
            found = fuser.fuse_within(self.question, groups, lambda found: self._left(filter(None, found)))
            alone = [self._cut(*one) for one in zip(left, found[len(given) :], strict=True)]
            return found[: len(given)], [node for node in alone if node is not None]
        counts = self.budget.tokenizer.counts
        before = sum(counts([passage.text for pair in given for passage in pair]))
        room = max(int(_LEAST_SHARE * before), before - over)
        found = fuser.fuse_within(self.question, given, lambda found: room - sum(counts([p.text for p in found if p])))
        return found, left

    def _cut(self, node: MergeNode, passage: Passage | None) -> MergeNode | None:
        """The node with what is left of its passage, and a record if that is less."""
        if passage is not None and passage.text == node.passage.text:
            return node
        tokens = self._tokens(passage.text) if passage is not None else 0
        support = passage.support if passage is not None else ()
        kept_id = node.id if passage is not None else None
        gone = _dropped((node,), support)
        self.records.append(
            MergeRecord(self.layer, (node.id,), kept_id, (node.score,), None, node.tokens, tokens, support, gone, "cut")
        )
        if passage is None:
            return None
        check_provenance(passage, (node.passage,))
        return replace(node, passage=titled(replace(passage, score=node.score), self._titles), tokens=tokens)

    def _checked(self, pair: Pair, passage: Passage | None) -> tuple[Passage | None, str]:
        """The fuser's result as a quote that is shorter than its parts, and how it came about."""
        how = "fused"
        if passage is not None and passage.kind == "rewrite":  # no layer builds on words that no document says
            trace.fallback("merge.unverified")
            passage, how = None, "unverified"
        if passage is None and how == "fused":
            return None, "no room" if self._within_room else "nothing"
        most = pair.first.tokens + pair.second.tokens
        if passage is not None:
            check_provenance(passage, (pair.first.passage, pair.second.passage))
            # Told its room, a fuser may keep all of a pair and nothing of another: only the whole layer has to shrink.
            if self._tokens(passage.text) < most + self._within_room:
                return titled(passage, self._titles), how
            trace.fallback("merge.grew")
            how = "grew"
        if passage is None or self.step.grow_policy == "fallback_extract":
            (passage,) = self.step.fallback.fuse(self.question, [(pair.first.passage, pair.second.passage)])
        if passage is not None and self._tokens(passage.text) > most:
            passage = trimmed(self.question, passage, lambda p: self.budget.count(p.text) <= most)
        return (titled(passage, self._titles) if passage else None), how

    def _node(self, pair: Pair, passage: Passage | None, how: str) -> MergeNode | None:
        before = pair.first.tokens + pair.second.tokens
        if passage is None:
            node = pair.first if self.step.strategy == "asymmetric" and how == "nothing" else None
        else:
            score = self._inherited(pair)
            named, tokens = f"merge-{len(self.records) + 1}", self._tokens(passage.text)
            node = MergeNode(named, self._made, replace(passage, score=score), score, tokens)
            self._made += 1
        after = node.tokens if node else 0
        self._before, self._after = self._before + before, self._after + after
        support = node.passage.support if node else ()
        self.records.append(
            MergeRecord(
                self.layer, (pair.first.id, pair.second.id), node.id if node else None, (pair.first.score, pair.second.score),
                pair.affinity, before, after, support, _dropped((pair.first, pair.second), support), how,
            )
        )  # fmt: skip
        return node

    # -- scores ---------------------------------------------------------------------------------------------------
    def _inherited(self, pair: Pair) -> float:
        (a, b), (la, lb) = (pair.first.score, pair.second.score), (pair.first.tokens, pair.second.tokens)
        if self.step.rescore == "mean":
            return (a + b) / 2
        if self.step.rescore == "len_weighted" and la + lb:
            return (a * la + b * lb) / (la + lb)
        return max(a, b)

    def _scored(self, nodes: list[MergeNode], *, leaves: bool) -> list[MergeNode]:
        """The nodes with the scorer's scores; as they are where there is none, or where merged ones inherit theirs."""
        scorer = self.step.scorer
        if scorer is None or not nodes or not (leaves or self.step.rescore == "scorer"):
            return nodes
        with trace.stage("score"):
            try:
                scores = scorer.score(self.question, [self._read(node) for node in nodes])
            except ModelError as error:
                trace.fallback(f"merge.score.{error.code}")
                return nodes
        found = []
        for node, score in zip(nodes, np.asarray(scores, np.float64).tolist(), strict=True):
            if math.isnan(score):
                trace.fallback("merge.score.not_a_number")
            value = node.score if math.isnan(score) else score
            found.append(replace(node, score=value, passage=replace(node.passage, score=value)))
        return found

    def _read(self, node: MergeNode) -> str:
        passage = node.passage
        return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def _best_first(nodes: Sequence[MergeNode]) -> list[MergeNode]:
    return sorted(nodes, key=lambda node: (-node.score, node.order))


def _dropped(nodes: Sequence[MergeNode], kept: Sequence[Span]) -> tuple[Span, ...]:
    """The sentences of the inputs that no kept span overlaps."""
    shown = Spread()
    for span in kept:
        shown.add(span)
    gone = []
    for node in nodes:
        for start, end in sentences(node.passage.text):
            for _, span in support_of(node.passage, start, end):
                if shown.missing(span) == [span]:
                    gone.append(span)
    return tuple(gone)


# The passages being merged: what the tree's leaves are, and what is known of every node.
#
# Retrieved quotes of one document that overlap or touch become one leaf first (contextual reranking without a budget): windows
# that overlap would otherwise be merged with their own text. A leaf takes rank, score and title of its best member.
@dataclass(frozen=True, slots=True)
class MergeNode:
    """A passage of the tree. `order` is its place among all nodes ever made: leaves by rank, then merges as they came."""

    id: str
    order: int
    passage: Passage
    score: float
    tokens: int

    @property
    def key(self) -> tuple[float, int, int]:
        """The weakest first; of equals the longer (merging it frees more), then the one made first."""
        return (self.score, -self.tokens, self.order)


def leaves(passages: Sequence[Passage], budget: Budget) -> list[MergeNode]:
    """A node for each passage that says something, best first; scores are those of the ranking."""
    given = [passage for passage in joined_neighbours(passages) if passage.text.strip()]
    tokens = budget.tokenizer.counts([passage.text for passage in given])
    found: list[MergeNode] = []
    taken: set[str] = set()
    for order, (passage, count) in enumerate(zip(given, tokens, strict=True)):
        first, last = passage.support[0], passage.support[-1]
        name = f"{first.doc_id}:{first.start}-{last.end}"
        name = name if name not in taken else f"{name}#{order}"
        taken.add(name)
        found.append(MergeNode(name, order, passage, passage.score, count))
    return found


def joined_neighbours(passages: Sequence[Passage]) -> list[Passage]:
    """Quotes of one span of the same document that overlap or touch, as one; all by the rank of the best member."""
    single = [rank for rank, passage in enumerate(passages) if len(passage.support) == 1 and passage.kind == "quote"]
    groups: list[tuple[int, Passage]] = [(rank, passages[rank]) for rank in set(range(len(passages))) - set(single)]
    open_: list[tuple[int, Passage]] = []
    for rank in sorted(single, key=lambda rank: (passages[rank].support[0], rank)):
        passage, (span,) = passages[rank], passages[rank].support
        if open_ and open_[-1][1].support[0].doc_id == span.doc_id and span.start <= open_[-1][1].support[0].end:
            best, last = open_[-1]
            (whole,) = last.support
            better = passage if rank < best else last
            more = passage.text[max(0, whole.end - span.start) :] if span.end > whole.end else ""
            wide = Span(span.doc_id, whole.start, max(whole.end, span.end))
            merged = replace(last, text=last.text + more, support=(wide,), score=better.score, title=better.title)
            open_[-1] = (min(rank, best), merged)
        else:
            open_.append((rank, passage))
    return [passage for _, passage in sorted(groups + open_, key=lambda item: item[0])]


def titled(passage: Passage, titles: Mapping[str, str]) -> Passage:
    """The passage under the titles of the documents that it quotes, each once, in the order of its text."""
    names = dict.fromkeys(titles.get(span.doc_id, "") for span in passage.support)
    return replace(passage, title=BETWEEN_TITLES.join(name for name in names if name))


def by_document(passages: Iterable[Passage], titles: Mapping[str, str]) -> tuple[Passage, ...]:
    """Quotes by document: each document once, where the best that quotes it stood and with its score, characters in their order.

    So a line of the context stands under the title of the one document that says it, and a citation names no other.
    """
    found: dict[str, list[tuple[Span, str]]] = {}
    scores: dict[str, float] = {}
    shown = Spread()
    for passage in passages:
        for at, span in pieces(passage):
            found.setdefault(span.doc_id, []).extend(unshown(passage, at, span, shown))
            scores[span.doc_id] = max(scores.get(span.doc_id, -math.inf), passage.score)
    told = []
    for name, parts in found.items():
        text, support = quote_of(sorted(parts, key=lambda part: part[0].start))
        told.append(Passage(text, support, "quote", scores[name], titles.get(name, "")))
    return tuple(told)


# Which passages are merged with which (MergeRAG, arXiv 2603.20286: Algorithms 1-4).
#
# Symmetric: the two lowest scores (the least sum over pairs is the two smallest), so any monotone change of the scores changes nothing. A
# layer goes on with the next two, and so on; of an odd number the best is left.
#
# Asymmetric: the lowest score is the source; its anchor is the passage that predicts it best, least NLL(source | anchor). A layer repeats
# this on what is left. Only the row of each source is asked for: n-1, n-3, … cells a layer of n, N(N-1)/2 in all one by one.
#
# Ties: the lower score, then the longer passage, then the one made first. An affinity that is no number counts as the worst.
@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes to merge; in asymmetric merging `first` is the anchor. `affinity` is NLL(second | first), None without one."""

    first: MergeNode
    second: MergeNode
    affinity: float | None = None


def symmetric(nodes: Sequence[MergeNode], most: int, better_first: bool = True) -> list[Pair]:
    """At most `most` pairs from the weakest up; the better one stands first, or the weaker."""
    ranked = sorted(nodes, key=lambda node: node.key)
    found = [(ranked[at + 1], ranked[at]) for at in range(0, len(ranked) - 1, 2)][:most]
    return [Pair(better, weaker) if better_first else Pair(weaker, better) for better, weaker in found]


def asymmetric(nodes: Sequence[MergeNode], most: int, affinity: Affinity, texts: Sequence[str]) -> list[Pair]:
    """At most `most` pairs, the weakest passage first served; `texts` are what the affinity reads of the nodes."""
    read = {node.order: text for node, text in zip(nodes, texts, strict=True)}
    left = sorted(nodes, key=lambda node: node.key)
    found: list[Pair] = []
    while len(left) > 1 and len(found) < most:
        source, *anchors = left
        (row,) = affinity.affinity([read[source.order]], [read[anchor.order] for anchor in anchors])
        trace.count(affinity_cells=len(row))
        values = [math.inf if math.isnan(value) else value for value in row]
        at = min(range(len(anchors)), key=lambda index: (values[index], index))
        found.append(Pair(anchors[at], source, values[at] if math.isfinite(values[at]) else None))
        left = [anchor for index, anchor in enumerate(anchors) if index != at]
    return found
