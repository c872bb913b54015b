"""A run whose rows other processes make is the run of one, line for line: everything goes through pickles, as to a cluster's workers."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tiny

from decoct import Library, trace
from decoct.errors import EvaluationError, ModelError, ModelUnavailableError, WorkerSetupError
from decoct.evaluate.record import read_rows
from decoct.evaluate.run import SLICE, Plan, sample
from decoct.evaluate.system import systems
from decoct.llm.base import Reply, Request
from decoct_lab.workforce import Item, Result
from decoct_ray.spread_rows import LibraryAt, RowMaker, SliceToMake, rows_by
from decoct_testing.hash_embedder import HashEmbedder


@dataclass
class PickledSpread:
    """Sends work and items through pickles; `made` counts items, the `lost`th of which is never given back."""

    width: int = 2
    lost: int = -1
    made: int = 0
    works: list[Any] = field(default_factory=list)

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        theirs = pickle.loads(pickle.dumps(work))
        self.works.append(theirs)
        for item in items:
            if self.made == self.lost:
                raise KeyboardInterrupt
            self.made += 1
            yield item, pickle.loads(pickle.dumps(theirs(pickle.loads(pickle.dumps(item)))))


@dataclass(frozen=True)
class Answering:
    """A model that can be sent to other processes: reader and judge; where `away`, nobody answers what holds the word."""

    away: str = "no such word"

    @property
    def fingerprint(self) -> str:
        return "answering"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        trace.count(model_calls=len(requests))
        return [self._reply(one) for one in requests]

    def _reply(self, request: Request) -> Reply | ModelError:
        said = request.messages[-1].content
        if self.away in said:
            return ModelUnavailableError("nobody answers")
        if request.schema is not None and "verdict" in request.schema["properties"]:
            return Reply(json.dumps({"reason": "", "verdict": "CORRECT", "confidence": "HIGH"}))
        return Reply(json.dumps({"thought": "", "answer": "1912" if "1912" in said else "Norwick"}))


def lines(run: Path) -> list[dict[str, Any]]:
    """The rows of a record but for their seconds, in the order they were written."""
    rows = []
    for line in (run / "rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        for name in ("seconds", "read_seconds", "stages"):
            row.get("cost", {}).pop(name, None)
        rows.append(row)
    return rows


def header(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "run.json").read_text())
    return {key: value for key, value in found.items() if key not in ("versions", "machine")}


@pytest.mark.parametrize("llm", [None, Answering(), Answering(away="cakes")])
def test_the_record_is_that_of_one_process(llm: Answering | None, tmp_path: Path) -> None:
    spread = PickledSpread()
    options: dict[str, Any] = {
        "names": "naive,dos,gold-passages",
        "llm": llm,
        "judge": llm,
        "reader": "" if llm else "extractive",
    }
    if llm is None:
        options["judge"] = None
    alone = tiny.run(tmp_path / "1", **options)
    spread_run = tiny.run(tmp_path / "2", rows=rows_by(spread), **options)
    assert lines(spread_run) == lines(alone)
    assert len(lines(alone)) == 4 * 3 * 2
    assert header(spread_run) == header(alone)
    assert (spread_run / "questions.jsonl").read_bytes() == (alone / "questions.jsonl").read_bytes()
    assert spread.made >= 2
    if llm is not None and llm.away == "cakes":
        assert any("error" in row for row in lines(alone))


def test_fallbacks_of_no_single_question_are_told(tmp_path: Path) -> None:
    from decoct.evaluate.session import Setup, execute

    setup = Setup((30,), llm=Answering(), judge=Answering("Karl"), cache=tmp_path, embedder=HashEmbedder())
    alone = execute(tiny.dataset(), systems(["naive"]), setup, tmp_path / "1").fallbacks
    spread = Setup(
        (30,), llm=setup.llm, judge=setup.judge, cache=tmp_path, embedder=HashEmbedder(), rows=rows_by(PickledSpread())
    )
    assert execute(tiny.dataset(), systems(["naive"]), spread, tmp_path / "2").fallbacks == alone
    assert alone["judge.failed"] > 0


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    spread = PickledSpread(lost=2)
    with pytest.raises(KeyboardInterrupt):
        tiny.run(tmp_path, rows=rows_by(spread))
    assert len(lines(tmp_path / "run")) == 2 * 4  # two questions, two systems, two budgets
    again = PickledSpread()
    run = tiny.run(tmp_path, rows=rows_by(again))
    assert (again.made, len(lines(run))) == (2, 16)
    assert lines(run) == lines(tiny.run(tmp_path / "alone"))


def test_when_nothing_works_at_first_the_run_ends_and_later_it_goes_on(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="all of the first 4 rows failed; the first: nobody answers"):
        tiny.run(tmp_path / "1", "naive", (30,), llm=Answering(away=""), rows=rows_by(PickledSpread()))
    spread, budgets = PickledSpread(), tuple(range(30, 110, 10))
    llm = Answering(away=sample(tiny.QUESTIONS, None, 0)[-1].question)
    rows = list(read_rows(tiny.run(tmp_path / "2", budgets=budgets, llm=llm, rows=rows_by(spread))))
    assert spread.made == 4  # 16 contexts a slice, as many as a model is asked for at once
    assert [row.error is None for row in rows] == [True] * 48 + [False] * 16


def test_slices_are_small_enough_for_all_workers() -> None:
    plan = Plan(tiny.dataset(), tiny.QUESTIONS * 100, systems(["naive"]), (30,), ("recall@5",), "sentence")
    todo = plan.todo(())
    assert [len(part) for part in plan.parts(todo)] == [SLICE] * 8
    assert {len(part) for part in plan.parts(todo, 7)} == {7, 1}
    assert [len(part) for part in plan.parts(todo, 1000)] == [SLICE] * 8


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add(tiny.read())
    return tmp_path / "library"


def _maker(at: LibraryAt) -> RowMaker:
    plan = Plan(tiny.dataset(), tiny.QUESTIONS, systems(["naive"]), (30,), ("recall@5",), "sentence")
    return RowMaker(plan, {plan.systems[0].chunker: at}, HashEmbedder(), None)


def test_a_worker_that_does_not_see_the_library_is_told(place: Path) -> None:
    with Library.open(place, embedder=HashEmbedder()) as library:
        at = LibraryAt.of(str(place), library)
    shutil.move(place, place.with_name("elsewhere"))
    with pytest.raises(
        WorkerSetupError, match=r"does not see the library .*/library: .*--cache DIR in a shared folder"
    ):
        _maker(at)(SliceToMake([], first=True))


def test_a_worker_that_sees_another_state_of_the_library_is_told(place: Path) -> None:
    with Library.open(place, embedder=HashEmbedder()) as library:
        at = LibraryAt.of(str(place), library)
        library.delete("cakes")
    with pytest.raises(WorkerSetupError, match="as it is on the machine of the command"):
        _maker(at)(SliceToMake([], first=True))


def test_a_relative_place_is_told_in_full(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.parent)
    with Library.open("library", embedder=HashEmbedder()) as library:
        assert LibraryAt.of("library", library).place == str(place)
