"""MergeRAG's own tables: the maps of figure 2, the example of appendix F, and the times beside figure 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from decoct.errors import EvaluationError, ModelTimeoutError
from decoct.evaluate.session import Setup
from decoct.llm.base import LLM, Losses
from decoct.llm.cache import Cached
from decoct_lab.reproduce.base import ReproductionRequest
from decoct_lab.reproduce.mergerag import Timed
from decoct_lab.reproduce.mergerag_example import PASSAGES
from decoct_lab.reproduce.mergerag_maps import agreement, averages
from decoct_lab.reproduce.paper import load_paper
from decoct_lab.reproduce.papers import reproduction
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM


def request(out: Path, llm: LLM | None = None, **more: Any) -> ReproductionRequest:
    return ReproductionRequest(Setup((), questions=2, llm=llm, embedder=HashEmbedder()), out, **more)


def test_everything_of_the_paper_is_reachable_in_its_order() -> None:
    tables = list(reproduction("mergerag").tables)
    assert tables == ["figure-2", "1", "2", "figure-4", "figure-5", "appendix-f"]
    for table in load_paper("mergerag").tables.values():
        for condition in table.conditions:
            assert not condition.missing


def test_figure_2_is_a_picture_and_an_agreement(excerpts: Path, tmp_path: Path) -> None:
    table = reproduction("mergerag").table("figure-2")
    asked = request(tmp_path / "new", ScriptedLLM([]), data=excerpts)
    assert table.unable(asked) == ""
    result = table.run(asked)
    assert list(result["maps"]) == ["nll", "cache-lm", "compression", "cosine"]
    assert set(result["agreement"]) == {"cache-lm", "compression", "cosine"}
    assert (result["model"], result["rows"]) == ("scripted:scripted", 3)
    assert all(-1 <= one["tau"] <= 1 and one["random"] >= 0 for one in result["agreement"].values())
    drawn = ElementTree.parse(tmp_path / "new" / "figure-2.svg").getroot()
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}image"))) == 4
    shown = table.markdown(result)
    assert "figure-2.svg" in shown
    assert "| cache-lm |" in shown


def test_figure_2_without_losses_says_why_and_shows_no_stand_in(excerpts: Path, tmp_path: Path) -> None:
    class Failing(ScriptedLLM):
        def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
            raise ModelTimeoutError("too slow")

    table = reproduction("mergerag").table("figure-2")
    for llm, why in ((None, "--llm"), (Failing([]), "gave no losses")):
        result = table.run(request(tmp_path, llm, data=excerpts))
        assert "nll" not in result["maps"]
        assert result["agreement"] == {}
        assert result["model"] is None
        assert why in table.markdown(result)
    assert table.unable(request(tmp_path, sets=("musique",))) != ""
    with pytest.raises(EvaluationError):
        table.run(request(tmp_path, data=tmp_path))


def test_averages_are_over_rows_and_their_interval_over_questions() -> None:
    row = {"first": 1.0, "regret": 0.0, "random": 1.0}
    made = averages([[{"tau": 0.5, **row}, {"tau": 0.3, **row}], [{"tau": 0.2, **row}]])
    assert made["tau"] == pytest.approx(1 / 3, abs=1e-4)
    # Questions have .4 and .2: 1.96 x .1414 / sqrt(2)
    assert made["tau_half_interval"] == pytest.approx(0.196)
    assert averages([[{"tau": 0.5, **row}]])["tau_half_interval"] is None


def test_agreement_by_hand() -> None:
    exact = [[9.0, 1.0, 2.0, 4.0]]
    ((row),) = agreement(exact, [[0.0, 0.3, 0.1, 0.2]])
    # Orders 1 2 4 and .3 .1 .2: one of three pairs agrees; the form's first choice is the second best.
    assert row == pytest.approx({"tau": -1 / 3, "first": 0.0, "regret": 1.0, "random": 4 / 3})


def test_the_example_keeps_what_both_passages_say(tmp_path: Path) -> None:
    table = reproduction("mergerag").table("appendix-f")
    result = table.run(request(tmp_path))
    (text,) = [one["text"] for one in result["merged"].values()]
    assert "University of the Philippines in 1950" in text
    assert "began in 1912" in text
    assert result["merged"]["extract"]["tokens"] <= result["budget"] < result["tokens_before"]
    assert all(line in f"{PASSAGES}" for line in text.split("\n") if not line.startswith("["))
    assert "needs --llm" in table.markdown(result)
    answered = table.run(request(tmp_path, ScriptedLLM(lambda asked: '{"keep": [1, 4]}' if asked.schema else "1912.")))
    assert set(answered["merged"]) == {"extract", "select", "rewrite"}
    assert "fell back: merge.reply" in table.markdown(answered)


@dataclass(frozen=True)
class Ran:
    id: str = "figure-5"
    title: str = "T"

    def unable(self, request: ReproductionRequest) -> str:
        return "never"

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        assert not isinstance(request.setup.llm, Cached)
        rows = {"merge-select": 20.0, "merge-select-sequential": 60.0, "merge-extract": 5.0}
        cost = [{"system": name, "budget": 750, "milliseconds": spent} for name, spent in rows.items()]
        return {"table": self.id, "title": self.title, "sets": {"musique": {"cost": cost}}}

    def markdown(self, result: Mapping[str, Any]) -> str:
        return "## T\n"


def test_times_stand_beside_hierarchical_and_sequential(tmp_path: Path) -> None:
    table = Timed(Ran())
    asked = request(tmp_path, Cached(ScriptedLLM([]), tmp_path))
    assert (table.id, table.title, table.unable(asked)) == ("figure-5", "T", "never")
    shown = table.markdown(table.run(asked))
    assert "| merge-select | 750 | 20.0 | 60.0 | 3.00 |" in shown
    assert "merge-extract" not in shown
