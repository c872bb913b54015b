"""`decoct reproduce casc` on generated worlds: every table beside the printed one, what is missing named, claims told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.session import Setup
from decoct_lab.reproduce.base import ReproductionRequest
from decoct_lab.reproduce.casc import CascTable
from decoct_lab.reproduce.casc_conditions import BY_MODEL, NAMES, TYPES, error_shares
from decoct_lab.reproduce.papers import reproduction
from decoct_lab.worlds.generate import worlds
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "scidocs-conflicts"
    folder.mkdir()
    (folder / "questions.jsonl").write_text("".join(json.dumps(record) + "\n" for record in worlds(1, 2, "dev")))
    return folder.parent


def request(data: Path, tmp_path: Path, **change: Any) -> ReproductionRequest:
    conditions = change.pop("conditions", ())
    return ReproductionRequest(
        Setup((), embedder=HashEmbedder(), **change), tmp_path / "out", data, conditions=conditions
    )


def test_every_line_has_a_condition_and_figures_that_its_table_measures() -> None:
    for table in reproduction("casc").tables.values():
        assert isinstance(table, CascTable)
        for row in table.rows:
            assert row.condition in NAMES
            assert (0 if row.condition in BY_MODEL else 1) <= len(row.paper) <= len(table.metrics)


@pytest.mark.slow
def test_all_tables_but_the_judged_one_run_without_a_model(data: Path, tmp_path: Path) -> None:
    paper = reproduction("casc")
    result = paper.every(request(data, tmp_path))
    assert [one["table"] for one in result["tables"]] == ["1", "2", "4", "5", "6"]
    assert result["skipped"] == {"3": "needs --judge"}
    first = result["tables"][0]
    assert set(first["skipped"]) == {"llmlingua", "fine-tune-reader", "casc-llm", "casc-model"}
    lines = {line["condition"]: line for line in first["sets"]["scidocs-conflicts"]["lines"]}
    assert set(lines) == {"top-1", "top-5", "recomp", "casc"}
    assert lines["casc"]["paper"] == [80.30, 65.15]
    for line in lines.values():
        em, f1 = line["ours"]
        assert em <= f1 + 1e-9
    tokens = {one["condition"]: one["ours"][0] for one in result["tables"][2]["sets"]["scidocs-conflicts"]["lines"]}
    assert tokens["casc"] < tokens["top-5"]
    assert {verdict["id"] for verdict in result["verdicts"]} == {claim.id for claim in paper.claims}
    text = paper.markdown(result)
    assert "| CASC | 80.3 |" in text
    assert "cannot be as printed" in text


def test_a_trained_reader_is_run_where_it_is_asked_for(data: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(sent: Any) -> str:
        asked.append(sent.messages[-1].content)
        return "seven"

    given = request(data, tmp_path, llm=ScriptedLLM(reply), conditions=("fine-tune-reader",))
    result = reproduction("casc").table("5").run(given)
    (line,) = result["sets"]["scidocs-conflicts"]["lines"]
    assert (line["label"], line["paper"]) == ("FineTune Reader", [10.3])
    assert len(asked) == 2
    assert all("[1] " in prompt for prompt in asked)


def test_what_cannot_be_run_says_what_is_missing(data: Path, tmp_path: Path) -> None:
    paper = reproduction("casc")
    with pytest.raises(EvaluationError, match="needs --judge"):
        paper.table("3").run(request(data, tmp_path))
    with pytest.raises(EvaluationError, match="did you mean"):
        paper.table("1").run(request(data, tmp_path, conditions=("casq",)))
    with pytest.raises(EvaluationError, match="no condition can be run"):
        paper.table("4").run(request(data, tmp_path, conditions=("llmlingua",)))
    with pytest.raises(EvaluationError, match="table 1 is read by a language model, short-answers or extractive"):
        paper.table("1").run(request(data, tmp_path, reader="none"))


@pytest.mark.slow
def test_notes_of_the_bundled_reader_are_compared_with_nothing_that_another_reader_reads(
    data: Path, tmp_path: Path
) -> None:
    paper = reproduction("casc")
    found = {}
    for reader in ("short-answers", "extractive"):
        result, text = paper.one("1", request(data, tmp_path, reader=reader, conditions=("top-5", "casc")))
        (found[reader],) = result["verdicts"]
        assert ("they differ in reader too" in text) is (reader == "extractive")
    assert found["short-answers"]["unnamed"] == []
    assert (found["extractive"]["unnamed"], found["extractive"]["verdict"]) == (["reader"], "arms not equal")


def test_errors_are_shared_out_over_the_papers_types() -> None:
    kinds = list(dict.fromkeys(TYPES.values()))
    assert kinds == ["incomplete", "contradictory", "hallucination", "irrelevant", "misinterpretation"]
    found = dict(error_shares([{"error": "incomplete"}, {"error": "contradictory"}, {"error": ""}]))
    assert found == {
        "incomplete": 50.0,
        "contradictory": 50.0,
        "hallucination": 0.0,
        "irrelevant": 0.0,
        "misinterpretation": 0.0,
    }


ROOT = Path(__file__).parents[3]


def test_a_clone_has_the_sets_that_are_run_where_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "benchmarks").symlink_to(ROOT / "benchmarks")
    monkeypatch.chdir(tmp_path)
    setup = Setup((), embedder=HashEmbedder(), reader="extractive")
    given = ReproductionRequest(setup, tmp_path / "out", None, conditions=("top-5",))
    result, text = reproduction("casc").one("4", given)
    assert {name: one["n"] for name, one in result["sets"].items()} == {
        "scidocs-conflicts": 50,
        "everyday-conflicts": 65,
    }
    assert "### everyday-conflicts (n = 65)" in text


def test_a_set_that_is_not_at_hand_is_named_and_refused_where_it_was_asked_for(data: Path, tmp_path: Path) -> None:
    table = reproduction("casc").table("4")
    result = table.run(request(data, tmp_path, conditions=("top-5",), reader="extractive"))
    assert list(result["sets"]) == ["scidocs-conflicts"]
    assert list(result["absent"]) == ["everyday-conflicts"]
    with pytest.raises(EvaluationError):
        table.run(replace(request(data, tmp_path, conditions=("top-5",)), sets=("everyday-conflicts",)))
