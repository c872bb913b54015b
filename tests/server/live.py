"""A server in a process of its own, as `decoct serve` starts it: for tests that kill it, load it, or look at its memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx

COMMAND = "from decoct.cli import main; main()"


class LiveServer:
    """`decoct serve` in `folder`, on a free port; `api` speaks to it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "serve", "--port", "0", *arguments],
            cwd=folder, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self.api = httpx.Client(base_url=f"{self.url}/api/v1", timeout=400)

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def children(self) -> list[int]:
        """The processes that do its jobs."""
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            if int(fields[1]) == self.pid:
                found.append(int(status.parent.name))
        return found

    def kill(self, pid: int) -> None:
        """SIGKILL to the server or one of its children; one that has just ended is let go."""
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        if pid == self.pid:
            self._process.wait(400)
            self._closed()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        self._process.terminate()
        code = self._process.wait(400)
        self._closed()
        return code

    def _closed(self) -> None:
        self.api.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
