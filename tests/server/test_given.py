"""Documents that come as JSON: checked, where they are many in a process of their own, and written so that few are in memory."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient

from decoct.server import spool
from decoct.server.parameters import DocumentsIn
from decoct.server.problems import ProblemError, problem_of
from decoct.server.spool import checked_apart, checked_documents, manifest_items, manifest_pieces, write_synced

DOCUMENTS = {
    "documents": [{"id": "a", "text": "One.\nTwo.\u2028Three.", "metadata": {"year": 1}}, {"id": "b", "text": "[\n"}]
}
UPLOAD = "/api/v1/libraries/bridges/documents"


def test_a_manifest_goes_there_and_back_an_item_a_line(tmp_path: Path) -> None:
    items, _ = checked_documents(json.dumps(DOCUMENTS).encode(), allow_urls=False)
    write_synced(tmp_path / "manifest.json", manifest_pieces(items))
    assert list(manifest_items(tmp_path / "manifest.json")) == items
    assert len((tmp_path / "manifest.json").read_text().splitlines()) == len(items)
    write_synced(tmp_path / "none.json", manifest_pieces([]))
    assert list(manifest_items(tmp_path / "none.json")) == []


def apart(tmp_path: Path, body: bytes, *, allow_urls: bool = False) -> tuple[int, str]:
    (tmp_path / "body.json").write_bytes(body)
    return asyncio.run(checked_apart(tmp_path / "body.json", tmp_path / "manifest.json", allow_urls=allow_urls))


def test_a_process_of_its_own_finds_the_same(tmp_path: Path) -> None:
    body = json.dumps(DOCUMENTS).encode()
    items, digest = checked_documents(body, allow_urls=False)
    assert apart(tmp_path, body) == (2, digest)
    assert list(manifest_items(tmp_path / "manifest.json")) == items


@pytest.mark.parametrize("body", [b'{"documents": [', b'{"documents": [{"id": ""}]}', b"[]"])
def test_what_is_wrong_is_told_the_same_from_both(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(RequestValidationError) as here:
        checked_documents(body, allow_urls=False)
    with pytest.raises(ProblemError) as there:
        apart(tmp_path, body)
    told = problem_of(here.value)
    assert (there.value.detail, there.value.param) == (told.detail, told.param)
    assert not (tmp_path / "manifest.json").exists()


def test_urls_and_nothing_are_refused_apart_too(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="fetches no URLs"):
        apart(tmp_path, b'{"urls": ["http://e.example/a"]}')
    with pytest.raises(ProblemError, match="no documents"):
        apart(tmp_path, b"{}")


def test_what_needs_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = asyncio.create_subprocess_exec

    async def small(program: str, *arguments: str, **more: Any) -> Any:
        script = "from decoct.server import spool; spool.CHECK_BYTES = 150 << 20; spool.main()"
        return await made(program, "-c", script, **{**more, "stderr": asyncio.subprocess.DEVNULL})

    monkeypatch.setattr(asyncio, "create_subprocess_exec", small)
    with pytest.raises(ProblemError, match="more memory") as error:
        apart(
            tmp_path, b'{"documents": [' + b",".join(b'{"id": "%d", "text": "x"}' % n for n in range(400_000)) + b"]}"
        )
    assert error.value.status_code == 413


def test_a_large_body_is_not_parsed_in_the_server(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsed on the event loop, 180 MB held up every other request for two seconds and took 1.1 GB."""

    def parsed_here(*_: Any, **__: Any) -> None:
        raise AssertionError("parsed in the server's process")

    monkeypatch.setattr(DocumentsIn, "model_validate_json", parsed_here)
    monkeypatch.setattr(spool, "_SMALL", 100)
    answer = client.post(UPLOAD, json=DOCUMENTS)
    assert (answer.status_code, answer.json().get("sources")) == (202, 2)
    assert client.post(UPLOAD, json={"documents": [{"id": "a" * 200}]}).json()["error"]["param"] == "documents.0.text"
    assert dict(client.app.state.turns) == {}  # type: ignore[attr-defined]


@pytest.mark.parametrize("small", [100, 1 << 20])
def test_an_upload_that_is_no_json_is_refused_with_its_place(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr(spool, "_SMALL", small)
    answer = client.post(UPLOAD, content=b'{"documents": [' + b" " * 200, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "validation")
    assert "not valid JSON: EOF" in answer.json()["error"]["message"]


def test_a_small_body_is_parsed_in_a_thread(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[str] = []

    def seen(*arguments: Any, **more: Any) -> Any:
        where.append(threading.current_thread().name)
        return checked_documents(*arguments, **more)

    monkeypatch.setattr(spool, "checked_documents", seen)
    assert client.post(UPLOAD, json=DOCUMENTS).status_code == 202
    assert [name.startswith("asyncio_") for name in where] == [True]


def test_large_bodies_of_one_key_are_checked_one_after_the_other(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, most = 0, 0

    async def watched(*arguments: Any, **more: Any) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return await checked_apart(*arguments, **more)
        finally:
            running -= 1

    monkeypatch.setattr(spool, "_SMALL", 100)
    monkeypatch.setattr(spool, "checked_apart", watched)
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(client.post(UPLOAD, json=DOCUMENTS).status_code)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [202, 202, 202]
    assert most == 1
