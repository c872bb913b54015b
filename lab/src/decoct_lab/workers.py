"""A run's rows made by several processes: where no language model is asked, Python itself is what takes the time.

The parent deals out the questions and keeps the record; each worker is a fresh interpreter (`python -m decoct_lab.workers`: nothing
is inherited by a fork, since indexes and models hold threads and files) that opens the libraries, which are built by then, and runs a
`Runner` of its own. Job and rows travel as pickles through the worker's pipes. A worker whose parent is gone ends at its next write.

Contexts and scores do not depend on who makes them; only the times of rows do, since workers share the machine.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Any

from decoct.embed.base import Embedder
from decoct.errors import DecoctError, EvaluationError
from decoct.evaluate.record import Row
from decoct.evaluate.run import Plan, Runner, Source, Todo
from decoct.library import Library

WORTH = 2_000  # rows: some ten seconds of work, against the second or two in which workers start


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """What a worker is given: the plan without its documents, where the libraries are (by chunker), and its share of the questions."""

    plan: Plan
    places: Mapping[str, str]
    embedder: str | Embedder | None
    todo: Todo


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and the file that holds what it writes to standard error."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]


@dataclass(frozen=True, slots=True)
class RowWorkers:
    """Makes the rows of a run in `count` processes."""

    plan: Plan
    places: Mapping[str, str]
    embedder: str | Embedder | None
    count: int

    def slices(self, todo: Todo) -> Iterator[list[Row]]:
        """The rows of `todo`, slices as workers finish them; the first failure of a worker ends all."""
        jobs = [
            WorkerTask(self.plan.sendable, self.places, self.embedder, part)
            for i in range(self.count)
            if (part := todo[i :: self.count])
        ]
        queue: SimpleQueue[list[Row] | Exception | None] = SimpleQueue()
        with ExitStack() as stack:
            for job in jobs:
                worker = _started()
                listener = threading.Thread(target=_listen, args=(worker, queue), daemon=True)
                stack.callback(_end, worker, listener)
                listener.start()
                _hand_over(job, worker)
            left = len(jobs)
            while left:
                said = queue.get()
                if isinstance(said, Exception):
                    raise said
                if said is None:
                    left -= 1
                else:
                    yield said


def source(
    plan: Plan, places: Mapping[str, str], embedder: str | Embedder | None, asked: int, rows: int
) -> Source | None:
    """What makes the rows of a run in `asked` processes (0: as many as pay for so many rows); None where this one shall."""
    count = workers_of(asked, plan, rows)
    return RowWorkers(plan, places, embedder, count).slices if count > 1 and portable(plan, embedder) else None


def workers_of(asked: int, plan: Plan, rows: int) -> int:
    """How many processes: `asked`, or for 0 one a core where it pays; 1 where a language model is asked."""
    from decoct.embed.onnx import default_threads

    if plan.asks:
        return 1
    return asked or (default_threads() if rows >= WORTH else 1)


def portable(plan: Plan, embedder: str | Embedder | None) -> bool:
    """Whether a worker can be given the run: parts of one's own may hold what cannot be sent to another process."""
    try:
        pickle.dumps((plan.sendable, embedder))
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True


def _started() -> _Worker:
    environment = {**os.environ, "DECOCT_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker, in `_end`
    process = subprocess.Popen(
        [sys.executable, "-m", "decoct_lab.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    return _Worker(process, errors)


def _hand_over(job: WorkerTask, worker: _Worker) -> None:
    assert worker.process.stdin is not None
    with suppress(BrokenPipeError), worker.process.stdin as out:  # it ended: whoever listens to it tells why
        pickle.dump(job, out)


def _listen(worker: _Worker, queue: SimpleQueue[Any]) -> None:
    assert worker.process.stdout is not None
    try:
        while True:
            queue.put(pickle.load(worker.process.stdout))  # noqa: S301 - from a process that this one has started
    except (EOFError, pickle.UnpicklingError, ValueError):  # its end, in the midst of a slice or not, or ours
        if code := worker.process.wait():
            worker.errors.seek(0)
            told = worker.errors.read().decode("utf-8", "replace").strip().splitlines()
            queue.put(EvaluationError(f"a worker ended with {code}: {told[-1] if told else 'it said nothing'}"))
    queue.put(None)


def _end(worker: _Worker, listener: threading.Thread) -> None:
    if worker.process.poll() is None:
        worker.process.terminate()
    worker.process.wait()
    listener.join()
    worker.errors.close()
    if worker.process.stdout is not None:
        worker.process.stdout.close()


def _work(job: WorkerTask, out: IO[bytes]) -> None:
    with ExitStack() as stack:
        libraries = {
            chunker: stack.enter_context(Library.open(place, embedder=job.embedder, create=False))
            for chunker, place in job.places.items()
        }
        try:
            for rows in Runner(job.plan, libraries).slices(job.todo):
                pickle.dump(rows, out)
                out.flush()
        except DecoctError as error:
            pickle.dump(EvaluationError(str(error)), out)


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "wb") as pipe:
        os.dup2(2, 1)  # what anything prints shall not come between the pickles
        _work(pickle.load(sys.stdin.buffer), pipe)  # noqa: S301 - from the process that started this one
