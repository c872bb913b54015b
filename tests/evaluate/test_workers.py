from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny

from decoct.errors import EvaluationError
from decoct.evaluate.record import Row, read_rows
from decoct.evaluate.run import Plan
from decoct.evaluate.system import systems
from decoct_lab.workers import WORTH, RowWorkers, portable, workers_of
from decoct_testing.scripted import ScriptedLLM


def _plan(reader: Any = None, names: str = "naive") -> Plan:
    return Plan(tiny.dataset(), tiny.QUESTIONS, systems(names.split(",")), (30,), ("recall@5",), "sentence", reader)


def _known(rows: list[Row]) -> dict[Any, Any]:
    return {row.key: (row.metrics, row.passages, row.answer, row.cost["tokens"]) for row in rows}


def test_rows_do_not_depend_on_who_makes_them(tmp_path: Path) -> None:
    names = "naive,dos,gold-passages"
    alone = list(read_rows(tiny.run(tmp_path, names, reader="extractive", workers=1)))
    together = list(read_rows(tiny.run(tmp_path / "2", names, reader="extractive", workers=2)))
    assert len(together) == len(alone) == 4 * 3 * 2
    assert _known(together) == _known(alone)


def test_workers_pay_for_many_rows_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECOCT_THREADS", "3")
    assert workers_of(0, _plan(), WORTH - 1) == 1
    assert workers_of(0, _plan(), WORTH) == 3
    assert workers_of(2, _plan(), 1) == 2
    assert workers_of(4, _plan(names="iter-retgen"), WORTH) == 1


def test_what_cannot_be_sent_stays_in_one_process() -> None:
    class Local:
        fingerprint = "local"

    local: Any = Local()
    assert portable(_plan(), "minilm")
    assert not portable(_plan(), local)


def test_a_fault_in_a_worker_is_told(tmp_path: Path) -> None:
    workers = RowWorkers(_plan(), {"{}": str(tmp_path / "no-library")}, "minilm", 2)
    with pytest.raises(EvaluationError, match=r"a worker ended with 1: .*no-library"):
        list(workers.slices(_plan().todo(())))


def test_a_worker_that_ends_before_it_was_told_what_to_do_is_told_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec 0<&-\necho no memory >&2\nexit 3\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    workers = RowWorkers(_plan(), {"{}": "x" * (1 << 20)}, "minilm", 2)  # more than a pipe holds
    with pytest.raises(EvaluationError, match="a worker ended with 3: no memory"):
        list(workers.slices(_plan().todo(())))
    gc.collect()  # a process that nobody waited for is an error here


def test_a_run_is_taken_up_by_workers(tmp_path: Path) -> None:
    first = tiny.run(tmp_path, "naive", (30,))
    again = tiny.run(tmp_path, "naive,dos", (30,), workers=2)
    assert first == again
    assert len(list(read_rows(again))) == 8


def test_models_are_asked_by_one_process(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _: '{"thought": "", "answer": "x"}')
    tiny.run(tmp_path, "naive", (30,), llm=llm, workers=2)
    assert len(llm.requests) == 4
