"""Two replicas over one PostgreSQL pass what one server passes, whoever answers; a replica that is killed loses no job."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from live import LiveServer

from decoct import Document, Library
from decoct.errors import ConfigError, StoreError
from decoct.index.resolve import remove_store
from decoct.server.keys import grants
from decoct.server.settings import named_libraries
from decoct.server.shared_state import is_shared, opened_keys
from decoct_postgresql.server_state import PostgresTables
from decoct_postgresql.shared import SharedKeys, SharedRates, SharedSessions
from decoct_postgresql.testing import PostgreSQLServer, postgresql_server

NOTES = "/libraries/notes"
LONG = 240.0
_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def database() -> Iterator[PostgreSQLServer]:
    with postgresql_server() as running:
        yield running


@pytest.fixture
def state(database: PostgreSQLServer) -> str:
    return database.url(f"state_{next(_NUMBERS)}")


class RoundRobin:
    """A client that asks each replica in turn, and passes over one that is gone."""

    def __init__(self, *replicas: LiveServer) -> None:
        self.replicas = list(replicas)
        self._turn = itertools.count()

    def request(self, method: str, path: str, **given: Any) -> httpx.Response:
        server = self.replicas[next(self._turn) % len(self.replicas)]
        return server.api.request(method, path, **given)

    def job(self, id_: str) -> dict[str, Any]:
        """The job when it has ended."""
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            job: dict[str, Any] = self.request("GET", f"{NOTES}/jobs/{id_}").json()
            if job["state"] not in {"queued", "running"}:
                return job
            time.sleep(0.2)
        raise AssertionError(f"the job did not end: {job}")


@pytest.fixture
def pair(tmp_path: Path, state: str) -> Iterator[RoundRobin]:
    both = RoundRobin(*(LiveServer(tmp_path, "--state", state) for _ in range(2)))
    yield both
    for server in both.replicas:
        server.stop()


pytestmark = [pytest.mark.services, pytest.mark.timeout(1200)]


def test_what_one_replica_was_told_the_other_knows(pair: RoundRobin) -> None:
    assert pair.request("POST", "/libraries", json={"name": "notes"}).status_code == 201
    assert pair.request("POST", "/libraries", json={"name": "notes"}).status_code == 409
    assert [one["name"] for one in pair.request("GET", "/libraries").json()["libraries"]] == ["notes"]
    files = [
        ("files", ("docs/dam.txt", b"The dam was built in 1911 by Bo.")),
        ("files", ("broken.pdf", b"%PDF-1.4 nothing")),
    ]
    once = {"Idempotency-Key": "first"}
    accepted = pair.request("POST", f"{NOTES}/documents", files=files, headers=once).json()
    again = pair.request("POST", f"{NOTES}/documents", files=files, headers=once).json()
    assert again["id"] == accepted["id"]
    other = pair.request("POST", f"{NOTES}/documents", json={"documents": [{"id": "b", "text": "B."}]}, headers=once)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency")
    job = pair.job(accepted["id"])
    assert (job["state"], job["counts"]["added"], job["counts"]["failed"], job["attempts"]) == ("done", 1, 1, 1)
    for _ in range(2):
        answer = pair.request("POST", f"{NOTES}/ask", json={"question": "When was the dam built?"}).json()
        assert "1911" in answer["answer"]
    assert pair.request("DELETE", f"{NOTES}/documents", params={"id": "docs/dam.txt"}).json() == {"deleted": 1}
    for _ in range(2):
        assert pair.request("GET", f"{NOTES}/documents").json()["documents"] == []


def test_a_library_removed_and_made_anew_is_the_new_one_everywhere(pair: RoundRobin) -> None:
    for text in ("The dam was built in 1911.", "The mill was built in 1622."):
        assert pair.request("POST", "/libraries", json={"name": "notes"}).status_code == 201
        sent = {"documents": [{"id": "a", "text": text}]}
        assert pair.job(pair.request("POST", f"{NOTES}/documents", json=sent).json()["id"])["state"] == "done"
        for _ in range(2):
            shown = pair.request("GET", f"{NOTES}/documents", params={"id": "a"}).json()
            assert shown["text"] == text
        assert pair.request("DELETE", NOTES).status_code == 200
        for _ in range(2):
            assert pair.request("GET", NOTES).status_code == 404


def test_a_job_is_cancelled_through_the_other_replica(pair: RoundRobin) -> None:
    pair.request("POST", "/libraries", json={"name": "notes"})
    many = {"documents": [{"id": f"n{i}", "text": f"Note {i}. " + "The dam holds water. " * 200} for i in range(300)]}
    id_ = pair.request("POST", f"{NOTES}/documents", json=many).json()["id"]
    _running(pair, id_)
    for _ in range(2):  # one of them does not run it
        pair.request("DELETE", f"{NOTES}/jobs/{id_}")
    until = time.monotonic() + LONG
    while any(server.children() for server in pair.replicas) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(server.children() for server in pair.replicas)


def test_a_killed_replica_loses_no_job(pair: RoundRobin, database: PostgreSQLServer, state: str) -> None:
    pair.request("POST", "/libraries", json={"name": "notes"})
    texts = {f"n{i}": f"Note {i} says that weir {i} was built. " * 40 for i in range(120)}
    sent = {"documents": [{"id": id_, "text": text} for id_, text in texts.items()]}
    id_ = pair.request("POST", f"{NOTES}/documents", json=sent).json()["id"]
    _running(pair, id_)
    (holder,) = [server for server in pair.replicas if server.children()]
    pair.replicas.remove(holder)
    holder.kill(holder.pid)
    job = pair.job(id_)
    assert (job["state"], job["attempts"], job["counts"]["failed"]) == ("done", 2, 0)
    with Library.open(f"{state}_notes", create=False) as library:
        assert sorted(info.id for info in library.documents()) == sorted(texts)
        assert all(library.document(one).text == text for one, text in texts.items())
        assert [one for checked in library.store.verify() for one in checked.damaged] == []  # type: ignore[attr-defined]


def test_an_evaluation_is_read_through_the_replica_that_did_not_run_it(pair: RoundRobin) -> None:
    pair.request("POST", "/libraries", json={"name": "notes"})
    sent = {
        "documents": [{"id": "a", "text": "The dam was built in 1911 by Bo Green. It holds the water of the lake."}]
    }
    pair.job(pair.request("POST", f"{NOTES}/documents", json=sent).json()["id"])
    gold = {"doc_id": "a", "start": 0, "end": 30}
    question = {"id": "q", "question": "When was the dam built?", "answers": ["1911"], "supporting": [gold]}
    asked = {"name": "First", "questions": [question], "recipes": ["bm25"], "budgets": [60], "reader": "extractive"}
    id_ = pair.request("POST", f"{NOTES}/evaluations", json=asked).json()["id"]
    assert pair.job(id_)["state"] == "done"
    shown = [pair.request("GET", f"{NOTES}/evaluations/{id_}").json() for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0]["tables"]["quality"]


def _running(pair: RoundRobin, id_: str) -> None:
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        job = pair.request("GET", f"{NOTES}/jobs/{id_}").json()
        if job["state"] == "running" and job["counts"]:
            return
        time.sleep(0.1)
    raise AssertionError("the job did not begin")


def test_keys_sessions_and_rates_are_those_of_all(state: str) -> None:
    one, other = PostgresTables(state), PostgresTables(state)
    with opened_keys(state) as keys:
        key, token = keys.add(grants(["notes:read"]), note="a word")
    assert token not in str(one.run("SELECT * FROM keys"))
    assert [(known.id, known.note) for known in SharedKeys(other).all()] == [(key.id, "a word")]
    caller = SharedKeys(one).caller(token)
    assert caller is not None
    assert caller.may("notes", "read")
    assert not caller.may("notes", "write")
    assert SharedKeys(one).caller(token + "x") is None
    assert SharedKeys(one).caller("dk_\0_x") is None
    here, there = SharedSessions(SharedKeys(one), one), SharedSessions(SharedKeys(other), other)
    cookie = here.begin(caller)
    assert there.caller(cookie) == caller
    assert here.token(cookie) == there.token(cookie)
    assert there.caller("another") is None
    SharedKeys(other).revoke(key.id)
    assert here.caller(cookie) is None  # a revoked key ends its sessions
    with pytest.raises(ConfigError, match="there is no key"):
        SharedKeys(one).revoke(key.id)
    there.end(cookie)
    rates = [SharedRates(one, 0.001), SharedRates(other, 0.001)]
    buckets = [SharedRates(tables, 3.0) for tables in (one, other)]
    assert [rates[0].let_in("x"), rates[1].let_in("x")] == [True, False]
    assert [buckets[n % 2].let_in("y") for n in range(3)] == [True, True, True]
    assert buckets[0].let_in("z")
    one.close()
    other.close()


def test_a_schema_that_is_a_library_keeps_no_state(state: str) -> None:
    with Library.open(state) as library:
        library.add([Document("a", "The bridge was opened.")])
    with pytest.raises(StoreError, match="is a library"):
        PostgresTables(state)
    remove_store(state)


def test_only_postgresql_keeps_state(tmp_path: Path) -> None:
    assert not is_shared(tmp_path)
    with pytest.raises(StoreError, match="a folder or in PostgreSQL") as told:
        is_shared("milvus://me:secret@host/x")
    assert "secret" not in str(told.value)


def test_addresses_are_named_like_folders(tmp_path: Path) -> None:
    address = "postgresql://me:pw@host/db?library=Hand_Book&vectors=exact"
    assert named_libraries([address, f"notes={address}", str(tmp_path), "milvus://host/papers"]) == {
        "hand_book": address,
        "notes": address,
        tmp_path.name.lower(): tmp_path,
        "papers": "milvus://host/papers",
    }
