from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.errors import EvaluationError, MissingExtraError
from decoct.evaluate.report import page
from decoct.evaluate.significance import compare, holm, mcnemar, paired_bootstrap
from decoct_lab.reproduce import tellable
from decoct_lab.reproduce.tellable import kendall, least_tellable_difference, pearson, wilson

stats: Any = importlib.import_module("scipy.stats")


def scores(seed: int, n: int, shift: float) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    base = rng.random(n)
    return list(np.clip(base + shift + rng.normal(0, 0.2, n), 0, 1)), list(base)


def test_bootstrap_interval_agrees_with_scipy() -> None:
    a, b = scores(1, 300, 0.05)
    ours = paired_bootstrap(a, b, resamples=20_000, seed=3)
    difference = np.array(a) - np.array(b)
    theirs = stats.bootstrap(
        (difference,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(5)
    )
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=2e-3)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=2e-3)
    assert ours.difference == pytest.approx(difference.mean())
    # The centred bootstrap test is close to the t test for means of hundreds of bounded differences.
    assert ours.p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.01)


def test_bootstrap_is_seeded_and_exchangeable() -> None:
    a, b = scores(2, 50, 0.02)
    assert paired_bootstrap(a, b, seed=9) == paired_bootstrap(a, b, seed=9)
    assert paired_bootstrap(a, b, seed=9).p != 1
    assert paired_bootstrap(a, b, seed=9).difference == pytest.approx(-paired_bootstrap(b, a, seed=9).difference)


def test_equal_systems_are_equal() -> None:
    same = paired_bootstrap([0.2, 0.4, 1], [0.2, 0.4, 1])
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert same.verdict() == "a and b score the same on every question (n = 3)"


def test_a_gain_on_every_question_is_as_sure_as_the_resamples_allow() -> None:
    # All differences are 0.1 (to rounding), so every resample's mean is 0.1 and no centred one reaches it.
    made = paired_bootstrap([0.6] * 20, [0.5] * 20, resamples=999)
    assert made.p == 1 / 1000
    assert made.low == pytest.approx(made.high) == pytest.approx(0.1)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (5, 0), (10, 3), (7, 7), (400, 350)])
def test_mcnemar_agrees_with_the_binomial_test(only_a: int, only_b: int) -> None:
    a = [1.0] * only_a + [0.0] * only_b + [1.0, 0.0]
    b = [0.0] * only_a + [1.0] * only_b + [1.0, 0.0]
    made = mcnemar(a, b)
    expected = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert made.p == pytest.approx(expected)
    assert made.low <= made.difference <= made.high
    assert made.difference == pytest.approx((only_a - only_b) / len(a))


def test_mcnemar_by_hand() -> None:
    # b + c = 5, all on one side: 2 x (1/2)^5
    assert mcnemar([1.0] * 5, [0.0] * 5).p == pytest.approx(2 / 32)
    with pytest.raises(EvaluationError, match="0 or 1"):
        mcnemar([0.5], [1.0])


def test_the_interval_of_mcnemar_by_hand() -> None:
    # b = 5, c = 1, n = 10: p = 6/12, q = 2/12, d = 1/3; z sqrt((2/3 - 1/9) / 12) = 1.96 x .2152
    made = mcnemar([1.0] * 5 + [0.0] + [1.0] * 4, [0.0] * 5 + [1.0] + [1.0] * 4)
    assert (made.low, made.high) == pytest.approx((1 / 3 - 0.42172, 1 / 3 + 0.42172), abs=1e-4)
    # Nothing differs on 12 questions: of others it may. z sqrt((2/14) / 14) = 1.96 x .1010
    same = mcnemar([1.0] * 12, [1.0] * 12)
    assert (same.low, same.high) == pytest.approx((-0.19799, 0.19799), abs=1e-4)


@given(
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95, 0.99])
)
def test_wilson_agrees_with_scipy(case: tuple[int, int], confidence: float) -> None:
    k, n = case
    theirs = stats.binomtest(k, n).proportion_ci(confidence, method="wilson")
    assert wilson(k, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_at_n_200_is_about_seven_points() -> None:
    low, high = wilson(100, 200)
    assert (high - low) / 2 == pytest.approx(0.07, abs=0.002)  # about 7 points at n = 200 (lab/docs/methods.md)
    assert wilson(0, 0) == (0, 1)
    with pytest.raises(EvaluationError, match="3 of 2"):
        wilson(3, 2)


def test_holm_by_hand() -> None:
    # sorted: .01 x 4, .02 x 3, .03 x 2, .04 x 1, none below the one before
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([]) == []


def test_compare_corrects_over_the_family() -> None:
    rng = np.random.default_rng(0)
    base = [float(x) for x in rng.integers(0, 2, 200)]
    better = [1.0] * 200
    other = [float(x) for x in rng.integers(0, 2, 200)]
    soft = [min(1.0, x + 0.001) for x in base]
    made = {c.a: c for c in compare({"base": base, "better": better, "other": other, "soft": soft}, "base")}
    assert set(made) == {"better", "other", "soft"}
    assert made["better"].test == "exact McNemar"
    assert made["soft"].test == "paired bootstrap"
    assert made["better"].corrected == pytest.approx(min(1.0, 3 * made["better"].p))
    assert made["better"].verdict().startswith("better is better than base: better - base = +")
    assert "after Holm" in made["better"].verdict()
    assert made["other"].verdict().startswith("other against base: within noise: ")
    assert not made["other"].significant


def test_worse_is_said_the_right_way_round() -> None:
    made = paired_bootstrap([0.0] * 30, [0.5] * 30, names=("new", "old"))
    assert made.verdict().startswith(
        "old is better than new: new - old = -50.0 points (95% interval -50.0 to -50.0, p = 0.0001"
    )


def test_scores_must_pair_up() -> None:
    with pytest.raises(EvaluationError, match="both answered"):
        paired_bootstrap([1.0], [1.0, 0.0])
    with pytest.raises(EvaluationError, match="no question"):
        paired_bootstrap([], [])
    with pytest.raises(EvaluationError, match="not a number"):
        paired_bootstrap([float("nan")], [1.0])
    with pytest.raises(EvaluationError, match="none of the systems"):
        compare({"x": [1.0]}, "y")


def test_counts_of_few_differences_are_the_same_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    a, b = [float(x) for x in rng.integers(0, 2, 200)], [float(x) for x in rng.integers(0, 2, 200)]
    counted = paired_bootstrap(a, b)
    monkeypatch.setattr("decoct.evaluate.significance.FEW", 0)  # now the questions themselves are drawn
    drawn = paired_bootstrap(a, b)
    assert (counted.low, counted.high) == pytest.approx((drawn.low, drawn.high), abs=0.01)
    assert counted.p == pytest.approx(drawn.p, abs=0.03)


def test_kendall_by_hand() -> None:
    assert kendall([1, 2, 3], [10, 20, 30]) == 1
    # Of the three pairs two are in the same order and one is not.
    assert kendall([1, 2, 3], [1, 3, 2]) == pytest.approx(1 / 3)
    # A tie on one side: (2 - 0) / sqrt(3 x 2)
    assert kendall([1, 2, 3], [1, 1, 2]) == pytest.approx(2 / 6**0.5)
    assert kendall([1.0, 1.0], [1.0, 2.0]) == 0.0


def test_the_smallest_difference_that_can_be_told_shrinks_with_the_root_of_n() -> None:
    few, many = ([float(x) for x in np.tile([-0.5, 0.5], n // 2)] for n in (100, 400))
    # (1.96 + 0.84) x 0.5 / sqrt(n), a little more by Student's t
    assert least_tellable_difference(many) == pytest.approx(2.8016 * 0.5 / 20, rel=0.01)
    assert least_tellable_difference(few) == pytest.approx(2.8016 * 0.5 / 10, rel=0.02)
    assert least_tellable_difference([0.1, 0.1, 0.1]) is None
    assert least_tellable_difference([0.0, 1.0]) is None


def test_tests_of_differences_need_no_extra_and_figures_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    monkeypatch.setattr(tellable, "find_spec", lambda name: None)
    assert not tellable.can_test()
    with pytest.raises(
        MissingExtraError, match=r"a report with figures needs the extra 'evaluate': pip install 'decoct\[evaluate\]'"
    ):
        page.need_figures()
    assert mcnemar([1.0, 0.0], [0.0, 1.0]).p == 1.0
    assert paired_bootstrap([0.2, 0.4], [0.1, 0.2]).difference == pytest.approx(0.15)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (7, 7), (3, 11), (40, 60), (900, 1_100)])
def test_the_exact_test_is_that_of_scipy(only_a: int, only_b: int) -> None:
    a, b = [1.0] * only_a + [0.0] * only_b + [1.0], [0.0] * only_a + [1.0] * only_b + [1.0]
    differ = only_a + only_b
    told = stats.binomtest(only_a, differ).pvalue if differ else 1.0
    assert mcnemar(a, b).p == pytest.approx(told, rel=1e-9)


def test_every_figure_is_what_it_was_before_the_libraries() -> None:
    """Figures of the code that these libraries took the place of."""
    made = mcnemar([1.0] * 10 + [0.0] * 3 + [1.0] * 7, [0.0] * 10 + [1.0] * 3 + [1.0] * 7)
    assert (made.p, made.low, made.high) == pytest.approx(
        (0.09228515625, -0.0002139081165725, 0.6365775444802089), abs=1e-12
    )
    assert wilson(37, 150) == pytest.approx((0.18458162955288543, 0.3214032942602734), abs=1e-12)
    assert wilson(12, 12) == pytest.approx((0.7575059933447593, 1.0), abs=1e-12)
    assert pearson([0.461, 0.593, 0.678, 0.719, 0.749], [0.31, 0.42, 0.44, 0.50, 0.49]) == pytest.approx(
        0.9760786939207287
    )
    assert holm([0.001, 0.2, 0.03, 0.03, 0.9]) == pytest.approx([0.005, 0.4, 0.12, 0.12, 0.9], abs=1e-12)
