"""Keys: what is kept of them, and what each may do with each library."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.errors import ConfigError
from decoct.server.keys import Keys, grants
from decoct.server.settings import named_libraries

Serve = Callable[..., TestClient]

# route -> (method, path, body), and the least scope on the library
ROUTES = {
    "status": ("GET", "", None, "read"),
    "context": ("POST", "/context", {"question": "bridge"}, "read"),
    "ask": ("POST", "/ask", {"question": "bridge"}, "read"),
    "search": ("POST", "/search", {"question": "bridge"}, "read"),
    "compare": ("POST", "/compare", {"question": "bridge", "recipes": ["default", "bm25"]}, "read"),
    "documents": ("GET", "/documents", None, "read"),
    "span": ("GET", "/span?doc_id=note&start=0&end=3", None, "read"),
    "page": ("GET", "/page.png?doc_id=note&start=0&end=3", None, "read"),
    "upload": ("POST", "/documents", {"documents": [{"id": "n", "text": "a text"}]}, "write"),
    "remove": ("DELETE", "/documents?id=other", None, "write"),
    "jobs": ("GET", "/jobs", None, "write"),
    "job": ("GET", "/jobs/nothing", None, "write"),
    "events": ("GET", "/jobs/nothing/events", None, "write"),
    "cancel": ("DELETE", "/jobs/nothing", None, "write"),
    "retry": ("POST", "/jobs/nothing/retry", None, "write"),
    "evaluations": ("GET", "/evaluations", None, "read"),
    "evaluation": ("GET", "/evaluations/nothing", None, "read"),
    "evaluate": ("POST", "/evaluations", {"generate": 1, "recipes": ["bm25"]}, "admin"),
    "forget": ("DELETE", "/evaluations/nothing", None, "admin"),
    "delete": ("DELETE", "", None, "admin"),
}
# Routes whose request is let in and then finds nothing.
LET_IN = {
    "page": "original", "job": "job", "events": "job", "cancel": "job", "retry": "job", "evaluation": "evaluation",
    "forget": "evaluation",
}  # fmt: skip
ORDER = ["none", "read", "write", "admin"]


CHANGES = ("upload", "remove", "evaluate", "delete")


def allowed(scope: str, route: str) -> bool:
    return ORDER.index(scope) >= ORDER.index(ROUTES[route][3])


def server(serve: Serve, tmp_path: Path, scope: str) -> tuple[TestClient, str]:
    """With a library of two notes, and a key of that scope."""
    place = tmp_path / "notes"
    with Library.open(place) as library:
        library.add([Document("note", "The bridge was opened in 1934."), Document("other", "Something else.")])
    keys = Keys(tmp_path / "state")
    _, token = keys.add(grants(["elsewhere:admin"] if scope == "none" else [f"notes:{scope}"]))
    return serve(libraries={"notes": place}, keys=True), token


@pytest.mark.parametrize("scope", ORDER)
def test_the_matrix_of_keys_and_routes(serve: Serve, tmp_path: Path, scope: str) -> None:
    client, token = server(serve, tmp_path, scope)
    for route in ROUTES:
        if route not in CHANGES or not allowed(scope, route):
            check(client, token, scope, route)


@pytest.mark.parametrize(
    ("scope", "route"), [(scope, route) for scope in ORDER for route in CHANGES if allowed(scope, route)]
)
def test_who_may_change_a_library(serve: Serve, tmp_path: Path, scope: str, route: str) -> None:
    check(*server(serve, tmp_path, scope), scope, route)


def check(client: TestClient, token: str, scope: str, route: str) -> None:
    """The route answers this key as the matrix says, and nobody without one."""
    method, path, body, _ = ROUTES[route]
    answer = client.request(
        method, f"/api/v1/libraries/notes{path}", json=body, headers={"Authorization": f"Bearer {token}"}
    )
    if scope == "none":
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "library"), route
    elif not allowed(scope, route):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope"), route
        assert f"lacks the scope '{ROUTES[route][3]}'" in answer.json()["error"]["message"]
    elif route in LET_IN:
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, LET_IN[route]), route
    else:
        assert answer.status_code in {200, 202}, answer.text
    nobody = client.request(method, f"/api/v1/libraries/notes{path}", json=body)
    assert (nobody.status_code, nobody.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_key_sees_its_libraries_and_their_models_alone(serve: Serve, tmp_path: Path, bridges: Path) -> None:
    _, token = Keys(tmp_path / "state").add(grants(["bridges:read"]))
    client = serve(libraries={"bridges": bridges, "secret": bridges}, keys=True)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/libraries", headers=headers).json()["libraries"] == [
        {"name": "bridges", "permission": "read"}
    ]
    models = {model["id"] for model in client.get("/v1/models", headers=headers).json()["data"]}
    assert {"bridges/default", "default"} <= models
    assert not any(model.startswith("secret") for model in models)
    made = client.post("/api/v1/libraries", json={"name": "mine"}, headers=headers)
    assert (made.status_code, made.json()["error"]["code"]) == (403, "scope")


def test_a_key_is_kept_as_its_digest_and_revoked_at_once(serve: Serve, tmp_path: Path) -> None:
    keys = Keys(tmp_path / "state")
    key, token = keys.add(grants(["*:read"]), note="laptop")
    kept = (tmp_path / "state" / "keys.json").read_text("utf-8")
    assert token.split("_", 2)[2] not in kept
    assert (tmp_path / "state" / "keys.json").stat().st_mode & 0o077 == 0
    client = serve(keys=True)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/recipes", headers=headers).status_code == 200
    assert client.get("/api/v1/recipes", headers={"Authorization": f"Bearer {token}x"}).status_code == 401
    assert client.get("/api/v1/recipes", headers={"Authorization": f"Bearer dk_{key.id}_"}).status_code == 401
    Keys(tmp_path / "state").revoke(key.id)
    refused = client.get("/api/v1/recipes", headers=headers)
    assert refused.status_code == 401
    assert "revoked" in refused.json()["error"]["message"]  # and not that a key is needed: one was sent


def test_metrics_need_a_key_and_health_needs_none(serve: Serve) -> None:
    client = serve(keys=True)
    assert client.get("/metrics").status_code == 401
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready"}


def test_grants_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    for given in (["notes"], ["notes:own"], [":read"]):
        with pytest.raises(ConfigError, match="NAME:read"):
            grants(given)
    with pytest.raises(ConfigError, match="may do nothing"):
        Keys(tmp_path).add({})


def test_a_damaged_file_is_an_error_not_an_open_door(serve: Serve, tmp_path: Path) -> None:
    client = serve(keys=True)
    (tmp_path / "state" / "keys.json").write_text(json.dumps({"keys": [{"id": 1}]}), "utf-8")
    refused = client.get("/api/v1/recipes", headers={"Authorization": "Bearer dk_a_b"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (500, "internal")
    assert str(tmp_path) not in refused.text


def test_a_key_is_for_the_name_under_which_a_library_is_served(tmp_path: Path) -> None:
    """The folder `Handbook` is served as `handbook`: a key for `Handbook` opened nothing."""
    (name,) = named_libraries([str(tmp_path / "Handbook")])
    _, token = Keys(tmp_path / "state").add(grants(["Handbook:read"]))
    caller = Keys(tmp_path / "state").caller(token)
    assert caller is not None
    assert caller.may(name, "read")


def test_keys_that_cannot_be_written_are_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys(tmp_path / "state")
    keys.add(grants(["a:read"]))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        keys.add(grants(["b:read"]))
    assert len(Keys(tmp_path / "state").all()) == 1
