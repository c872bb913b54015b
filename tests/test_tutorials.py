"""The tutorials hold, word for word: what they write is written, what they run is run, and what they show comes out."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from decoct import Library
from decoct.cli.app import app
from decoct.mcp.tools import build
from decoct.server.settings import allowed_recipes

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("DECOCT_EVALUATE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def steps(code: str) -> Iterator[str]:
    """The steps of a block of the shell's: a line, with all that follows it up to the end of a text that it writes."""
    yield from re.findall(r"^(?:[^\n]*<<'END'\n.*?\nEND|[^\n]+)$", code, re.M | re.S)


def shown(step: str, rest: list[str]) -> str:
    """What a step prints; `rest` are the lines behind it, which a chat takes as questions."""
    words = shlex.split(step.partition("<<")[0], comments=True)
    if words[0] == "pip":
        assert words[1] == "install"
        extra = re.fullmatch(r"decoct\[(\w+)\]", words[2])
        assert extra is not None
        assert (
            extra[1] in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
        )
        return ""
    if words[0] != "decoct":
        return subprocess.run(["sh", "-ec", step], check=True, capture_output=True, text=True, env=os.environ).stdout
    if words[1] == "serve":  # the page has its own tests; the options are read
        command: Any = typer.main.get_command(app)
        command.get_command(typer.Context(command), "serve").make_context("serve", words[2:])
        return ""
    asked = "".join(f"{line}\n" for line in rest) if words[1] == "chat" else None
    ended = CliRunner().invoke(app, words[1:], input=asked, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.output


def run_as_agent(code: str) -> str:
    """What the program of an agent prints; the server runs in this process."""
    names: dict[str, Any] = {"__name__": "agent"}
    with Library.open("library") as library:
        server = build({"library": library}, allowed_recipes(["default"]))
        exec(compile(code.replace("asyncio.run(main())\n", ""), "agent.py", "exec"), names)
        assert names["SERVER"].command == "decoct"
        command: Any = typer.main.get_command(app)
        command.get_command(typer.Context(command), "mcp").make_context("mcp", names["SERVER"].args[1:])
        names["SERVER"] = server
        with redirect_stdout(StringIO()) as out:
            asyncio.run(names["main"]())
    return out.getvalue()


def lines(text: str) -> set[str]:
    return {" ".join(line.split()) for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page: Path, fresh: Path) -> None:
    out, program = "", ""
    for language, code in BLOCK.findall(page.read_text("utf-8")):
        if language == "text":
            assert lines(code) == lines(out) if program else lines(code) <= lines(out), f"of {page.name}"
            out = ""
        elif language == "python":
            program = code
        elif code == "python agent.py\n":
            out = run_as_agent(program)
        else:
            assert language == ""
            left = list(steps(code))
            while left:
                step = left.pop(0)
                out += shown(step, left)
                if step.startswith("decoct chat"):
                    break
                if step.startswith("decoct report"):
                    out += (fresh / "runs" / "first" / "report.md").read_text("utf-8")


def test_there_is_one_for_each_way_in() -> None:
    assert [page.stem for page in PAGES] == ["agent", "chat", "own-questions"]
