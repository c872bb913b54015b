"""Mention links: multi-hop retrieval without a language model (METHODS 8; weights and features are ours).

The passage that a second hop needs shares few words with the question, but it is named in the passage of the first hop. So:

1. Pool: the best chunks by vector and by BM25, and the chunks of documents that the question names.
2. The ten best of the pool are sources. A source leads to the chunks of documents known by a name that it mentions, and to chunks that
   mention the same rare name (a frequent name leads only to chunks of the pool).
3. Each link (source t, name n, target c) is weighed by how rare and sure the name is, what stands beside it in its sentence, and above
   all by how much of the question source and target cover together, and how much the target covers that the source does not:

       link(t, n, c) = one + strength + rarity + beside + opening + title + standing(t) + residual * cov(c - t) + joint * cov(c + t)

4. A target's BM25 credit is replaced by its best link where that is higher, and a source is lifted by the best link that leaves it, since
   both ends of a chain are evidence:

       score(c) = cosine + named + mixture + max(bm25, max link to c) + lift * max(0, max (link from c - bm25 of its target))

5. Steps 2 to 4 once more with the ten best of the new order. For questions of one hop the plain mixture of both kinds counts a little,
   and its first two stay among the first five. In a short list, chunks beside a better one of their document step back.

`cov` is the share of the question's stems, weighted by inverse document frequency, told from signatures (`structure.signatures`). Where a
library has no names, nothing is added and the order is that of cosine and BM25.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Keys, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store, languages_of
from decoct.retrieve.link_candidates import Candidates
from decoct.retrieve.link_edges import LEADS, NONE, Asked, Edges, edges
from decoct.retrieve.ranking import EMPTY, by_key
from decoct.structure.names import identified
from decoct.structure.traits import unpack
from decoct.text.names import longest, question_names
from decoct.text.words import question_stems, subject

# Fitted on public questions of 2WikiMultiHopQA, HotpotQA, MuSiQue and (a quarter of) Natural Questions by a listwise softmax loss
# with L2 1e-3; docs/retrieval.md has the cross-validation.
COSINE, BM25, NAMED, LIFT = 6.87, 3.42, 3.75, 0.34
RESIDUAL, JOINT, STANDING = 6.0, 4.95, 0.41
# Set by hand for questions of one hop: at 0 the sets of single-hop questions lose up to .06 of recall at 5, at 3 those of two hops .01.
MIXTURE = 1.0
SPREAD = 10  # places among which neighbours of better chunks step back
SHORT_LIST = 20  # a list that people look at; a context asks for more, joins neighbours and wants them together
NOTHING = -9.0  # below any link
FRONT = 5  # places among which the anchors stay


@dataclass(frozen=True, slots=True)
class Links:
    """See the module's text.

    `pool` chunks are taken of each kind; `sources` are followed in each of `rounds`; a name in more than `frequent` chunks (or of as many
    documents) leads nowhere new; `anchors` of the plain mixture stay in front.

    Nothing matches, and nothing is found, where no chunk of the library holds a word of the question, the question names no document, and
    no cosine reaches `least`: the bundled embedder gives nonsense .21 to .30. 0 switches this off.
    """

    store: Store
    embedder: Embedder
    pool: int = 150
    sources: int = 10
    rounds: int = 2
    frequent: int = 30
    anchors: int = 2
    least: float = 0.33

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` chunks; `found_by` tells the vector and BM25 scores, and the weight of the best link where one counted."""
        with trace.stage("embed"):
            vector = self.embedder.embed([query.text], "query")[0]
        with trace.stage("links"):
            languages = languages_of(self.store)
            stems = question_stems(query.text, languages)
            dense = self.store.nearest(vector, self.pool, query.where)
            words = self.store.lexical(subject(query.text, languages), self.pool, query.where)
            found = Candidates(self.store, query.where, vector, stems, dense=dense, words=words)
            named = self._named(query.text)
            if not found.weights.any() and not named and not (dense.scores >= self.least).any():
                return EMPTY
            found.add(np.concatenate([dense.keys, words.keys, np.fromiter(named, dtype=np.int64)]))
            found.name(named)
            if not len(found):
                return EMPTY
            scores, links = self._linked(found, stems, _plain(found))
            order = self._anchored(np.lexsort((found.keys, -scores)), found)
            if k <= SHORT_LIST:
                order = _spread(self.store, order, found.keys)
            # A chunk that was moved down takes the score of the one before it, so that scores fall along the ranking.
            falling = np.minimum.accumulate(scores[order])
            by = {"dense": by_key(dense), "bm25": by_key(words), "links": links}
            trace.count(candidates=len(found), linked=len(links))
            keys = found.keys[order][: max(k, 0)]
            wanted = set(keys.tolist())
            return Ranking(
                keys,
                falling[: max(k, 0)],
                {who: {key: s for key, s in scored.items() if key in wanted} for who, scored in by.items()},
            )

    def _named(self, question: str) -> dict[int, float]:
        """The chunks of the documents that the question names, with how surely."""
        possible = {identified(one.name): one for one in question_names(question)}
        meant = self.store.named(list(possible), self.frequent)
        sure = meant.strengths >= LEADS
        numbers, keys, strengths = meant.names[sure], meant.keys[sure], meant.strengths[sure]
        found: dict[int, float] = {}
        for one in longest(possible[name] for name in set(numbers.tolist())):
            mine = numbers == identified(one.name)
            share = (0.5 if one.joined else 1.0) / float(np.count_nonzero(mine)) ** 0.5
            for key, strength in zip(keys[mine].tolist(), strengths[mine].tolist(), strict=True):
                found[key] = max(strength * share, found.get(key, 0.0))
        return found

    def _linked(self, found: Candidates, stems: Sequence[str], plain: Floats) -> tuple[Floats, dict[int, float]]:
        """Scores after all rounds, and the weight of the best link of each chunk for which it counted."""
        best = float(plain.max())
        near = (found.keys, *unpack(self.store.traits(found.keys)))
        known, links, scores = NONE, NONE, plain
        done: set[int] = set()
        weight = np.full(len(found), NOTHING, dtype=np.float32)
        for _ in range(self.rounds):
            leading = found.keys[np.lexsort((found.keys, -scores))[: self.sources]]
            fresh = np.array([key for key in leading.tolist() if key not in done], dtype=np.int64)
            done.update(fresh.tolist())
            standing = (STANDING * (_plain(found)[found.at(fresh)] - best)).astype(np.float32)
            links = edges(self.store, Asked(stems, found.weights), fresh, standing, near, most=self.frequent)
            found.add(links.targets)
            known = known.joined(found.within(links))
            scores, weight = _scores(found, known)
        counted = np.flatnonzero(weight > found.bm25 * BM25)
        return scores, dict(zip(found.keys[counted].tolist(), weight[counted].tolist(), strict=True))

    def _anchored(self, order: Keys, found: Candidates) -> Keys:
        """`order` with the first of the plain mixture among its first five."""
        anchors = np.lexsort((found.keys, -found.mixture))[: self.anchors].tolist()
        lost = [at for at in anchors if at not in order[:FRONT].tolist()]
        kept = [at for at in order.tolist() if at not in lost]
        return np.array(kept[: FRONT - len(lost)] + lost + kept[FRONT - len(lost) :], dtype=np.int64)


def _spread(store: Store, order: Keys, keys: Keys) -> Keys:
    """`order` with, among its first, those chunks last that stand beside a better one of the same document: they mostly overlap."""
    front = order[:SPREAD]
    owner = store.extents(keys[front])[:, 0].tolist()
    first: list[int] = []
    back: list[int] = []
    for n, key in enumerate(keys[front].tolist()):
        beside = any(abs(key - int(keys[front[m]])) == 1 and owner[m] == owner[n] for m in first)
        (back if beside else first).append(n)
    return np.concatenate([front[first + back], order[SPREAD:]])


def _plain(found: Candidates) -> Floats:
    """Scores without links."""
    scores: Floats = COSINE * found.cosine + NAMED * found.named + BM25 * found.bm25 + MIXTURE * found.mixture
    return scores


def _scores(found: Candidates, links: Edges) -> tuple[Floats, Floats]:
    """Scores with links counted, and the weight of each chunk's best link."""
    source, target = found.at(links.sources), found.at(links.targets)
    value = (
        links.weights
        + (
            RESIDUAL * (found.covered[target] & ~found.covered[source])
            + JOINT * (found.covered[target] | found.covered[source])
        )
        @ found.weights
    )
    credit = BM25 * found.bm25
    weight = np.full(len(found), NOTHING, dtype=np.float32)
    np.maximum.at(weight, target, value.astype(np.float32))
    lift = np.zeros(len(found), dtype=np.float32)
    np.maximum.at(lift, source, (value - credit[target]).astype(np.float32))
    scores = _plain(found) + np.maximum(weight - credit, 0) + LIFT * lift
    return scores.astype(np.float32), weight
