"""A search's rows as a ranking."""

from __future__ import annotations

import numpy as np

from decoct.index.base import ranking_of


def test_rows_of_a_search_are_a_ranking_in_their_order() -> None:
    found = ranking_of([(9, 0.5), (2, 0.25)])
    assert (found.keys.tolist(), found.scores.tolist()) == ([9, 2], [0.5, 0.25])
    none = ranking_of([])
    assert none.keys.shape == none.scores.shape == (0,)
    assert (none.keys.dtype, none.scores.dtype) == (np.dtype(np.int64), np.dtype(np.float32))
