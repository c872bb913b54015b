"""kill -9 of the server and of its children at random points of ingest: nothing is lost, nothing is stored twice."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from live import LiveServer

from decoct import Document, Library, Span

pytestmark = pytest.mark.slow
KILLS, UPLOADS, EACH = 12, 6, 40
NOTES = "/libraries/notes"


def text_of(number: int) -> str:
    return " ".join(
        f"Note {number} says in sentence {one} that weir {number * 31 + one} was built." for one in range(30)
    )


def spans(library: Library, asked: str) -> list[Span]:
    return [hit.chunk.span for hit in library.search(asked, 5)]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(2))
def test_kills_at_random_points_lose_and_double_nothing(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    server = LiveServer(tmp_path, "--state", "state")
    assert server.api.post("/libraries", json={"name": "notes"}).status_code == 201
    accepted: dict[str, list[str]] = {}
    waiting = [[f"n{upload}-{one}" for one in range(EACH)] for upload in range(UPLOADS)]
    kills = 0
    until = time.monotonic() + 1500
    while time.monotonic() < until:
        if waiting:
            ids = waiting.pop()
            body = {"documents": [{"id": id_, "text": text_of(int(id_[1]) * EACH + n)} for n, id_ in enumerate(ids)]}
            job = server.api.post(f"{NOTES}/documents", json=body, headers={"Idempotency-Key": ids[0]}).json()
            accepted[job["id"]] = ids
        if kills < KILLS:
            time.sleep(rng.uniform(0.1, 4))
            victim = rng.choice([server.pid, *server.children()])
            server.kill(victim)
            kills += 1
            if victim == server.pid:
                server = LiveServer(tmp_path, "--state", "state")
        else:
            time.sleep(1)
        states = {job["id"]: job["state"] for job in server.api.get(f"{NOTES}/jobs").json()["jobs"]}
        assert set(accepted) == set(states)  # what was accepted is known after any kill
        for id_, state in states.items():
            if state == "failed":  # its child was killed: retried as a user would
                assert server.api.post(f"{NOTES}/jobs/{id_}/retry").status_code == 200
        if not waiting and kills == KILLS and set(states.values()) == {"done"}:
            break
    with ExitStack() as last:
        last.callback(server.stop)
        assert set(states.values()) == {"done"}
        status = server.api.get(NOTES).json()
    expected = sorted(id_ for ids in accepted.values() for id_ in ids)
    assert len(expected) == UPLOADS * EACH
    with (
        Library.open(tmp_path / "state" / "libraries" / "notes") as library,
        Library.open(tmp_path / "whole") as whole,
    ):
        assert [one.id for one in library.documents()] == expected
        # A job that was killed comes after another that was not, and chunks alike are ranked by their keys: the same order for both.
        stored = sorted(expected, key=lambda id_: int(library.store.chunk_keys(id_)[0]))
        whole.add([Document(id_, text_of(int(id_[1]) * EACH + int(id_.partition("-")[2]))) for id_ in stored])
        assert (status["documents"], status["chunks"]) == (len(expected), whole.status().chunks)
        for id_ in expected:
            assert library.document(id_).text == whole.document(id_).text
        for id_ in expected[:: EACH // 2]:
            asked = f"When was weir {int(id_[1]) * 31} built?"
            assert spans(library, asked) == spans(whole, asked)
    assert not any((tmp_path / "state" / "spool").iterdir())
