"""An evaluation whose rows the actors of a pool make is recorded as one without: with a double in Ray's place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ray_double import RayDouble
from spread_work import filled, record

from decoct.evaluate.session import Setup, execute, open_dataset
from decoct.evaluate.system import systems
from decoct_ray import pool as pools
from decoct_ray.evaluate import ray_evaluate


def test_the_record_is_that_of_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    double = RayDouble(processors=3)

    @contextmanager
    def found(address: str) -> Iterator[RayDouble]:
        assert address == "auto"
        yield double

    monkeypatch.setattr(pools, "cluster", found)
    place = str(filled(tmp_path / "library", 4))
    asked = [
        {"id": f"q{n}", "question": f"Which bridge is number {n}?", "answers": ["x"], "supporting_ids": [f"d00{n}"]}
        for n in range(4)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    dataset = open_dataset(str(tmp_path / "q.jsonl"), None, {}, place)
    setup = Setup((60,), library=place, reader="extractive")
    execute(dataset, systems(["naive"]), setup, tmp_path / "here")
    ray_evaluate(dataset, systems(["naive"]), setup, tmp_path / "there", "auto", workers=2, gpus=0.5)
    assert record(tmp_path / "there") == record(tmp_path / "here")
    assert len(record(tmp_path / "here")) == 4
    assert (double.calls, len(double.actors), double.killed) == (4, 2, 2)
    assert double.actors[0]["num_gpus"] == 0.5
