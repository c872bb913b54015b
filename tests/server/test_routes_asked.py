"""What routes do, asked over HTTP of a server in process: scopes, limits at their edge, and nothing half done."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from decoct import Document, Library
from decoct.evaluate.report.markdown import rows_without_run
from decoct.server import chatting
from decoct.server.child import original_of
from decoct.server.evaluating import EvaluationRequest
from decoct.server.jobs import JobStore
from decoct.server.keys import EVERYTHING, Caller, Keys, grants
from decoct.server.problems import ProblemError
from decoct.server.routes import evaluations, jobs, libraries, system
from decoct.server.routes.documents import remove
from decoct.server.routes.embeddings import EmbeddingsIn
from decoct.server.settings import ServerLimits, allowed_recipes
from decoct.server.tables import SqliteTables
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

Serve = Callable[..., TestClient]
L = "/api/v1/libraries"
RECIPES = allowed_recipes(["default", "bm25", "self-ask"])


def requested(caller: Caller = EVERYTHING, **server: Any) -> Any:
    """A request as the routes look at it."""
    held = SimpleNamespace(**server)
    return SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(decoct=held, stopping=False)), state=SimpleNamespace(caller=caller)
    )


def seeing(*visible: str) -> Any:
    return requested(visible=lambda _: list(visible), settings=SimpleNamespace(recipes=RECIPES))


def refused(action: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(ProblemError) as error:
        action()
    return error.value.status_code, error.value.code


def test_a_model_is_a_library_and_a_recipe() -> None:
    assert chatting.resolved(seeing("a", "b"), "b/bm25") == ("b", RECIPES["bm25"])
    assert chatting.resolved(seeing("a"), "bm25") == ("a", RECIPES["bm25"])  # with one library its name may be left out
    for request, model in (
        (seeing("a", "b"), "bm25"), (seeing(), "bm25"), (seeing("a"), "b/bm25"), (seeing("a"), "a/naive"), (seeing("a"), "a"),
        (seeing("a"), ""), (seeing("a"), "/bm25"), (seeing("a"), "a/bm25/x"),
    ):  # fmt: skip
        assert refused(partial(chatting.resolved, request, model)) == (404, "model_not_found")


def test_models_are_listed_as_they_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def all_of_them(_: Any, __: str) -> list[str]:
        return list(RECIPES)

    monkeypatch.setattr(chatting, "runnable_recipes", all_of_them)

    def ids(*libraries: str) -> list[str]:
        return asyncio.run(chatting.model_ids(seeing(*libraries)))

    assert ids("a", "b") == [f"{name}/{recipe}" for name in "ab" for recipe in RECIPES]
    assert ids("a") == [*(f"a/{recipe}" for recipe in RECIPES), *RECIPES]
    assert ids() == []
    for name in ids("a"):
        assert chatting.resolved(seeing("a"), name)[0] == "a"


@pytest.fixture
def keyed(serve: Serve, tmp_path: Path, bridges: Path) -> Callable[..., TestClient]:
    """A server with keys; a client that shows one with these scopes."""
    client = serve(keys=True, recipes=RECIPES)
    keys = Keys(tmp_path / "state")

    def shown(*scopes: str, server: bool = False) -> TestClient:
        _, token = keys.add(grants(list(scopes)), server=server)
        client.headers["Authorization"] = f"Bearer {token}"
        return client

    return shown


def evaluation(tmp_path: Path, state: str) -> str:
    """An evaluation of `bridges` in the server's state, as one that ended or waits."""
    tables = SqliteTables(tmp_path / "state" / "jobs.db")
    store = JobStore(tables, tmp_path / "state")
    id_ = store.new_id()
    EvaluationRequest("E", ("bm25",), (900,), "none", 1, 1).write(store.evaluation(id_), [])
    store.add(id_, "bridges", 1, kind="evaluation")
    tables.run("UPDATE jobs SET state = ? WHERE id = ?", (state, id_))
    store.close()
    return id_


def test_an_evaluation_takes_an_admin_by_whatever_name_it_is_changed(
    keyed: Callable[..., TestClient], tmp_path: Path
) -> None:
    """It is also a job, and jobs are a writer's: else a writer could start what a model is paid for."""
    writer = keyed("bridges:write")
    id_ = evaluation(tmp_path, "failed")
    job = f"{L}/bridges/jobs/{id_}"
    assert writer.get(job).json()["kind"] == "evaluation"
    for method, path in (("POST", f"{job}/retry"), ("DELETE", job), ("DELETE", f"{L}/bridges/evaluations/{id_}")):
        answer = writer.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope")
    assert writer.get(job).json()["state"] == "failed"
    admin = keyed("bridges:admin")
    assert admin.delete(job).json()["state"] == "failed"
    assert admin.get(job).status_code == 404


def test_an_evaluation_is_none_of_another_library(keyed: Callable[..., TestClient], tmp_path: Path) -> None:
    id_ = evaluation(tmp_path, "failed")
    admin = keyed("*:admin")
    admin.headers["X"] = "y"
    assert admin.get(f"{L}/bridges/evaluations/{id_}").json()["tables"]["quality"] == []
    assert admin.get(f"{L}/other/evaluations/{id_}").status_code == 404


def test_a_job_is_changed_by_who_may(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    found: dict[str, Any] = {"i": SimpleNamespace(kind="ingest"), "e": SimpleNamespace(kind="evaluation")}
    request = requested(
        jobs=SimpleNamespace(get=lambda lib, id_: found.get(id_) if lib == "notes" else None),
        check=lambda caller, lib, scope: asked.append((lib, scope)),
    )
    assert jobs.changeable_job(request, "notes", "i") is found["i"]
    assert asked == []
    assert jobs.changeable_job(request, "notes", "e") is found["e"]
    assert asked == [("notes", "admin")]
    assert refused(lambda: jobs.changeable_job(request, "other", "i")) == (404, "job")


def test_rows_are_told_without_the_folder_of_their_run() -> None:
    assert rows_without_run([{"run": "/srv/x", "mean": 0.5}]) == [{"mean": 0.5}]


def test_recipes_that_ask_a_model_need_one() -> None:
    server: Any = SimpleNamespace(llm=None, recipe=RECIPES.__getitem__)
    for name in ("default", "bm25", "no-retrieval", "gold-passages"):
        evaluations._possible(server, name)
    assert refused(lambda: evaluations._possible(server, "self-ask")) == (422, "config")
    server.llm = ScriptedLLM([])
    evaluations._possible(server, "self-ask")
    with pytest.raises(KeyError):  # was taken for possible where there is a model, and failed as a job
        evaluations._possible(server, "no-such-recipe")


def test_a_library_is_made_of_what_is_offered(keyed: Callable[..., TestClient]) -> None:
    maker = keyed("bridges:read", server=True)
    for field in ("embedder", "chunker"):
        wrong = maker.post(L, json={"name": "notes", field: "/srv/secret"})
        assert (wrong.status_code, wrong.json()["error"]["param"]) == (422, field)
    assert maker.post(L, json={"name": "notes"}).json() == {"name": "notes", "permission": "admin"}
    assert maker.post(L, json={"name": "notes"}).status_code == 409
    assert keyed("*:admin").post(L, json={"name": "more"}).status_code == 403


def test_all_jobs_of_a_removed_library_are_cancelled_first(tmp_path: Path) -> None:
    """The one that runs is the oldest: of more than a listing holds it would go on writing to what was removed."""
    store = JobStore(SqliteTables(tmp_path / "jobs.db"), tmp_path)
    store._tables.run("PRAGMA synchronous = OFF")
    ids = [store.add(f"{n:03}", "notes", 1).id for n in range(105)]
    store.add("other", "elsewhere", 1)
    store.begin(ids[0])
    store.cancel(ids[1])
    cancelled: list[str] = []

    async def run(_: Any, work: Callable[[Any], None]) -> None:
        work(None)

    request = requested(
        jobs=store, runner=SimpleNamespace(cancel=cancelled.append), workers=SimpleNamespace(run=run),
        libraries=SimpleNamespace(delete=lambda name: cancelled.append(f"delete {name}")),
    )  # fmt: skip
    asyncio.run(libraries.removed(request, "notes"))
    assert cancelled == [ids[0], *ids[2:], "delete notes"]
    assert (store.of("notes"), store.active()) == ([], 1)
    store.close()


def test_an_embedder_is_told_by_its_kind_alone(client: TestClient) -> None:
    assert [libraries._kind(spec) for spec in ("minilm", "onnx:/srv/model", "", "openai:https://h/x")] == [
        "minilm", "onnx", "own", "openai",
    ]  # fmt: skip
    told = client.get(f"{L}/bridges").json()
    assert (told["documents"], told["chunks"], told["embedder"], told["chunker"]) == (3, 3, "minilm", "structure")


def test_documents_are_removed_with_their_originals(tmp_path: Path) -> None:
    with Library.open(tmp_path, embedder=HashEmbedder()) as library:
        library.add([Document("a", "One."), Document("b", "Two.")])
    kept = {name: original_of(tmp_path, name) for name in "ab"}
    kept["a"].parent.mkdir()
    for file in kept.values():
        file.write_bytes(b"%PDF-")
    libraries: Any = SimpleNamespace(place=lambda name: tmp_path if name == "notes" else None)
    assert remove(libraries, "notes", "a", "unknown") == 1
    assert [file.exists() for file in kept.values()] == [False, True]
    assert remove(libraries, "notes") == 0
    assert refused(lambda: remove(libraries, "gone", "a")) == (404, "library")


def test_vectors_are_told_as_numbers_and_as_bytes(client: TestClient) -> None:
    asked = {"model": "minilm", "input": ["one", "two"]}
    plain = client.post("/v1/embeddings", json=asked).json()
    packed = client.post("/v1/embeddings", json={**asked, "encoding_format": "base64"}).json()
    for one, other in zip(plain["data"], packed["data"], strict=True):
        assert np.frombuffer(base64.b64decode(other["embedding"]), "<f4").tolist() == one["embedding"]
        assert np.linalg.norm(one["embedding"]) == pytest.approx(1, abs=1e-5)
    by_library = client.post("/v1/embeddings", json={**asked, "model": "bridges"}).json()
    assert by_library["data"] == plain["data"]
    assert [one["index"] for one in plain["data"]] == [0, 1]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"model": "none"}, 404),
        ({"model": "/etc"}, 404),
        ({"dimensions": 385}, 422),
        ({"dimensions": 0}, 422),
        ({"dimensions": 5}, 200),
        ({"encoding_format": None, "decoct": None, "dimensions": None}, 200),
        ({"input": [[1, "x"]]}, 422),
        ({"input": [1, "x"]}, 422),
        ({"dimensions": 384}, 200),
        ({"input": []}, 422),
    ],
)
def test_what_cannot_be_embedded_is_refused(client: TestClient, fields: dict[str, Any], status: int) -> None:
    assert client.post("/v1/embeddings", json={"model": "minilm", "input": "a", **fields}).status_code == status


def test_fewer_dimensions_are_the_first_ones_of_length_one(client: TestClient) -> None:
    whole, short = (
        np.array(
            client.post("/v1/embeddings", json={"model": "minilm", "input": "a bridge", **more}).json()["data"][0][
                "embedding"
            ]
        )
        for more in ({}, {"dimensions": 5})
    )
    assert short == pytest.approx(whole[:5] / np.linalg.norm(whole[:5]), abs=1e-6)


def test_many_texts_are_more_than_a_small_body(client: TestClient) -> None:
    texts = [f"{n} " + "x" * 1_200 for n in range(1_000)]
    asked = {"model": "none", "input": texts}
    assert client.post("/v1/embeddings", json=asked).status_code == 404  # and not 413


def test_tokens_of_another_model_are_refused_in_plain_words(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    error = client.post("/v1/embeddings", json={"model": "minilm", "input": [[1, 2]]}).json()["error"]
    assert error["param"] == "input"
    assert "send texts" in error["message"]
    assert "constrained" not in error["message"]


def test_texts_to_embed_are_bounded() -> None:
    assert EmbeddingsIn(model="m", input=["x" * 8_000] * 2_048).encoding_format == "float"
    for wrong in ("", "x" * 8_001, ["x"] * 2_049, [""]):
        with pytest.raises(ValidationError):
            EmbeddingsIn(model="m", input=wrong)


def test_it_is_ready_until_it_stops_or_is_full() -> None:
    limits = ServerLimits(threads=2, queue=3)

    def ready(pending: int, *, stopping: bool = False, trouble: str = "") -> Any:
        request = requested(
            settings=SimpleNamespace(limits=limits),
            workers=SimpleNamespace(pending=pending),
            runner=SimpleNamespace(trouble=trouble),
            libraries=SimpleNamespace(names=list, unusable=list),
        )
        request.app.state.stopping = stopping
        return asyncio.run(system.ready(request))

    assert ready(4) == {"status": "ready"}
    assert refused(lambda: ready(5)) == (503, "not-ready")
    assert refused(lambda: ready(0, stopping=True)) == (503, "not-ready")
    assert refused(lambda: ready(0, trouble="jobs cannot be run")) == (503, "not-ready")


def test_recipes_are_told_with_their_budget(serve: Serve) -> None:
    told = serve(recipes=RECIPES).get("/api/v1/recipes").json()["recipes"]
    assert [(one["name"], one["budget"]) for one in told] == [(one.name, one.budget) for one in RECIPES.values()]
