"""Registering a part means passing its contract: every part that is registered (`registry.names`) is built by its name and put through it.

What needs more than its name stands in `SETTINGS`; what cannot be built so stands in `ELSEWHERE`, with the reason and the test that does
it. A part that is registered and stands in neither is built from its name alone, so none is exempt by being forgotten. Models are doubles,
and the packages of extras (torch, transformers …) are stand-ins with the same interface.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from decoct import plugins
from decoct.answer.base import Reader
from decoct.chunking.base import Chunker
from decoct.config import Resources, resolve
from decoct.context.base import Affinity, ContextStep, Fuser, Layout, SentenceJudge
from decoct.context.casc.extractor import Extractor
from decoct.context.layouts import Numbered
from decoct.data import Document
from decoct.embed.tokenizer import default_tokenizer
from decoct.index.base import Backend, Entry
from decoct.llm.base import Request
from decoct.reading.base import PassageReader
from decoct.registry import STAGES, names
from decoct.retrieve.base import Retriever, Scorer
from decoct_lab.context import llmlingua_official, openprovence
from decoct_lab.retrieve import score_cross_encoder
from decoct_lab.structure.base import StructureMethod
from decoct_lab.structure.contract import StructureContract
from decoct_lab.structure.of_library import LibraryStructures
from decoct_testing.backend_contract import BackendContract
from decoct_testing.chunker_contract import ChunkerContract
from decoct_testing.context_contract import (
    CORPUS,
    ContextStepContract,
    LayoutContract,
    NumberedLayoutContract,
    ReaderContract,
)
from decoct_testing.extractor_contract import ExtractorContract
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.merge_contract import AffinityContract, FuserContract, SentenceJudgeContract
from decoct_testing.passage_reader_contract import PassageReaderContract
from decoct_testing.retriever_contract import RetrieverContract, ScorerContract
from decoct_testing.scripted import ScriptedLLM

SETTINGS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("retrieve", "hybrid"): {"retrievers": ["bm25", "dense"]},
    ("retrieve", "feedback"): {"retriever": "dense"},
    ("retrieve", "rerank"): {"retriever": "dense", "scorer": "sentences"},
    ("retrieve", "reread"): {"retriever": "dense", "depth": 2},
    ("retrieve", "distinct"): {"retriever": "bm25"},
    ("retrieve", "exact"): {"retriever": "bm25"},
    ("retrieve", "syntactic"): {"retriever": "bm25"},
    ("retrieve", "mmr"): {"retriever": "dense"},
    ("retrieve", "cfic"): {"retriever": "dense"},
    ("retrieve", "t-rag"): {"retriever": "dense"},
    ("structure", "raptor"): {"layout": "pca", "most": 10},
    ("retrieve", "iter-retgen"): {"retriever": "dense"},
    ("retrieve", "self-ask"): {"retriever": "dense"},
    ("score", "cross-encoder"): {"model": "stand-in"},
    ("context", "merge"): {"fuser": "extract"},
    ("context", "by-budget"): {"small": {"use": "merge", "fuser": "extract"}, "large": "stitch"},
    ("context", "llmlingua-official"): {"model": "stand-in"},
    ("context", "open-provence"): {"trust_remote_code": True},
}
ELSEWHERE: Mapping[tuple[str, str], tuple[str, str]] = {
    ("store", "postgresql"): ("needs a server", "index/postgresql/test_postgresql_contract.py"),
    ("store", "postgres"): ("needs a server", "index/postgresql/test_postgresql_contract.py"),
    ("store", "milvus"): ("needs a server, or milvus-lite", "index/milvus/test_milvus_contract.py"),
    ("store", "milvus-lite"): ("needs milvus-lite", "index/milvus/test_milvus_contract.py"),
    ("retrieve", "cards"): ("reads cards that were made of the library", "retrieve/cards/test_cards_search.py"),
    ("reading", "hub"): ("needs a model's files, which are made there", "reading/test_hub_reader.py"),
    ("score", "hub"): ("needs a model's files, which are made there", "retrieve/test_score_hub.py"),
    ("structure", "raptor"): (
        "new leaves join: a tree that grew is another",
        "structure/raptor/test_raptor_contract.py",
    ),
}
TOKENIZER = default_tokenizer()


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand-ins for what extras bring."""
    loads = (score_cross_encoder._load, llmlingua_official._load, openprovence._load)
    for name, contents in STAND_INS.items():
        module = ModuleType(name)
        for attribute, value in contents.items():
            setattr(module, attribute, value)
        monkeypatch.setitem(sys.modules, name, module)
    for load in loads:
        load.cache_clear()
    yield
    for load in loads:
        load.cache_clear()


class CrossEncoder:
    """Likes long texts."""

    num_labels = 1
    max_seq_length = 512

    def __init__(self, name: str, **settings: Any) -> None:
        self.tokenizer = self

    def __call__(self, text: str, **settings: Any) -> dict[str, Any]:
        words = [match.span() for match in re.finditer(r"\S+", text)]
        return {"input_ids": words, "offset_mapping": words}

    def num_special_tokens_to_add(self, pair: bool) -> int:
        return 3 if pair else 2

    def predict(self, pairs: list[tuple[str, str]], **settings: Any) -> Any:
        return np.array([len(text) for _, text in pairs], np.float32)


class PromptCompressor:
    """Keeps the first words."""

    def __init__(self, model: str, **settings: Any) -> None:
        pass

    def compress_prompt(self, context: list[str], target_token: int, **settings: Any) -> dict[str, Any]:
        return {"compressed_prompt": " ".join(" ".join(context).split()[:target_token])}


class AutoModel:
    """Keeps the first sentence."""

    @classmethod
    def from_pretrained(cls, name: str, **settings: Any) -> AutoModel:
        return cls()

    def eval(self) -> AutoModel:
        return self

    def process(self, question: str, context: str, threshold: float) -> dict[str, Any]:
        return {"pruned_context": context[: context.find(".") + 1]}


STAND_INS: Mapping[str, Mapping[str, Any]] = {
    "sentence_transformers": {"CrossEncoder": CrossEncoder},
    "torch": {"nn": SimpleNamespace(Identity=lambda: None), "Tensor": type("Tensor", (), {})},
    "llmlingua": {"PromptCompressor": PromptCompressor},
    "transformers": {"AutoModel": AutoModel},
}


def parts(stage: str) -> list[str]:
    """The names of a stage that can be built here."""
    return [name for name in names(stage) if (stage, name) not in ELSEWHERE]


def part(stage: str, name: str, resources: Resources | None = None) -> Any:
    """The part, built as a recipe builds it, over doubles."""
    table = {"use": name, **SETTINGS.get((stage, name), {})}
    return resolve(table, stage, name).build(resources or doubles())


def doubles(store: MemoryStore | None = None, embedder: HashEmbedder | None = None) -> Resources:
    """What a library hands to its parts, without a model."""
    model = ScriptedLLM(reply)
    return Resources(store or corpus(), embedder or HashEmbedder(), TOKENIZER, model, Numbered())


def corpus() -> MemoryStore:
    """The documents of the contract of context steps, one chunk each."""
    store, embedder = MemoryStore(), HashEmbedder()
    chunker = part("chunk", "fixed", Resources(tokenizer=TOKENIZER))
    for doc_id, text in CORPUS.items():
        document = Document(doc_id, text, doc_id)
        chunks = tuple(chunker.chunk(document))
        store.put([Entry(document, chunks, embedder.embed([chunk.text for chunk in chunks], "passage"), doc_id)])
    return store


def reply(request: Request) -> str:
    """The least that a request's schema allows; without one a sentence that cites."""
    if request.schema is None:
        return "The stone bridge was opened in 1906 [1]."
    return json.dumps(least(request.schema))


def least(schema: Mapping[str, Any]) -> Any:
    """The smallest value of a JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return least(one)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: least(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [least(schema["items"])] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return ""


def built(store: MemoryStore, embedder: HashEmbedder, home: Path, name: str) -> LibraryStructures:
    """The structure, in its form without a model, that the retriever `name` reads, if it reads one."""
    structures = LibraryStructures(store, embedder, home)
    spec = resolve({"use": name, **SETTINGS.get(("retrieve", name), {})}, "retrieve", name)
    if spec.needs("structures"):
        built_by = spec.settings["structure"]
        method = resolve({"use": built_by, **SETTINGS.get(("structure", built_by), {})}, "structure", name)
        resources = Resources(store, embedder, TOKENIZER, layout=Numbered())
        structures.build(built_by, method.build(resources)).run()
    return structures


class TestChunkers(ChunkerContract):
    @pytest.fixture(params=parts("chunk"))
    def chunker(self, request: pytest.FixtureRequest) -> Chunker:
        made: Chunker = part("chunk", request.param)
        return made


class TestRetrievers(RetrieverContract):
    @pytest.fixture(params=parts("retrieve"))
    def retriever(
        self, request: pytest.FixtureRequest, store: MemoryStore, embedder: HashEmbedder, tmp_path: Path
    ) -> Retriever:
        resources = replace(doubles(store, embedder), structures=built(store, embedder, tmp_path, request.param))
        made: Retriever = part("retrieve", request.param, resources)
        return made


class TestScorers(ScorerContract):
    @pytest.fixture(params=parts("score"))
    def scorer(self, request: pytest.FixtureRequest) -> Scorer:
        made: Scorer = part("score", request.param)
        return made


class TestContextSteps(ContextStepContract):
    @pytest.fixture(params=parts("context"))
    def step(self, request: pytest.FixtureRequest) -> ContextStep:
        made: ContextStep = part("context", request.param)
        return made


class TestAffinities(AffinityContract):
    @pytest.fixture(params=parts("affinity"))
    def affinity(self, request: pytest.FixtureRequest) -> Affinity:
        made: Affinity = part("affinity", request.param)
        return made


class TestFusers(FuserContract):
    @pytest.fixture(params=parts("fuse"))
    def fuser(self, request: pytest.FixtureRequest) -> Fuser:
        made: Fuser = part("fuse", request.param)
        return made


class TestSentenceJudges(SentenceJudgeContract):
    @pytest.fixture(params=parts("sentence-judge"))
    def judge(self, request: pytest.FixtureRequest) -> SentenceJudge:
        made: SentenceJudge = part("sentence-judge", request.param)
        return made


class TestLayouts(LayoutContract):
    @pytest.fixture(params=parts("layout"))
    def layout(self, request: pytest.FixtureRequest) -> Layout:
        made: Layout = part("layout", request.param)
        return made


class TestNumberedLayouts(NumberedLayoutContract):
    @pytest.fixture(params=[name for name in parts("layout") if name != "plain"])
    def layout(self, request: pytest.FixtureRequest) -> Layout:
        made: Layout = part("layout", request.param)
        return made


class TestReaders(ReaderContract):
    @pytest.fixture(params=parts("read"))
    def reader(self, request: pytest.FixtureRequest) -> Reader:
        made: Reader = part("read", request.param)
        return made


class TestPassageReaders(PassageReaderContract):
    @pytest.fixture(params=parts("reading"))
    def reader(self, request: pytest.FixtureRequest) -> PassageReader:
        made: PassageReader = part("reading", request.param)
        return made


class TestExtractors(ExtractorContract):
    @pytest.fixture(params=parts("extract"))
    def extractor(self, request: pytest.FixtureRequest) -> Extractor:
        made: Extractor = part("extract", request.param)
        return made


class TestStructures(StructureContract):
    @pytest.fixture(params=parts("structure"))
    def method(self, request: pytest.FixtureRequest) -> StructureMethod:
        made: StructureMethod = part("structure", request.param)
        return made


class TestBackends(BackendContract):
    @pytest.fixture(params=parts("store"))
    def backend(self, request: pytest.FixtureRequest) -> Backend:
        made: Backend = part("store", request.param)
        return made

    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return str(tmp_path / "library")


WALKED = {
    "chunk": TestChunkers,
    "retrieve": TestRetrievers,
    "score": TestScorers,
    "context": TestContextSteps,
    "affinity": TestAffinities,
    "fuse": TestFusers,
    "sentence-judge": TestSentenceJudges,
    "layout": TestLayouts,
    "read": TestReaders,
    "reading": TestPassageReaders,
    "extract": TestExtractors,
    "structure": TestStructures,
    "store": TestBackends,
}


def test_every_stage_is_walked() -> None:
    assert set(WALKED) == {*STAGES, *plugins.points("stages")}


@pytest.mark.parametrize("named", [*SETTINGS, *ELSEWHERE], ids="-".join)
def test_what_is_listed_is_registered(named: tuple[str, str]) -> None:
    stage, name = named
    assert name in names(stage)


@pytest.mark.parametrize("named", ELSEWHERE, ids="-".join)
def test_what_is_not_built_here_is_tested_where_it_says(named: tuple[str, str]) -> None:
    _, _, attribute = names(named[0])[named[1]].partition(":")
    _, file = ELSEWHERE[named]
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert attribute in text
    assert f"({WALKED[named[0]].__mro__[1].__name__})" in text
