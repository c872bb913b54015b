"""Structures and evaluations on a real Ray of two processors: what one machine makes, also when workers and the command are killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import spread_work
from ray_processes import actors, at_work
from spread_work import PEOPLE, TOWNS, SmallModel, filled, made, record, told

from decoct import Library
from decoct.errors import ClusterError, ReplyError, WorkerSetupError
from decoct.evaluate.record import read_rows
from decoct_ray.pool import ray_pool
from decoct_ray.structure import ray_structure, spread_build

# Ray warns of its own; its processes start one after the other, and late on a busy machine.
pytestmark = [pytest.mark.services, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "300",
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """One small Ray for the module's tests; whoever asks for "local" uses what is there."""
    import ray

    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    ray.cloudpickle.register_pickle_by_value(spread_work)  # type: ignore[no-untyped-call]
    ray.init(
        address="local",
        include_dashboard=False,
        log_to_driver=False,
        num_cpus=2,
        object_store_memory=100 << 20,
        _node_ip_address="127.0.0.1",
    )
    yield "local"
    ray.shutdown()
    ray.cloudpickle.unregister_pickle_by_value(spread_work)  # type: ignore[no-untyped-call]
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("base") / "library", 60)


@pytest.fixture
def homes(base: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two libraries of the same documents."""
    return shutil.copytree(base, tmp_path / "here"), shutil.copytree(base, tmp_path / "there")


@pytest.mark.parametrize(
    ("name", "settings", "model"),
    [
        ("linearrag", {}, None),
        ("raptor", {"layout": "pca", "leaf_tokens": 20}, SmallModel()),
        ("hipporag2", {}, SmallModel(fails="1857")),
    ],
)
def test_the_same_structure(
    name: str, settings: dict[str, Any], model: SmallModel | None, cluster: str, homes: tuple[Path, Path]
) -> None:
    with Library.open(homes[0]) as here, Library.open(homes[1]) as there:
        here.llm = there.llm = model
        expected = here.structure(name, settings).run()
        steps: list[str] = []
        report = ray_structure(
            there, name, cluster, settings=settings, workers=2, progress=lambda now: steps.append(now.doing)
        )
        assert told(report) == told(expected)
        assert made(homes[1], name) == made(homes[0], name)
        assert {"reading", "done"} <= set(steps)


def test_killed_workers_lose_nothing(cluster: str, homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct_lab.structure.build.BATCH", 2)
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and len(killed) < 2:
            for pid in actors("PoolWorker"):
                if pid not in killed and at_work(pid, done):
                    with contextlib.suppress(ProcessLookupError):  # it was through already
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
                    break
            time.sleep(0.05)

    with Library.open(homes[0]) as here, Library.open(homes[1]) as there:
        here.structure("linearrag").run()
        killer = threading.Thread(target=kill)
        with ray_pool(cluster, workers=1) as pool:
            killer.start()
            try:
                report = spread_build(there, "linearrag", pool).run()
            finally:
                done.set()
                killer.join()
    assert killed
    assert (report.read, report.failed) == (60, 0)
    assert made(homes[1], "linearrag") == made(homes[0], "linearrag")


def test_an_error_of_the_work_is_that_error(cluster: str) -> None:
    def wrong(number: int) -> int:
        raise ReplyError(f"{number} is no answer", "reply")

    with ray_pool(cluster, workers=1) as pool, pytest.raises(ReplyError, match="7 is no answer") as error:
        list(pool.results(wrong, [7]))
    assert error.value.reply == "reply"


def test_a_worker_that_dies_of_an_item_ends_the_work(cluster: str) -> None:
    def fatal(number: int) -> int:
        os._exit(number)

    with ray_pool(cluster, workers=1) as pool, pytest.raises(ClusterError, match="run it again to go on"):
        list(pool.results(fatal, [7]))


def questions(folder: Path) -> Path:
    lines = [
        {
            "id": f"q{n}",
            "question": f"Where was {PEOPLE[n % 5]} born in {1850 + n}?",
            "answers": [TOWNS[n % 3]],
            "supporting_ids": [f"d{n:03}"],
        }
        for n in range(24)
    ]
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def command(folder: Path, home: Path, out: str, *more: str) -> list[str]:
    start = [sys.executable, "-c", "from decoct.cli import main; main()", "evaluate", str(questions(folder)), "--json"]
    start += ["--library", str(home), "--recipes", "naive,hybrid", "--budgets", "60,120", "--llm", "extractive"]
    return [*start, "--out", str(folder / out), *more]


def test_the_same_run_by_the_command(homes: tuple[Path, Path], tmp_path: Path) -> None:
    """With a Ray of its own; killed after the first rows were written, and run again."""
    on_ray = command(tmp_path, homes[0], "ray", "--ray", "local", "--ray-workers", "1")
    environment = {**os.environ, **ENVIRONMENT}
    with (tmp_path / "said").open("wb") as said:
        first = subprocess.Popen(on_ray, stdout=subprocess.DEVNULL, stderr=said, env=environment)
    rows, until = tmp_path / "ray" / "rows.jsonl", time.monotonic() + 600
    while first.poll() is None and time.monotonic() < until and not (rows.exists() and rows.stat().st_size):
        time.sleep(0.02)
    first.kill()
    first.wait()
    before = len(list(read_rows(tmp_path / "ray", mend=True)))
    assert before, (tmp_path / "said").read_text()[-2_000:]
    done = subprocess.run(on_ray, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    alone = subprocess.run(command(tmp_path, homes[0], "alone"), capture_output=True, text=True, check=False)
    assert alone.returncode == 0, alone.stderr
    assert record(tmp_path / "ray") == record(tmp_path / "alone")
    assert len(record(tmp_path / "ray")) == 24 * 2 * 2


def test_a_killed_build_goes_on(homes: tuple[Path, Path], tmp_path: Path) -> None:
    """The whole command, with a Ray of its own."""
    start = [sys.executable, "-c", "from decoct.cli import main; main()", "structure", "build", "linearrag", "--json"]
    start += ["--library", str(homes[1]), "--ray", "local", "--ray-workers", "1"]
    environment = {**os.environ, **ENVIRONMENT}
    with (tmp_path / "said").open("wb") as said:
        first = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=said, env=environment)
    until, read = time.monotonic() + 600, 0
    path = homes[1] / "structures" / "linearrag" / "parts.db"
    while first.poll() is None and time.monotonic() < until and not read:
        time.sleep(0.02)
        if path.exists():
            with closing(sqlite3.connect(path)) as parts, contextlib.suppress(sqlite3.OperationalError):
                (read,) = parts.execute("SELECT count(*) FROM parts").fetchone()
    first.kill()
    first.wait()
    assert read, (tmp_path / "said").read_text()[-2_000:]
    done = subprocess.run(start, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["documents"], report["unchanged"]) == (60, 60)
    with Library.open(homes[0]) as here:
        here.structure("linearrag").run()
    assert made(homes[1], "linearrag") == made(homes[0], "linearrag")


def test_a_library_that_workers_do_not_see(cluster: str, homes: tuple[Path, Path], tmp_path: Path) -> None:
    """Held here by a state that changes between the command's look and the worker's."""
    from decoct.evaluate.run import Plan
    from decoct.evaluate.system import systems
    from decoct_lab.dataset import load
    from decoct_ray.spread_rows import LibraryAt, RowMaker, SliceToMake

    dataset = load(questions(tmp_path))
    plan = Plan(dataset, dataset.questions, systems(["naive"]), (60,), ("recall@5",), "document")
    with Library.open(homes[0]) as library:
        at = LibraryAt.of(str(homes[0]), library)
    shutil.rmtree(homes[0])
    maker = RowMaker(plan.sendable, {plan.systems[0].chunker: at}, None, None)
    with ray_pool(cluster, workers=1) as pool, pytest.raises(WorkerSetupError, match="does not see the library"):
        list(pool.results(maker, [SliceToMake(plan.todo(()), first=True)]))


def test_no_cluster_at_an_address(homes: tuple[Path, Path]) -> None:
    import ray

    ray.shutdown()
    with Library.open(homes[0]) as library, pytest.raises(ClusterError, match="there is no Ray cluster"):
        ray_structure(library, "linearrag", "auto")
