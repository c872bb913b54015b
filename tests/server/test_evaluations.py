"""Evaluations over HTTP: run by a real child, kept, and told without anything of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from decoct import registry
from decoct.server.parameters import GoldSpanIn

Serve = Callable[..., TestClient]
E = "/api/v1/libraries/bridges/evaluations"
OPENED = {
    "id": "opened",
    "question": "When was the bridge opened?",
    "answers": ["1934"],
    "supporting": [{"doc_id": "bridge", "start": 0, "end": 34}],
}
HIGH = {
    "id": "high",
    "question": "How high is the tower?",
    "answers": ["80 metres"],
    "supporting": [{"doc_id": "tower", "start": 0, "end": 29}],
}
ASKED = {"name": "First look", "questions": [OPENED, HIGH], "recipes": ["naive", "default"], "budgets": [60, "2x"]}


def ended(client: TestClient, id_: str, seconds: float = 500) -> dict[str, Any]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found: dict[str, Any] = client.get(f"{E}/{id_}").json()
        if found["state"] not in {"queued", "running"}:
            return found
        time.sleep(0.2)
    raise AssertionError(f"the evaluation did not end: {found}")


def test_recipes_are_compared_and_the_report_stays(client: TestClient, tmp_path: Path) -> None:
    accepted = client.post(E, json=ASKED)
    assert accepted.status_code == 202
    assert accepted.headers["Location"].endswith(accepted.json()["id"])
    done = ended(client, accepted.json()["id"])
    assert (done["state"], done["error"], done["rows"]) == ("done", "", 8)
    recall = {
        (row["system"], row["budget"]): row["mean"]
        for row in done["tables"]["quality"]
        if row["metric"] == "evidence_recall"
    }
    assert recall == {("naive", 60): 1.0, ("naive", "2x"): 1.0, ("default", 60): 1.0, ("default", "2x"): 1.0}
    assert str(tmp_path) not in str(done)
    assert [one["name"] for one in client.get(E).json()["evaluations"]] == ["First look"]
    assert client.get(f"/api/v1/libraries/bridges/jobs/{done['id']}").json()["kind"] == "evaluation"
    assert client.delete(f"{E}/{done['id']}").json()["state"] == "done"
    assert client.get(E).json() == {"evaluations": []}
    assert not any((tmp_path / "state" / "evaluations").iterdir())


def test_questions_are_made_where_none_are_given(client: TestClient) -> None:
    accepted = client.post(E, json={"generate": 3, "recipes": ["bm25"], "budgets": [100], "reader": "extractive"})
    done = ended(client, accepted.json()["id"])
    assert (done["state"], done["error"]) == ("done", "")
    assert {row["system"] for row in done["tables"]["quality"]} == {"bm25"}


def test_what_is_wrong_with_the_questions_is_said_without_the_file_it_lay_in(
    client: TestClient, tmp_path: Path
) -> None:
    wrong = {**HIGH, "supporting": [{"doc_id": "tower", "start": 0, "end": 9000}]}
    done = ended(client, client.post(E, json={**ASKED, "questions": [OPENED, wrong]}).json()["id"])
    assert done["state"] == "failed"
    assert done["error"].startswith("questions.jsonl:2: ")
    assert str(tmp_path) not in str(done)
    assert done["tables"]["quality"] == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"recipes": ["nothing"]}, "recipe"),
        ({"recipes": ["/etc/passwd.toml"]}, "recipe"),
        ({"recipes": ["naive", "naive"]}, "validation"),
        ({"recipes": ["casc-llm"]}, "config"),
        ({"reader": "model"}, "config"),
        ({"budgets": [0]}, "validation"),
        ({"budgets": ["much"]}, "validation"),
        ({"generate": 5}, "validation"),
        ({"questions": []}, "validation"),
        ({"questions": [OPENED, OPENED]}, "validation"),
        ({"llm": "openai:x"}, "validation"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_at_once(client: TestClient, change: dict[str, Any], code: str) -> None:
    refused = client.post(E, json={**ASKED, **change})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, code)
    assert client.get(E).json() == {"evaluations": []}


@pytest.mark.parametrize("change", [{"generate": 5, "questions": []}, {"reader": "extractive"}])
def test_what_needs_a_distribution_that_is_not_there_is_refused_at_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    monkeypatch.setattr("decoct.plugins.points", lambda _: {})
    monkeypatch.setattr("decoct.registry.names", lambda stage: registry.STAGES.get(stage, {}))
    refused = client.post(E, json={**ASKED, **change})
    assert (refused.status_code, refused.json()["error"]["code"]) == (501, "missing-distribution")
    assert client.get(E).json() == {"evaluations": []}


def test_a_cancelled_evaluation_can_be_taken_up_again(client: TestClient) -> None:
    id_ = client.post(E, json=ASKED).json()["id"]
    assert client.delete(f"{E}/{id_}").json()["state"] == "cancelled"
    assert client.post(f"/api/v1/libraries/bridges/jobs/{id_}/retry").json()["state"] == "queued"
    assert ended(client, id_)["rows"] == 8


def test_what_is_no_evaluation_is_not_found(client: TestClient) -> None:
    for method in ("GET", "DELETE"):
        missing = client.request(method, f"{E}/nothing")
        assert (missing.status_code, missing.json()["error"]["code"]) == (404, "evaluation")


@pytest.mark.parametrize("wrong", [{"start": False, "end": 1}, {"start": 0, "end": True}, {"start": "0", "end": 1}])
def test_a_place_in_a_document_is_a_whole_number(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GoldSpanIn.model_validate({"doc_id": "bridge", **wrong})
