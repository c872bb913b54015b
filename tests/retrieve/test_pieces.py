"""Pieces lie on the document's grid, whatever chunks led to them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Span
from decoct.retrieve.feedback import cut_pieces, grid


def tokens(n: int) -> list[tuple[int, int]]:
    return [(2 * i, 2 * i + 1) for i in range(n)]  # one-letter words with a space between


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [
        (0, 4, []),
        (3, 4, [(0, 3)]),
        (8, 4, [(0, 4), (4, 8)]),
        (9, 4, [(0, 4), (4, 8), (8, 9)]),
    ],
)
def test_grid_by_hand(count: int, size: int, expected: list[tuple[int, int]]) -> None:
    assert grid(tokens(count), size) == [(2 * a, 2 * b - 1) for a, b in expected]


@given(st.integers(1, 60), st.integers(1, 12))
def test_grid_covers_every_token_once(count: int, size: int) -> None:
    found = grid(tokens(count), size)
    assert all(sum(a <= start and end <= b for a, b in found) == 1 for start, end in tokens(count))


def test_overlapping_chunks_share_their_pieces(make_store: Any, tokenizer: Any) -> None:
    text = "a b c d e f g h i j k l"
    # chunks of tokens 0-5 and 3-8 of a document with 12; pieces of 4 tokens: 0-3, 4-7, 8-11
    store = make_store((text, [(0, 11), (6, 17)], [[1, 0], [1, 0]]), ("x y", [(0, 3)], [[1, 0]]))
    pieces = cut_pieces(store, np.array([2, 1]), tokenizer, 4)
    assert pieces == {Span("d0", 0, 7): "a b c d", Span("d0", 8, 15): "e f g h", Span("d0", 16, 23): "i j k l"}
    assert list(cut_pieces(store, np.array([3, 1]), tokenizer, 4).values()) == ["x y", "a b c d", "e f g h"]
    assert cut_pieces(store, np.array([99]), tokenizer, 4) == {}
