"""Whether a trained embedder finds the chunks of held-back questions better than the library's own one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from decoct.data import Floats
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.ingest import search_text
from decoct_lab.train.embedder.pairs import QuestionPair

_FIRST = 5
_DRAWS = 4000


@dataclass(frozen=True, slots=True)
class BeforeAndAfter:
    """Held-back questions over all chunks: the share with the right chunk among the first five, before and after.

    `gain` is the difference of mean reciprocal ranks, with its 95 % interval by paired bootstrap over questions.
    """

    questions: int
    chunks: int
    found_before: float
    found_after: float
    gain: float
    low: float
    high: float

    @property
    def better(self) -> bool:
        """The whole interval lies above zero."""
        return self.low > 0

    def as_dict(self) -> dict[str, Any]:
        """All of it, with `better`."""
        return {**asdict(self), "better": self.better}


def before_and_after(pairs: Sequence[QuestionPair], store: Store, before: Embedder, after: Embedder) -> BeforeAndAfter:
    """Both embedders over every chunk of the library; the old one's vectors are those that are stored."""
    keys = [int(key) for info in store.documents() for key in store.chunk_keys(info.id)]
    texts = [search_text(chunk) for chunk in store.chunks(keys)]
    old = _ranks(pairs, keys, store.vectors(keys), before)
    new = _ranks(pairs, keys, after.embed(texts, "passage"), after)
    gains = 1 / new - 1 / old
    drawn = np.random.default_rng(0).choice(gains, (_DRAWS, len(gains))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return BeforeAndAfter(
        len(pairs), len(keys), float((old <= _FIRST).mean()), float((new <= _FIRST).mean()),
        round(float(gains.mean()), 4), round(float(low), 4), round(float(high), 4),
    )  # fmt: skip


def _ranks(pairs: Sequence[QuestionPair], keys: Sequence[int], rows: Floats, embedder: Embedder) -> Floats:
    """From 1, of each question's chunk by cosine; equal ones count before it."""
    place = {key: row for row, key in enumerate(keys)}
    scores = embedder.embed([pair.question for pair in pairs], "query") @ rows.T
    right = scores[np.arange(len(pairs)), [place[pair.key] for pair in pairs]]
    ranks: Floats = (scores >= right[:, None]).sum(axis=1).astype(np.float32)
    return ranks
