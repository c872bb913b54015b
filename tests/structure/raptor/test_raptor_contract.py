"""RAPTOR's tree passes the contract of structures. Laid out by principal components: UMAP takes seconds to compile."""

from __future__ import annotations

from typing import ClassVar

import pytest

from decoct.embed.tokenizer import default_tokenizer
from decoct_lab.structure.contract import StructureContract
from decoct_lab.structure.raptor.method import RaptorTree
from decoct_testing.hash_embedder import HashEmbedder


class TestRaptorTree(StructureContract):
    grown_is_the_same: ClassVar[bool] = False  # new leaves join: the clusters are those of the first build

    @pytest.fixture
    def method(self, embedder: HashEmbedder) -> RaptorTree:
        tokenizer = default_tokenizer()
        return RaptorTree(tokenizer, tokenizer, layout="pca", most=10)
