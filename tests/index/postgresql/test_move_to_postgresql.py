"""The how-to "move to PostgreSQL" holds as a stranger walks it: a role that is no superuser, the commands in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decoct.cli.app import app
from decoct_postgresql.testing import PostgreSQLServer

pytestmark = pytest.mark.services

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "move-to-postgresql.md"


def test_the_page_moves_a_library(server: PostgreSQLServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "leave.md").write_text("# Leave\n\nEvery employee has 25 days of leave a year.\n", "utf-8")
    text = PAGE.read_text("utf-8")
    assert "createdb --owner me knowledge" in text
    server.execute("CREATE ROLE me LOGIN PASSWORD 'word'", "CREATE DATABASE knowledge OWNER me")
    administrator = f"host=127.0.0.1 port={server.port} user=tester password='s3cret p@ss/word' dbname=knowledge"
    run(["ingest", "handbook"])
    address = re.findall(r"postgresql://me@db\.example\.org/\S+(?=\")", text)[0]
    mine = address.replace("db.example.org", f"127.0.0.1:{server.port}")
    monkeypatch.setenv("PGPASSWORD", "word")
    assert "CREATE EXTENSION vector" in run(["copy", ".decoct", mine], code=1)
    execute(administrator, *re.findall(r"psql knowledge -c '(.*)'", text))
    asked = []
    for line in re.findall(r"^decoct .*|^export DECOCT_LIBRARY=.*", text, re.M):
        words = shlex.split(line.replace("$DECOCT_LIBRARY", mine).replace(address, mine), comments=True)
        if words[0] == "export":
            monkeypatch.setenv(*words[1].split("=", 1))
        elif words[1] != "serve":  # tests/server serve libraries of PostgreSQL
            asked.append((words[1], run(words[1:])))
    said = dict(asked)
    assert list(said) == ["copy", "doctor", "ask", "ingest"]
    assert "copied 1 document," in said["copy"]
    assert "25 days" in said["ask"]
    assert "0 added, 0 replaced, 1 unchanged" in said["ingest"]


def run(words: list[str], code: int = 0) -> str:
    """What the command prints; it must end with `code`."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == code, done.output
    return done.output if done.exception is None or code == 0 else f"{done.output}{done.exception}"


def execute(address: str, *statements: str) -> None:
    """Run what an administrator runs."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
