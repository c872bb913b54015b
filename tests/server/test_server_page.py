"""The web page without a browser: what it says, what it escapes, who gets in."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.server.keys import Keys, grants
from decoct.server.web.asking import mark_shared

Serve = Callable[..., TestClient]

HTML = {"Accept": "text/html"}
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
    paths = (
        "/",
        "/compare",
        "/documents",
        "/cards",
        "/reports",
        "/docs",
        "/source?doc_id=bridge&start=0&end=3",
        "/nothing",
    )
    for path in paths:
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


def test_a_follow_up_is_asked_with_what_was_said_before(client: TestClient, page: str) -> None:
    before = json.dumps([["How high is the tower?", "The tower is 80 metres high. [1]"]])
    form = {"csrf": csrf_of(page), "library": "bridges", "question": "And where was its clock made?", "history": before}
    shown = client.post("/ask", data=form).text
    assert "Asked: Where was the tower&#39;s clock made?" in shown
    assert 'data-question="And where was its clock made?"' in shown
    assert "[1] Tower: “Its clock was made in Bern.”" in shown
    thanks = client.post("/ask", data={**form, "question": "thanks!"}).text
    assert "That is no question" in thanks
    assert "Asked: thanks!" in thanks  # the box is empty again: nothing else says what was asked
    assert "Not found.<" in thanks  # "Not found from 0 of 2,000 tokens."
    assert "Not found in these documents" not in thanks
    for wrong in ("{", "3", '[["one"]]', "[[1, 2]]"):
        assert client.post("/ask", data={**form, "history": wrong}).status_code == 422


def test_four_recipes_are_offered_and_all_to_researchers(client: TestClient) -> None:
    few, every = (client.get(path).text.count("<option") for path in ("/", "/?recipes=all"))
    assert few < 10 < every
    assert "for researchers" in client.get("/").text
    assert 'value="bm25" selected' in client.get("/?recipe=bm25").text


def test_an_error_in_the_stream_is_told_on_the_page(client: TestClient, page: str) -> None:
    form = {"csrf": csrf_of(page), "library": "bridges", "question": "When was the bridge opened?", "budget": "1"}
    assert "at least 11 tokens" in client.post("/ask", data=form).text
    wrong = client.post("/ask", data={**form, "budget": "much"}, headers={"Accept": "text/html"})
    assert wrong.status_code == 422
    assert "a number of tokens" in wrong.text


def test_a_form_of_another_page_is_refused(client: TestClient) -> None:
    for path in (
        "/ask",
        "/documents/delete",
        "/jobs",
        "/libraries",
        "/libraries/delete",
        "/reports",
        "/reports/x",
        "/logout",
    ):
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
    mark_shared(views)
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
    until = time.monotonic() + 400
    while "done" not in (jobs := client.get("/jobs", params={"library": "notes"}).text):
        assert time.monotonic() < until, jobs
        time.sleep(0.2)
    assert "1 stored" in jobs
    assert "hx-trigger" not in jobs
    assert "dam.txt" in client.get("/documents", params={"library": "notes", "find": "DAM"}).text
    client.post("/documents/delete", data={"csrf": csrf, "library": "notes", "id": ["dam.txt", "nothing"]})
    assert "0 documents" in client.get("/documents", params={"library": "notes"}).text
    wrong = client.post("/libraries/delete", data={"csrf": csrf, "library": "notes", "name": "bridges"})
    assert wrong.status_code == 422
    client.post("/libraries/delete", data={"csrf": csrf, "library": "notes", "name": "notes"})
    assert client.get("/api/v1/libraries").json()["libraries"] == [{"name": "bridges", "permission": "admin"}]


def test_the_button_of_a_row_removes_that_document_and_not_those_ticked(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "two"
    with Library.open(place) as library:
        library.add([Document("a", "The first text."), Document("b", "The second text.")])
    client = serve(libraries={"two": place})
    csrf = csrf_of(client.get("/documents").text)
    client.post("/documents/delete", data={"csrf": csrf, "library": "two", "id": ["a"], "one": "b"})
    listed = client.get("/api/v1/libraries/two/documents").json()["documents"]
    assert [one["id"] for one in listed] == ["a"]


def test_filters_are_written_as_people_write_them(client: TestClient) -> None:
    asked = {"library": "bridges", "question": "When was the bridge opened?", "only": "year > 1934"}
    assert "Not found in these documents" in client.get("/", params=asked).text
    assert "1934" in client.get("/", params={**asked, "only": "year >= 1934; year < 1940"}).text
    listed = client.get("/documents", params={"library": "bridges", "only": "year = 1934, 1935"}).text
    assert "Old bridge" in listed
    assert "Tower" not in listed
    for wrong in ("year", "year = 1; year", "> 3"):
        refused = client.get("/documents", params={"library": "bridges", "only": wrong}, headers=HTML)
        assert refused.status_code == 422
        assert "write it as year" in refused.text


def test_the_words_that_answer_stand_first_and_lead_to_their_characters(client: TestClient) -> None:
    shown = client.get("/", params={"library": "bridges", "question": "When was the bridge opened?"}).text
    found = re.search(r'<ul class="short".*?<a href="([^"]+)"[^>]*>([^<]+)</a> <span class="soft">(\d+) % sure', shown)
    assert found is not None
    assert "1934" in found[2]
    source = client.get(html.unescape(found[1])).text
    assert f'<mark id="cited">{found[2]}</mark>' in source


def test_a_conflict_shows_both_sides_with_their_words(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "dispute"
    with Library.open(place) as library:
        library.add(
            [
                Document("a", "The Aare bridge was opened in 1934. It is 120 metres long.", "Aare bridge"),
                Document("b", "The Aare bridge, which was opened in 1936, carries trams.", "City guide"),
                Document("c", "The Aare bridge was opened in 1934 by the mayor.", "Old chronicle"),
            ]
        )
    client = serve(libraries={"dispute": place})
    asked = {"library": "dispute", "question": "When was the Aare bridge opened?", "recipe": "casc"}
    shown = client.get("/", params=asked).text
    assert re.search(r'class="side chosen".*?<h4>1934 <span class="tag">preferred', shown)
    assert re.search(r'class="side" .*?<h4>1936</h4>', shown)
    assert "carries trams" in shown


def test_a_merge_is_a_tree_of_what_was_kept_and_dropped(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "alike"
    with Library.open(place) as library:
        library.add(
            [
                Document(
                    f"d{n}",
                    f"The old bridge over the Aare was opened in 1934. Visitor {n} crossed it on foot.",
                    f"Bridge {n}",
                )
                for n in range(4)
            ]
        )
    client = serve(libraries={"alike": place})
    asked = {
        "library": "alike",
        "question": "When was the old bridge opened?",
        "recipe": "merge-extract",
        "budget": "60",
    }
    shown = client.get("/", params=asked).text
    assert '<details class="node" open>' in shown
    assert 'aria-label="kept">+' in shown
    assert 'aria-label="dropped">−' in shown
    assert shown.count('class="node"') < shown.count('class="part"')


def test_cards_are_shown_where_they_are_and_asked_for_where_not(
    serve: Serve, tmp_path: Path, client: TestClient
) -> None:
    assert "decoct cards build" in client.get("/cards").text
    from decoct.retrieve.cards.build import Build
    from decoct.retrieve.cards.generate_rules import Rules

    place, text = (
        tmp_path / "papers",
        (Path(__file__).parents[2] / "examples" / "documents" / "tnt.md").read_text("utf-8"),
    )
    with Library.open(place) as library:
        library.add([Document("tnt", text, "TnT")])
        cards = library.cards.writable().cards
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
    shown = serve(libraries={"papers": place}, state=tmp_path / "other").get("/cards").text
    assert "Questions it answers" in shown
    assert "/source?library=papers&amp;doc_id=tnt&amp;start=" in shown


def test_a_report_is_started_followed_and_read(client: TestClient) -> None:
    csrf = csrf_of(client.get("/reports").text)
    form = {"csrf": csrf, "library": "bridges", "name": "Two", "budgets": "60, 2x", "recipe": ["naive", "bm25"]}
    line = '{"id": "1", "question": "When was the bridge opened?", "answers": ["1934"], "supporting_ids": ["bridge"]}\n'
    wrong = client.post("/reports", data={**form, "recipe": []}, headers=HTML)
    assert wrong.status_code == 422
    begun = client.post("/reports", data=form, files={"file": ("q.jsonl", line.encode())})
    assert "<h1>Two</h1>" in begun.text
    until = time.monotonic() + 400
    while 'hx-trigger="load' in (shown := client.get(begun.url.path).text):
        assert time.monotonic() < until, shown
        time.sleep(0.3)
    assert "evidence recall" in shown
    assert shown.count("<figure>") == 4
    assert "Two" in client.get("/reports").text
    gone = client.post(begun.url.path, data={"csrf": csrf, "library": "bridges", "do": "end"})
    assert "Nothing measured yet" in gone.text


def test_the_page_of_the_interface_has_every_route(client: TestClient) -> None:
    shown = client.get("/docs").text
    for path, item in client.get("/openapi.json").json()["paths"].items():
        assert f"<code>{html.escape(path)}</code>" in shown
        assert len(item) <= shown.count(f"<code>{html.escape(path)}</code>")


def test_a_key_logs_in_and_its_scopes_hold(serve: Serve, tmp_path: Path, bridges: Path) -> None:
    keys = Keys(tmp_path / "state")
    key, token = keys.add(grants(["bridges:read"]))
    client = serve(keys=True, libraries={"bridges": bridges, "of-somebody-else": bridges})
    assert client.get("/").url.path == "/login"
    assert client.post("/login", data={"key": "dk_x_y"}).status_code == 401
    entered = client.post("/login", data={"key": token}, follow_redirects=False)
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    shown = client.get("/documents").text
    assert "of-somebody-else" not in shown
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
    script = client.get("/static/app.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert script.headers["cache-control"] == "max-age=300"
    assert len(script.content) > 100
    for name in ("", "..%2frender.py", "%2e%2e%2frender.py", "render.py", "nothing.js", ".hidden.js", "x%00.js"):
        missing = client.get(f"/static/{name}")
        assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")


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
