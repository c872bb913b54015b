"""What is loaded of local models in this process: each file once, its parts on first use, shared by all who name it.

Three parts, each loaded only when it is wanted: the vocabulary (a fraction of a second, no weights), llama.cpp's server for
generation (chat template, schema-constrained decoding, parallel slots) and the context for log-likelihoods. The weights are mapped
from the file, so the two share them. The server also listens on the loopback interface, which nothing here needs: it gets a random port,
a random key and no cross-origin access.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import secrets
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from decoct.errors import ConfigError, ModelError
from decoct_local.llama_c import Vocabulary
from decoct_local.llama_losses import LossEngine

_Part = TypeVar("_Part")


class EngineKey(NamedTuple):
    """What distinguishes loaded models."""

    path: Path
    context: int
    slots: int
    threads: int


class Engine:
    """The parts of one loaded model. Thread-safe."""

    def __init__(self, key: EngineKey) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._parts: dict[str, Any] = {}

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokenizer."""
        return self._part("vocabulary", lambda: Vocabulary(self._key.path))

    @property
    def control_marks(self) -> re.Pattern[str]:
        """Finds the spellings of control tokens in a text."""
        vocabulary = self.vocabulary
        return self._part("control_marks", lambda: _any_of(vocabulary.control()))

    @property
    def losses(self) -> LossEngine:
        """The context for log-likelihoods."""
        return self._part("losses", lambda: LossEngine(self._key.path, self._key.context, self._key.threads))

    @property
    def server(self) -> Any:  # noqa: ANN401 - xllamacpp.Server
        """The server for generation."""
        return self._part("server", lambda: _server(self._key))

    def _part(self, name: str, load: Callable[[], _Part]) -> _Part:
        with self._lock:
            if name not in self._parts:
                self._parts[name] = load()
            part: _Part = self._parts[name]
            return part


_engines: Final[dict[EngineKey, Engine]] = {}
_lost: Final[list[dict[EngineKey, Engine]]] = []
_guard = threading.Lock()


def engine(key: EngineKey) -> Engine:
    """The engine of `key`, made on first use."""
    with _guard:
        return _engines.setdefault(key, Engine(key))


def unload(key: EngineKey) -> None:
    """Let go of an engine: it is freed when the calls under way have ended, and made anew when it is asked for again."""
    with _guard:
        _engines.pop(key, None)


def available_threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def digest(path: Path, size: int, changed: int) -> str:
    """A short hash of a model file of `size` bytes, `changed` when it was: of 64 blocks spread over it, as a whole takes seconds."""
    found = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for block in range(64):
            file.seek(size * block // 64)
            found.update(file.read(1 << 16))
    return found.hexdigest()[:16]


def _any_of(spellings: list[str]) -> re.Pattern[str]:
    longest_first = sorted(spellings, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _server(key: EngineKey) -> Any:  # noqa: ANN401
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(key.path)
    parameters.n_ctx = key.context * key.slots  # the server shares it out among its slots
    parameters.n_parallel = key.slots
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = key.threads
    parameters.verbosity = -1
    parameters.warmup = False
    parameters.no_extra_bufts = True  # as for the log-likelihoods: the weights stay mapped, in memory once
    parameters.cache_ram_mib = 0  # up to 8 GB of old prompts otherwise; each slot still keeps its own last one
    parameters.ui = parameters.endpoint_slots = False
    parameters.api_keys = [secrets.token_hex(16)]
    parameters.cors_origins = ""
    try:
        return xllamacpp.Server(parameters)
    except (RuntimeError, ValueError) as error:
        if not key.path.is_file():
            raise ConfigError(f"there is no model file {key.path}") from error
        raise ModelError(
            f"{key.path} cannot be loaded: it is damaged, too large for this machine, or of an unknown kind"
        ) from error


def _forget() -> None:
    # Threads do not survive a fork: the child loads its own, and must not free what waits for threads that are not there.
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()
    _lost.append(dict(_engines))
    _engines.clear()


atexit.register(_engines.clear)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
