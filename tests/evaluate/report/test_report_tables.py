from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiny

from decoct.errors import EvaluationError
from decoct.evaluate.record import Header, Row, Run, read_header
from decoct.evaluate.report.markdown import markdown
from decoct.evaluate.report.tables import Loaded, cost, interval, tables


def _run(folder: Path, scores: dict[str, list[float | None]]) -> Path:
    header = Header(
        {"name": "x", "title": "X", "options": {}, "questions": 8, "documents": 3},
        {n: {} for n in scores},
        (100,),
        ("token_f1",),
        "e",
        "t",
        "sentence",
        questions=8,
    )
    cost = {
        "tokens": 90,
        "seconds": 0.01,
        "read_seconds": 0.5,
        "calls": 1,
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "cached": 0,
        "stages": {"retrieve": 0.01},
    }
    with Run.start(folder, header) as run:
        run.add(
            Row(name, 100, str(i), {"token_f1": v}, cost)
            for name, values in scores.items()
            for i, v in enumerate(values)
        )
    return folder


def test_means_leave_out_what_does_not_apply_and_count_it(tmp_path: Path) -> None:
    made = tables([_run(tmp_path, {"a": [1.0, 0.0, None, 0.5]})])
    (row,) = made["quality"]
    assert (row["mean"], row["n"], row["none"]) == (0.5, 3, 1)
    assert made["runs"][0]["missing"] == 4


def test_the_money_is_tokens_times_price(tmp_path: Path) -> None:
    made = tables([_run(tmp_path, {"a": [1.0] * 8})], prices={"prompt_tokens": 0.15, "completion_tokens": 0.6})
    # 1,000 questions × (100 × 0.15 + 10 × 0.6) / 1,000,000
    assert made["cost"][0]["money_per_1000"] == 0.021


def test_a_clear_difference_is_told_and_noise_is_called_noise(tmp_path: Path) -> None:
    clear = tables([_run(tmp_path / "clear", {"a": [0.0] * 12, "b": [1.0] * 12})])
    assert clear["significance"][0]["better"]
    assert "b is better than a" in clear["significance"][0]["verdict"]
    noise = tables([_run(tmp_path / "noise", {"a": [0, 1, 0, 1] * 3, "b": [1, 0, 0, 1] * 3})])
    assert not noise["significance"][0]["significant"]
    assert "No difference is more than noise." in markdown(noise)


def test_the_baseline_can_be_chosen(tmp_path: Path) -> None:
    made = tables([_run(tmp_path, {"a": [0.0] * 12, "b": [1.0] * 12})], baseline="b")
    assert made["significance"][0]["baseline"] == "b"
    with pytest.raises(EvaluationError, match="no run has a system 'naiv'; did you mean 'naive'"):
        tables([_run(tmp_path / "c", {"naive": [0.0], "b": [1.0]})], baseline="naiv")
    assert made["significance"][0]["difference"] == -1


def test_all_tables_are_json(tmp_path: Path) -> None:
    made = tables([tiny.run(tmp_path)])
    assert json.loads(json.dumps(made)) == made
    assert {row["type"] for row in made["types"]} == {"one", "two"}
    text = markdown(made)
    assert "| naive |" in text
    assert "### evidence_recall" in text


def test_too_few_questions_are_not_tested(tmp_path: Path) -> None:
    (test,) = tables([_run(tmp_path, {"a": [0.0] * 4, "b": [1.0] * 4})])["significance"]
    assert not test["significant"]
    assert test["verdict"] == "too few questions to test (n = 4)"


def test_runs_of_one_name_are_told_apart_and_none_is_named_twice(tmp_path: Path) -> None:
    first, second = (_run(tmp_path / parent / "x", {"a": [1.0, 0.0]}) for parent in ("p", "q"))
    assert [run["run"] for run in tables([first, second])["runs"]] == [str(first), str(second)]
    assert [run["run"] for run in tables([first])["runs"]] == ["x"]
    with pytest.raises(EvaluationError, match="named twice"):
        tables([first, first])


def test_what_a_question_costs_does_not_depend_on_replies_that_were_kept(tmp_path: Path) -> None:
    new = {"tokens": 90, "seconds": 0.01, "read_seconds": 2.0, "read_calls": 1, "stages": {}}
    new |= {"calls": 3, "prompt_tokens": 300, "completion_tokens": 30, "cached": 0}
    kept = {"tokens": 90, "seconds": 0.03, "read_seconds": 0.0, "read_calls": 1, "stages": {}}
    kept |= {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    kept |= {"cached": 3, "cached_prompt_tokens": 300, "cached_completion_tokens": 30}
    rows = [Row("a", 100, "1", {}, new), Row("a", 100, "2", {}, kept)]
    (line,) = cost(
        Loaded(tmp_path, read_header(_run(tmp_path, {"a": [1.0]})), tuple(rows), {}, "r"), {"prompt_tokens": 1.0}
    )
    assert (line["calls"], line["prompt_tokens"], line["completion_tokens"], line["cached"]) == (3, 300, 30, 1.5)
    assert (line["read_calls"], line["read_seconds"]) == (1, 2.0)
    assert line["money_per_1000"] == 0.3  # 300 tokens a question, 1 a million
    assert (line["milliseconds"], line["p95_milliseconds"]) == (20.0, 30.0)


def test_the_interval_of_a_mean_by_hand() -> None:
    # The standard deviation of 0, .4, .4, .8 is .32660.
    assert interval([0.0, 0.4, 0.4, 0.8]) == pytest.approx(
        (0.4 - 1.96 * 0.32660 / 2, 0.4 + 1.96 * 0.32660 / 2), abs=1e-4
    )
    assert interval([0.0, 1.0, 0.0, 1.0]) == (0.0, 1.0)  # 1.07 wide, and cut to shares
    assert interval([0.5]) == (0.0, 1.0)
