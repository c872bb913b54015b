"""Evaluation from the command line: one's own questions, the report, made questions, and bad input named with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from decoct.cli.evaluate import numbers, pairs
from decoct.cli.report import priced
from decoct.errors import ConfigError

Run = Callable[..., tuple[int, str, str]]
TEXT = "The Karl Bridge was opened in 1912 after long delays. It crosses the river Elm near the old mill."


@pytest.fixture
def library(run: Run, tmp_path: Path) -> str:
    (tmp_path / "bridge.txt").write_text(TEXT)
    (tmp_path / "cakes.txt").write_text(
        "Cakes are baked with flour and sugar. The oldest bakery was founded in 1850 by Ada Stone."
    )
    assert run("ingest", "bridge.txt", "cakes.txt", "--library", "lib")[0] == 0
    return "lib"


def _questions(tmp_path: Path, **change: object) -> str:
    rows = [
        {
            "id": "1",
            "question": "When was the Karl Bridge opened?",
            "answers": ["1912"],
            "supporting": [{"doc_id": "bridge.txt", "start": 0, "end": 52}],
        },
        {
            "id": "2",
            "question": "Which river does it cross?",
            "answers": ["Elm"],
            "supporting": [{"doc_id": "bridge.txt", "start": 53, "end": 97}],
            **change,
        },
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "q.jsonl"


def test_own_questions_are_evaluated_and_reported(run: Run, library: str, tmp_path: Path) -> None:
    asked = (
        "evaluate",
        _questions(tmp_path),
        "--library",
        library,
        "--recipes",
        "naive,dos",
        "--budgets",
        "20,60",
        "--out",
        "r",
    )
    code, out, err = run(*asked)
    assert code == 0, err
    assert "### evidence_recall" in out
    assert "recorded in r" in err
    code, out, _ = run(*asked, "--json")
    assert code == 0
    assert json.loads(out)["runs"][0]["missing"] == 0
    code, out, _ = run("report", "r", "--library", library, "--prices", "0.15,0.6")
    assert code == 0
    assert {Path(line).name for line in out.split()} == {"report.html", "report.md", "report.json"}
    page = (tmp_path / "r" / "report.html").read_text()
    assert "<svg" in page


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "1"}, "q.jsonl:2: the question id '1' was used before"),
        ({"answer": "x"}, "q.jsonl:2: answer: unknown key; did you mean 'answers'"),
        ({"answers": []}, "q.jsonl:2: question '2' has no answers"),
        (
            {"supporting": [{"doc_id": "bridge.txt", "start": 0, "end": 999}]},
            "q.jsonl:2: gold span 0..999 reaches past the end",
        ),
        ({"supporting": [], "supporting_ids": ["gone"]}, "q.jsonl:2: supporting_ids names 'gone'"),
        ({"dataset": "other"}, ""),
    ],
)
def test_bad_questions_are_named_with_their_line(
    run: Run, library: str, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    code, _, err = run(
        "evaluate",
        _questions(tmp_path, **change),
        "--library",
        library,
        "--recipes",
        "naive",
        "--budgets",
        "30",
        "--out",
        "r",
    )
    assert code == (2 if said else 0)
    assert said in err


def test_bad_calls_exit_2_with_one_line(run: Run, library: str, tmp_path: Path) -> None:
    questions = _questions(tmp_path)
    for call, said in (
        (("evaluate", "hotpot"), "did you mean 'hotpotqa'"),
        (("evaluate", questions), "name it with --library"),
        (("evaluate", questions, "--library", library, "--recipes", "naif"), "did you mean 'naive'"),
        (
            ("evaluate", questions, "--library", library, "--recipes", "naive", "--metrics", "evidence"),
            "there is no measure",
        ),
        (("evaluate", questions, "--library", library, "--recipes", "naive", "--budgets", "many"), "--budgets"),
        (("evaluate", questions, "--library", library, "--recipes", "naive@300"), "leave out the @tokens"),
        (("evaluate", questions, "--library", library, "--unit", "word"), "--unit"),
        (("report", "nowhere"), "holds no run"),
        (("reproduce", "recal-oriented", "--table", "5"), "did you mean 'recall-oriented'"),
        (("reproduce", "recall-oriented", "--table", "77"), "has no table '77'"),
        (("tune", "--budget", "100"), "name a questions file"),
        (("reproduce", "recall-oriented", "--table", "5", "--data", str(tmp_path)), "none of its data sets is at hand"),
        (("tune", questions, "--library", library, "--recipe", "naive"), "at least 12 questions"),
        (("tune", questions, "--library", library, "--recipe", "naive", "--metric", "token_f1"), "needs a reader"),
        (("questions", "generate", "--library", "no-such"), "there is no library"),
    ):
        code, _, err = run(*call)
        assert (code, err.count("\n")) == (2, 1), (call, err)
        assert said in err, (call, err)


def test_questions_are_made_and_can_be_evaluated(run: Run, library: str) -> None:
    code, out, _ = run("questions", "generate", "--library", library, "-n", "5", "--out", "made.jsonl")
    assert code == 0
    assert "questions written to made.jsonl" in out
    code, out, err = run(
        "evaluate", "made.jsonl", "--library", library, "--recipes", "naive", "--budgets", "60", "--out", "r2"
    )
    assert code == 0, err
    assert "evidence_recall" in out


def test_questions_are_asked_of_the_library_that_the_settings_name(
    run: Run, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DECOCT_LIBRARY", library)
    asked = _questions(tmp_path)
    assert run("evaluate", asked, "--recipes", "naive", "--budgets", "60", "--out", "r")[0] == 0
    code, _, err = run("tune", "--data", asked, "--budget", "60")
    assert (code, "at least 12 questions" in err) == (2, True), err


def test_words_of_options() -> None:
    assert numbers("300, 900", "--budgets") == (300, 900)
    assert pairs(["a=b", "c = d"]) == {"a": "b", "c": "d"}
    assert priced("0.15,0.6") == {"prompt_tokens": 0.15, "completion_tokens": 0.6}
    for wrong in (lambda: numbers("0", "--budgets"), lambda: pairs(["a"]), lambda: priced("1")):
        with pytest.raises(ConfigError):
            wrong()
