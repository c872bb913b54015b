"""The process at the other end of a pool: an actor that is handed work and items as pickles, and answers with outcomes.

Work comes with every item and is unpickled when it is another than before, so an actor that was started anew after a loss knows as much
as one that was there from the start. What the work holds open (models, libraries) stays open from item to item.
"""

from __future__ import annotations

import os
import pickle
import platform
import socket
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from decoct import trace
from decoct.errors import ClusterError, DecoctError, WorkerSetupError


@dataclass(frozen=True, slots=True)
class Introduction:
    """Where a worker runs, and what: figures of two versions must not stand in one result."""

    machine: str
    decoct: str
    python: str

    @classmethod
    def of_this_process(cls) -> Introduction:
        """Of the process that asks."""
        return cls(socket.gethostname(), version("decoct"), ".".join(platform.python_version_tuple()[:2]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an item gave: a value, or the error in its place; and what the work told the trace."""

    value: Any = None
    error: Exception | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    fallbacks: Mapping[str, int] = field(default_factory=dict)


class PoolWorker:
    """An actor of a pool. It uses one processor: there are as many of them as there are processors to use."""

    def __init__(self) -> None:
        os.environ.setdefault("DECOCT_THREADS", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._key = ""
        self._work: Callable[[Any], Any] | None = None

    def introduce(self) -> Introduction:
        """Say where and what this is."""
        return Introduction.of_this_process()

    def outcome(self, key: str, work: bytes, item: bytes) -> bytes:
        """The pickled `Outcome` of `work` (unpickled once for each `key`) on `item`."""
        with trace.recording() as record, trace.stage("worker"):
            value, error = None, None
            try:
                value = self._ready(key, work)(pickle.loads(item))  # noqa: S301 - from the process that made this actor
            except Exception as raised:  # noqa: BLE001 - raised again where the results are taken
                error = portable_error(raised)
        counts: Counter[str] = Counter()
        for stage in record.stages:
            counts.update(stage.counts)
        return pickle.dumps(Outcome(value, error, dict(counts), dict(record.fallbacks)))

    def _ready(self, key: str, work: bytes) -> Callable[[Any], Any]:
        if self._work is None or key != self._key:
            self._work = None
            try:
                self._work = pickle.loads(work)  # noqa: S301 - as above
            except Exception as error:
                raise WorkerSetupError(
                    f"the worker on {socket.gethostname()} cannot begin: {error}; install the same Decoct with the same extras "
                    f"and put the same models on every machine ({sys.executable})"
                ) from error
            self._key = key
        assert self._work is not None
        return self._work


def portable_error(error: Exception) -> Exception:
    """The error, or where it cannot be sent to another process what it says; one that is a fault brings the worker's stack along."""
    if not isinstance(error, DecoctError):
        error.add_note(f"on a worker ({socket.gethostname()}):\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - just made
    except Exception:  # noqa: BLE001 - whatever its parts raise
        return ClusterError(f"a worker failed: {error}")
    return error
