"""Signatures."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoct.structure.traits import BITS, coverage, covered_share, signature


@given(
    st.lists(st.text("abcdefgh", min_size=1, max_size=6), max_size=40),
    st.lists(st.text("abcdefgh", min_size=1), max_size=5),
)
def test_a_signature_never_misses_a_stem_it_holds(held: list[str], others: list[str]) -> None:
    signatures = np.stack([signature(held), signature([])])
    assert signatures.shape == (2, BITS // 8)
    found = coverage(signatures, [*held, *others])
    assert found[0, : len(held)].all()
    assert not found[1].any()


def test_what_is_not_there_is_rarely_seen() -> None:
    # Two of 1,024 bits for each of 80 stems: (1 - exp(-160 / 1024))^2 = .021 of the absent ones.
    held = signature(f"word{n}" for n in range(80))
    absent = coverage(held[None, :], [f"other{n}" for n in range(5000)])
    assert 0.01 < absent.mean() < 0.035


@given(st.integers(2, 40), st.integers(0, 24), st.integers(0, 2**32 - 1))
def test_what_a_row_covers_is_the_same_to_the_bit_in_any_company(rows: int, stems: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    covered, weights = chance.random((rows, stems)) < 0.5, chance.random(stems).astype(np.float32)
    with np.errstate(all="raise"):
        together = covered_share(covered, weights)
    assert together.dtype == np.float32
    assert together.tolist() == [covered_share(row[None, :], weights)[0] for row in covered]
    np.testing.assert_allclose(together, covered @ weights.astype(np.float64), rtol=1e-5, atol=1e-6)
