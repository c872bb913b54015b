"""The choice of m: made on one half of the questions, told on the other."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from decoct.evaluate.record import Header, Row, Run


def _loaded() -> ModuleType:
    path = Path(__file__).parent.parent / "benchmarks" / "feedback_sweep.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("feedback_sweep", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["feedback_sweep"] = module
    spec.loader.exec_module(module)
    return module


sweep = _loaded()
IDS = [f"q{n:02}" for n in range(40)]


def _run(folder: Path, value: dict[str, tuple[float, float]]) -> Path:
    """A record in which each system has one value on even questions (the choosing half) and one on odd ones, at two budgets."""
    header = Header({"name": "x"}, {name: {} for name in value}, (300, 900), sweep.METRICS, "e", "t", "passage")
    with Run.start(folder, header) as run:
        run.add(
            Row(name, budget, one, dict.fromkeys(sweep.METRICS, pair[n % 2] + n / 1000), {"seconds": 0.01})
            for name, pair in value.items()
            for budget in (300, 900)
            for n, one in enumerate(IDS)
        )
    return folder


def test_m_is_chosen_on_one_half_and_told_on_the_other(tmp_path: Path) -> None:
    value = {
        "naive": (0.3, 0.3), "stitched": (0.3, 0.35), "m=1": (0.4, 0.4), "m=2": (0.5, 0.2), "m=3": (0.1, 0.6), "m=5": (0.2, 0.3),
        "m=1, double": (0.2, 0.2), "m=2, double": (0.2, 0.1),
    }  # fmt: skip
    folder = _run(tmp_path / "x", value)
    made = sweep.summary({"x": folder}, {"x": IDS})
    assert (made["chosen"], made["chosen_on_the_other_half"]) == ("m=2", "m=3")
    assert made["chosen_by_set"] == {"x": "m=2"}
    (told,) = made["over_budgets"]["against_naive"]
    assert told["n"] == 20
    assert told["difference"] == pytest.approx(-0.1)  # what looked best on its own half is worse on the other
    assert {line["budget"]: line["difference"] for line in made["against_stitched"]} == {
        300: pytest.approx(-0.15),
        900: pytest.approx(-0.15),
    }
    assert made["sets"]["x"]["n_reported"] == 20
    assert made["sets"]["x"]["evidence_recall"]["m=3"][300] == pytest.approx(0.6 + 0.02)


def test_every_set_has_the_same_weight(tmp_path: Path) -> None:
    rest = {"naive": (0.3, 0.3), "stitched": (0.3, 0.3), "m=3": (0.0, 0.0), "m=5": (0.0, 0.0)}
    double = {"m=1, double": (0.0, 0.0), "m=2, double": (0.0, 0.0)}
    a = _run(tmp_path / "a", {**rest, "m=1": (0.9, 0.9), "m=2": (0.5, 0.5), **double})
    b = _run(tmp_path / "b", {**rest, "m=1": (0.2, 0.2), "m=2": (0.5, 0.5), **double})
    made = sweep.summary({"a": a, "b": b}, {"a": IDS, "b": IDS[:10]})
    assert made["chosen"] == "m=1"
    assert made["chosen_by_set"] == {"a": "m=1", "b": "m=2"}


def test_what_is_compared_is_the_papers_recipe_with_each_m_and_its_controls() -> None:
    systems = {one.name: one.recipe.as_dict() for one in sweep.compared()}
    assert systems["naive"]["context"] == []
    assert systems["stitched"]["retrieve"]["use"] == "dense"
    assert {name: table["retrieve"]["m"] for name, table in systems.items() if "m=" in name} == {
        "m=1": 1, "m=2": 2, "m=3": 3, "m=5": 5, "m=1, double": 1, "m=2, double": 2,
    }  # fmt: skip
    assert systems["m=2, double"]["retrieve"]["passes"] == 2
