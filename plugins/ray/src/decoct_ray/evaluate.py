"""Evaluations on a Ray cluster: slices of questions go to workers, which open the libraries; the record is kept here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from decoct.evaluate.dataset_types import Dataset
from decoct.evaluate.run import Runner
from decoct.evaluate.session import Progress, Setup, execute
from decoct.evaluate.system import System
from decoct_ray.pool import ray_pool
from decoct_ray.session import LOCAL
from decoct_ray.spread_rows import rows_by


def ray_evaluate(
    dataset: Dataset,
    systems: Sequence[System],
    setup: Setup,
    out: str | Path,
    address: str = LOCAL,
    *,
    workers: int | None = None,
    gpus: float = 0,
    progress: Progress = lambda _: None,
) -> Runner:
    """Run `systems` on `dataset` into the record at `out`, as `decoct.evaluate.session.execute` does, on the cluster at `address`.

    `workers` and `gpus` are those of `decoct_ray.pool.ray_pool`, with its errors. Workers must see the libraries (the data set's in
    `setup.cache`, or `setup.library`) and have the models: `WorkerSetupError` else.
    """
    with ray_pool(address, workers=workers, gpus=gpus) as pool:
        return execute(dataset, systems, replace(setup, rows=rows_by(pool)), out, progress)
