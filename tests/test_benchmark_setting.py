"""What results say of their run, and that every program starts: nothing here measures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

setting = __import__("setting")
PROGRAMS = sorted(path for path in BENCHMARKS.glob("*.py") if "def main(" in path.read_text("utf-8"))


def test_a_command_has_what_decides_figures_and_no_place_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/benchmarks/cards.py"])
    given = ["--data", "/my/data", "--queries", "citing", "--out=/my/out.json", "--llm", "local:a b", "--cache", "/x"]
    assert setting.command(given) == "python benchmarks/cards.py --queries citing --llm 'local:a b'"
    assert setting.command(["/my/data", "--sets", "a"]) == "python benchmarks/cards.py DATA --sets a"


def test_a_result_says_where_it_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = setting.setting()
    assert {"command", "commit", "python", "machine", "cores", "load_average", "versions"} == set(made)
    assert made["versions"]["decoct"]
    setting.write(tmp_path / "new" / "r.json", {"a": "ö"})
    assert json.loads((tmp_path / "new" / "r.json").read_text("utf-8")) == {"a": "ö"}
    assert json.loads(capsys.readouterr().out) == {"a": "ö"}


def test_the_command_line_that_programs_share() -> None:
    given = setting.command_line("What it does.", data=True, questions=9, out="r.json").parse_args(["--data", "x"])
    assert (given.data, given.questions, given.out) == (Path("x"), 9, BENCHMARKS / "results" / "r.json")
    assert setting.command_line(None, out="").parse_args([]).out is None
    assert vars(setting.command_line(None).parse_args([])) == {}


def test_a_share_has_its_interval() -> None:
    assert setting.share([True, False, False, False]) == {"n": 4, "share": 0.25, "wilson": [0.046, 0.699]}
    assert setting.share([]) == {"n": 0, "share": 0.0, "wilson": [0, 1]}


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_every_program_starts(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path), "--help"], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
