"""A pool of actors, with a double in Ray's place: order, back-pressure, errors, what the trace is told."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ray_double import RayDouble, RayError
from spread_work import filled

from decoct import trace
from decoct.cli import main
from decoct.errors import (
    ClusterError,
    ConfigError,
    MissingDistributionError,
    MissingExtraError,
    StaleIndexError,
    WorkerSetupError,
)
from decoct_lab.workforce import Here, Workforce
from decoct_ray import pool as pools
from decoct_ray.pool import AHEAD, RayPool, ray_pool
from decoct_ray.worker import Introduction, PoolWorker


def square(number: int) -> int:
    trace.count(model_calls=1)
    if number % 5 == 0:
        trace.fallback("five")
    return number * number


def stumbling(number: int) -> int:
    if number == 3:
        raise StaleIndexError("three is stale")
    if number == 4:
        raise ZeroDivisionError("four")
    if number == 5:
        raise MissingExtraError("five", "fives")
    return number


class Unwelcome:
    """Work that can be sent, and not be taken up."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, ("/no/such/model.gguf",)

    def __call__(self, number: int) -> int:
        return number


@pytest.mark.parametrize("workforce", [Here(), RayPool(RayDouble(), 3), RayPool(RayDouble(room=1), 3)])
def test_results_come_in_order_and_the_trace_is_told(workforce: Workforce) -> None:
    with trace.recording() as record, trace.stage("outer") as stage:
        assert list(workforce.results(square, range(20))) == [(n, n * n) for n in range(20)]
    assert stage.counts == {"model_calls": 20}
    assert record.fallbacks == {"five": 4}
    assert list(workforce.results(square, [])) == []


def test_what_waits_is_bounded() -> None:
    ray = RayDouble()
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    workforce = RayPool(ray, 2)
    results = workforce.results(square, items())
    assert made == []  # nothing starts before it is asked for
    for number in range(50):
        assert next(results) == (number, number * number)
        assert len(made) <= number + 2 + AHEAD * 2
    assert ray.most_waiting == AHEAD * 2
    assert ray.actors == [{"num_cpus": 1, "num_gpus": 0, "max_restarts": -1, "max_task_retries": 4}] * 2
    workforce.close()
    assert ray.killed == 2


def test_an_error_of_the_work_is_that_error_at_its_place() -> None:
    workforce = RayPool(RayDouble(), 2)

    def until(first: int) -> list[int]:
        return [result for _, result in workforce.results(stumbling, range(first, 7))]

    results = workforce.results(stumbling, range(7))
    assert [next(results)[1] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StaleIndexError, match="three is stale"):
        next(results)
    with pytest.raises(ZeroDivisionError) as fault:
        until(4)
    assert "in stumbling" in fault.value.__notes__[-1]  # where on the worker
    with pytest.raises(ClusterError, match=r"a worker failed: five needs the extra 'fives'"):  # cannot be unpickled
        until(5)


def test_an_actor_lost_for_good_is_told() -> None:
    results = RayPool(RayDouble(lose={2}), 2).results(square, range(9))
    assert [next(results)[1], next(results)[1]] == [0, 1]
    with pytest.raises(ClusterError, match=r"its machine went away; what was stored is kept, so run it again"):
        next(results)


def test_what_cannot_be_sent_is_told() -> None:
    workforce = RayPool(RayDouble(), 2)
    with pytest.raises(ConfigError, match=r"cannot be sent to other processes .*--llm NAME"):
        list(workforce.results(lambda number: number, [1]))
    with pytest.raises(ConfigError, match="cannot be sent"):
        list(workforce.results(str, [(n for n in range(2))]))


def test_a_worker_that_cannot_take_the_work_up_is_told() -> None:
    with pytest.raises(WorkerSetupError, match=r"cannot begin: .*no/such/model.gguf.*install the same Decoct"):
        list(RayPool(RayDouble(), 2).results(Unwelcome(), [1]))


def test_a_worker_with_another_version_is_told() -> None:
    old = RayDouble(introduce=lambda: Introduction("far", "0.0.1", "3.11.7"))
    with pytest.raises(WorkerSetupError, match=r"the worker on far has Decoct 0\.0\.1 .*install the same"):
        list(RayPool(old, 2).results(square, [1]))


def test_a_worker_without_decoct_is_told() -> None:
    def without() -> Introduction:
        raise RayError("the actor died in its creation\nModuleNotFoundError: No module named 'decoct'")

    with pytest.raises(WorkerSetupError, match=r"No module named 'decoct'.*install the same Decoct"):
        list(RayPool(RayDouble(introduce=without), 2).results(square, [1]))


def test_no_room_for_a_worker_is_told() -> None:
    with pytest.raises(ClusterError, match=r"no worker could start within 0 s: .* 4 processors and 0 GPUs"):
        list(RayPool(RayDouble(room=0), 2, gpus=0.5, first_within=0.0).results(square, [1]))


def test_one_worker_fewer_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    double = RayDouble(processors=4)

    @contextmanager
    def found(address: str) -> Iterator[RayDouble]:
        assert address == "10.0.0.1:6379"
        yield double

    monkeypatch.setattr(pools, "cluster", found)
    with ray_pool("10.0.0.1:6379") as workforce:
        assert workforce.width == 3
        assert list(workforce.results(square, [7])) == [(7, 49)]
    assert double.killed == len(double.actors) == 3
    with ray_pool("10.0.0.1:6379", workers=8) as wide:
        assert wide.width == 8


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDistributionError, match=r"pip install decoct-ray"), ray_pool():
        pass


@pytest.mark.parametrize(
    "words", [["structure", "build", "linearrag"], ["evaluate", "QUESTIONS", "--recipes", "naive", "--out", "OUT"]]
)
def test_a_command_without_ray_names_the_extra(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    filled(tmp_path / "library", 1)
    (tmp_path / "q.jsonl").write_text('{"id": "q", "question": "Who?", "answers": ["x"], "supporting_ids": ["d000"]}\n')
    places = {"QUESTIONS": str(tmp_path / "q.jsonl"), "OUT": str(tmp_path / "run")}
    given = [places.get(word, word) for word in words]
    with pytest.raises(SystemExit) as ended:
        main([*given, "--library", str(tmp_path / "library"), "--ray", "10.0.0.1:6379"])
    assert ended.value.code == 2
    assert "pip install decoct-ray" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_actor_keeps_its_work_until_there_is_other() -> None:
    worker = PoolWorker()

    def made(key: str, work: Callable[[int], int], item: int) -> Any:
        return pickle.loads(worker.outcome(key, pickle.dumps(work), pickle.dumps(item))).value

    assert made("a", square, 3) == 9
    assert made("a", stumbling, 2) == 4  # the same key is the same work, and is not unpickled again
    assert made("b", stumbling, 2) == 2
