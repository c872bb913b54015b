"""What a running server has at hand: recipes of its list alone, libraries a caller may know of, and the threads for a call."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import StoreError, StoreUnavailableError
from decoct.recipe import load_recipe
from decoct.server.keys import EVERYTHING, Caller
from decoct.server.problems import ProblemError
from decoct.server.settings import ServerSettings, allowed_recipes
from decoct.server.state import ServerState, has_scope
from decoct.server.tables import SqliteTables
from decoct_testing.scripted import ScriptedLLM


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerState]:
    for name in ("notes", "papers"):
        (tmp_path / name).mkdir()
    given = {name: tmp_path / name for name in ("notes", "papers")}
    state = ServerState(ServerSettings(tmp_path / "state", given, allowed_recipes(["default", "bm25"])))
    yield state
    state.close()


def refused(action: Any) -> tuple[int, str]:
    with pytest.raises(ProblemError) as error:
        action()
    return error.value.status_code, error.value.code


def test_the_state_is_nobody_elses_to_read(server: ServerState) -> None:
    assert server.place.stat().st_mode & 0o077 == 0
    assert (server.place / "jobs.db").is_file()


def test_a_recipe_is_one_of_the_list_and_never_a_file(server: ServerState, tmp_path: Path) -> None:
    assert server.recipe("bm25").name == "bm25"
    file = tmp_path / "mine.toml"
    file.write_text('retrieve = "bm25"')
    for name in ("naive", str(file), "", "x" * 10_000):
        assert refused(lambda name=name: server.recipe(name)) == (422, "recipe")
    with pytest.raises(ProblemError, match="bm25"):
        server.recipe("bm52")


def test_a_caller_knows_of_its_libraries_alone(server: ServerState) -> None:
    reader = Caller("k", {"notes": "read", "elsewhere": "admin"}, server=False)
    assert server.visible(reader) == ["notes"]
    assert server.visible(EVERYTHING) == ["notes", "papers"]
    server.check(reader, "notes", "read")
    assert refused(lambda: server.check(reader, "notes", "write")) == (403, "scope")
    # One that is there and not the caller's looks like one that is not there.
    assert refused(lambda: server.check(reader, "papers", "read")) == (404, "library")
    assert refused(lambda: server.check(reader, "elsewhere", "read")) == (404, "library")
    assert refused(lambda: server.check(EVERYTHING, "../notes", "read")) == (404, "library")


def test_a_route_asks_for_its_scope(server: ServerState) -> None:
    from types import SimpleNamespace

    request: Any = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(decoct=server)),
        state=SimpleNamespace(caller=Caller("k", {"*": "write"}, server=False)),
    )
    asyncio.run(has_scope("write")(request, "papers"))
    assert refused(lambda: asyncio.run(has_scope("admin")(request, "papers"))) == (403, "scope")


def test_calls_of_a_model_have_threads_of_their_own(server: ServerState, tmp_path: Path) -> None:
    assert server.readers is server.workers
    state = ServerState(ServerSettings(tmp_path / "other", recipes={}, llm=ScriptedLLM([])))
    assert state.readers is state.model_workers
    state.close()


def test_which_recipes_ask_a_model() -> None:
    asked = {name: load_recipe(name).needs_llm for name in ("default", "naive", "casc-rules", "self-ask")}
    assert asked == {"default": False, "naive": False, "casc-rules": False, "self-ask": True}


def test_only_a_folder_or_postgresql_keeps_state() -> None:
    with pytest.raises(StoreError, match="a folder or in PostgreSQL") as error:
        ServerState(ServerSettings("milvus://user:secret@host/x", recipes={}))
    assert "secret" not in str(error.value)


def test_a_lock_of_another_program_holds_up_nobody(server: ServerState, tmp_path: Path) -> None:
    """Statements run on the event loop: while one of them waits, nobody is answered."""
    file = tmp_path / "state" / "jobs.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            server.jobs.add("a", "notes", 1)
    server.jobs.add("b", "notes", 1)
    assert [job.id for job in server.jobs.queued()] == ["b"]
    tables = SqliteTables(file)
    (waited,) = tables.run("PRAGMA busy_timeout")
    tables.close()
    assert waited["timeout"] <= 200


def test_what_a_killed_server_left_is_swept(tmp_path: Path) -> None:
    settings = ServerSettings(tmp_path / "state", {"notes": tmp_path}, allowed_recipes(["bm25"]))
    first = ServerState(settings)
    for id_ in ("known", "broken-off"):
        first.jobs.folder(id_).mkdir()
    first.jobs.add("known", "notes", 1)
    first.close()
    second = ServerState(settings)
    assert [folder.name for folder in second.jobs.spool.iterdir()] == ["known"]
    second.close()
