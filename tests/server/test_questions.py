"""Search, context, ask, compare, span over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct.server.replies import ContextsOut

L = "/api/v1/libraries/bridges"
BRIDGE = "The old bridge was opened in 1934. It was painted red by Ada Green."
WHEN = {"question": "When was the bridge opened?"}


def test_a_context_keeps_its_budget_and_tells_tokens_a_passage(client: TestClient) -> None:
    found = client.post(f"{L}/context", json={**WHEN, "budget": 30})
    assert found.status_code == 200
    context = found.json()
    assert context["tokens"] <= context["limit"] == 30
    assert sum(passage["tokens"] for passage in context["passages"]) <= context["tokens"]
    assert context["passages"][0]["support"][0]["doc_id"] == "bridge"


def test_caution_turns_a_claim_into_passages(client: TestClient) -> None:
    sure = client.post(f"{L}/ask", json={**WHEN, "caution": 0}).json()
    assert (sure["outcome"], 0 < sure["answers"][0]["score"] < 1) == ("answer", True)
    doubtful = client.post(f"{L}/ask", json={**WHEN, "caution": 1}).json()
    assert (doubtful["outcome"], doubtful["answers"]) == ("passages", [])
    assert (sure["score"], doubtful["score"]) == (sure["answers"][0]["score"], None)
    assert client.post(f"{L}/ask", json={**WHEN, "caution": 1.5}).status_code == 422
    assert client.post(f"{L}/ask", json={**WHEN, "caution": True}).status_code == 422


def test_an_answer_cites_characters_of_its_document(client: TestClient) -> None:
    answer = client.post(f"{L}/ask", json=WHEN).json()
    assert answer["found"] is True
    assert "1934" in answer["answer"]
    source = answer["citations"][0]["source"]
    place = {key: source[key] for key in ("doc_id", "start", "end")}
    span = client.get(f"{L}/span", params={**place, "around": 10}).json()
    assert span["text"] == source["quote"]
    assert span["title"] == "Old bridge"


def test_a_filter_keeps_other_documents_out(client: TestClient) -> None:
    found = client.post(f"{L}/search", json={"question": "bridge tower", "where": {"year": 1934}}).json()
    assert {hit["doc_id"] for hit in found["hits"]} == {"bridge"}


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ({"year": {">=": 1934}}, {"bridge"}),
        ({"year": {">": 1934}}, set()),
        ({"year": {">=": 1900, "<": 1950}}, {"bridge"}),
        ({"year": [1933, 1934]}, {"bridge"}),
    ],
)
def test_bounds_are_a_filter_wherever_a_filter_is_taken(
    client: TestClient, where: dict[str, Any], ids: set[str]
) -> None:
    asked = {"question": "When was the bridge opened?", "where": where}
    assert {hit["doc_id"] for hit in client.post(f"{L}/search", json=asked).json()["hits"]} == ids
    shown = [
        client.post(f"{L}/context", json=asked).json(),
        client.post(f"{L}/ask", json=asked).json(),
        client.post(f"{L}/compare", json={**asked, "recipes": ["bm25", "dense"]}).json()["contexts"]["bm25"],
    ]
    for one in shown:
        assert {span["doc_id"] for passage in one["passages"] for span in passage["support"]} == ids
    listed = client.get(f"{L}/documents", params={"where": json.dumps(where)}).json()
    assert {one["id"] for one in listed["documents"]} == ids
    chat = {"model": "bridges/bm25", "messages": [{"role": "user", "content": "bridge"}], "decoct": {"where": where}}
    told = client.post("/v1/chat/completions", json=chat).json()["decoct"]["passages"]
    assert {span["doc_id"] for passage in told for span in passage["support"]} == ids


def test_bounds_that_are_none_are_refused(client: TestClient) -> None:
    wrong: list[Any] = [{"year": {}}, {"year": {"=": 3}}, {"year": {">=": None}}, {"year": {">=": [3]}}, {"": 3}]
    for where in wrong:
        refused = client.post(f"{L}/search", json={"question": "bridge", "where": where})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "validation")


def test_an_answer_without_a_model_tells_the_words_that_answer(client: TestClient) -> None:
    found = client.post(f"{L}/ask", json=WHEN).json()
    assert found["outcome"] == "answer"
    first = found["answers"][0]
    assert (first["doc_id"], BRIDGE[first["start"] : first["end"]]) == ("bridge", first["text"])
    assert "1934" in first["text"]


def test_budgets_in_chunks_are_taken(client: TestClient) -> None:
    assert client.post(f"{L}/context", json={**WHEN, "budget": "2x"}).json()["limit"] < 60


def test_compare_gives_a_context_a_recipe_and_the_error_of_one_that_fails(client: TestClient) -> None:
    found = client.post(
        f"{L}/compare", json={**WHEN, "recipes": ["default", "bm25", "decompose"], "budget": 100}
    ).json()
    assert found["contexts"]["default"]["limit"] == found["contexts"]["bm25"]["limit"] == 100
    assert found["contexts"]["decompose"]["error"]["code"] == "config"
    assert ContextsOut.model_validate(found)


def test_offsets_are_code_points_and_ids_may_hold_anything(client: TestClient) -> None:
    span = client.get(f"{L}/span", params={"doc_id": "a/b c&d.txt", "start": 8, "end": 9, "around": 4}).json()
    assert span["text"] == "😀"
    assert span["after"] == " sta"


def test_a_listing_is_paged_by_cursor_and_filtered(client: TestClient) -> None:
    first = client.get(f"{L}/documents", params={"limit": 2}).json()
    assert [one["id"] for one in first["documents"]] == ["a/b c&d.txt", "bridge"]
    rest = client.get(f"{L}/documents", params={"limit": 2, "cursor": first["next"]}).json()
    assert [one["id"] for one in rest["documents"]] == ["tower"]
    assert rest["next"] is None
    only = client.get(f"{L}/documents", params={"where": '{"year": 1934}'}).json()
    assert [one["id"] for one in only["documents"]] == ["bridge"]


def test_where_a_document_comes_from_is_not_told(client: TestClient) -> None:
    document = client.get(f"{L}/documents", params={"id": "bridge"}).json()
    assert set(document) == {"id", "title", "text", "metadata"}


def test_the_status_names_the_embedders_kind_alone(client: TestClient) -> None:
    status = client.get(L).json()
    assert status["documents"] == 3
    assert status["embedder"] == "minilm"
    assert status["chunker"] == "structure"


def test_a_question_is_understood_with_the_turns_before_it(client: TestClient) -> None:
    before = [
        {"role": "user", "content": "Who painted the old bridge?"},
        {"role": "assistant", "content": "Ada Green painted it."},
    ]
    asked = {"question": "And when was it opened?", "history": before}
    answer = client.post(f"{L}/ask", json=asked).json()
    assert "bridge" in answer["question"]
    assert answer["asked"]["how"] == "completed"
    assert "1934" in answer["answer"]
    alone = client.post(f"{L}/ask", json={"question": "And when was it opened?"}).json()
    assert (alone["question"], alone["asked"]) == ("And when was it opened?", None)
    assert client.post(f"{L}/ask", json={**WHEN, "history": [{"role": "nobody", "content": ""}]}).status_code == 422
