"""The queue of measurements: what is missing is run, once, one at a time, and goes on after an interruption."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = """
import json, sys, time
from pathlib import Path
out, word, seconds = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
with (out / "tries").open("a") as file:
    file.write("x")
print("at work on", word, flush=True)
time.sleep(seconds)
if word == "fails":
    sys.exit("this one cannot")
(out / "made.json").write_text(json.dumps({"word": word}))
"""


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measurements", ROOT / "benchmarks" / "measure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "benchmarks"))  # as when it is run: programs beside it are its modules
    sys.modules["measurements"] = module
    spec.loader.exec_module(module)
    return module


measure = _loaded()


def _table(folder: Path, *rows: tuple[str, str, float], instruments: int = 1) -> Path:
    (folder / "work.py").write_text(SCRIPT)
    parts = [f"instruments = {instruments}\n[names]\nllm = 'local:nowhere'\nsmall = 'openai:any'\n"]
    parts += [
        f"[[run]]\nid = '{name}'\nwhat = 'tries {name}'\nprogram = '{folder}/work.py'\n"
        f"command = ['{{out}}', '{word}', '{seconds}']\nresults = {{ '{name}' = 'made' }}\nminutes = 1\n"
        for name, word, seconds in rows
    ]
    table = folder / "table.toml"
    table.write_text("".join(parts))
    return table


def _arguments(folder: Path, *more: str) -> list[str]:
    return [
        "--table", str(folder / "table.toml"), "--runs", str(folder / "runs"), "--results", str(folder / "results"),
        "--data", str(folder), *more,
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "nice", lambda by: by)  # the other tests keep their priority
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(signal, "signal", lambda number, handler: before)


def test_what_is_missing_is_run_once_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _table(tmp_path, ("one", "a", 0), ("two", "b", 0))
    assert measure.main(_arguments(tmp_path)) == 0
    assert "2 of 2 runs are missing" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()
    assert measure.main(_arguments(tmp_path, "--run")) == 0
    assert json.loads((tmp_path / "results" / "two.json").read_text()) == {"word": "b"}
    assert measure.main(_arguments(tmp_path, "--run")) == 0
    assert "0 of 2 runs are missing" in capsys.readouterr().out
    assert (tmp_path / "runs" / "one" / "tries").read_text() == "x"


def test_another_command_or_other_instruments_make_it_missing_again(tmp_path: Path) -> None:
    _table(tmp_path, ("one", "a", 0), ("two", "b", 0))
    measure.main(_arguments(tmp_path, "--run"))

    def states() -> dict[str, str]:
        queue = measure.read(tmp_path / "table.toml", {}, tmp_path, tmp_path / "runs", tmp_path / "results")
        return {work.id: queue.state(work) for work in queue.works}

    assert states() == {"one": "done", "two": "done"}
    _table(tmp_path, ("one", "a", 0), ("two", "c", 0))
    assert states() == {"one": "done", "two": "missing"}
    _table(tmp_path, ("one", "a", 0), instruments=2)
    assert states() == {"one": "missing"}
    _table(tmp_path, ("one", "a", 0))
    (tmp_path / "results" / "one.json").unlink()
    assert states() == {"one": "missing"}


def test_a_run_that_fails_is_told_and_the_others_are_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _table(tmp_path, ("bad", "fails", 0), ("good", "a", 0))
    assert measure.main(_arguments(tmp_path, "--run")) == 1
    said = capsys.readouterr().out
    assert "bad failed (1)" in said
    assert "this one cannot" in said
    assert (tmp_path / "results" / "good.json").is_file()
    assert list(json.loads((tmp_path / "results" / "measured.json").read_text())) == ["good"]
    measure.main(_arguments(tmp_path, "--run"))
    assert (tmp_path / "runs" / "bad" / "tries").read_text() == "xx"


def test_what_a_run_lacks_is_said_before_it_is_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = _table(tmp_path, ("one", "a", 0))
    table.write_text(table.read_text().replace("minutes", "data = ['gone']\nrecipes = ['not-there']\nminutes"))
    assert measure.main(_arguments(tmp_path, "--run")) == 0
    assert "lacks the data set gone, the recipe not-there" in capsys.readouterr().out
    table.write_text(_table(tmp_path, ("one", "{llm}", 0)).read_text())
    measure.main(_arguments(tmp_path, "--run"))
    assert "lacks the model nowhere (decoct models pull nowhere)" in capsys.readouterr().out
    measure.main(_arguments(tmp_path, "--run", "--llm", "openai:other"))
    assert json.loads((tmp_path / "results" / "one.json").read_text()) == {"word": "openai:other"}


@pytest.mark.slow
def test_an_ended_queue_ends_its_run_and_goes_on_later_and_two_are_one_too_many(tmp_path: Path) -> None:
    _table(tmp_path, ("quick", "a", 0), ("slow", "b", 60))
    script = str(ROOT / "benchmarks" / "measure.py")
    queue = subprocess.Popen(
        [sys.executable, script, *_arguments(tmp_path, "--run")], stdout=subprocess.PIPE, text=True
    )
    tries = tmp_path / "runs" / "slow" / "tries"
    until = time.monotonic() + 300
    while not tries.exists():
        assert queue.poll() is None
        assert time.monotonic() < until
        time.sleep(0.1)
    with pytest.raises(SystemExit, match="another queue is at work"):
        measure.main(_arguments(tmp_path, "--run"))
    queue.send_signal(signal.SIGTERM)
    said, _ = queue.communicate(timeout=300)
    assert queue.returncode == 130
    assert "quick: done" in said
    assert "goes on where this one was" in said
    _table(tmp_path, ("quick", "a", 0), ("slow", "b", 0))
    assert measure.main(_arguments(tmp_path, "--run")) == 0
    assert (tmp_path / "runs" / "quick" / "tries").read_text() == "x"
    assert tries.read_text() == "xx"


@pytest.mark.slow
def test_a_command_of_decoct_is_run_reported_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECOCT_EVALUATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    table = tmp_path / "table.toml"
    table.write_text(
        "instruments = 1\n[names]\n[[run]]\nid = 'e'\nwhat = 'w'\nminutes = 1\nresults = { 'evaluation/e' = 'report' }\n"
        "command = ['evaluate', 'musique', '--recipes', 'bm25,hybrid', '--budgets', '1x,100', '--questions', '2']\n"
    )
    data = ROOT / "tests" / "evaluate" / "data"
    arguments = [*_arguments(tmp_path, "--run")[:-3], "--data", str(data), "--run"]
    assert measure.main(arguments) == 0
    made: dict[str, Any] = json.loads((tmp_path / "results" / "evaluation" / "e.json").read_text())
    assert {row["system"] for row in made["quality"]} == {"bm25", "hybrid"}
    assert (tmp_path / "results" / "evaluation" / "e.md").is_file()


def test_the_projects_own_table_can_be_read_and_names_what_exists() -> None:
    from decoct_lab.datasets.sets import NAMES
    from decoct_lab.reproduce.paper import load_paper
    from decoct_lab.reproduce.papers import reproduction

    queue = measure.read(ROOT / "benchmarks" / "measure.toml", {}, ROOT, ROOT / "runs")
    for work in queue.works:
        assert set(work.data) <= set(NAMES)
        command = queue.command(work)
        if work.program != "decoct":
            assert (ROOT / "benchmarks" / work.program).is_file()
        elif command[0] == "reproduce":
            table = command[command.index("--table") + 1]
            assert table in reproduction(command[1]).tables
            if "--conditions" in command:
                known = {one.name for one in load_paper(command[1]).tables[table].conditions}
                assert set(command[command.index("--conditions") + 1].split(",")) <= known
