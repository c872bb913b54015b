from __future__ import annotations

import pytest
from merging_doubles import FirstSentences, Words

from decoct.context.base import Affinity, Fuser
from decoct.context.merge.fuse_extract import Extract
from decoct.context.sentence_judge import ByReading
from decoct.llm.base import Request
from decoct_lab.context.merge.affinity_cache_lm import CacheLM
from decoct_lab.context.merge.affinity_compression import Compression
from decoct_lab.context.merge.affinity_cosine import Cosine
from decoct_lab.context.merge.affinity_llm import LLMAffinity
from decoct_lab.context.merge.fuse_rewrite import Rewrite
from decoct_lab.context.merge.fuse_select import Select
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.merge_contract import AffinityContract, FuserContract
from decoct_testing.scripted import ScriptedLLM


def script(request: Request) -> str:
    shown = request.messages[1].content
    return '{"keep": [1, 2]}' if request.schema is not None else shown[shown.index("<") :]


class TestExtract(FuserContract):
    @pytest.fixture(params=[0.3, 1.0])
    def fuser(self, request: pytest.FixtureRequest) -> Fuser:
        return Extract(share=request.param)


class TestExtractByReading(FuserContract):
    @pytest.fixture
    def fuser(self) -> Fuser:
        return Extract(judge=ByReading())


class TestSelect(FuserContract):
    @pytest.fixture
    def fuser(self) -> Fuser:
        return Select(ScriptedLLM(script))


class TestRewrite(FuserContract):
    @pytest.fixture(params=["symmetric", "asymmetric"])
    def fuser(self, request: pytest.FixtureRequest) -> Fuser:
        return Rewrite(ScriptedLLM(script), Words(), request.param)


class TestTheDouble(FuserContract):
    @pytest.fixture
    def fuser(self) -> Fuser:
        return FirstSentences()


class TestAffinities(AffinityContract):
    @pytest.fixture(
        params=[LLMAffinity(ScriptedLLM([])), CacheLM(), Compression(), Cosine(HashEmbedder())],
        ids=lambda a: type(a).__name__,
    )
    def affinity(self, request: pytest.FixtureRequest) -> Affinity:
        found: Affinity = request.param
        return found
