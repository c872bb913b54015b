from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from decoct.evaluate.report.page import COLOURS, curves, pareto, style
from decoct_lab.reproduce.mergerag_maps import maps

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawn: str) -> list[str]:
    return ["".join(one.itertext()).strip() for one in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def row(system: str, budget: int | str, mean: float | None) -> dict[str, Any]:
    low, high = (mean or 0) - 0.1, (mean or 0) + 0.1
    return {"system": system, "budget": budget, "mean": mean, "low": low, "high": high, "n": 5}


def test_curves_name_every_budget_and_system_and_are_equal_for_equal_rows() -> None:
    rows = [row(s, b, v) for s, v in (("naive", 0.4), ("cost $5$ <b>\x1b", 0.6)) for b in (300, 5400)]
    drawn = curves(rows, ["naive", "cost $5$ <b>\x1b"], "token_f1")
    assert drawn == curves(rows, ["naive", "cost $5$ <b>\x1b"], "token_f1")
    shown = texts(drawn)
    assert {"300", "5,400", "naive", "token_f1", "context budget, tokens"} <= set(shown)
    assert "cost $5$ <b>␛" in shown  # no formula, no markup, nothing that acts
    assert drawn.startswith("<svg")
    assert "Date" not in drawn


def test_budgets_in_chunks_stand_evenly_and_a_measure_of_nothing_has_no_figure() -> None:
    drawn = curves([row("a", b, 0.5) for b in ("1x", "5x", 900)], ["a"], "t")
    assert {"1x", "5x", "900", "context budget"} <= set(texts(drawn))
    assert curves([row("a", 300, None)], ["a"], "t") == ""


def test_each_system_keeps_its_colour() -> None:
    assert [one["color"] for one in style([*"abcdefghi"]).values()] == [*COLOURS, COLOURS[0]]
    points = [
        {"system": s, "budget": 9, "quality": q, "tokens": t, "seconds": 0.1, "on_front": s == "b"}
        for s, q, t in (("a", 0.4, 90), ("b", 0.5, 30))
    ]
    drawn = pareto(points, ["a", "b"], "what it costs")
    assert all(colour.lower() in drawn for colour in COLOURS[:2])
    assert "mathdefault" not in drawn
    assert pareto([], ["a"], "") == ""


def test_a_map_of_equal_cells_and_odd_names_is_drawn() -> None:
    drawn = maps({"a < b": [[0.0, 1.0], [1.0, 0.0]], "two": [[0.0, 1.0], [2.0, 0.0]]}, "maps")
    assert {"a < b", "two", "maps"} <= set(texts(drawn))
    assert len(list(ElementTree.fromstring(drawn).iter(f"{SVG}image"))) == 2
    assert "x" not in texts(maps({"one": [[0.0, 1.0], [1.0, 0.0]]}, "maps"))
