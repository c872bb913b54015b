"""Mention links: multi-hop retrieval without a language model (weights and features are ours).

The passage that a second hop needs shares few words with the question, but it is named in the passage of the first hop. So:

1. LinkCandidates: the best chunks by vector and by BM25, and the chunks of documents that the question names. How directly each answers:

       direct(c) = COSINE * cosine(c) + WORDS * words(c) + NAMED * named(c)

   `words` is BM25 as a share of the most that the question's words could give. Neither of the first two is scaled by the other
   candidates: where no chunk is near the question in meaning the words decide, and the other way round. A name that several documents
   bear means one of them: the surest of these, and the one that answers most directly, is named in full, the next half, and so on.
2. The three best are sources, those before others that the question names. A source leads to the chunks of documents known by a name
   that it mentions, and to chunks that mention the same rare name.
3. Each link (source t, name n, target c) is weighed by how rare and sure the name is (`edges`), and above all by how much of the
   question source and target cover together, and how much the target covers that the source does not. What the target's own words are
   credited with is taken off, so that only what the link adds counts:

       bridge(t, c) = link(t, n, c) - CREDIT * words(c)

   A question in several steps names what it begins with: one that holds no name by which a document is known, where documents have
   titles, takes UNNAMED off as well.
4. A source is lifted by the best bridge that leaves it, since both ends of a chain are evidence, and a target is brought nearer to the
   best chunk by the best that leads to it:

       first(c) = direct(c) + LIFT * max(0, max bridge(c, .))        gap(c) = max first - first(c)
       score(c) = first(c) + gap(c) * b / (gap(c) + b)               b = max(0, max bridge(., c))

   A weak bridge counts as it is; one as wide as the gap closes half of it; the strongest brings its chunk close to the best one and never
   before it. So which chunk stands first is decided by how directly it answers, and which are among the first five by links too.
5. Behind the first eight a chunk stands by the better of two places, the one by this score and the one by direct(c): what links bring
   adds less there, and must not push out what answers by itself, of which large budgets have room for more.

`cov` is the share of the question's stems, weighted by inverse document frequency, told from signatures (`structure.signatures`). Where a
library has no names, nothing is added and the order is that of cosine and BM25.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Floats, Keys, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.abilities import Mentions, Named, SupportsNames, languages_of
from decoct.index.base import Mask, Where
from decoct.retrieve.ranking import EMPTY, better_places, by_key, dealt, places, ranked
from decoct.structure.traits import (
    LINKED,
    OPENING,
    Coverage,
    Traits,
    coverage,
    covered_share,
    half_hash,
    name_number,
    unpack,
)
from decoct.text.names import longest_mentions, question_names
from decoct.text.words import question_stems, subject

# The links that leave a set of source chunks: who is named, and who mentions the same name. See `links` for what they are for.
#
# An edge is (source, target, weight), the weight without what depends on the coverage of source and target together. Everything is
# worked out as arrays over the rows of the sources' traits (`structure.traits`).
#
# Chosen with the constants of `links`.
ONE, STRENGTH, RARITY, ASKED, OPENS, STANDING = 2.7, 5.0, -1.9, -4.4, 1.8, 0.7
LEADS = 0.7  # a name at least so sure leads to its document; weaker ones only tell that a title holds it

Rows = NDArray[np.int64]
Table = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Edges:
    """Links by key, none twice for one source and target; `weights` as in the module's text."""

    sources: Keys
    targets: Keys
    weights: Floats


NONE = Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))


def edges(store: SupportsNames, stems: Sequence[str], sources: Keys, standing: Floats, *, most: int) -> Edges:
    """The links of `sources` (keys, with how far each stands below the best) for a question's `stems`.

    A name that more than `most` chunks mention, or by which more documents are known, leads nowhere.
    """
    rows, of = unpack(store.traits(sources))
    if not len(rows):
        return NONE
    asked = _asked(rows, stems)
    length = np.maximum((rows["stems"] > 0).sum(axis=1), 1)
    base = (
        ONE + STANDING * standing[of] + ASKED * asked.sum(axis=1) / length + OPENS * ((rows["kind"] & OPENING) > 0)
    ).astype(np.float32)
    linked = (rows["kind"] & LINKED) > 0
    names, of_name = np.unique(rows["name"], return_inverse=True)
    meant = store.named(names, most)
    # Mentions of mere candidates are read as well and not used: they are few, and a second look-up costs more.
    mentioned = store.mentioned_in(names, most, least=2)
    counts = np.array([mentioned.counts[name] for name in names.tolist()], dtype=np.float32)[of_name]
    parts = [
        _to_documents(rows, of, base + RARITY * np.log1p(counts), meant),
        _to_mentions(rows, base + RARITY * np.log(np.maximum(counts, 1)), linked, mentioned),
    ]
    source = of[np.concatenate([part[0] for part in parts])]
    targets = np.concatenate([part[1] for part in parts])
    weight = np.concatenate([part[2] for part in parts])
    direct = np.repeat([True, False], [len(part[0]) for part in parts])
    first, past = store.extents(sources)[source].T
    across = (targets < first) | (targets >= past)
    return _best(sources[source][across], targets[across], weight[across], direct[across])


def _asked(rows: Traits, question: Sequence[str]) -> Table:
    """Which of the question's stems each name holds; shape (rows, stems)."""
    halves = np.array([half_hash(stem) for stem in question], dtype=np.uint16)
    found: Table = (rows["stems"][:, :, None] == halves[None, None, :]).any(axis=1)
    return found


Part = tuple[Rows, Keys, Floats]


def _to_documents(rows: Traits, of: Rows, base: Floats, meant: Named) -> Part:
    row, at = _matches(rows["name"], meant.names)
    sure = meant.strengths[at] >= LEADS
    row, at = row[sure], at[sure]
    # "New York" inside "New York City" means nothing of its own where both are known.
    known = row[np.diff(row, prepend=-1) > 0]
    inner, outer = rows[known][:, None], rows[known][None, :]
    within = (
        (of[known][:, None] == of[known][None, :])
        & (outer["at"] <= inner["at"])
        & (inner["past"] <= outer["past"])
        & (inner["past"] - inner["at"] < outer["past"] - outer["at"])
    )
    outermost = np.zeros(len(rows), dtype=bool)
    outermost[known] = ~within.any(axis=1)
    row, at = row[outermost[row]], at[outermost[row]]
    return row, meant.keys[at], base[row] + STRENGTH * meant.strengths[at]


def _to_mentions(rows: Traits, base: Floats, linked: Table, mentioned: Mentions) -> Part:
    which = np.flatnonzero(linked)
    row, at = _matches(rows["name"][which], mentioned.names)
    return which[row], mentioned.keys[at], base[which[row]]


def _matches(names: Keys, table: Keys) -> tuple[Rows, Rows]:
    """All pairs (place in `names`, place in `table`) of equal numbers; `table` is sorted."""
    low, high = np.searchsorted(table, names, side="left"), np.searchsorted(table, names, side="right")
    many = high - low
    row = np.repeat(np.arange(len(names)), many)
    start = np.repeat(low - np.concatenate([[0], np.cumsum(many)[:-1]]), many) if len(names) else low
    return row, start + np.arange(len(row))


def _best(sources: Keys, targets: Keys, weights: Floats, direct: Table) -> Edges:
    """The heaviest link of each source and target; one that leads to a named document goes before any other."""
    order = np.lexsort((-weights, ~direct, targets, sources))
    sources, targets, weights = sources[order], targets[order], weights[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return Edges(sources[first], targets[first], weights[first].astype(np.float32))


# What a word can give at most, in BM25 with k1 = 1.2: its inverse document frequency times k1 + 1.
MOST = 2.2


class LinkCandidates:
    """Chunks by ascending `keys`.

    For each its `cosine` with the question, its BM25 score as a share of the most that the question's `words` could give, how surely the
    question has `named` it, which of the question's stems it has `covered`. `weights` are the stems', by rarity, and sum to 1. `unnamed`:
    the question holds no name of a document, though it could.
    """

    def __init__(
        self, store: SupportsNames, where: Where, vector: Floats, stems: Sequence[str], words: Ranking
    ) -> None:
        self._store, self._where, self._vector, self._stems = store, where, vector, stems
        frequency, total = store.frequencies(stems)
        rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        # A stem that no chunk holds cannot be covered: it must not weigh.
        rarity[frequency == 0] = 0
        most = max(float(rarity.sum()), 1e-9)
        order = np.argsort(words.keys)
        self._lexical = words.keys[order], words.scores[order] / (MOST * most)
        self.weights: Floats = rarity / most
        self.unnamed = False
        self.keys: Keys = np.empty(0, np.int64)
        self.cosine: Floats = np.empty(0, np.float32)
        self.words: Floats = np.empty(0, np.float32)
        self.named: Floats = np.empty(0, np.float32)
        self.covered: Coverage = np.empty((0, len(stems)), dtype=bool)

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, keys: Keys) -> None:
        """Take in chunks that are not there yet and that the question's filter passes."""
        new = np.unique(keys)
        new = new[~self.has(new)]
        if self._where and len(new):
            new = new[self._store.passing(new, self._where)]
        if not len(new):
            return
        order = np.argsort(np.concatenate([self.keys, new]))
        self.keys = np.concatenate([self.keys, new])[order]
        self.cosine = np.concatenate([self.cosine, self._store.vectors(new) @ self._vector])[order]
        self.words = np.concatenate([self.words, self._credit(new)])[order]
        self.named = np.concatenate([self.named, np.zeros(len(new), np.float32)])[order]
        self.covered = np.concatenate([self.covered, self._coverage(new)])[order]

    def name(self, keys: Keys, sureness: Floats) -> None:
        """Record how surely the question names chunks that are here; of a key that comes twice the surest counts."""
        np.maximum.at(self.named, self.at(keys), sureness)

    def has(self, keys: Keys) -> Mask:
        """Which chunks are here."""
        return np.isin(keys, self.keys)

    def at(self, keys: Keys) -> Keys:
        """Where chunks stand that are here."""
        return np.searchsorted(self.keys, keys)

    def within(self, links: Edges) -> Edges:
        """The links that end at a chunk that is here."""
        here = self.has(links.targets)
        return Edges(links.sources[here], links.targets[here], links.weights[here])

    def _credit(self, keys: Keys) -> Floats:
        known, scores = self._lexical
        if not len(known):
            return np.zeros(len(keys), np.float32)
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        credit: Floats = np.where(known[at] == keys, scores[at], 0).astype(np.float32)
        return credit

    def _coverage(self, keys: Keys) -> Coverage:
        signatures = self._store.signatures(keys)
        if not signatures.shape[1] or not self._stems:
            return np.zeros((len(keys), len(self._stems)), dtype=bool)
        return coverage(signatures, self._stems)


# How candidates and the links between them become scores, in arrays alone: what `links` ranks by, and what its numbers are chosen with.
#
# `LinkWeights` are chosen by `benchmarks/fit_fusion.py`, which leaves each set out once; see there and `links` for the formulas.
HEAD = 8  # so many chunks stand by their score alone


@dataclass(frozen=True, slots=True)
class LinkWeights:
    """The shares of the formulas of `links`."""

    cosine: float = 6.9
    words: float = 7.0
    named: float = 1.5
    residual: float = 10.5
    joint: float = 6.4
    credit: float = 14.2
    lift: float = 0.14
    unnamed: float = 6.0


WEIGHTS = LinkWeights()


class Candidacy(Protocol):
    """What is known of each candidate, as `link_candidates` has it: arrays over `keys`, ascending; `weights` over the question's stems."""

    keys: Keys
    cosine: Floats
    words: Floats
    named: Floats
    covered: NDArray[np.bool_]
    weights: Floats
    unnamed: bool


def direct_scores(found: Candidacy, weights: LinkWeights = WEIGHTS) -> Floats:
    """How directly each candidate answers."""
    scores: Floats = weights.cosine * found.cosine + weights.words * found.words + weights.named * found.named
    return scores


def linked_scores(found: Candidacy, links: Edges, weights: LinkWeights = WEIGHTS) -> tuple[Floats, dict[int, float]]:
    """The scores, and for each chunk that links brought nearer the weight of its best bridge; links end at candidates."""
    source, target = np.searchsorted(found.keys, links.sources), np.searchsorted(found.keys, links.targets)
    covered = found.covered
    both = covered_share(covered[target] | covered[source], found.weights)
    bridge = (
        links.weights
        + weights.residual * (both - covered_share(covered[source], found.weights))
        + weights.joint * both
        - weights.credit * found.words[target]
        - weights.unnamed * found.unnamed
    )
    leaving, leading = np.zeros((2, len(found.keys)), dtype=np.float32)
    np.maximum.at(leaving, source, bridge)
    np.maximum.at(leading, target, bridge)
    first = direct_scores(found, weights) + weights.lift * leaving
    gap = first.max() - first
    nearer = (gap > 0) & (leading > 0)
    scores = first.copy()
    scores[nearer] += gap[nearer] * (leading[nearer] / (gap[nearer] + leading[nearer]))
    # Rounding may close a narrow gap altogether; the best chunk stays alone in front.
    scores[nearer] = np.minimum(scores[nearer], np.nextafter(first.max(), np.float32(-np.inf)))
    linked = np.flatnonzero(nearer)
    return scores, dict(zip(found.keys[linked].tolist(), leading[linked].tolist(), strict=True))


def by_better_place(found: Candidacy, scores: Floats, weights: LinkWeights = WEIGHTS) -> Floats:
    """The scores dealt out anew, so that behind the first `HEAD` a chunk stands by the better of its places by score and by directness."""
    by_score, by_direct = places(found.keys, scores), places(found.keys, direct_scores(found, weights))
    return dealt(scores, np.lexsort((by_direct, better_places(by_score, by_direct, HEAD))))


# Chosen on public questions of seven sets with the weights of `LinkWeights`.
POOL = 150  # candidates by vector, and by BM25
SOURCES = 3  # more bring no more: the chunk that leads on is nearly always among the first, or named by the question
FIRST_NAMED = 2.2  # what being named adds where sources are chosen
FREQUENT = 30  # a name in more chunks, or of more documents, leads nowhere


@dataclass(frozen=True, slots=True)
class Links:
    """See the module's text.

    Nothing matches, and nothing is found, where no chunk of the library holds a word of the question, the question names no document, and
    no cosine reaches `least`: the bundled embedder gives nonsense .21 to .30. 0 switches this off, and so does a filter, which says itself
    what is meant.
    """

    store: SupportsNames
    embedder: Embedder
    least: float = 0.3

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` chunks; `found_by` tells vector and BM25 scores, and the weight of the best bridge to each chunk that has one."""
        with trace.stage("embed"):
            vector = self.embedder.embed([query.text], "query")[0]
        with trace.stage("links"):
            languages = languages_of(self.store)
            stems = question_stems(query.text, languages)
            dense = self.store.nearest(vector, POOL, query.where)
            words = self.store.lexical(subject(query.text, languages), POOL, query.where)
            found = LinkCandidates(self.store, query.where, vector, stems, words)
            meant, found.unnamed = self._meant(query.text)
            known = found.weights.any() or len(meant.keys) or query.where
            if not known and not (dense.scores >= self.least).any():
                return EMPTY
            found.add(np.concatenate([dense.keys, words.keys, meant.keys]))
            self._name(found, meant)
            if not len(found):
                return EMPTY
            links = self._links(found, stems)
            found.add(links.targets)
            scores, bridges = linked_scores(found, found.within(links))
            by = {"dense": by_key(dense), "bm25": by_key(words), "links": bridges}
            trace.count(candidates=len(found), linked=len(bridges))
            return ranked(found.keys, by_better_place(found, scores), k, by)

    def _meant(self, question: str) -> tuple[Named, bool]:
        """The chunks of the documents that the question surely names, and whether it holds no name of any, however unsure.

        They are named half as surely where the name goes on beside what was found.
        """
        possible = {name_number(one.name): one for one in question_names(question)}
        known = self.store.named(list(possible), FREQUENT)
        sure = known.strengths >= LEADS
        whole = {
            name_number(one.name): 0.5 if one.joined else 1.0
            for one in longest_mentions(possible[name] for name in set(known.names[sure].tolist()))
        }
        share = np.array([whole.get(name, 0.0) for name in known.names.tolist()], dtype=np.float32)
        kept = sure & (share > 0)
        return Named(known.names[kept], known.keys[kept], (known.strengths * share)[kept]), not len(known.names)

    def _name(self, found: LinkCandidates, meant: Named) -> None:
        """Record how surely each candidate is named.

        A question that names a document means one. Of several that bear the name the surest, and of these the one that answers most
        directly, counts in full, the next half, then a third; what a document gets is shared by its chunks.
        """
        here = found.has(meant.keys)
        if not here.any():
            return
        names, keys, strengths = meant.names[here], meant.keys[here], meant.strengths[here]
        documents = self.store.extents(keys)[:, 0]
        # A document's chunks follow one another under each of its names.
        starts = np.flatnonzero((np.diff(names, prepend=-1) != 0) | (np.diff(documents, prepend=-1) != 0))
        chunks = np.diff(starts, append=len(keys))
        direct = np.maximum.reduceat(direct_scores(found)[found.at(keys)], starts)
        order = np.lexsort((documents[starts], -direct, -strengths[starts], names[starts]))
        sorted_ = names[starts][order]
        place = np.empty(len(starts), dtype=np.float32)
        place[order] = np.arange(1, len(starts) + 1) - np.searchsorted(sorted_, sorted_)
        share = (1 / (place * np.sqrt(chunks))).astype(np.float32)
        found.name(keys, strengths * np.repeat(share, chunks))

    def _links(self, found: LinkCandidates, stems: Sequence[str]) -> Edges:
        """The links that leave the sources; where none of these has a title the question could not name any."""
        direct = direct_scores(found)
        leading = np.lexsort((found.keys, -(direct + FIRST_NAMED * found.named)))[:SOURCES]
        standing = direct[leading] - direct.max()
        found.unnamed = found.unnamed and any(chunk.title for chunk in self.store.chunks(found.keys[leading]))
        return edges(self.store, stems, found.keys[leading], standing, most=FREQUENT)
