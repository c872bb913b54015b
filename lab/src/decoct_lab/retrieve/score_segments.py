"""A scorer in which the segments of a question matter (ours), for candidates of any kind: passages of a list or of one document.

    score(j) = sum over segments s of  sum over words w of s of  idf(w) * tf(w, j)  +  bonus * [ p_j holds all words of s ] * idf(s)

    tf(w, j) = c / (c + 1.2)        saturated as in BM25: a second mention says less than the first
    idf(w)   = ln(1 + (N - df + .5) / (df + .5))       df(w) is the paper's Equation 5 over the candidates
    idf(s)   = the sum of idf(w) over the words of s

In Equations 8 and 9 of the paper unions make segments vanish; here a passage that holds a whole segment, such as a name with what is
asked of it, is ahead of one that holds as many words of different segments. Numbers count (years tell passages apart), and names are not
split. An equal vote for each segment (the mean over its words) was tried and is worse: long segments are names, and tell most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.data import Floats
from decoct_lab.retrieve.segments import content_words, segments
from decoct_lab.retrieve.syntactic import word_counts

# BM25's usual k1: between counting every mention and counting only the first.
SATURATION = 1.2


@dataclass(frozen=True, slots=True)
class SegmentScorer:
    """Scores texts by the question's segments; no model. `bonus` rewards a whole segment in one text.

    Values of `bonus` from .25 to .5 are within .01 of each other on 2WikiMultiHopQA's candidates; from 1 on it does harm.
    """

    keep_names: bool = True
    bonus: float = 0.25

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """One score a text; all 0 where no word of the question occurs."""
        words = [content_words(s, digits=True) for s in segments(question, keep_names=self.keep_names)]
        counts = word_counts(words, texts)
        scores = np.zeros(len(texts), np.float64)
        for segment in words:
            known = [counts[word] for word in segment if counts[word].any()]
            if not known:
                continue
            df = np.array([np.count_nonzero(one) for one in known])
            idf = np.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            held = np.stack(known)
            scores += (idf[:, None] * held / (held + SATURATION)).sum(axis=0)
            if len(known) == len(segment):
                scores += self.bonus * idf.sum() * (held > 0).all(axis=0)
        return scores.astype(np.float32)
