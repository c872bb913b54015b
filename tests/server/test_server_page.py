"""The web page without a browser: what it says, what it escapes, who gets in."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.server.keys import KeyFile, grants
from decoct.server.web.view import shared

Serve = Callable[..., TestClient]

EVIL = "The dam <script>alert(1)</script><img src=x onerror=alert(2)></passages> was built in 1911."


def csrf_of(text: str) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', text)
    assert found is not None
    return found[1]


@pytest.fixture
def page(client: TestClient) -> str:
    answer = client.get("/")
    assert answer.status_code == 200
    return answer.text


def test_every_page_has_a_strict_policy_and_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/compare", "/documents", "/source?doc_id=bridge&start=0&end=3", "/nothing"):
        shown = client.get(path, headers={"Accept": "text/html"})
        assert "script-src 'self'; style-src 'self'" in shown.headers["content-security-policy"]
        assert "unsafe" not in shown.headers["content-security-policy"]
        assert not re.findall(r"(?:src|href|action)=\"(?:https?:)?//", shown.text)
        assert " style=" not in shown.text
        assert not re.findall(r"\son\w+=", shown.text)


def test_an_answer_by_get_needs_no_script(client: TestClient) -> None:
    shown = client.get("/", params={"question": "When was the bridge opened?", "budget": "100"}).text
    assert 'href="/source?library=bridges&amp;doc_id=bridge&amp;start=0&amp;end=34"' in shown
    assert "of 100 tokens" in shown


def test_an_answer_by_post_streams_into_the_page(client: TestClient, page: str) -> None:
    form = {"csrf": csrf_of(page), "library": "bridges", "question": "When was the bridge opened?", "budget": "100"}
    streamed = client.post("/ask", data=form)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert 'hx-target="#writing"' in streamed.text
    assert 'class="cite"' in streamed.text
    assert "Answered from" in streamed.text


def test_an_error_in_the_stream_is_told_on_the_page(client: TestClient, page: str) -> None:
    form = {"csrf": csrf_of(page), "library": "bridges", "question": "When was the bridge opened?", "budget": "1"}
    assert "at least 11 tokens" in client.post("/ask", data=form).text
    wrong = client.post("/ask", data={**form, "budget": "much"}, headers={"Accept": "text/html"})
    assert wrong.status_code == 422
    assert "a number of tokens" in wrong.text


def test_a_form_of_another_page_is_refused(client: TestClient) -> None:
    for path in ("/ask", "/documents/delete", "/jobs", "/libraries", "/logout"):
        refused = client.post(path, data={"library": "bridges", "question": "x", "name": "x"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "csrf"), path


def test_a_source_is_marked_to_the_character(client: TestClient) -> None:
    shown = client.get("/source", params={"library": "bridges", "doc_id": "a/b c&d.txt", "start": 8, "end": 14}).text
    assert '<mark id="cited">😀 stan</mark>' in shown
    part = client.get("/source", params={"doc_id": "bridge"}, headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert "painted red by Ada Green" in part


def test_what_documents_say_is_shown_never_run(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "evil"
    with Library.open(place) as library:
        library.add([Document("<b>x</b>", EVIL, "<script>title</script>")])
    client = serve(libraries={"evil": place})
    question = {"library": "evil", "question": "When was the dam built?"}
    pages = [
        client.get("/", params=question).text,
        client.post("/ask", data={**question, "csrf": csrf_of(client.get("/").text)}).text,
        client.get("/source", params={"library": "evil", "doc_id": "<b>x</b>", "start": 0, "end": 20}).text,
        client.get("/documents", params={"library": "evil", "find": "<script>"}).text,
        client.get("/compare", params={**question, "recipe": ["default", "bm25"]}).text,
    ]
    for shown in pages:
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown
        assert "<script>title" not in shown
        assert "<b>x" not in shown


def test_compare_tells_what_only_one_recipe_found(client: TestClient) -> None:
    asked = {"question": "When was the bridge opened?", "budget": "200", "recipe": ["default", "bm25"]}
    shown = client.get("/compare", params=asked).text
    assert "also in bm25" in shown
    few = client.get("/compare", params={**asked, "recipe": ["default"]})
    assert few.status_code == 422
    assert "two to four recipes" in few.text


def test_passages_are_shared_where_their_characters_overlap() -> None:
    def passage(start: int, end: int) -> dict[str, Any]:
        return {"support": [{"doc_id": "d", "start": start, "end": end}]}

    views = {"a": {"passages": [passage(0, 10), passage(20, 30)]}, "b": {"passages": [passage(9, 15)]}}
    shared(views)
    assert [one["also"] for one in views["a"]["passages"]] == [["b"], []]
    assert views["b"]["passages"][0]["also"] == ["a"]


def test_documents_are_uploaded_listed_and_removed(serve: Serve) -> None:
    client = serve()
    csrf = csrf_of(client.get("/documents").text)
    made = client.post("/libraries", data={"csrf": csrf, "name": "notes"})
    assert "Nothing here yet" in made.text
    sent = client.post(
        "/documents",
        params={"library": "notes", "csrf": csrf},
        files=[("files", ("dam.txt", b"The dam was built in 1911."))],
    )
    assert '<strong class="state' in sent.text
    until = time.monotonic() + 60
    while "done" not in (jobs := client.get("/jobs", params={"library": "notes"}).text) and time.monotonic() < until:
        time.sleep(0.2)
    assert "1 stored" in jobs
    assert "hx-trigger" not in jobs
    assert "dam.txt" in client.get("/documents", params={"library": "notes", "find": "DAM"}).text
    client.post("/documents/delete", data={"csrf": csrf, "library": "notes", "id": "dam.txt"})
    assert "0 documents" in client.get("/documents", params={"library": "notes"}).text


def test_a_key_logs_in_and_its_scopes_hold(serve: Serve, tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "state")
    key, token = keys.add(grants(["bridges:read"]))
    client = serve(keys=True)
    assert client.get("/").url.path == "/login"
    assert client.post("/login", data={"key": "dk_x_y"}).status_code == 401
    entered = client.post("/login", data={"key": token}, follow_redirects=False)
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    shown = client.get("/documents").text
    assert "249" not in shown
    assert 'type="file"' not in shown
    csrf = csrf_of(client.get("/").text)
    refused = client.post("/documents/delete", data={"csrf": csrf, "library": "bridges", "id": "bridge"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "scope")
    bare = client.post("/api/v1/libraries/bridges/search", json={"question": "bridge"})
    assert (bare.status_code, bare.json()["error"]["code"]) == (403, "csrf")
    meant = client.post("/api/v1/libraries/bridges/search", json={"question": "bridge"}, headers={"X-CSRF-Token": csrf})
    assert meant.status_code == 200
    keys.revoke(key.id)
    assert client.get("/").url.path == "/login"


def test_static_files_are_its_own_alone(client: TestClient) -> None:
    assert client.get("/static/style.css").headers["content-type"].startswith("text/css")
    for name in ("..%2frender.py", "render.py", "nothing.js", ".hidden.js"):
        assert client.get(f"/static/{name}").status_code == 404


def test_an_error_is_a_page_for_people_and_json_for_programs(client: TestClient) -> None:
    shown: Any = client.get("/source", params={"doc_id": "nope"}, headers={"Accept": "text/html"})
    assert shown.status_code == 404
    assert "there is no document" in shown.text
    assert client.get("/api/v1/nothing", headers={"Accept": "text/html"}).json()["error"]["code"] == "not-found"


def test_forms_of_the_page_may_name_their_origin(client: TestClient, page: str) -> None:
    # With the policy no-referrer browsers send `Origin: null` with every form, which is refused.
    assert client.get("/").headers["referrer-policy"] == "same-origin"
    sent = client.post("/logout", data={"csrf": csrf_of(page)}, headers={"Origin": "null"})
    assert (sent.status_code, sent.json()["error"]["code"]) == (403, "origin")
