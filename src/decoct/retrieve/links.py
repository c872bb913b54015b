"""Mention links: multi-hop retrieval without a language model (weights and features are ours).

The passage that a second hop needs shares few words with the question, but it is named in the passage of the first hop. So:

1. LinkCandidates: the best chunks by vector and by BM25, and the chunks of documents that the question names. How directly each answers:

       direct(c) = COSINE * cosine(c) + WORDS * words(c) + NAMED * named(c)

   `words` is BM25 as a share of the most that the question's words could give. Neither of the first two is scaled by the other
   candidates: where no chunk is near the question in meaning the words decide, and the other way round. A name that several documents
   bear means one of them: the surest of these, and the one that answers most directly, is named in full, the next half, and so on.
2. The three best are sources, those before others that the question names. A source leads to the chunks of documents known by a name
   that it mentions, and to chunks that mention the same rare name.
3. Each link (source t, name n, target c) is weighed by how rare and sure the name is, what stands beside it in its sentence, and above
   all by how much of the question source and target cover together, and how much the target covers that the source does not
   (`link_edges`). What the target's own words are credited with is taken off, so that only what the link adds counts:

       bridge(t, c) = link(t, n, c) - CREDIT * words(c)

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

import numpy as np

from decoct import trace
from decoct.data import Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.abilities import Named, SupportsNames, languages_of
from decoct.retrieve.link_candidates import LinkCandidates
from decoct.retrieve.link_edges import LEADS, Edges, edges
from decoct.retrieve.link_scores import by_better_place, direct_scores, linked_scores
from decoct.retrieve.ranking import EMPTY, by_key, ranked
from decoct.structure.names import name_number
from decoct.text.names import longest_mentions, question_names
from decoct.text.words import question_stems, subject

# Chosen on public questions of seven sets with the weights of `link_scores`.
POOL = 150  # candidates by vector, and by BM25
SOURCES = 3  # more bring no more: the chunk that leads on is nearly always among the first, or named by the question
FIRST_NAMED = 2.2  # what being named adds where sources are chosen
FREQUENT = 30  # a name in more chunks, or of more documents, leads nowhere


@dataclass(frozen=True, slots=True)
class Links:
    """See the module's text.

    Nothing matches, and nothing is found, where no chunk of the library holds a word of the question, the question names no document, and
    no cosine reaches `least`: the bundled embedder gives nonsense .21 to .30. 0 switches this off.
    """

    store: SupportsNames
    embedder: Embedder
    least: float = 0.33

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
            meant = self._meant(query.text)
            if not found.weights.any() and not len(meant.keys) and not (dense.scores >= self.least).any():
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

    def _meant(self, question: str) -> Named:
        """The chunks of the documents that the question surely names; half as surely where the name goes on beside what was found."""
        possible = {name_number(one.name): one for one in question_names(question)}
        known = self.store.named(list(possible), FREQUENT)
        sure = known.strengths >= LEADS
        whole = {
            name_number(one.name): 0.5 if one.joined else 1.0
            for one in longest_mentions(possible[name] for name in set(known.names[sure].tolist()))
        }
        share = np.array([whole.get(name, 0.0) for name in known.names.tolist()], dtype=np.float32)
        kept = sure & (share > 0)
        return Named(known.names[kept], known.keys[kept], (known.strengths * share)[kept])

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
        """The links that leave the sources."""
        direct = direct_scores(found)
        leading = np.lexsort((found.keys, -(direct + FIRST_NAMED * found.named)))[:SOURCES]
        standing = direct[leading] - direct.max()
        return edges(self.store, stems, found.weights, found.keys[leading], standing, most=FREQUENT)
