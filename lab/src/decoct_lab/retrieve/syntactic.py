"""The syntactic reranker of Eponon et al. 2026 (Equations 5 to 10), exactly: it keeps passages in which words of the question are frequent.

    df(w)   = |{j : w in p_j}|                                          (5; computed in the paper, used by no other equation)
    c(w, j) = how often w occurs in passage j                           (6)
    I(w)    = {j : c(w, j) > 0 and c(w, j) among the L highest distinct counts of w}     (7)
    I(s)    = union of I(w) over the words w of segment s               (8)
    P_valid = union of I(s) over the segments, in reverse order         (9)
    result  = sort(P_valid), the passages in their original order       (10)

Unions do not care about order or grouping: P_valid is the union of I(w) over all words, so that segments change nothing except through the
separators they delete (`segments`). `ties="entries"` is what the authors' code does in place of Equation 7: the counts of the L highest
*entries*, repeated ones included. Words and counts are those of `segments`, which finds separators by a closed list or, as the authors
do, by spaCy's tags (`parser`); other quirks of that code are not copied (lab/docs/syntactic.md
lists them).

Ours: where no word of the question occurs all passages stay (the formula would leave none); `level = "auto"` takes the smallest L with
which every segment that occurs at all has a passage holding all of its words that occur together anywhere, at least 1 and at most 5;
`keep` protects the best of the inner ranking. The share that passes is in the trace as `syntactic.selectivity`: a frequent word ("film")
lets nearly everything through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Query, Ranking
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import first_of, found_by_of
from decoct_lab.retrieve.segments import Parser, content_words, occurrences, segments

Ties = Literal["distinct", "entries"]
Counts = NDArray[np.int64]

# The paper tries 2 and 3; beyond 5 distinct counts nearly every passage with the word passes.
HIGHEST_LEVEL = 5


@dataclass(frozen=True, slots=True)
class Syntactic:
    """Keeps of the best `depth` chunks of `retriever` those that pass the filter, in the retriever's order; what follows is dropped.

    `level` is L; a chunk is read with its document's title. Fewer than `k` chunks may come back: that is the point.
    """

    retriever: Retriever
    store: Store
    level: int | Literal["auto"] = 3
    ties: Ties = "distinct"
    parser: Parser = "list"
    depth: int = 100
    keep: int = 0

    def __post_init__(self) -> None:
        if self.level != "auto" and self.level < 1:
            raise ValueError('level is the number of highest counts that pass, at least 1, or "auto"')

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` of the chunks that pass."""
        with trace.stage("syntactic"):
            found = first_of(self.retriever.retrieve(query, self.depth), self.depth)
            chunks = {chunk.key: chunk for chunk in self.store.chunks(found.keys)}
            titled = [chunks[key] for key in found.keys.tolist() if key in chunks]
            texts = [f"{c.title}\n{c.text}" if c.title else c.text for c in titled]
            passed = {titled[at].key for at in passing_passages(query.text, texts, self.level, self.ties, self.parser)}
            passed |= set(found.keys[: self.keep].tolist())
            rows = [row for row, key in enumerate(found.keys.tolist()) if key in passed]
            trace.count(hits=len(rows))
            keys = found.keys[rows]
            return first_of(Ranking(keys, found.scores[rows], found_by_of(found.found_by, keys)), k)


def passing_passages(
    question: str,
    passages: Sequence[str],
    level: int | Literal["auto"] = 3,
    ties: Ties = "distinct",
    parser: Parser = "list",
) -> list[int]:
    """The indexes of the passages that pass, ascending (Equation 10); all of them where no word of the question occurs in any."""
    words = [content_words(segment) for segment in segments(question, parser)]
    found = {word: counts for word, counts in word_counts(words, passages).items() if counts.any()}
    if not found:
        if passages:
            trace.fallback("syntactic.no_word")
        return list(range(len(passages)))
    chosen = _fitting(words, found, ties) if level == "auto" else level
    valid = np.zeros(len(passages), bool)
    for segment in reversed(words):
        for word in segment:
            if word in found:
                valid |= frequent(found[word], chosen, ties)
    trace.fact("syntactic.selectivity", round(float(valid.mean()), 4))
    trace.fact("syntactic.level", chosen)
    return np.flatnonzero(valid).tolist()


def frequent(counts: Counts, level: int, ties: Ties = "distinct") -> NDArray[np.bool_]:
    """Equation 7: which counts are positive and among the `level` highest (of the distinct counts, or of the entries)."""
    values = np.unique(counts)[::-1] if ties == "distinct" else np.sort(counts)[::-1]
    return (counts > 0) & np.isin(counts, values[:level])


def word_counts(segmented: Sequence[Sequence[str]], passages: Sequence[str]) -> dict[str, Counts]:
    """Equation 6 for every content word of the segments: its count in each passage, singular and plural together."""
    return occurrences(dict.fromkeys(word for segment in segmented for word in segment), passages)


def _fitting(words: Sequence[Sequence[str]], found: dict[str, Counts], ties: Ties) -> int:
    """The smallest level at which each segment's best-covering passages are reached."""
    for level in range(1, HIGHEST_LEVEL):
        if all(_reached([found[w] for w in segment if w in found], level, ties) for segment in words):
            return level
    return HIGHEST_LEVEL


def _reached(counts: Sequence[Counts], level: int, ties: Ties) -> bool:
    if not counts:
        return True
    cover = np.sum([one > 0 for one in counts], axis=0)
    valid = np.any([frequent(one, level, ties) for one in counts], axis=0)
    return bool((valid & (cover == cover.max())).any())
