"""`decoct serve`, `keys` and `mcp` from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from decoct import Document, Library

Run = Callable[..., tuple[int, str, str]]


def test_keys_are_made_listed_and_revoked(run: Run) -> None:
    code, token, _ = run("keys", "add", "--library", "notes:read", "--note", "laptop")
    assert code == 0
    assert token.startswith("dk_")
    listed = json.loads(run("keys", "list", "--json")[1])
    assert [(key["libraries"], key["note"]) for key in listed] == [({"notes": "read"}, "laptop")]
    assert token.strip() not in run("keys", "list")[1]
    assert run("keys", "revoke", listed[0]["id"])[0] == 0
    assert json.loads(run("keys", "list", "--json")[1]) == []
    assert run("keys", "revoke", "nope")[0] == 2
    assert run("keys", "add", "--library", "notes")[0] == 2


def test_other_machines_are_served_with_keys_only(run: Run) -> None:
    code, _, err = run("serve", "--host", "0.0.0.0", "--port", "0")
    assert code == 2
    assert "decoct keys add" in err


def test_libraries_that_are_not_there_or_named_twice(run: Run, tmp_path: Path) -> None:
    assert run("serve", "--library", str(tmp_path / "none"), "--port", "0")[0] == 2
    code, _, err = run("serve", "--library", "a/notes", "--library", "b/notes", "--port", "0")
    assert code == 2
    assert "NAME=" in err
    assert run("mcp", "--library", str(tmp_path / "none"))[0] == 2


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", "from decoct.cli import main; main()", "serve", "--port", "0", *more]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait(400)
        process.stdout.close()


@pytest.mark.services
def test_a_server_says_its_url_first_and_stops_when_told(tmp_path: Path) -> None:
    with Library.open(tmp_path / "notes") as library:
        library.add([Document("a", "The dam was built in 1911.")])
    with serving(tmp_path, "--library", "notes") as (process, url):
        asked = httpx.post(
            f"{url}/api/v1/libraries/notes/ask", json={"question": "When was the dam built?"}, timeout=400
        )
        assert "1911" in asked.json()["answer"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(400) == 0


def running(job: str) -> None:
    """Return when a job's child stores, or has ended."""
    until = time.monotonic() + 400
    while (state := httpx.get(job, timeout=400).json())["state"] == "queued" or (
        state["state"] == "running" and not state["counts"].get("embedded")
    ):
        assert time.monotonic() < until, state
        time.sleep(0.1)


@pytest.mark.services
@pytest.mark.timeout(1200)  # three servers and a thousand documents, on whatever machine
def test_kill_9_of_server_and_child_loses_and_doubles_nothing(tmp_path: Path) -> None:
    documents = [{"id": f"n{n}", "text": f"Note {n}. " + "The dam holds back the river. " * 40} for n in range(1_000)]
    jobs = "/api/v1/libraries/notes/jobs"
    with serving(tmp_path) as (_, url):
        httpx.post(f"{url}/api/v1/libraries", json={"name": "notes"}, timeout=400).raise_for_status()
        job = httpx.post(f"{url}/api/v1/libraries/notes/documents", json={"documents": documents}, timeout=400).json()[
            "id"
        ]
        running(f"{url}{jobs}/{job}")
    for _ in range(2):  # the server is killed as it ingests, and its child dies with it
        with serving(tmp_path) as (_, url):
            running(f"{url}{jobs}/{job}")
    with serving(tmp_path) as (_, url):
        until = time.monotonic() + 400
        while (state := httpx.get(f"{url}{jobs}/{job}", timeout=400).json())["state"] in {"queued", "running"}:
            assert time.monotonic() < until, state
            time.sleep(0.5)
        assert state["state"] == "done"
        assert state["counts"]["documents"] == 1_000
        assert httpx.get(f"{url}/api/v1/libraries/notes", timeout=400).json()["documents"] == 1_000


@pytest.mark.services
def test_a_client_that_goes_away_ends_the_work(tmp_path: Path) -> None:
    with Library.open(tmp_path / "notes") as library:
        library.add([Document("a", "The dam was built in 1911.")])
    with serving(tmp_path, "--library", "notes") as (_, url):
        body = {"question": "When was the dam built?"}
        httpx.post(f"{url}/api/v1/libraries/notes/ask", json=body, timeout=400).raise_for_status()
        for _ in range(20):
            with pytest.raises(httpx.TimeoutException):
                httpx.post(f"{url}/api/v1/libraries/notes/ask", json={**body, "budget": 200}, timeout=0.001)
        until = time.monotonic() + 400
        while "decoct_work_pending 0.0" not in httpx.get(f"{url}/metrics", timeout=400).text.splitlines():
            assert time.monotonic() < until, "work of those who went away goes on"
            time.sleep(0.1)
