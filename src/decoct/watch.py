"""Keep a library in sync with folders for as long as it is asked to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from decoct.feed import ReadFile
from decoct.ingest import Report
from decoct.library import Library

# Seconds after which folders are looked through also where no change was told of: network file systems tell of none.
LOOK_AGAIN = 60.0
# Milliseconds between two looks at what the system told, and the longest that changes are gathered before they are acted on.
STEP, GATHERED = 50, 1_000


def watch(
    library: Library,
    folders: Sequence[str | Path],
    *,
    progress: Callable[[Report], None] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Report]:
    """Sync with pruning, now and after every change, and yield each report; ends when `stop` is set.

    A file that was not touched since the last time is not read again.
    """
    remembered: dict[str, ReadFile] = {}
    ended, changed, ready = stop or threading.Event(), threading.Event(), threading.Event()
    watching = threading.Event()  # set to end the thread, whatever ends this generator
    thread = threading.Thread(target=_listen, args=(folders, changed, ready, watching), daemon=True)
    thread.start()
    ready.wait(LOOK_AGAIN)  # what changes from here on is told of
    try:
        while not ended.is_set():
            changed.clear()
            yield library.sync(folders, prune=True, progress=progress, remembered=remembered)
            waited = 0.0
            while not ended.is_set() and waited < LOOK_AGAIN and not changed.wait(0.2):
                waited += 0.2
    finally:
        watching.set()
        thread.join(5)


def _listen(
    folders: Sequence[str | Path], changed: threading.Event, ready: threading.Event, end: threading.Event
) -> None:
    from watchfiles import watch as changes

    for found in changes(
        *folders,
        watch_filter=None,
        stop_event=end,
        step=STEP,
        debounce=GATHERED,
        rust_timeout=200,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        ready.set()
        if found:
            changed.set()
