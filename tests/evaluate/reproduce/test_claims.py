from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.record import Row
from decoct.evaluate.session import Setup
from decoct_lab.reproduce import tellable
from decoct_lab.reproduce.arms import Arm
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest
from decoct_lab.reproduce.claims import PaperClaim, claim_difference, markdown, of_rows, verdict, verdicts
from decoct_lab.reproduce.paper import parse_paper
from decoct_lab.reproduce.papers import papers, reproduction
from decoct_lab.reproduce.recipes import RecipeTable

ARMS = {"a": Arm("a", context="x"), "b": Arm("b", context="y")}
CLAIM = PaperClaim("c", "A beats B", "1", "a", "b", ("token_f1", "evidence_recall"))


def scores(a: list[float], b: list[float], metric: str = "evidence_recall") -> dict[str, Any]:
    return {"s": {metric: {name: {str(i): [v] for i, v in enumerate(values)} for name, values in (("a", a), ("b", b))}}}


def one(**change: Any) -> dict[str, Any]:
    figures = {"difference": 0.05, "low": 0.01, "high": 0.09, "means": [0.55, 0.5]}
    return {"n": 100, "kind": "better", "least": 0.02, "unnamed": [], **figures, **change}


def test_verdicts_by_hand() -> None:
    assert verdict(one(), 0.01) == "holds"
    assert verdict(one(), 0.20) == "cannot be told"
    assert verdict(one(n=11), 0.01) == "cannot be told"
    assert verdict(one(difference=-0.05, low=-0.09, high=-0.01), 0.01) == "does not"
    # Within noise, and nothing as large as two points can be in it:
    assert verdict(one(difference=0.0, low=-0.015, high=0.019), 0.9) == "does not"
    assert verdict(one(difference=0.0, low=-0.02, high=0.02), 0.9) == "cannot be told"
    more = "nothing more"
    assert verdict(one(kind=more), 0.01) == "does not"
    assert verdict(one(kind=more, difference=0.001, low=-0.01, high=0.012), 0.9) == "holds"
    assert verdict(one(kind=more, difference=0.001, low=-0.05, high=0.052), 0.9) == "cannot be told"
    assert verdict(one(kind=more, difference=-0.05, low=-0.09, high=-0.01), 0.01) == "holds"
    # Two that find next to nothing are not shown to be alike, nor is anything told of arms that differ in more than is claimed:
    assert verdict(one(difference=0.0, low=-0.015, high=0.019, means=[0.02, 0.02]), 0.9) == "cannot be told"
    assert verdict(one(kind=more, difference=0.0, low=-0.01, high=0.012, means=[0.02, 0.02]), 0.9) == "cannot be told"
    assert verdict(one(unnamed=["reader"]), 0.01) == "arms not equal"


def test_the_first_measure_that_a_run_has_is_taken_over_questions_that_both_answered() -> None:
    found = scores([0.5, 0.7, 1.0], [0.4, 0.4, 0.4])
    del found["s"]["evidence_recall"]["b"]["2"]
    made = claim_difference(CLAIM, found, ARMS)
    assert made is not None
    assert (made["metric"], made["n"], made["difference"]) == ("evidence_recall", 2, 0.2)
    assert made["sets"] == {"s": {"n": 2, "difference": 0.2}}
    assert claim_difference(CLAIM, {}, ARMS) is None
    assert claim_difference(CLAIM, scores([1.0], [0.0], "judge"), ARMS) is None


def test_of_a_measure_of_faults_less_is_better() -> None:
    made = claim_difference(
        PaperClaim("c", "", "1", "a", "b", ("hallucination",)), scores([0.1, 0.2], [0.4, 0.4], "hallucination"), ARMS
    )
    assert made is not None
    assert made["difference"] == pytest.approx(0.25)


def test_a_claim_is_told_of_its_own_sets_alone() -> None:
    found = {"s": scores([1.0], [0.0])["s"], "t": scores([0.0, 0.0], [1.0, 1.0])["s"]}
    made = claim_difference(PaperClaim("c", "", "1", "a", "b", ("evidence_recall",), sets=("t",)), found, ARMS)
    assert made is not None
    assert (made["n"], made["difference"]) == (2, -1.0)
    both = claim_difference(CLAIM, found, ARMS)
    assert both is not None
    assert both["difference"] == pytest.approx(-1 / 3, abs=1e-4)
    assert both["sets"]["s"] == {"n": 1, "difference": 1.0}


def test_budgets_of_a_question_are_one_figure() -> None:
    rows = [
        Row(s, b, "q", {"m": v, "none": None})
        for s, b, v in (("a", 1, 0.2), ("a", 2, 0.4), ("b", 1, 0.1), ("b", 2, 0.1))
    ]
    found = of_rows([*rows, Row("a", 3, "q", error={"code": "x", "message": ""})])
    assert found == {"m": {"a": {"q": [0.2, 0.4]}, "b": {"q": [0.1, 0.1]}}}
    made = claim_difference(PaperClaim("c", "", "1", "a", "b", ("m",)), {"s": found}, ARMS)
    assert made is not None
    assert made["difference"] == pytest.approx(0.2)


def test_a_real_effect_holds_and_chance_does_not_and_p_is_corrected_over_the_claims() -> None:
    dice = random.Random(1)
    base = [dice.random() for _ in range(80)]
    better = [x + 0.1 + dice.gauss(0, 0.1) for x in base]
    other = [x + dice.gauss(0, 0.1) for x in base]
    found = [made for values in (better, other) if (made := claim_difference(CLAIM, scores(values, base), ARMS))]
    first, second = verdicts(found)
    assert first["verdict"] == "holds"
    assert first["corrected"] == pytest.approx(2 * first["p"], abs=1e-5)
    assert second["verdict"] != "holds"
    assert first["tellable"] == pytest.approx(2.83 * 0.1 / 80**0.5, rel=0.3)
    text = markdown([first], [CLAIM, PaperClaim("d", "C beats D", "figure-2", "c", "d", ("judge",))])
    assert "| A beats B (table 1) | **holds** | +" in text
    assert "| C beats D (figure-2) | not run | – | – | – |" in text


@pytest.mark.parametrize("name", papers())
def test_every_claim_is_of_conditions_that_its_table_has(name: str) -> None:
    loaded = reproduction(name)
    assert loaded.claims
    assert len({claim.id for claim in loaded.claims}) == len(loaded.claims)
    assert {claim.table for claim in loaded.claims} <= set(loaded.tables)


PAPER = """
title = "P"
setting = "S"
reasons = {}
[set.clapnq]
[[table]]
id = "1"
title = "One"
budgets = [60, 100]
metrics = ["evidence_recall"]
sets = ["clapnq"]
[[table.condition]]
name = "naive"
recipe = "naive"
[[table.condition]]
name = "words"
recipe = { retrieve = "bm25" }
[[claim]]
id = "x"
text = "Words are better"
table = "1"
better = "words"
than = "naive"
metrics = ["evidence_recall"]
[[claim]]
id = "y"
text = "Vectors are better"
table = "1"
better = "naive"
than = "words"
metrics = ["token_f1"]
"""


def test_a_run_ends_with_its_verdicts(tmp_path: Path, excerpts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = parse_paper(PAPER, "p")
    whole = Reproduction("p", "P", "S", {"1": RecipeTable(paper, paper.tables["1"])}, paper.claims)
    request = ReproductionRequest(Setup((), cache=tmp_path / "c"), tmp_path / "out", excerpts)
    result, text = whole.one("1", request)
    (found,) = result["verdicts"]
    assert found["id"] == "x"
    assert 0 < found["n"] < 12
    assert found["verdict"] == "cannot be told"
    assert "## Verdicts" in text
    assert "| Vectors are better (table 1) | not run |" in text
    every = whole.every(request)
    assert every["verdicts"] == result["verdicts"]
    assert whole.markdown(every).rstrip().splitlines()[-1].startswith("| Vectors are better")
    monkeypatch.setattr(tellable, "find_spec", lambda name: None)
    result, text = whole.one("1", request)
    assert result["verdicts"] == []
    assert "a verdict needs the extra 'evaluate'" in text


ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.stem)
def test_every_experiment_of_this_repository_loads(path: Path) -> None:
    loaded = reproduction(str(path))
    assert loaded.name == path.stem
    assert loaded.claims
    assert not [one.missing for table in loaded.tables.values() for one in table.table.conditions if one.missing]  # type: ignore[attr-defined]


def test_an_experiment_of_ones_own_is_run_as_the_docs_show(tmp_path: Path, excerpts: Path) -> None:
    shown = (
        (ROOT / "lab" / "docs" / "evaluation.md").read_text("utf-8").partition("```toml\ntitle")[2].partition("```")[0]
    )
    file = tmp_path / "mine.toml"
    file.write_text("title" + shown, "utf-8")
    result, text = reproduction(str(file)).one(
        "small", ReproductionRequest(Setup((), cache=tmp_path / "c", questions=3), tmp_path, excerpts)
    )
    assert result["verdicts"][0]["claim"] == "Stitching shows more evidence"
    assert set(result["verdicts"][0]["sets"]) == {"hotpotqa", "musique"}
    assert "| condition | budget | evidence_recall | answer_in_context |" in text
    assert "Theirs" not in text
    assert "paper" not in text


def test_a_file_that_is_no_experiment_says_so(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"gone.toml: .*No such file"):
        reproduction(str(tmp_path / "gone.toml"))
    (tmp_path / "a.toml").write_text("title = ")
    with pytest.raises(EvaluationError, match=r"a.toml: Invalid value"):
        reproduction(str(tmp_path / "a.toml"))
    (tmp_path / "b.toml").write_text("title = 'x'")
    with pytest.raises(EvaluationError, match=r"b.toml: table: missing"):
        reproduction(str(tmp_path / "b.toml"))


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ('than = "naive"', 'than = "naiv"', "table 1 has no 'naiv'; did you mean 'naive'"),
        ('table = "1"\nbetter', 'table = "7"\nbetter', "there is no table '7'"),
        ('text = "Words', 'txt = "Words', "txt: unknown key; did you mean 'text'"),
    ],
)
def test_a_claim_that_is_misspelt_is_named(was: str, now: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        parse_paper(PAPER.replace(was, now, 1), "p")
