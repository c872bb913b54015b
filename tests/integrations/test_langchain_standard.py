"""LangChain's own suite for retrievers (langchain-tests), over a library of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct_testing.hash_embedder import HashEmbedder

pytest.importorskip("langchain_tests")

from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from decoct.integrations.langchain import DecoctRetriever


class TestDecoctRetriever(RetrieversIntegrationTests):
    """Nothing of it is skipped."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture(autouse=True)
    def library(self, tmp_path: Path) -> Iterator[None]:
        towns = [
            Document(f"t{n}", f"Town {n} has a bridge. It was opened in {1900 + n}.", f"Town {n}") for n in range(9)
        ]
        with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
            opened.add(towns)
            self.opened = opened
            yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return DecoctRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": self.opened}

    @property
    def retriever_query_example(self) -> str:
        return "When was the bridge opened?"
