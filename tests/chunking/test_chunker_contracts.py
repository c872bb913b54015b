"""Every chunker passes the contract."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from decoct.chunking.fixed import Fixed
from decoct.chunking.recursive import Recursive
from decoct.chunking.sentence import SentencePacked
from decoct.chunking.structure import Structure
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.llm.base import Losses
from decoct_lab.chunking.margin import MarginSampling
from decoct_lab.chunking.perplexity import Perplexity
from decoct_lab.chunking.semantic import Semantic
from decoct_testing.chunker_contract import ChunkerContract
from decoct_testing.hash_embedder import HashEmbedder

TOKENIZER = WordPieceTokenizer()


@dataclass(frozen=True)
class HashLosses:
    """Losses that look random and depend on the text alone: one a word, by its CRC-32."""

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        return [self._losses(continuation) for _, continuation in pairs]

    def _losses(self, text: str) -> Losses:
        values, offsets, at = [], [], 0
        for word in text.split(" "):
            if word:
                values.append(zlib.crc32(word.encode()) % 5 / 2)
                offsets.append((at, at + len(word)))
            at += len(word) + 1
        return Losses(tuple(values), tuple(offsets))


class TestFixed(ChunkerContract):
    @pytest.fixture(params=[(150, 0.5), (7, 0.0), (1, 0.9)], ids=str)
    def chunker(self, request: pytest.FixtureRequest) -> Fixed:
        tokens, overlap = request.param
        return Fixed(TOKENIZER, tokens, overlap)


class TestSentencePacked(ChunkerContract):
    @pytest.fixture(params=[(150, 0), (20, 2)], ids=str)
    def chunker(self, request: pytest.FixtureRequest) -> SentencePacked:
        return SentencePacked(TOKENIZER, *request.param)


class TestRecursive(ChunkerContract):
    @pytest.fixture(params=[(150, 0, "tokens"), (350, 100, "characters"), (13, 5, "tokens")], ids=str)
    def chunker(self, request: pytest.FixtureRequest) -> Recursive:
        return Recursive(TOKENIZER, *request.param)


class TestSemantic(ChunkerContract):
    @pytest.fixture(params=["percentile", "deviation"])
    def chunker(self, request: pytest.FixtureRequest) -> Semantic:
        return Semantic(HashEmbedder(16), TOKENIZER, threshold=request.param)


class TestPerplexity(ChunkerContract):
    @pytest.fixture(
        params=[{}, {"theta": 0.2, "dynamic": True, "shared": True, "merge_words": 50}], ids=["plain", "all"]
    )
    def chunker(self, request: pytest.FixtureRequest) -> Perplexity:
        return Perplexity(HashLosses(), TOKENIZER, **request.param)


class TestMarginSampling(ChunkerContract):
    @pytest.fixture
    def chunker(self) -> MarginSampling:
        return MarginSampling(HashLosses(), TOKENIZER)


class TestStructure(ChunkerContract):
    @pytest.fixture(params=[(150, 0), (20, 2), (7, 1)], ids=str)
    def chunker(self, request: pytest.FixtureRequest) -> Structure:
        return Structure(TOKENIZER, *request.param)
