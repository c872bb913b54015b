"""Ingest as jobs: a real child writes; nothing is lost or stored twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.server.jobs import JobStore
from decoct.server.spool import document_name
from decoct.server.tables import SqliteTables

Serve = Callable[..., TestClient]

NOTES = "/api/v1/libraries/notes"


@pytest.fixture
def notes(serve: Serve) -> TestClient:
    client: TestClient = serve()
    assert client.post("/api/v1/libraries", json={"name": "notes"}).status_code == 201
    return client


def ended(client: TestClient, id_: str, seconds: float = 500) -> dict[str, Any]:
    """The job when it has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        job: dict[str, Any] = client.get(f"{NOTES}/jobs/{id_}").json()
        if job["state"] not in {"queued", "running"}:
            return job
        time.sleep(0.1)
    raise AssertionError(f"the job did not end: {job}")


def test_uploaded_files_are_found_and_failures_named(notes: TestClient, tmp_path: Path) -> None:
    files = [
        ("files", ("docs/../../dam.txt", b"The dam was built in 1911 by Bo.")),
        ("files", ("broken.pdf", b"%PDF-1.4 nothing")),
    ]
    accepted = notes.post(f"{NOTES}/documents", files=files)
    assert accepted.status_code == 202
    job = ended(notes, accepted.json()["id"])
    assert (job["state"], job["counts"]["added"], job["counts"]["failed"]) == ("done", 1, 1)
    assert job["failures"][0]["source"] == "broken.pdf"
    assert str(tmp_path) not in str(job)
    assert [one["id"] for one in notes.get(f"{NOTES}/documents").json()["documents"]] == ["docs/dam.txt"]
    assert "1911" in notes.post(f"{NOTES}/ask", json={"question": "When was the dam built?"}).json()["answer"]
    assert not any((tmp_path / "state" / "spool").iterdir())
    assert notes.delete(f"{NOTES}/documents", params={"id": "docs/dam.txt"}).json() == {"deleted": 1}
    assert notes.get(f"{NOTES}/documents").json()["documents"] == []


def test_the_same_key_gives_the_same_job_and_another_content_is_refused(notes: TestClient) -> None:
    assert notes.post(f"{NOTES}/documents", json={"documents": []}, headers={"Idempotency-Key": ""}).status_code == 422
    headers = {"Idempotency-Key": "first"}
    body = {"documents": [{"id": "a", "text": "A text.", "metadata": {"year": 2020}}]}
    first = notes.post(f"{NOTES}/documents", json=body, headers=headers).json()
    assert notes.post(f"{NOTES}/documents", json=body, headers=headers).json()["id"] == first["id"]
    other = {"documents": [{"id": "b", "text": "Another."}]}
    refused = notes.post(f"{NOTES}/documents", json=other, headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency")
    assert ended(notes, first["id"])["state"] == "done"


def test_a_job_can_be_followed_cancelled_and_retried(notes: TestClient) -> None:
    many = {"documents": [{"id": f"n{i}", "text": f"Note {i}. " + "The dam holds water. " * 200} for i in range(400)]}
    job = notes.post(f"{NOTES}/documents", json=many).json()["id"]
    cancelled = notes.delete(f"{NOTES}/jobs/{job}").json()
    assert cancelled["state"] == "cancelled"
    assert notes.post(f"{NOTES}/jobs/{job}/retry").json()["state"] == "queued"
    assert notes.post(f"{NOTES}/jobs/{job}/retry").status_code == 409
    notes.delete(f"{NOTES}/jobs/{job}")
    small = notes.post(f"{NOTES}/documents", json={"documents": [{"id": "z", "text": "A last note."}]}).json()["id"]
    with notes.stream("GET", f"{NOTES}/jobs/{small}/events") as events:
        told = [line for line in events.iter_lines() if line.startswith("data: ")]
    assert '"state": "done"' in told[-1]


def test_urls_are_refused_unless_allowed(notes: TestClient) -> None:
    refused = notes.post(f"{NOTES}/documents", json={"urls": ["http://127.0.0.1/x"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "urls")


def test_what_ran_when_a_server_ended_is_done_by_the_next(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "notes"
    with Library.open(place) as library:
        library.add([Document("a", "An old text.")])
    jobs = JobStore(SqliteTables(tmp_path / "state" / "jobs.db"), tmp_path / "state")
    folder = jobs.folder("abc")
    folder.mkdir()
    (folder / "manifest.json").write_text(
        '{"kind": "document", "id": "a", "text": "An old text."}\n{"kind": "document", "id": "b", "text": "A new text."}\n'
    )
    jobs.add("abc", "notes", 2)
    assert jobs.begin("abc")
    jobs.close()
    client = serve(libraries={"notes": place})
    job = ended(client, "abc")
    assert (job["state"], job["counts"]["added"], job["counts"]["unchanged"], job["attempts"]) == ("done", 1, 1, 2)


def test_a_library_is_made_and_removed_with_its_jobs(notes: TestClient, tmp_path: Path) -> None:
    again = notes.post("/api/v1/libraries", json={"name": "notes"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "exists")
    for wrong in ({"name": "../x"}, {"name": "x", "embedder": "onnx:/etc"}, {"name": "x", "chunker": "perplexity"}):
        assert notes.post("/api/v1/libraries", json=wrong).status_code == 422
    assert notes.delete(NOTES).json() == {"deleted": 1}
    assert notes.get(NOTES).status_code == 404
    assert not (tmp_path / "state" / "libraries" / "notes").exists()


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("C:\\Users\\me\\note.txt", "Users/me/note.txt"),
        ("docs/./a.md", "docs/a.md"),
        ("a\x00b.txt", "ab.txt"),
    ],
)
def test_names_of_uploads_lead_nowhere(sent: str, name: str) -> None:
    assert document_name(sent) == name
