from __future__ import annotations

import pytest

from decoct.evaluate.report.tables import pareto_points
from decoct_lab.reproduce.tellable import correlations, pearson


def test_pearson_by_hand() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # mean-free: (-1, 0, 1) and (-1/3, 2/3, -1/3): the product sums to 0
    assert pearson([1, 2, 3], [1, 2, 1]) == pytest.approx(0)
    assert pearson([1, 2], [1, 2]) is None
    assert pearson([1, 1, 1], [1, 2, 3]) is None


def test_correlations_are_taken_over_budgets_for_each_system_and_over_all_points() -> None:
    rows = [
        {"system": "a", "budget": b, "metric": m, "mean": v}
        for m, values in (
            ("token_f1", (0.1, 0.2, 0.3)),
            ("evidence_recall", (0.2, 0.4, 0.6)),
            ("evidence_precision", (0.9, 0.5, 0.1)),
        )
        for b, v in zip((1, 2, 3), values, strict=True)
    ]
    found = {
        (row["measure"], row["system"]): row["r"]
        for row in correlations(rows, ["token_f1", "evidence_recall", "evidence_precision"])
    }
    assert found == {
        ("evidence_recall", "a"): 1.0,
        ("evidence_recall", "all"): 1.0,
        ("evidence_precision", "a"): -1.0,
        ("evidence_precision", "all"): -1.0,
    }


def test_the_front_holds_what_nothing_beats_in_all_three() -> None:
    quality = [
        {"system": s, "budget": 1, "metric": "token_f1", "mean": m}
        for s, m in (("cheap", 0.4), ("good", 0.8), ("bad", 0.3))
    ]
    cost = [
        {"system": s, "budget": 1, "context_tokens": t, "milliseconds": 1, "read_seconds": 0}
        for s, t in (("cheap", 10), ("good", 90), ("bad", 10))
    ]
    assert {p["system"]: p["on_front"] for p in pareto_points(quality, cost, ["token_f1"])} == {
        "cheap": True,
        "good": True,
        "bad": False,
    }
