"""Remembering the vectors of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.embed.remember import Memory, Remembering
from decoct_testing.embedder_contract import EmbedderContract
from decoct_testing.hash_embedder import HashEmbedder


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        return HashEmbedder()


class TestRemembering(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Remembering:
        return Remembering(HashEmbedder(), size=3)


@dataclass(frozen=True, slots=True)
class Recording:
    """The hash embedder, keeping what it was asked."""

    asked: list[tuple[TextKind, list[str]]] = field(default_factory=list)
    dimension: int = 8
    fingerprint: str = "recording"

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        self.asked.append((kind, list(texts)))
        return HashEmbedder(8).embed(texts, kind)


def test_a_query_is_embedded_once() -> None:
    inner = Recording()
    remembering = Remembering(inner)
    first = remembering.embed(["a b", "c", "a b"], "query")
    again = remembering.embed(["c", "d", "a b"], "query")
    assert inner.asked == [("query", ["a b", "c"]), ("query", ["d"])]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], again[2])
    assert np.array_equal(first[1], again[0])


def test_passages_pass_through() -> None:
    inner = Recording()
    remembering = Remembering(inner)
    remembering.embed(["a"], "passage")
    remembering.embed(["a"], "passage")
    assert inner.asked == [("passage", ["a"])] * 2


def test_the_least_recently_asked_is_forgotten() -> None:
    inner = Recording()
    remembering = Remembering(inner, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        remembering.embed([text], "query")
    assert [texts for _, texts in inner.asked] == [["a"], ["b"], ["c"], ["b"]]


def test_a_caller_cannot_change_what_is_remembered() -> None:
    remembering = Remembering(HashEmbedder())
    remembering.embed(["a"], "query")[:] = 0
    assert np.linalg.norm(remembering.embed(["a"], "query")) == pytest.approx(1)
    remembering.embed(["a"], "query")[:] = 0
    assert np.linalg.norm(remembering.embed(["a"], "query")) == pytest.approx(1)


def test_remembered_vectors_are_the_embedders_own_and_the_oldest_go() -> None:
    embedder, vectors = HashEmbedder(), Memory(size=2)
    texts = ["one two", "three", "one two"]
    assert np.array_equal(vectors.of(texts, embedder, "passage"), embedder.embed(texts, "passage"))
    vectors.of(["four"], embedder, "passage")
    assert list(vectors._kept) == ["one two", "four"]
