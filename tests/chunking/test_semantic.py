"""Semantic chunking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from decoct.data import Document, Floats
from decoct.embed.base import TextKind
from decoct.embed.minilm import FIRST, MiniLM
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ConfigError
from decoct_lab.chunking import semantic
from decoct_lab.chunking.semantic import Semantic

TOKENIZER = WordPieceTokenizer()


@dataclass(frozen=True)
class Topics:
    """A text's vector says how often each of the letters a, b, c stands in it."""

    fingerprint: str = "topics"
    dimension: int = 3

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        rows = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def texts(chunker: Semantic, text: str) -> list[str]:
    return [chunk.text for chunk in chunker.chunk(Document("d", text))]


def chunker(**changes: object) -> Semantic:
    return Semantic(Topics(), TOKENIZER, **{"window": 0, "min_tokens": 0, **changes})  # type: ignore[arg-type]


def test_cuts_where_the_topic_turns() -> None:
    # Distances 0, 1, 0, 0: their 95th percentile is 0.85; mean .25 and deviation .433 add up to .683.
    text = "A a. A a. B b. B b. B b."
    for threshold in ("percentile", "deviation"):
        assert texts(chunker(threshold=threshold), text) == ["A a. A a.", "B b. B b. B b."]


def test_equal_distances_are_no_turn() -> None:
    assert texts(chunker(), "A a. A a. A a.") == ["A a. A a. A a."]
    assert texts(chunker(), "A a.") == ["A a."]
    assert texts(chunker(), " ") == []


def test_windows_smooth_a_single_odd_sentence() -> None:
    # Alone, the b in the middle is at distance 1 from both sides; in windows of three the largest distance is at the change to c.
    text = "A aa. A aa. B b. A aa. A aa. C ccc. C ccc. C ccc."
    assert len(texts(chunker(threshold="deviation"), text)) == 4
    assert len(texts(chunker(threshold="deviation", window=1, deviations=1.3), text)) == 2


def test_small_chunks_are_joined() -> None:
    # Each sentence has 3 tokens. The cut after the first b would leave 3 + 3 tokens, fewer than 7.
    text = "A a. B b. C c. C c. C c. C c. A a."
    assert texts(chunker(percentile=0.0), text) == ["A a.", "B b.", "C c. C c. C c. C c.", "A a."]
    assert texts(chunker(percentile=0.0, min_tokens=7), text) == ["A a. B b. C c. C c. C c. C c. A a."]
    assert texts(chunker(percentile=0.0, min_tokens=4), text) == ["A a. B b.", "C c. C c. C c. C c. A a."]


def test_large_chunks_are_packed() -> None:
    assert texts(chunker(max_tokens=6), "A a. A a. A a. A a. A a.") == ["A a. A a.", "A a. A a.", "A a."]


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"{'ABC'[i // 7 % 3]} {'abc'[i // 7 % 3]}." for i in range(60))
    whole = texts(chunker(window=1, percentile=80.0), text)
    monkeypatch.setattr(semantic, "BLOCK", 4)
    assert texts(chunker(window=1, percentile=80.0), text) == whole
    assert len(whole) > 1


def test_with_a_real_embedder() -> None:
    cats = "Cats sleep most of the day. A cat hunts mice at night. Kittens drink milk."
    bonds = "The bond market fell sharply. Yields on treasuries rose. Investors sold government debt."
    assert texts(Semantic(MiniLM(weights=FIRST), TOKENIZER, min_tokens=5), f"{cats} {bonds}") == [cats, bonds]


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match="semantic chunks"):
        chunker(min_tokens=300)
