"""Every way to be refused: its status, its code, its shape, and nothing that tells of this machine."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct import Library, errors
from decoct.errors import StoreError, is_disk_full
from decoct.server.problems import TABLE, problem_of
from decoct.server.settings import ServerLimits
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

Serve = Callable[..., TestClient]

L = "/api/v1/libraries/bridges"
CHAT = {"model": "bridges/default", "messages": [{"role": "user", "content": "When was the bridge opened?"}]}


def error_of(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    error: dict[str, Any] = response.json()["error"]
    assert set(error) == {"message", "type", "code", "param", "request_id"}
    assert error["code"] == code
    assert error["message"]
    assert error["request_id"] == response.headers["x-request-id"]
    return error


@pytest.mark.parametrize(
    ("route", "body", "status", "code"),
    [
        ("context", {}, 422, "validation"),
        ("context", {"question": " "}, 422, "validation"),
        ("context", {"question": "x" * 8_001}, 422, "validation"),
        ("context", {"question": "x", "budget": "much"}, 422, "validation"),
        ("context", {"question": "x", "budget": 200_001}, 422, "validation"),
        ("context", {"question": "x", "budget": True}, 422, "validation"),
        ("search", {"question": "x", "k": True}, 422, "validation"),
        ("evaluations", {"generate": True}, 422, "validation"),
        ("context", {"question": "x", "colour": "red"}, 422, "validation"),
        ("context", {"question": "When was the bridge opened?", "budget": 1}, 422, "budget"),
        ("context", {"question": "x", "recipe": "nope"}, 422, "recipe"),
        ("context", {"question": "x", "recipe": "/etc/passwd.toml"}, 422, "recipe"),
        ("ask", {"question": "x", "recipe": "decompose"}, 422, "config"),
        ("search", {"question": "x", "k": 101}, 422, "validation"),
        ("compare", {"question": "x", "recipes": ["default"]}, 422, "validation"),
        ("compare", {"question": "x", "recipes": ["default", "default"]}, 422, "validation"),
    ],
)
def test_what_a_request_may_not_hold(
    client: TestClient, route: str, body: dict[str, Any], status: int, code: str
) -> None:
    error_of(client.post(f"{L}/{route}", json=body), status, code)


@pytest.mark.parametrize(
    ("route", "body", "param", "words"),
    [
        (f"{L}/context", {"question": "x", "budget": 1.5}, "budget", "number of tokens"),
        (f"{L}/context", {"question": "x", "budget": True}, "budget", "number of tokens"),
        (f"{L}/search", {"question": "x", "where": {"year": {"~": 1}}}, "where.year", "bounds such as"),
        (f"{L}/search", {"question": "x", "where": {"query": None}}, "where.query", "bounds such as"),
        (f"{L}/documents", {"documents": [{"id": "a", "text": "x", "metadata": {"a": {}}}]},
         "documents.0.metadata.a", "metadata is a text"),
        (f"{L}/evaluations", {"generate": 1, "recipes": ["naive"], "budgets": [None]}, "budgets.0", "number of tokens"),
        ("/v1/rerank", {"query": "x", "documents": ["a", ""]}, "documents.1", "1 to 8,000 characters"),
        ("/v1/rerank", {"query": "", "documents": ["a"]}, "query", "at least 1 character"),
        ("/v1/completions", {"model": "bridges/default", "prompt": []}, "prompt", "a list of one"),
    ],
)  # fmt: skip
def test_the_field_at_fault_is_named_as_it_was_written(
    client: TestClient, route: str, body: dict[str, Any], param: str, words: str
) -> None:
    error = error_of(client.post(route, json=body), 422, "validation")
    assert (error["param"], error["message"].startswith(f"{param}: "), words in error["message"]) == (param, True, True)
    assert "more)" not in error["message"]


def test_recipes_tell_which_need_a_language_model(client: TestClient) -> None:
    needs = {one["name"]: one["needs_llm"] for one in client.get("/api/v1/recipes").json()["recipes"]}
    assert (needs["default"], needs["casc-llm"]) == (False, True)


def test_a_body_that_is_no_json_is_told_as_that(client: TestClient) -> None:
    typed = {"Content-Type": "application/json"}
    broken = error_of(client.post(f"{L}/ask", content=b'{"question": ', headers=typed), 422, "validation")
    assert (broken["message"].split(":")[0], broken["param"]) == (
        "the body is not valid JSON, from character 13 on",
        None,
    )
    for headers in ({"Content-Type": "application/x-www-form-urlencoded"}, {}):
        refused = error_of(client.post(f"{L}/ask", content=b'{"question": "x"}', headers=headers), 415, "media-type")
        assert "application/json" in refused["message"]
    assert error_of(client.post(f"{L}/ask", json=[1]), 422, "validation")


def test_a_budget_too_small_says_what_it_needs(client: TestClient) -> None:
    asked = {"question": "When was the bridge opened?"}
    refused = client.post(f"{L}/context", json={**asked, "budget": 1})
    told = re.search(r"at least (\d+) tokens", error_of(refused, 422, "budget")["message"])
    assert told is not None
    assert client.post(f"{L}/context", json={**asked, "budget": int(told[1])}).status_code == 200


def test_what_is_not_there(client: TestClient) -> None:
    error_of(client.get("/nothing"), 404, "not-found")
    refused = client.put(f"{L}/context")
    error_of(refused, 405, "method")
    assert refused.headers["Allow"] == "POST"
    assert client.put(f"{L}/documents").headers["Allow"] == "DELETE, GET, POST"
    error_of(client.get("/api/v1/libraries/nope"), 404, "library")
    error_of(client.get("/api/v1/libraries/..%2f..%2fetc"), 404, "not-found")
    error_of(client.get(f"{L}/documents", params={"id": "nope"}), 404, "document")
    error_of(client.delete(f"{L}/documents", params={"id": "nope"}), 404, "document")
    error_of(client.get(f"{L}/jobs/nope"), 404, "job")
    error_of(client.get(f"{L}/span", params={"doc_id": "bridge", "start": 0, "end": 10_000}), 422, "span")
    unknown = error_of(client.get(f"{L}/span", params={"doc_id": "nope", "start": 0, "end": 1}), 404, "document")
    assert unknown["param"] == "doc_id"
    error_of(client.get(f"{L}/page.png", params={"doc_id": "bridge", "start": 0, "end": 3}), 404, "original")
    error_of(client.post("/v1/chat/completions", json={**CHAT, "model": "bridges/nope"}), 404, "model_not_found")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"tools": [{"type": "function"}], "tool_choice": "required"}, "unsupported"),
        ({"n": 2}, "unsupported"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
            "unsupported",
        ),
    ],
)
def test_what_a_chat_cannot_do_here(client: TestClient, more: dict[str, Any], code: str) -> None:
    error_of(client.post("/v1/chat/completions", json={**CHAT, **more}), 400, code)


def test_a_body_that_is_too_large_is_refused_said_or_not(serve: Serve) -> None:
    client = serve(limits=ServerLimits(json_bytes=1_000, upload_bytes=1_000))

    def pieces() -> Iterator[bytes]:
        for _ in range(10):
            yield b"x" * 500

    headers = {"Content-Type": "application/json"}
    error_of(client.post(f"{L}/context", content=b"x" * 1_001, headers=headers), 413, "size")
    error_of(client.post(f"{L}/context", content=pieces(), headers=headers), 413, "size")
    error_of(client.post(f"{L}/documents", files=[("files", ("a.txt", b"x" * 2_000_000))]), 413, "size")
    # A form may add its own bytes; its files and documents as JSON have the limit that is told.
    whole = client.post(f"{L}/documents", files=[("files", (f"{name}.txt", b"x" * 501)) for name in "ab"])
    assert "1,000 bytes" in error_of(whole, 413, "size")["message"]
    assert client.post(f"{L}/documents", files=[("files", ("a.txt", b"x" * 1_000))]).status_code == 202
    error_of(client.post(f"{L}/documents", content=b" " * 1_001, headers=headers), 413, "size")


def test_another_media_type_and_bytes_that_are_no_json(client: TestClient) -> None:
    error_of(client.post(f"{L}/documents", content=b"x", headers={"Content-Type": "text/plain"}), 415, "media-type")
    broken = client.post(f"{L}/context", content=b"{", headers={"Content-Type": "application/json"})
    error_of(broken, 422, "validation")


def test_an_empty_library_is_a_callers_error_for_openais_clients(serve: Serve, tmp_path: Path) -> None:
    Library.open(tmp_path / "empty", embedder=HashEmbedder()).close()
    client = serve(libraries={"empty": tmp_path / "empty"})
    error = error_of(client.post("/v1/chat/completions", json={**CHAT, "model": "empty/default"}), 422, "corpus")
    assert error["type"] == "invalid_request_error"  # 409 `conflict_error` elsewhere: these clients would ask again


def test_the_description_tells_the_bounds_of_numbers_and_budgets(client: TestClient) -> None:
    shapes = client.get("/openapi.json").json()["components"]["schemas"]
    assert shapes["EmbeddingsIn"]["properties"]["dimensions"]["anyOf"][0] == {"type": "integer", "minimum": 1}
    number, text, _ = shapes["QuestionIn"]["properties"]["budget"]["anyOf"]
    assert number == {"type": "integer", "minimum": 1, "maximum": 200_000}
    allowed = [
        one for one in ("900", " 5x", "1.5 X", "2×", "", "abc", "1.5", "-3", "x") if re.match(text["pattern"], one)
    ]
    assert allowed == ["900", " 5x", "1.5 X", "2×"]


def test_other_hosts_and_origins_are_refused(client: TestClient) -> None:
    error_of(client.get("/health", headers={"Host": "evil.example"}), 421, "host")
    error_of(client.post(f"{L}/context", json={}, headers={"Origin": "http://evil.example"}), 403, "origin")
    same = client.post(f"{L}/search", json={"question": "bridge"}, headers={"Origin": "http://127.0.0.1"})
    assert same.status_code == 200


def test_more_than_a_keys_rate_is_refused_with_when_to_come_back(serve: Serve) -> None:
    client = serve(limits=ServerLimits(per_second=2))
    refused = [r for r in (client.get("/api/v1/recipes") for _ in range(5)) if r.status_code == 429]
    assert error_of(refused[0], 429, "rate")
    assert refused[0].headers["Retry-After"] == "1"


def test_a_full_queue_is_refused(serve: Serve) -> None:
    client = serve(limits=ServerLimits(threads=1, queue=-1))
    refused = client.get(L)
    error_of(refused, 429, "queue")
    assert refused.headers["Retry-After"] == "5"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.QueryError("the question is empty"), 422, "query"),
        (errors.BudgetError("give at least 11 tokens"), 422, "budget"),
        (errors.ConfigError("k must be positive"), 422, "config"),
        (errors.PromptTooLongError("/secret/model.gguf has 4,096"), 422, "prompt-too-long"),
        (errors.MissingExtraError("this", "torch"), 501, "missing-extra"),
        (errors.MissingDistributionError("this", "decoct-lab", "lab"), 501, "missing-distribution"),
        (errors.CorpusError("the library is empty"), 409, "corpus"),
        (errors.StaleIndexError("/secret was built"), 409, "stale-index"),
        (errors.MissingStructureError("/secret has none"), 409, "missing-structure"),
        (errors.MissingAbilityError("postgres://secret cannot"), 422, "missing-ability"),
        (errors.StoreBusyError("/secret is being written"), 503, "store-busy"),
        (errors.StoreUnavailableError("postgres://secret"), 503, "store-unavailable"),
        (errors.RateLimitError("http://secret asks"), 503, "rate-limit"),
        (errors.ModelUnavailableError("http://secret is down"), 503, "model-unavailable"),
        (errors.ModelTimeoutError("http://secret"), 504, "model-timeout"),
        (errors.ReplyError("the model of secret", "secret"), 502, "reply"),
        (errors.ModelError("secret"), 502, "model"),
        (errors.StoreError("/secret cannot be read"), 500, "internal"),
        (errors.ProvenanceError("secret"), 500, "internal"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_each_error_of_the_engine_has_its_status_and_hides_this_machine(
    error: Exception, status: int, code: str
) -> None:
    problem = problem_of(error)
    assert (problem.status_code, problem.code) == (status, code)
    assert "secret" not in problem.detail


def test_the_table_names_only_errors_that_exist() -> None:
    known = {one.code for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.DecoctError)}
    assert set(TABLE) <= known


def test_a_model_that_fails_in_a_stream_is_told_in_the_stream(serve: Serve) -> None:
    client = serve(llm=ScriptedLLM([], failures={0: errors.ModelUnavailableError("http://secret")}))
    failed = client.post("/v1/chat/completions", json={**CHAT, "stream": True})
    error_of(failed, 503, "model-unavailable")  # before the first word there is still a status
    assert failed.headers["Retry-After"]


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (errors.ModelError("the key is refused"), "false"),
        (errors.ModelUnavailableError("down"), "true"),
        (errors.ModelTimeoutError("late"), "true"),
        (errors.RateLimitError("slow down"), "true"),
    ],
    ids=lambda one: getattr(one, "code", one),
)
def test_a_client_asks_again_where_that_can_mend_it(serve: Serve, error: errors.ModelError, again: str) -> None:
    """A model's service that refuses the key was asked three times: its status is one that clients try again."""
    client = serve(llm=ScriptedLLM([], failures={0: error}))
    failed = client.post("/v1/chat/completions", json=CHAT)
    assert failed.status_code >= 500
    assert failed.headers["x-should-retry"] == again


def test_a_library_whose_files_are_gone_hides_where_they_were(serve: Serve, tmp_path: Path) -> None:
    client = serve(libraries={"lost": tmp_path / "nowhere"})
    error = error_of(client.post("/api/v1/libraries/lost/search", json={"question": "x"}), 500, "internal")
    assert "nowhere" not in error["message"]


def test_a_full_disk_is_told_as_one_whatever_found_it() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/home/me/state/spool/x")
    stored = StoreError("the library /home/me/lib could not be written")
    stored.__cause__ = full
    read, unread = StoreError("the library /home/me/lib could not be read"), sqlite3.OperationalError("disk I/O error")
    unread.sqlite_errorname = "SQLITE_IOERR_SHMSIZE"  # who opens a library on a full disk meets this
    read.__cause__ = unread
    for error in (full, stored, read):
        problem = problem_of(error)
        assert (problem.status_code, problem.code) == (507, "disk-full")
        assert "/home" not in str(problem.detail)
        assert problem.headers == {"Retry-After": "60"}
    assert not is_disk_full(OSError(errno.EACCES, "no"))
