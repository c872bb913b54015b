"""Reranking, in the form that Cohere's and Jina's clients and Open WebUI send and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.embed.minilm import MiniLM
from decoct.embed.tokenizer import default_tokenizer
from decoct.server.routes.rerank import MOST_DOCUMENTS, RerankIn

TEXTS = ["Salt is mined in the hills.", "The old bridge was opened in 1934.", "The mayor likes tea."]
ASKED: dict[str, Any] = {"model": "reader", "query": "When was the bridge opened?", "documents": TEXTS}


def test_the_text_that_answers_is_first(client: TestClient) -> None:
    told = client.post("/v1/rerank", json=ASKED).json()
    assert told["results"][0]["index"] == 1
    assert sorted(one["index"] for one in told["results"]) == [0, 1, 2]
    scores = [one["relevance_score"] for one in told["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_the_second_interface_of_cohere_is_the_same(client: TestClient) -> None:
    """Its client, and proxies for many models, send there alone."""
    first, second = (client.post(f"/{version}/rerank", json=ASKED).json() for version in ("v1", "v2"))
    assert second["results"] == first["results"]


def test_the_best_alone_with_their_texts(client: TestClient) -> None:
    objects = [{"text": text} for text in TEXTS]
    told = client.post("/v1/rerank", json={**ASKED, "documents": objects, "top_n": 1, "return_documents": True}).json()
    assert told["results"][0]["document"] == {"text": TEXTS[1]}
    assert len(told["results"]) == 1


def test_the_usage_is_that_of_the_question_and_the_texts(client: TestClient) -> None:
    """Haystack's ranker of Jina reads it, and fell over its absence."""
    told = client.post("/v1/rerank", json={**ASKED, "top_n": 1}).json()
    count = default_tokenizer().count
    assert told["usage"] == {"total_tokens": count(ASKED["query"]) + sum(map(count, TEXTS))}


def test_texts_that_are_no_sentences_are_ranked_too(client: TestClient) -> None:
    """Titles, labels and lines without an end: all had no relevance, and stayed as they came."""
    asked = {"query": "translation quality", "documents": ["cats", "lunch menu", "BLEU measures translation"]}
    best = client.post("/v2/rerank", json=asked).json()["results"][0]
    assert best["index"] == 2
    assert best["relevance_score"] > 0


def test_every_text_is_read_beside_one_with_many_statements(client: TestClient) -> None:
    long = " ".join(f"Rule {one} of the bridge says when the bridge was closed." for one in range(40))
    told = client.post("/v1/rerank", json={**ASKED, "documents": [long, TEXTS[0]]}).json()
    assert all(one["relevance_score"] > 0 for one in told["results"])


def test_the_question_is_embedded_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was once for each text that has no statement among the nearest of all."""
    embed, asked = MiniLM.embed, list[str]()

    def counted(self: MiniLM, texts: Sequence[str], kind: TextKind) -> Floats:
        asked.extend(texts if kind == "query" else ())
        return embed(self, texts, kind)

    monkeypatch.setattr(MiniLM, "embed", counted)
    long = " ".join(f"Rule {one} says when the gate was shut." for one in range(40))
    client.post("/v1/rerank", json={"query": "When was the gate shut?", "documents": [long, *TEXTS]})
    assert asked == ["When was the gate shut?"]


def test_what_clients_of_cohere_read_beside_the_results(client: TestClient) -> None:
    """The AI SDK takes a reply without `meta` for a broken one."""
    assert client.post("/v2/rerank", json=ASKED).json()["meta"]["billed_units"] == {"search_units": 0}


def test_the_form_of_voyage(client: TestClient) -> None:
    """An editor's reranker of an OpenAI-like server reads `data`, and found none."""
    told = client.post("/v1/rerank", json={**ASKED, "top_k": 2}).json()
    assert told["data"] == told["results"]
    assert len(told["data"]) == 2


@pytest.mark.parametrize("wrong", [{"documents": []}, {"query": ""}, {"top_n": 0}, {"documents": [3]}])
def test_what_cannot_be_meant_is_refused(client: TestClient, wrong: dict[str, Any]) -> None:
    assert client.post("/v1/rerank", json={**ASKED, **wrong}).status_code == 422


def test_texts_are_bounded() -> None:
    assert len(RerankIn(model=None, query="x", documents=["y"] * MOST_DOCUMENTS).documents) == MOST_DOCUMENTS
