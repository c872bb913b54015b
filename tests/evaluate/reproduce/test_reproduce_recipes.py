from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.session import Setup
from decoct.recipe import load_recipe
from decoct_lab.dataset import load
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest
from decoct_lab.reproduce.compare import ANOTHER_BUDGET, COSTS, lines, order, verdict
from decoct_lab.reproduce.paper import load_paper, parse_paper
from decoct_lab.reproduce.papers import PAPERS, reproduction
from decoct_lab.reproduce.recipes import RecipeTable, as_markdown
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

PAPER = """
title = "T"
setting = "S"
[reasons]
embedder = "another embedder"
[set.clapnq]
options = { questions = "answerable" }
reasons = ["embedder"]
[[table]]
id = "1"
title = "One"
budgets = [100, 200]
metrics = ["evidence_recall"]
sets = ["clapnq", "fiqa"]
[[table.condition]]
name = "naive"
recipe = "naive"
paper.clapnq = { evidence_recall = [0.1, 0.2] }
[[table.condition]]
name = "gone"
recipe = "not-there"
paper.clapnq = { evidence_recall = [0.1, 0.2] }
[[table.condition]]
name = "asks"
recipe = { retrieve = { use = "self-ask", retriever = "dense" } }
[set.fiqa]
"""


def test_every_shipped_paper_loads_and_its_figures_are_shares_or_costs() -> None:
    for name in (name for name, loader in PAPERS.items() if loader.endswith("recipes:recipes")):
        for table in load_paper(name).tables.values():
            for condition in table.conditions:
                for measures in condition.paper.values():
                    for measure, values in measures.items():
                        most = float("inf") if measure in COSTS else 1
                        assert all(0 <= value <= most for value in values)


@pytest.mark.parametrize(
    ("paper", "table", "systems"),
    [
        ("recall-oriented", "4", {"raptor", "lightrag", "hipporag2", "hypergraphrag"}),
        ("recall-oriented", "8", {"raptor-native", "lightrag-native", "hipporag2-native", "hypergraphrag-native"}),
        ("recall-oriented", "10", {"raptor", "lightrag", "hipporag2", "hypergraphrag"}),
        ("recall-oriented", "11", {"raptor", "lightrag", "hipporag2", "hypergraphrag"}),
        ("mergerag", "1", {"raptor", "tree-rag"}),
        ("mergerag", "2", {"raptor", "tree-rag"}),
    ],
)
def test_tables_have_the_papers_structured_systems_and_say_how_ours_are_built(
    paper: str, table: str, systems: set[str]
) -> None:
    found = load_paper(paper).tables[table]
    there = {condition.name: condition for condition in found.conditions}
    assert systems <= set(there)
    assert all(there[name].paper for name in systems)
    assert "structures" in found.reasons


def test_the_grid_of_table_9_is_in_the_papers_order() -> None:
    cells = {c.name: c.paper["hotpotqa"]["token_f1"] for c in load_paper("recall-oriented").tables["9"].conditions}
    assert cells["150-top-5"] == (0.706,)
    assert cells["1200-top-40"] == (0.653,)
    assert cells["300-top-10"] == (0.705,)


def test_faults_of_a_paper_file_are_named() -> None:
    with pytest.raises(EvaluationError, match="metric: unknown key; did you mean 'metrics'"):
        parse_paper(PAPER.replace("metrics =", "metric ="), "p")
    with pytest.raises(EvaluationError, match="1 figures of evidence_recall for 2 budgets"):
        parse_paper(PAPER.replace("[0.1, 0.2]", "[0.1]", 1), "p")
    with pytest.raises(EvaluationError, match="reason 'embeder' is not written; did you mean 'embedder'"):
        parse_paper(PAPER.replace('["embedder"]', '["embeder"]'), "p")
    with pytest.raises(EvaluationError, match="no table '7'"):
        reproduction("recall-oriented").table("7")
    with pytest.raises(EvaluationError, match="no paper 'mergrag' to reproduce; did you mean 'mergerag'"):
        reproduction("mergrag")


def test_verdicts() -> None:
    line = {"metric": "token_f1", "ours": 0.50, "low": 0.45, "high": 0.55}
    assert verdict({**line, "paper": 0.55}) == "OK"
    assert verdict({**line, "paper": 0.58}) == "near"
    assert verdict({**line, "paper": 0.70}) == "differs"
    assert verdict({**line, "paper": None}) == "not printed"
    assert verdict({"metric": "calls", "ours": 2.9, "paper": 3.0}) == "OK"
    assert verdict({"metric": "seconds_per_1000", "ours": 5.0, "paper": 13.8}) == "differs"


@pytest.mark.parametrize(("read_calls", "told"), [(1.0, 2.0), (0.0, 3.0)])
def test_calls_are_those_of_retrieval_whether_or_not_replies_were_kept(read_calls: float, told: float) -> None:
    paper = parse_paper(PAPER.replace("paper.clapnq = { ", "paper.clapnq = { calls = [3.0, 3.0], ", 1), "p")
    cost = {
        "system": "naive",
        "budget": 100,
        "calls": 3.0,
        "cached": 3.0,
        "read_calls": read_calls,
        "read_seconds": 0.0,
    }
    found = lines(paper, paper.tables["1"], "clapnq", {"quality": [], "cost": [cost]})
    assert [one["ours"] for one in found if one["metric"] == "calls" and one["budget"] == 100] == [told]


def test_order_counts_pairs_that_the_paper_tells_apart() -> None:
    rows = [{"metric": "m", "paper": p, "ours": o} for p, o in ((0.1, 0.3), (0.5, 0.4), (0.51, 0.2))]
    # .5 and .51 are too near to have an order; .1 against .5 is kept, .1 against .51 is not.
    assert order(rows) == [{"metric": "m", "pairs": 2, "same_order": 1, "share": 0.5}]


def _request(tmp_path: Path, excerpts: Path, **change: Any) -> ReproductionRequest:
    return ReproductionRequest(Setup((), cache=tmp_path / "c", questions=3), tmp_path / "out", excerpts, **change)


def test_a_table_is_run_on_what_is_at_hand(tmp_path: Path, excerpts: Path) -> None:
    paper = parse_paper(PAPER, "p")
    table = RecipeTable(paper, paper.tables["1"])
    result = table.run(_request(tmp_path, excerpts))
    lines = {(line["condition"], line["budget"]): line for line in result["sets"]["clapnq"]["lines"]}
    assert lines["naive", 100]["ours"] is not None
    assert lines["gone", 100]["verdict"] == "there is no recipe 'not-there' here"
    assert result["sets"]["clapnq"]["skipped"] == ["asks"]
    assert "fiqa" in result["absent"]
    text = as_markdown(result)
    assert "| naive | 100 | evidence_recall |" in text
    assert "needs --llm: asks" in text
    with pytest.raises(EvaluationError, match="did you mean 'naive'"):
        table.run(_request(tmp_path, excerpts, conditions=("naiv",)))


def test_a_budget_of_ones_own_is_shown_and_not_judged(tmp_path: Path, excerpts: Path) -> None:
    paper = parse_paper(PAPER, "p")
    request = _request(tmp_path, excerpts, budgets=(60, 200), conditions=("naive",))
    result = RecipeTable(paper, paper.tables["1"]).run(request)
    lines = {line["budget"]: line for line in result["sets"]["clapnq"]["lines"]}
    assert set(lines) == {60, 200}
    assert (lines[60]["verdict"], lines[60]["paper"]) == (
        ANOTHER_BUDGET,
        None,
    )  # two budgets are printed: which is near?
    assert lines[200]["verdict"] in ("OK", "near", "differs")
    single = PAPER.replace("[100, 200]", "[100]").replace("[0.1, 0.2]", "[0.1]")
    one = parse_paper(single, "p")
    result = RecipeTable(one, one.tables["1"]).run(_request(tmp_path, excerpts, budgets=(60,), conditions=("naive",)))
    (line,) = result["sets"]["clapnq"]["lines"]
    assert (line["budget"], line["paper"], line["verdict"]) == (60, 0.1, ANOTHER_BUDGET)


SECOND = PAPER.replace(
    "[set.fiqa]\n",
    """
[[table]]
id = "2"
title = "Answers"
budgets = [100]
metrics = ["token_f1", "judge"]
sets = ["clapnq"]
[[table.condition]]
name = "naive"
recipe = "naive"
[[table]]
id = "3"
title = "Elsewhere"
budgets = [100]
metrics = ["evidence_recall"]
sets = ["fiqa"]
[[table.condition]]
name = "naive"
recipe = "naive"
[set.fiqa]
""",
)


def test_every_table_that_can_be_run_is_and_others_are_named_with_the_reason(tmp_path: Path, excerpts: Path) -> None:
    paper = parse_paper(SECOND, "p")
    whole = Reproduction("p", "T", "S", {key: RecipeTable(paper, one) for key, one in paper.tables.items()})
    result = whole.every(_request(tmp_path, excerpts, conditions=("naive",)))
    assert [one["table"] for one in result["tables"]] == ["1"]
    assert result["skipped"]["2"] == "its measures need --llm and --judge"
    assert "none of its data sets is at hand" in result["skipped"]["3"]
    text = whole.markdown(result)
    assert "## Table 1: One" in text
    assert "- table 2, Answers: its measures need --llm and --judge" in text
    with pytest.raises(EvaluationError, match="no table of p can be run"):
        whole.every(_request(tmp_path, excerpts, sets=("fiqa",)))


COSTLY = (
    SECOND.replace('id = "2"', 'id = "figure-9"')
    .replace('title = "Answers"', 'title = "Curves"')
    .replace(
        """sets = ["clapnq"]
[[table.condition]]
name = "naive"
recipe = "naive"
[[table]]
id = "3\"""",
        """sets = ["clapnq"]
[[table.condition]]
name = "naive"
recipe = "naive"
paper.clapnq = { calls = 3, retrieval_tokens = 20341, seconds_per_1000 = 479 }
[[table.condition]]
name = "asks"
recipe = { retrieve = { use = "iter-retgen", retriever = "dense", rounds = 2 } }
[[table]]
id = "3\"""",
    )
)


def test_costs_of_retrieval_stand_as_columns_without_the_readers_and_a_figure_has_its_page(
    tmp_path: Path, excerpts: Path
) -> None:
    paper = parse_paper(COSTLY, "p")
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "a river"}')
    request = ReproductionRequest(Setup((), cache=tmp_path / "c", questions=2, llm=llm), tmp_path / "out", excerpts)
    result = RecipeTable(paper, paper.tables["figure-9"]).run(request)
    lines = {(line["condition"], line["metric"]): line for line in result["sets"]["clapnq"]["lines"]}
    assert lines["naive", "retrieval_tokens"]["ours"] == 0
    assert lines["naive", "retrieval_tokens"]["paper"] == 20341
    assert lines["asks", "retrieval_tokens"]["ours"] > 0
    assert lines["asks", "calls"]["ours"] == 1
    text = as_markdown(result)
    assert "| condition | budget | calls | retrieval_tokens | seconds_per_1000 |" in text
    assert "| naive | 100 | 0 (3) | 0 (20,341) |" in text
    assert "(table-figure-9-clapnq/report.html)" in text
    assert "<svg" in (tmp_path / "out" / "table-figure-9-clapnq" / "report.html").read_text()


def test_table_9_reads_top_k_in_both_ways() -> None:
    conditions = {one.name: one for one in load_paper("recall-oriented").tables["9"].conditions}
    assert len(conditions) == 2 * 6 * 4
    top, pieces = (conditions[name].system.recipe.retrieve.as_dict() for name in ("150-top-40", "150-pieces-40"))  # type: ignore[union-attr]
    assert (top["k_docs"], pieces["m"]) == (40, 40)
    assert top["m"] == load_recipe("recall").retrieve.as_dict()["m"]
    assert pieces["query_tokens"] > 40 * 50
    assert conditions["300-top-10"].paper == conditions["300-pieces-10"].paper


def test_the_embedder_that_was_asked_for_is_not_exchanged_for_windows(tmp_path: Path, excerpts: Path) -> None:
    paper = parse_paper(
        PAPER.replace('recipe = "naive"', 'recipe = "naive"\nchunk = { use = "fixed", tokens = 600 }'), "p"
    )
    setup = Setup((), cache=tmp_path / "c", questions=2, embedder=HashEmbedder())
    table = RecipeTable(paper, paper.tables["1"])
    made = table.run(ReproductionRequest(setup, tmp_path / "hash", excerpts, conditions=("naive",)))
    assert made["sets"]["clapnq"]["run"]["embedder"] == HashEmbedder().fingerprint
    made = table.run(_request(tmp_path, excerpts, conditions=("naive",)))
    assert "mean-of" in made["sets"]["clapnq"]["run"]["embedder"]


def test_sentences_can_stand_for_a_reader(tmp_path: Path, excerpts: Path) -> None:
    paper = parse_paper(SECOND, "p")
    request = ReproductionRequest(
        Setup((), cache=tmp_path / "c", questions=3, reader="extractive"), tmp_path / "out", excerpts
    )
    result = RecipeTable(paper, paper.tables["2"]).run(request)
    assert {line["metric"] for line in result["sets"]["clapnq"]["lines"]} == {"token_f1"}


@pytest.mark.parametrize("whole", [False, True])
def test_fewer_questions_are_asked_among_what_comes_with_them(tmp_path: Path, excerpts: Path, *, whole: bool) -> None:
    options = 'options = { questions = "answerable" }\n'
    paper = parse_paper(PAPER.replace("clapnq", "musique").replace(options, ""), "p")
    request = _request(tmp_path, excerpts, conditions=("naive",), whole_corpus=whole)
    request = replace(request, setup=replace(request.setup, questions=1))
    result = RecipeTable(paper, paper.tables["1"]).run(request)
    ours = result["sets"]["musique"]
    assert bool(ours["corpus"]) is not whole
    assert ("With fewer questions what is measured is finding among" in as_markdown(result)) is not whole
    documents = sum(1 for _ in load("musique", excerpts).documents())
    assert (ours["run"]["dataset"]["documents"] == documents) is whole
