"""What every embedder must pass. Subclass `EmbedderContract` in a test module and give the `embedder` fixture."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from decoct.embed.base import Embedder, TextKind

TEXTS = (
    "Larry Alcala was an editorial cartoonist and illustrator.",
    "Paris",
    "Military instruction started at the university in 1912, by an act of its board of regents. " * 6,
    "Die Straße nach Köln — 東京 🦜 e\u0301",
    "x" * 5000,
)


class EmbedderContract:
    """Shape, length, order, determinism and thread safety. `tolerance` is how far apart two vectors of one text may be."""

    tolerance: float = 0.0

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError("give the fixture 'embedder'")

    @pytest.mark.parametrize("kind", ["query", "passage"])
    def test_rows_are_unit_vectors_in_float32(self, embedder: Embedder, kind: TextKind) -> None:
        """Shape (n, dimension), rows of length 1."""
        vectors = embedder.embed(TEXTS, kind)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """The shape holds for nothing too."""
        assert embedder.embed([], "passage").shape == (0, embedder.dimension)

    def test_a_vector_depends_on_its_text_alone(self, embedder: Embedder) -> None:
        """Neither neighbours nor order change it: rows follow the texts."""
        together = embedder.embed(TEXTS, "passage")
        assert self._near(together, np.concatenate([embedder.embed([text], "passage") for text in TEXTS]))
        assert self._near(together[::-1], embedder.embed(TEXTS[::-1], "passage"))

    def test_many_threads_get_the_same(self, embedder: Embedder) -> None:
        """Thread-safe."""
        expected = embedder.embed(TEXTS, "query")
        again: Callable[[int], object] = lambda _: self._near(expected, embedder.embed(TEXTS, "query"))  # noqa: E731
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(again, range(8)))

    def test_fingerprint_is_stable(self, embedder: Embedder) -> None:
        """A name, the same each time it is asked."""
        assert embedder.fingerprint
        assert embedder.fingerprint == embedder.fingerprint

    def test_equal_texts_are_nearest(self, embedder: Embedder) -> None:
        """A text's vector has no better match than its own."""
        vectors = embedder.embed(TEXTS, "passage")
        assert (vectors @ vectors.T).argmax(axis=1).tolist() == list(range(len(TEXTS)))

    def _near(self, left: np.ndarray, right: np.ndarray) -> bool:
        return bool(np.abs(left - right).max() <= self.tolerance)
