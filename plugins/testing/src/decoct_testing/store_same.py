"""Two stores held against each other: equal rankings, and equal answers to everything a reader can ask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from decoct.data import Ranking, Span
from decoct.index.abilities import Mentions, Named, SupportsNames
from decoct.index.base import Store
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import WORDS, number, unit_rows


def same_ranking(store: Store, found: Ranking, model: Store, expected: Ranking, error: float) -> None:
    """Assert equal scores within `error`, and the same chunks wherever scores differ by more than that; keys are each store's own."""
    assert found.keys.dtype == np.int64
    assert found.scores.dtype == np.float32
    assert len(found) == len(expected)
    assert len(set(found.keys.tolist())) == len(found)
    assert found.scores == pytest.approx(expected.scores, abs=error)
    if not len(found):
        return
    expected_score = dict(zip(_in_order(model, expected), expected.scores.tolist(), strict=True))
    last = float(expected.scores[-1])
    for span, score in zip(_in_order(store, found), found.scores.tolist(), strict=True):
        assert expected_score.get(span, last) == pytest.approx(score, abs=2 * error)


def same_store(store: Store, model: MemoryStore) -> None:
    """Assert that everything a reader can ask of the store is answered alike; keys may differ, so they are told by their spans."""
    assert list(store.documents()) == list(model.documents())
    for info in model.documents():
        assert store.document(info.id) == model.document(info.id)
    assert _spans(store, store.lexical("river garden stone", 1000)) == _spans(
        model, model.lexical("river garden stone", 1000)
    )
    query = unit_rows(1, seed=5)[0]
    assert _spans(store, store.nearest(query, 1000)) == _spans(model, model.nearest(query, 1000))
    ours, theirs = store.status(), model.status()
    assert (ours.documents, ours.chunks) == (theirs.documents, theirs.chunks)
    if isinstance(store, SupportsNames):
        same_names(store, model)


def same_names(store: SupportsNames, model: MemoryStore) -> None:
    """Assert that everything that can be asked of names and of what came with chunks is answered alike."""
    names = [number(word) for word in WORDS]
    for most in (1, 5, 1000):
        assert _mentions(store, names, most) == _mentions(model, names, most)
        assert _named(store, names, most) == _named(model, names, most)
    for info in model.documents():
        ours_keys, their_keys = store.chunk_keys(info.id), model.chunk_keys(info.id)
        assert store.traits(ours_keys) == model.traits(their_keys)
        if len(ours_keys):
            assert np.array_equal(store.signatures(ours_keys), model.signatures(their_keys))
            assert (store.extents(ours_keys) == [ours_keys[0], ours_keys[-1] + 1]).all()
        where = {"version": ("1", "2"), "year": ("2000",)}
        assert store.passing(ours_keys, where).tolist() == model.passing(their_keys, where).tolist()
    assert store.status().names == model.status().names


def pairs_of_stores(found: Mentions | Named) -> list[tuple[int, int]]:
    """The pairs of name and key, in order."""
    return list(zip(found.names.tolist(), found.keys.tolist(), strict=True))


def _mentions(store: SupportsNames, names: Sequence[int], most: int) -> tuple[set[tuple[int, Span]], dict[int, int]]:
    found = store.mentioned_in(names, most)
    return {(name, store.chunks([key])[0].span) for name, key in pairs_of_stores(found)}, dict(found.counts)


def _named(store: SupportsNames, names: Sequence[int], most: int) -> set[tuple[int, Span, float]]:
    found = store.named(names, most)
    spans = [store.chunks([key])[0].span for key in found.keys.tolist()]
    return set(zip(found.names.tolist(), spans, found.strengths.tolist(), strict=True))


def _in_order(store: Store, ranking: Ranking) -> list[Span]:
    return [chunk.span for chunk in store.chunks(ranking.keys)]


def _spans(store: Store, ranking: Ranking) -> set[Span]:
    return {chunk.span for chunk in store.chunks(ranking.keys)}
