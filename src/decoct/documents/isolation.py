"""Parses in another process, which is killed when its time is over: the one way that stops native code and loops of others' libraries.

The time is the process's own computing, by the system's timer (on Windows, and at six times as much everywhere, the clock's).

A process is started at the first document that needs one (a third of a second), kept for the next, and ends when it was idle for half a
minute. Its death is one document's failure: `timeout` if we killed it, `parse` if it crashed. What is read there is bounded in memory
too, where the system can (`worker`). Several threads use as many processes.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import Any, cast

from decoct.data import Document
from decoct.documents.base import Failure, Limits, Source
from decoct.documents.worker import READY, SLACK, TIMED, receive, send, unpacked
from decoct.errors import ParseError
from decoct.trace import fallback

_START = 60.0  # seconds for the process to come up
_PICTURED = frozenset({"pdf", "picture"})  # may hold pictures whose text is recognised
_DYING = 0.2  # seconds
_BYTES_A_SECOND = 100_000  # a slow but honest reader (long PDFs on an old machine) does twice as much


def allowed_seconds(size: int, limits: Limits, module: str = "") -> float:
    """The seconds that parsing a source of `size` bytes by the parser in `module` may take."""
    if module.rpartition(".")[2] in _PICTURED and (
        importlib.util.find_spec("rapidocr") is not None or shutil.which("tesseract") is not None
    ):
        return limits.ocr_seconds
    return min(limits.seconds, limits.parse_seconds + size / _BYTES_A_SECOND)


def parsed(module: str, source: Source, data: bytes) -> Iterator[Document | Failure]:
    """What the parser in `module` gives for `data`, the bytes of `source`; `ParseError` as the parser raises it.

    A parser that takes longer than `allowed_seconds`, or whose process dies, gives one failure instead.
    """
    seconds = allowed_seconds(len(data), source.limits, module)
    request = {
        "module": module,
        "name": source.name,
        "origin": source.origin,
        "media_type": source.media_type,
        "language": source.language,
        "limits": asdict(source.limits),
        "seconds": seconds,
    }
    header = json.dumps(request).encode()
    worker = _taken(header, data)
    reply = worker.reply(seconds)
    if reply is None and (
        worker.ended_early or (worker.served and not worker.late)
    ):  # what came before may have broken it
        worker = _taken(header, data)
        reply = worker.reply(seconds)
    if reply is None:
        if worker.late:
            yield source.failure(f"reading it takes longer than {seconds:.3g} s: split it", "timeout")
            return
        raise ParseError("reading it needs too much memory, or ended its reader: split it, or save it again")
    _idle.append(worker)
    for name, amount in reply["fallbacks"].items():
        fallback(name, amount)
    if "error" in reply:
        raise ParseError(reply["error"])
    for fields in reply["items"]:
        item = unpacked(fields)
        yield replace(item, metadata={**source.metadata, **item.metadata}) if isinstance(item, Document) else item


class _Worker:
    """One process. `late` says that it was killed because its time was over.

    `ended_early` says that the request never had its time: the process was just leaving for idleness when the request came, or the system
    charged it for more computing than the clock ran (a machine that was suspended does that). The request can be put to another one, as
    it is where a process that had `served` others dies: what they left in it (memory, a library's state) is not this document's fault.
    """

    def __init__(self) -> None:
        self.late = self.ended_early = False
        self.served = 0
        # Never what lies in the working directory (-P): it may be the folder of untrusted documents that is read.
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "decoct.documents.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,  # a terminal's Ctrl-C is ours alone, and its own children can be ended with it
        )
        self.pid = os.getpid()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._requests, self._replies = self.process.stdin, self.process.stdout
        try:
            with self._deadline(_START):
                ready = self._replies.read(len(READY)) == READY
        except BaseException:  # interrupted while it came up
            self.close()
            raise
        if not ready:
            self.close()
            raise ParseError(f"no process to read it in could be started with {sys.executable}")

    def ask(self, header: bytes, data: bytes) -> bool:
        """Whether the request could be handed over; the process may have ended for idleness."""
        try:
            send(self._requests, header, data)
        except OSError:
            self.close()
            return False
        except BaseException:
            self.close()
            raise
        return True

    def reply(self, seconds: float) -> dict[str, Any] | None:
        """The reply; None if the process ended, by us or by itself."""
        began = time.monotonic()
        try:
            with self._deadline(seconds * SLACK if TIMED else seconds):
                reply = cast("dict[str, Any]", json.loads(receive(self._replies)))
        except (EOFError, ValueError):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_DYING)  # how it ended tells why
            left = self.process.returncode == 0
            self.close()
            self.ended_early = left or (self.late and time.monotonic() - began < seconds / 2)
            return None
        except BaseException:  # interrupted: what it would still say belongs to nobody
            self.close()
            raise
        self.served += 1
        return reply

    def close(self) -> None:
        """End the process, whatever it does."""
        self.kill()
        with suppress(OSError):
            self._requests.close()
        self._replies.close()
        code = self.process.wait()  # also of one that was late: what is not waited for stays as a zombie
        self.late = self.late or code == -getattr(signal, "SIGPROF", 0) != 0

    def kill(self) -> None:
        """Send the end to the process and to the programs that it started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        """Kill the process after some seconds inside it."""
        timer = threading.Timer(seconds, self._kill_late)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _kill_late(self) -> None:
        self.late = True
        self.kill()


_idle: list[_Worker] = []


def _taken(header: bytes, data: bytes) -> _Worker:
    """A worker that was handed the request."""
    while _idle:
        with suppress(IndexError):  # another thread was faster
            worker = _idle.pop()
            if worker.pid == os.getpid() and worker.ask(header, data):
                return worker
    worker = _Worker()
    if not worker.ask(header, data):
        raise ParseError("the process to read it in ended at once: is there enough memory?")
    return worker


@atexit.register
def _close_all() -> None:
    while _idle:
        worker = _idle.pop()
        if worker.pid == os.getpid():
            worker.close()
