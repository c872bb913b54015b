"""The processes of a Ray that a test started."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

WORKED = 0.2  # seconds of processor time


def actors(kind: str) -> list[int]:
    """The process ids of the actors of class `kind` of this process's Ray: others on the machine may run Ray too."""
    titles: dict[int, tuple[int, bytes]] = {}
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            parent = int(entry.with_name("stat").read_text().rpartition(")")[2].split()[1])
            titles[int(entry.parent.name)] = parent, entry.read_bytes()
        except OSError:  # it ended meanwhile
            continue

    def is_mine(pid: int) -> bool:
        while pid in titles:
            if pid == os.getpid():
                return True
            pid = titles[pid][0]
        return False

    return [pid for pid, (_, title) in titles.items() if title.startswith(f"ray::{kind}".encode()) and is_mine(pid)]


def at_work(pid: int, done: threading.Event) -> bool:
    """Return when a process has computed for a while since it was first seen; False where it, or all the work, ended before."""
    try:
        first = _computed(pid)
        while _computed(pid) < first + WORKED:
            if done.is_set():
                return False
            time.sleep(0.02)
    except OSError:
        return False
    return True


def _computed(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
