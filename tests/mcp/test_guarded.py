"""Tools over HTTP are behind the server's gate: sizes, hosts, rates, keys, and clients that bring nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from starlette.testclient import TestClient

from decoct import Document, Library
from decoct.mcp.guarded import PATH, guarded
from decoct.mcp.tools import build
from decoct.server.keys import Keys, grants
from decoct.server.settings import MB, ServerLimits, allowed_recipes

RECIPES = allowed_recipes(["default"])
ACCEPTS = {"Accept": "application/json, text/event-stream"}
Offer: TypeAlias = Callable[..., TestClient]


@pytest.fixture
def offer(tmp_path: Path) -> Iterator[Offer]:
    """Two libraries as tools over HTTP; closed after the test."""
    with ExitStack() as stack:
        opened = {}
        for name in ("bridges", "own"):
            opened[name] = stack.enter_context(Library.open(tmp_path / name))
            opened[name].add([Document("bridge", "The old bridge was opened in 1934.")])

        def start(*, keys: bool = False, writes: bool = False, per_second: float = 1_000) -> TestClient:
            tools, limits = build(opened, RECIPES, writes=writes), ServerLimits(per_second=per_second)
            app = guarded(tools, list(opened), tmp_path / "state", keys=keys, writes=writes, limits=limits)
            return stack.enter_context(TestClient(app, base_url="http://127.0.0.1:8001", headers=ACCEPTS))

        yield start


def call(client: TestClient, tool: str = "ask", *, headers: dict[str, str] | None = None, **arguments: Any) -> Any:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return client.post(PATH, json=asked, headers=headers or {})


def test_a_tool_is_called(offer: Offer) -> None:
    answer = call(offer(), question="When was the bridge opened?", library="bridges")
    assert "1934" in answer.json()["result"]["content"][0]["text"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_request_has_its_size_and_its_hosts(offer: Offer) -> None:
    client = offer()
    assert call(client, question="x" * (MB + 1), library="own").status_code == 413
    assert call(client, headers={"Host": "evil.example"}, question="x").status_code == 421
    assert call(client, headers={"Origin": "http://evil.example"}, question="x").status_code == 403


def test_a_caller_has_its_rate(offer: Offer) -> None:
    client = offer(per_second=0.1)
    assert [client.get("/nothing").status_code for _ in range(2)] == [404, 429]


def test_a_key_is_for_every_library_that_is_offered(offer: Offer, tmp_path: Path) -> None:
    client, known = offer(keys=True), Keys(tmp_path / "state")
    assert call(client, question="bridge?", library="own").status_code == 401
    tokens = [known.add(grants(given))[1] for given in (["own:read"], ["*:read"])]
    statuses = [
        call(client, headers={"Authorization": f"Bearer {token}"}, question="bridge?", library="own").status_code
        for token in tokens
    ]
    assert statuses == [403, 200]
    # What a whole server shows without a key is not here.
    assert {client.get(path).status_code for path in ("/health", "/ready", "/login", "/openapi.json")} == {404}


def test_a_tool_that_writes_takes_a_key_that_may(offer: Offer, tmp_path: Path) -> None:
    client, known = offer(keys=True, writes=True), Keys(tmp_path / "state")
    tokens = [known.add(grants(given))[1] for given in (["*:read"], ["*:write"])]
    statuses = [
        call(
            client, "add_text", headers={"Authorization": f"Bearer {token}"}, doc_id="a", text="b", library="own"
        ).status_code
        for token in tokens
    ]
    assert statuses == [403, 200]
