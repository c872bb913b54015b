"""Queued jobs, each by a child: here shell scripts that say what a child may say, and some that say what none should."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct.server import runner as runner_module
from decoct.server.jobs import Job, JobStore
from decoct.server.problems import TABLE
from decoct.server.runner import JobRunner
from decoct.server.settings import ServerLimits, ServerSettings
from decoct.server.tables import SqliteTables

DONE = {"documents": 2, "added": 2, "failed": 0, "failures": [], "share": 1.0}


def says(*lines: Any) -> str:
    return "".join(f"echo '{line if isinstance(line, str) else json.dumps(line)}'\n" for line in lines)


@dataclass
class Bench:
    """A runner with its queue; the child is a script."""

    folder: Path
    store: JobStore
    runner: JobRunner
    monkeypatch: pytest.MonkeyPatch
    tables: SqliteTables

    def child(self, script: str) -> None:
        file = self.folder / "child.sh"
        file.write_text(f'#!/bin/sh\nread order\necho "$order" >> {self.folder}/orders\n{script}')
        file.chmod(0o700)
        self.monkeypatch.setattr(runner_module, "sys", SimpleNamespace(executable=str(file)))

    def orders(self) -> list[dict[str, Any]]:
        file = self.folder / "orders"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def add(self, library: str = "notes", **more: Any) -> str:
        id_ = self.store.new_id()
        self.store.folder(id_).mkdir()
        self.store.add(id_, library, 1, **more)
        return id_

    def job(self, id_: str, library: str = "notes") -> Job:
        job = self.store.get(library, id_)
        assert job is not None
        return job

    def run(self, story: Callable[[], Awaitable[Any]]) -> None:
        async def whole() -> None:
            running = asyncio.create_task(self.runner.run())
            try:
                await asyncio.wait_for(story(), 400)
            finally:
                running.cancel()
                with suppress(asyncio.CancelledError):
                    await running

        asyncio.run(whole())

    async def until(self, holds: Callable[[], object]) -> None:
        while not holds():
            await asyncio.sleep(0.005)

    def writable(self, on: bool) -> None:
        """Whether the state can be written, as it cannot on a full disk."""
        self.tables._connection.execute(f"PRAGMA query_only = {'OFF' if on else 'ON'}")

    def ended(self, id_: str) -> Job:
        self.run(lambda: self.until(lambda: self.job(id_).state not in {"queued", "running"}))
        return self.job(id_)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(runner_module, "_LOOK", 0.01)
    tables = SqliteTables(tmp_path / "jobs.db")
    store = JobStore(tables, tmp_path)
    libraries: Any = SimpleNamespace(
        place=lambda name: None if name == "gone" else Path("/libraries") / name,
        build_of=lambda name: ("minilm", "fixed"),
    )
    settings = ServerSettings(tmp_path, recipes={}, limits=ServerLimits(children=2, child_bytes=7), allow_private=True)
    yield Bench(tmp_path, store, JobRunner(store, libraries, settings), monkeypatch, tables)
    store.close()


def test_a_child_is_told_what_to_do_and_its_report_is_kept(bench: Bench) -> None:
    failure = {"source": "b.pdf", "reason": "broken", "code": "parse"}
    bench.child(
        says({"progress": {"added": 1, "failures": [], "share": 0.5}}, {"done": {**DONE, "failures": [failure]}})
    )
    id_ = bench.add()
    job = bench.ended(id_)
    assert (job.state, job.error, job.attempts) == ("done", "", 1)
    assert (job.as_dict()["counts"]["added"], job.as_dict()["progress"]["share"]) == (2, 1.0)
    assert job.failures == (failure,)
    assert bench.orders() == [
        {
            "kind": "ingest", "memory": 7, "place": "/libraries/notes", "spool": str(bench.store.folder(id_)),
            "embedder": "minilm", "chunker": "fixed", "allow_private": True,
        }
    ]  # fmt: skip
    assert not bench.store.folder(id_).exists()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (says({"error": {"code": "config", "message": "no such chunker"}}), "no such chunker"),
        (says({"error": {"code": "evaluation", "message": "no question is left"}}), "no question is left"),
        (says({"error": {"code": "stale-index", "message": "/srv/x"}}), TABLE["stale-index"].words),
        (says({"error": {"code": "store-unavailable", "message": "10.0.0.1 is away"}}), TABLE["store-unavailable"].words),
        (says({"error": {"code": "store-damaged", "message": "/srv/x"}}), "the job failed; the server's log tells why under its id"),
        (says({"done": {**DONE, "documents": 0, "failed": 3}}), "nothing could be read; see the failures"),
        ("exit 1\n", "the job failed; the server's log tells why under its id"),
        (says("no JSON"), "the job failed; the server's log tells why under its id"),
    ],
)  # fmt: skip
def test_how_a_child_failed_is_told_without_this_machine(bench: Bench, script: str, words: str) -> None:
    bench.child(script)
    id_ = bench.add()
    job = bench.ended(id_)
    assert (job.state, job.error) == ("failed", words)
    assert bench.store.folder(id_).exists()  # it can be retried


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("words", ["echo no JSON", "head -c 5000 /dev/zero | tr '\\0' x; echo"])
def test_a_child_that_cannot_be_understood_does_not_go_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Its job is told to have failed and may be retried: two would write then."""
    monkeypatch.setattr(runner_module, "_LINE", 1000)
    bench.child(f"echo $$ > {bench.folder}/pid\n{words}\nexec sleep 6000\n")
    id_ = bench.add()

    async def story() -> None:
        await bench.until(lambda: bench.job(id_).state == "failed")
        pid = int((bench.folder / "pid").read_text())
        await bench.until(lambda: not alive(pid))

    bench.run(story)


def test_a_library_that_is_gone_fails_without_a_child(bench: Bench) -> None:
    bench.child(says({"done": DONE}))
    id_ = bench.add("gone")
    bench.run(lambda: bench.until(lambda: bench.job(id_, "gone").state == "failed"))
    assert (bench.job(id_, "gone").error, bench.orders()) == ("the library is gone", [])


def test_a_library_that_another_process_writes_is_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "_BUSY", 0.05)
    busy, done = json.dumps({"error": {"code": "store-busy", "message": "busy"}}), json.dumps({"done": DONE})
    bench.child(f"if [ $(wc -l < {bench.folder}/orders) -lt 3 ]; then echo '{busy}'; else echo '{done}'; fi\n")
    job = bench.ended(bench.add())
    assert (job.state, job.attempts) == ("done", 3)


def test_one_of_a_library_at_once_and_so_many_in_all(bench: Bench) -> None:
    bench.child(f"while [ ! -e {bench.folder}/go ]; do sleep 0.02; done\n" + says({"done": DONE}))
    ids = [bench.add(library) for library in ("a", "a", "b", "c")]
    libraries = dict(zip(ids, ("a", "a", "b", "c"), strict=True))

    def states() -> list[str]:
        return [bench.job(id_, libraries[id_]).state for id_ in ids]

    async def story() -> None:
        await bench.until(lambda: len(bench.orders()) == 2)
        await asyncio.sleep(0.1)
        assert states() == ["running", "queued", "running", "queued"]
        (bench.folder / "go").write_text("")
        await bench.until(lambda: states() == ["done"] * 4)

    bench.run(story)
    assert [order["place"] for order in bench.orders()].count("/libraries/a") == 2


def test_cancelling_kills_the_child_and_all_that_it_started(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.child(f"sleep 60 &\necho $! > {bench.folder}/grandchild\nwait\n")
    id_ = bench.add()

    async def story() -> None:
        await bench.until((bench.folder / "grandchild").exists)
        await bench.until(lambda: (bench.folder / "grandchild").read_text().strip())
        assert bench.runner.cancel(id_)
        assert not bench.runner.cancel(id_)
        pid = int((bench.folder / "grandchild").read_text())
        await bench.until(lambda: not alive(pid))

    bench.run(story)
    assert bench.job(id_).state == "cancelled"
    assert "failed" not in caplog.text  # in a log that is read for what went wrong


def test_a_server_that_stops_leaves_the_job_for_the_next(bench: Bench) -> None:
    bench.child(f"echo $$ > {bench.folder}/pid\nexec sleep 6000\n")
    id_ = bench.add()
    bench.run(lambda: bench.until((bench.folder / "pid").exists))
    assert bench.job(id_).state == "queued"
    bench.child(says({"done": DONE}))
    again = JobRunner(bench.store, bench.runner._libraries, bench.runner._settings)
    bench.runner = again
    assert (bench.ended(id_).state, bench.job(id_).attempts) == ("done", 2)


@pytest.mark.parametrize("_", range(3))
def test_a_loop_that_ends_leaves_no_child(bench: Bench, _: int) -> None:
    """Its tasks are all cancelled at once, in any order: who listens to a child ends it, and waits until it has ended."""
    bench.child(f"echo $$ > {bench.folder}/pid\nexec sleep 6000\n")
    bench.add()

    async def whole() -> None:
        running = asyncio.create_task(bench.runner.run())
        file = bench.folder / "pid"
        await asyncio.wait_for(bench.until(lambda: file.exists() and file.read_text()), 400)
        assert not running.done()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(whole())
        gc.collect()
    assert not alive(int((bench.folder / "pid").read_text()))
    assert [str(one.message) for one in told if one.category is ResourceWarning] == []


def test_a_child_that_starts_while_the_server_stops_is_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.child("exec sleep 6000\n")
    started, made = asyncio.Event(), asyncio.create_subprocess_exec

    async def slow(*program: str, **more: Any) -> Any:
        started.set()
        await asyncio.sleep(0.05)
        return await made(*program, **more)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
    id_ = bench.add()
    bench.run(started.wait)  # stops as soon as it begins to start
    assert bench.job(id_).state == "queued"


def test_a_state_that_cannot_be_written_stops_jobs_for_that_long_only(bench: Bench) -> None:
    """One failed write to the jobs' file ended the runner for good, while the server said that it was ready."""
    bench.child(says({"done": DONE}))
    id_ = bench.add()

    async def story() -> None:
        bench.writable(False)
        await bench.until(lambda: bench.runner.trouble)
        assert "cannot be read or written" in bench.runner.trouble
        assert str(bench.folder) not in bench.runner.trouble
        bench.writable(True)
        await bench.until(lambda: bench.job(id_).state == "done")
        await bench.until(lambda: not bench.runner.trouble)

    bench.run(story)


def test_an_end_that_cannot_be_written_is_written_later(bench: Bench) -> None:
    """Else the job is "running" for ever, and its library takes no upload."""
    bench.child(f"while [ ! -e {bench.folder}/go ]; do sleep 0.02; done\n" + says({"done": DONE}))
    id_ = bench.add()

    async def story() -> None:
        await bench.until(bench.orders)
        bench.writable(False)
        (bench.folder / "go").write_text("")
        await bench.until(lambda: bench.runner.trouble)
        assert bench.job(id_).state == "running"
        bench.writable(True)
        await bench.until(lambda: bench.job(id_).state == "done")
        second = bench.add()
        await bench.until(lambda: bench.job(second).state == "done")
        assert bench.runner.trouble == ""

    bench.run(story)
    assert len(bench.orders()) == 2


def test_a_job_that_runs_without_a_child_is_taken_up_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.server.jobs.RENEWED", 0.01)
    bench.child(says({"done": DONE}))
    id_ = bench.add()
    assert bench.store.begin(id_)  # and what was to run it is gone
    bench.store.resume = lambda: None  # type: ignore[method-assign]
    assert bench.ended(id_).state == "done"


def test_an_error_that_nobody_foresaw_does_not_end_the_runner(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.child(says({"done": DONE}))
    id_ = bench.add()
    queued = bench.store.queued
    failed: list[str] = []

    def broken() -> list[Job]:
        if len(failed) < 3:
            failed.append(bench.runner.trouble)
            raise ZeroDivisionError
        return queued()

    monkeypatch.setattr(bench.store, "queued", broken)
    assert bench.ended(id_).state == "done"
    assert failed[0] == ""
    assert "log tells why" in failed[-1]


def test_uploads_do_not_wait_for_evaluations(bench: Bench) -> None:
    bench.child(
        f'case "$order" in *evaluation*) while [ ! -e {bench.folder}/go ]; do sleep 0.02; done;; esac\n'
        + says({"done": DONE})
    )
    evaluations = [bench.add(f"lib{n}", kind="evaluation") for n in range(3)]
    upload = bench.add("other")

    async def story() -> None:
        await bench.until(lambda: bench.job(upload, "other").state == "done")
        states = [bench.job(id_, f"lib{n}").state for n, id_ in enumerate(evaluations)]
        assert sorted(states) == ["queued", "queued", "running"]
        (bench.folder / "go").write_text("")
        await bench.until(lambda: all(bench.job(id_, f"lib{n}").state == "done" for n, id_ in enumerate(evaluations)))

    bench.run(story)


def test_a_job_is_followed_to_its_end(bench: Bench) -> None:
    bench.child(f"while [ ! -e {bench.folder}/go ]; do sleep 0.02; done\n" + says({"done": DONE}))
    id_ = bench.add()
    seen: list[str] = []

    async def story() -> None:
        async for job in bench.runner.events("notes", id_):
            seen.append(job.state)
            assert job == bench.job(id_)
            if job.state == "running":
                (bench.folder / "go").write_text("")
        assert [job async for job in bench.runner.events("notes", "unknown")] == []
        assert [job async for job in bench.runner.events("other", id_)] == []

    bench.run(story)
    assert [state for state in seen if state != "queued"][:1] == ["running"]
    assert (seen[-1], seen.count("done")) == ("done", 1)


def test_an_evaluation_is_told_the_recipes_and_never_a_model_of_this_process(bench: Bench) -> None:
    bench.child(says({"done": {"rows": 4}}))
    id_ = bench.add(kind="evaluation")
    job = bench.ended(id_)
    assert (job.state, job.counts["rows"]) == ("done", 4)
    (order,) = bench.orders()
    assert (order["kind"], order["llm"], order["recipes"]) == ("evaluation", None, {})
    assert order["folder"] == str(bench.store.evaluation(id_))
    assert Path(order["folder"]).name == id_
