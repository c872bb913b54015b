"""The words of a library as it is now: those of the lexical index and those of the chunks that wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.data import Keys
from decoct.index.embedded.lexical import LexicalIndex, LexicalView
from decoct.index.embedded.waiting import Statistics, WaitingWords, near
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED


@dataclass(frozen=True, slots=True)
class CurrentWords:
    """One state of an index (None: there is none yet), and what waits beside it."""

    index: LexicalIndex
    view: LexicalView | None
    waiting: Sequence[WaitingWords] = ()

    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed; English where there are none."""
        if self.view is not None and not self.waiting:
            return self.index.languages(self.view)
        known = {one.language if one.language in STEMMERS else UNSTEMMED for one in self.waiting}
        if self.view is not None and self.view.chunks:
            known.update(self.index.languages(self.view))
        return tuple(code for code in (*STEMMERS, UNSTEMMED) if code in known) or ENGLISH

    def statistics(self, stems: Sequence[str]) -> Statistics:
        """What BM25 reckons with in the index."""
        return self.index.statistics(self.view, stems) if self.view is not None else Statistics(0, {}, None)

    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks each stem stands, and the number of all; removed ones count until the index is merged."""
        found, every = np.zeros(len(stems), np.int64), 0
        if self.view is not None:
            found, every = self.index.frequencies(self.view, stems)
        counts = [chunk for one in self.waiting for chunk in one.counts]
        if counts:
            found = found + np.array([sum(stem in chunk for chunk in counts) for stem in stems], np.int64)
        return found, every + len(counts)

    def near_words(self, stem: str, edits: int, k: int) -> Keys:
        """The keys of at most `k` chunks with a stem at most `edits` from this one; the lowest keys."""
        found = self.index.near_words(self.view, stem, edits, k) if self.view is not None else np.empty(0, np.int64)
        waiting = np.array(near(self.waiting, stem, edits), np.int64)
        return np.sort(np.concatenate([found, waiting]))[:k]
