"""Pages asked for by hand: what they refuse says why, and files are read as people save them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.server.evaluating import EvaluationRequest
from decoct.server.jobs import JobStore
from decoct.server.keys import Keys, grants
from decoct.server.settings import allowed_recipes
from decoct.server.tables import SqliteTables
from decoct.server.web import asking, reports, sources

Serve = Callable[..., TestClient]
RECIPES = allowed_recipes(["default", "bm25", "naive"])
HTML = {"Accept": "text/html"}


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve(recipes=RECIPES)


def csrf_of(client: TestClient, path: str = "/documents") -> str:
    found = re.search(r'name="csrf" value="(\w+)"', client.get(path).text)
    assert found is not None
    return found[1]


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_what_cannot_be_compared_says_what_is_missing(client: TestClient) -> None:
    question = "Which recipes are good?"
    two = ["bm25", "naive"]
    for fields, words in (
        ({"recipe": ["bm25"], "question": question}, "choose two to four recipes"),
        ({"recipe": two, "question": question, "budget": "much"}, "give a question and a budget such as 500 or 5x"),
        ({"recipe": [*two, "bm25"], "question": " "}, "give a question and a budget"),
    ):
        shown = client.get("/compare", params=fields, headers=HTML)
        assert (shown.status_code, words in text_of(shown.text)) == (422, True)


def test_columns_are_compared_once_each_and_in_order(client: TestClient) -> None:
    fields = {"recipe": ["naive", "bm25", "naive"], "question": "When was the bridge opened?", "budget": "100"}
    shown = client.get("/compare", params=fields)
    assert shown.status_code == 200
    assert shown.text.count("When was the bridge opened?") >= 1
    assert client.get("/compare").text.count("checked") == len(asking.COMPARED)


def test_a_source_without_a_span_is_the_document_from_its_beginning(serve: Serve, tmp_path: Path) -> None:
    place, long = tmp_path / "long", "One word after another. " * 5_000
    with Library.open(place) as library:
        library.store.put([])  # no model is needed to read
        library.add([Document("short", "A short one.", "Short")])
    client = serve(libraries={"long": place}, recipes=RECIPES)
    shown = client.get("/source", params={"doc_id": "short"})
    assert (shown.status_code, "A short one." in shown.text, "<mark" in shown.text) == (200, True, False)
    assert client.get("/source", params={"doc_id": "short", "start": 2, "end": 7}).text.count("<mark") == 1
    for wrong in ({"end": 99}, {"start": 5, "end": 5}, {"start": -1, "end": 3}, {"view": "raw"}):
        assert client.get("/source", params={"doc_id": "short", **wrong}).status_code == 422
    assert len(long) > sources.WHOLE


def evaluation(state: Path, library: str = "bridges") -> str:
    store = JobStore(SqliteTables(state / "jobs.db"), state)
    id_ = store.new_id()
    EvaluationRequest("E", ("bm25",), (900,), "none", 1, 1).write(store.evaluation(id_), [])
    store.add(id_, library, 1, kind="evaluation")
    store.cancel(id_)
    store.close()
    return id_


def test_the_button_of_a_job_changes_no_evaluation_for_a_writer(serve: Serve, tmp_path: Path) -> None:
    _, token = Keys(tmp_path / "state").add(grants(["bridges:write"]))
    client = serve(keys=True, recipes=RECIPES)
    client.post("/login", data={"key": token})
    id_ = evaluation(tmp_path / "state")
    form = {"csrf": csrf_of(client), "library": "bridges", "id": id_}
    for do in ("retry", "end"):
        refused = client.post("/jobs", data={**form, "do": do})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "scope")
    assert f"/reports/{id_}" in client.get("/reports").text
    unknown = client.post("/jobs", data={**form, "id": "nothing"}, follow_redirects=False)
    assert unknown.headers["location"] == "/documents?library=bridges"


def test_questions_are_read_as_editors_save_them(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the mark that Windows' editors begin with, its ends of lines, and an end of a line within a question."""
    begun: list[Any] = []

    async def begin(request: Any, library: str, asked: Any) -> Any:
        begun.append(asked)
        return type("Job", (), {"id": "x"})

    monkeypatch.setattr(reports, "begin", begin)
    lines = [{"id": str(number), "question": f"Who\u2028is\x85{number}?", "answers": ["x"]} for number in range(2)]
    form = {"csrf": csrf_of(client, "/reports"), "library": "bridges", "budgets": " 60 ,2x,", "recipe": ["bm25"]}
    for before, end in product((b"", b"\xef\xbb\xbf"), (b"\n", b"\r\n")):
        data = before + end.join(json.dumps(line, ensure_ascii=False).encode() for line in lines) + end
        sent = client.post("/reports", data=form, files={"file": ("q.jsonl", data)}, follow_redirects=False)
        assert (sent.status_code, sent.headers["location"]) == (303, "/reports/x?library=bridges")
        asked = begun.pop()
        assert [one.question for one in asked.questions] == [line["question"] for line in lines]
        assert (asked.budgets, asked.generate) == ([60, "2x"], 0)


def test_a_form_that_cannot_be_meant_names_its_field(client: TestClient) -> None:
    form = {"csrf": csrf_of(client, "/reports"), "library": "bridges", "budgets": "60", "recipe": ["bm25"]}
    for field, value in (("budgets", "much"), ("recipe", []), ("reader", "me"), ("generate", "99999")):
        refused = client.post("/reports", data={**form, field: value})
        assert refused.status_code == 422
        assert refused.json()["error"]["message"].startswith(field)


def test_an_evaluations_figure_is_one_of_its_own(client: TestClient, tmp_path: Path) -> None:
    id_ = evaluation(tmp_path / "state")
    folder = tmp_path / "state" / "evaluations" / id_
    (folder / "report.json").write_text(json.dumps({"drawn": ["recall"], "tables": {}}))
    (folder / "recall.svg").write_text("<svg onload='alert(1)'/>")
    shown = client.get(f"/reports/{id_}/recall.svg")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/svg+xml")
    assert shown.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert client.get(f"/reports/{id_}/other.svg").status_code == 404
    assert client.get("/reports/unknown/recall.svg").status_code == 404


def test_a_librarys_name_is_checked_before_it_is_made(client: TestClient) -> None:
    csrf = csrf_of(client)
    for name in ("", "../x", "A b", "a" * 64):
        refused = client.post("/libraries", data={"csrf": csrf, "name": name})
        assert (refused.status_code, refused.json()["error"]["param"]) == (422, "name")


def test_a_library_is_removed_by_writing_its_name(client: TestClient) -> None:
    csrf = csrf_of(client)
    assert client.post("/libraries", data={"csrf": csrf, "name": "notes"}).status_code == 200
    wrong = client.post("/libraries/delete", data={"csrf": csrf, "library": "notes", "name": "note"})
    assert (wrong.status_code, "notes" in wrong.json()["error"]["message"]) == (422, True)
    client.post("/libraries/delete", data={"csrf": csrf, "library": "notes", "name": "notes"})
    assert client.get("/api/v1/libraries").json()["libraries"] == [{"name": "bridges", "permission": "admin"}]


def test_a_library_of_the_page_is_built_of_what_is_offered(serve: Serve) -> None:
    client = serve(recipes=RECIPES, chunkers=("fixed", "structure"))
    client.post("/libraries", data={"csrf": csrf_of(client), "name": "notes"})
    assert client.get("/api/v1/libraries/notes").json()["chunker"] == "fixed"


def test_without_keys_there_is_nothing_to_log_in_to(client: TestClient) -> None:
    assert client.get("/login", follow_redirects=False).headers["location"] == "/"
    assert client.get("/favicon.ico", follow_redirects=False).headers["location"] == "/static/favicon.svg"


def test_an_older_page_of_a_filter_is_refused_where_it_cannot_be_read(client: TestClient) -> None:
    assert client.get("/documents", params={"only": "year"}).status_code == 422
    shown = client.get("/documents", params={"only": "year >= 1930"}).text
    assert ("bridge" in shown, "tower" in text_of(shown)) == (True, False)
