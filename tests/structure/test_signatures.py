"""Signatures."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoct.structure.signatures import BITS, coverage, signature


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
