"""How far an ingest is: a bar in a terminal, and without one a line every few seconds. Both on standard error."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from decoct.counted import counted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from decoct.ingest import Report

# Seconds between two lines where there is no terminal.
EVERY = 3.0
# An ingest of fewer documents and of no more seconds says nothing before it is done: in a log it is noise.
FEW, SHORT = 20, 3.0
# Characters of a file's name that are shown.
WIDTH = 48


class ProgressShown:
    """Shows the reports that it is called with, from entering to leaving."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._stack = ExitStack()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._report: Report | None = None
        self._start = time.monotonic()
        self._done = threading.Event()

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        if self._terminal:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            # Names of files are shown as they are, never as markup.
            columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}", markup=False))
            self._bar = self._stack.enter_context(
                Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=8)
            )
            self._task = self._bar.add_task("looking for documents", total=None)
        else:
            thread = threading.Thread(target=self._lines, daemon=True)
            thread.start()
            self._stack.callback(thread.join)
            self._stack.callback(self._done.set)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.close()

    def __call__(self, report: Report) -> None:
        """Show the report."""
        self._report = report
        if self._bar is not None and self._task is not None:
            share = report.share or None
            self._bar.update(self._task, description=line(report), total=1.0 if share else None, completed=share or 0.0)

    def _lines(self) -> None:
        """Write a line at once when there is much to do, and then every few seconds (in a thread of its own)."""
        last = -EVERY
        while not self._done.wait(0.1):
            passed, report = time.monotonic() - self._start, self._report
            much = passed >= SHORT or (report is not None and report.total > FEW)
            if report is not None and much and passed - last >= EVERY:
                last = passed
                sys.stderr.write(f"{line(report)}\n")
                sys.stderr.flush()


def line(report: Report) -> str:
    """`12 of 240 documents, 310 chunks, 34 chunks/s, 2 min left: …/sqlite/lang.html`, as much of it as is known."""
    known = max(report.total, report.seen)
    parts = [f"{report.done} of {counted(known, 'document')}" if known else "looking for documents"]
    if report.embedded:
        parts += [counted(report.embedded, "chunk"), f"{report.rate:.0f} chunks/s"]
    if report.failures:
        parts.append(f"{len(report.failures)} failed")
    if report.seconds_left is not None and report.embedded:
        parts.append(f"{_duration(report.seconds_left)} left")
    near = report.current.removeprefix(f"{Path.cwd()}/")
    name = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in near)
    shown = name if len(name) <= WIDTH else f"…{name[1 - WIDTH :]}"
    return ", ".join(parts) + (f": {shown}" if shown else "")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
