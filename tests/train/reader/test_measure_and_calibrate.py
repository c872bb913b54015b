"""Figures of a reader on held-back examples, and the scaling of its logits, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.reading.small import Calibration
from decoct_lab.train.reader.calibrate import believed, calibrations, platt
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.measure import LONGEST_ANSWER, Judged, auc, best_span, figures


@pytest.mark.parametrize(
    ("scores", "labels", "area"),
    [
        ([3, 2, 1], [True, True, False], 1.0),
        ([1, 2, 3], [True, False, False], 0.0),
        ([4, 3, 2, 1], [True, False, True, False], 0.75),  # three of the four pairs stand right
        ([1, 1], [True, False], 0.5),
        ([1, 1], [False, True], 0.5),  # equal scores tell nothing, whichever comes first
        ([2, 1, 1], [True, True, False], 0.75),
        ([1, 2], [True, True], None),
        ([1, 2], [False, False], None),
        ([], [], None),
    ],
)
def test_the_area_under_the_curve(scores: list[float], labels: list[bool], area: float | None) -> None:
    assert auc(scores, labels) == area


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=12))
def test_the_area_is_the_share_of_pairs_in_the_right_order(rows: list[tuple[int, bool]]) -> None:
    right = [score for score, label in rows if label]
    wrong = [score for score, label in rows if not label]
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong]
    expected = round(sum(pairs) / len(pairs), 3) if pairs else None
    assert auc([score for score, _ in rows], [label for _, label in rows]) == (
        pytest.approx(expected, abs=0.001) if pairs else None
    )


def span(starts: list[float], ends: list[float], allowed: list[bool] | None = None) -> tuple[int, int]:
    return best_span(np.asarray(starts), np.asarray(ends), np.asarray(allowed or [True] * len(starts)))


def test_the_best_span_begins_before_it_ends_inside_the_text_and_is_not_long() -> None:
    assert span([0, 5, 0], [5, 0, 1]) == (1, 2)  # (1, 0) is worth more and runs backwards
    assert span([9, 1, 0], [9, 0, 1], [False, True, True]) == (1, 2)
    long = [0.0] * 60
    assert span([5.0, *long[1:]], [*long[1:], 5.0]) == (0, 0)  # 60 tokens are none, 5 + 0 is the next best
    one_too_many = [0.0] * (LONGEST_ANSWER + 1)
    assert span([5.0, *one_too_many[1:]], [*one_too_many[1:], 5.0]) == (0, 0)
    at_the_limit = [0.0] * LONGEST_ANSWER
    assert span([5.0, *at_the_limit[1:]], [*at_the_limit[1:], 5.0]) == (0, LONGEST_ANSWER - 1)


def judged(origin: str = "a", span: str = "", logit: float = 0.0, **example: object) -> Judged:
    given = ReaderExample(origin, str(example.pop("kind", "gold")), "d", "q", "t", "x", **example)  # type: ignore[arg-type]
    return Judged(given, span, logit, logit, (), 1, 0.5)


def test_figures_stand_by_set_and_in_all() -> None:
    rows = [
        judged("a", "red bridge", 2.0, spans=((0, 1),), aliases=("bridge",), answers=True),
        judged("a", "bridge", 1.0, spans=((0, 1),), aliases=("bridge",), answers=True),
        judged("b", "", 1.5, answers=False, kind="cut"),
        judged("b", verdict=1),
        judged("b", verdict=0),
        judged("b", verdict=-100),  # a label that is not known
    ]
    found = figures(rows)
    assert list(found) == ["a", "all", "b"]
    assert (found["a"]["n_spans"], found["a"]["em"], found["a"]["f1"]) == (2, 0.5, 0.833)  # (2/3 + 1) / 2
    assert found["a"]["answers_auc"] is None
    assert (found["all"]["n_answers"], found["all"]["answers_auc"]) == (3, 0.5)
    assert found["all"]["answers_auc_by_kind"] == {"cut": 0.5}
    assert (found["b"]["n_verdicts"], found["b"]["verdict"], found["b"]["em"]) == (2, 0.5, None)


def test_sentences_are_measured_by_the_labels_they_were_shown_with() -> None:
    """A window may leave out the first sentence of an example: its labels are not those of the sentences that are left."""
    example = ReaderExample("a", "gold", "d", "q", "t", "x", sentences=((0, 1, False), (1, 2, True), (2, 3, False)))
    row = Judged(example, "", 0.0, 0.0, ((2.0, True), (-2.0, False)), 0, 0.0)
    assert figures([row])["a"]["sentence_auc"] == 1.0


def test_verdicts_are_believed_from_the_margin_where_four_of_five_are_right() -> None:
    sure = [(2.0 + n, True) for n in range(16)]
    assert believed([*sure, *[(1.0, False)] * 3]) == Calibration(0.0, -1.0)  # 19 are too few
    assert believed([*sure, *[(1.0, False)] * 4]) == Calibration(1.0, -1.0)  # 16 of 20
    assert believed([*sure, *[(1.0, False)] * 5]) == Calibration(1.0, -1.0)  # the 21st is past the border
    assert believed([*sure, *[(9.0, False)] * 5]) == Calibration(0.0, -1.0)
    assert believed([]) == Calibration(0.0, -1.0)


def probability(made: Calibration, logit: float) -> float:
    return 1 / (1 + math.exp(-(made.slope * logit + made.offset)))


def test_a_scaled_logit_means_what_it_says() -> None:
    """Nine of ten are right at 3 and one of ten at -3: the curve through both has the odds 9 and 1/9 there, but for the weak prior."""
    rows = [(3.0, n < 9, "a") for n in range(10)] + [(-3.0, n < 1, "a") for n in range(10)]
    made = platt(rows)
    assert made.slope == pytest.approx(math.log(9) / 3, abs=0.1)
    assert made.offset == pytest.approx(0.0, abs=0.01)
    assert probability(made, 3.0) == pytest.approx(0.9, abs=0.03)


def test_labels_that_part_cleanly_leave_a_finite_slope() -> None:
    """The weak prior at slope 1 holds it: 4 / (1 + exp(2 s)) = 0.1 (s - 1) has its solution at s = 1.891."""
    made = platt([(2.0, True, "a"), (-2.0, False, "a")])
    assert made.slope == pytest.approx(1.891, abs=0.005)


def test_every_set_weighs_the_same_however_large() -> None:
    small = [(2.0, True, "small"), (-2.0, False, "small")]
    large = [(1.0, True, "large"), (-1.0, False, "large")]
    once, often = platt([*small, *large]), platt([*small, *large * 50])
    assert often.slope == pytest.approx(once.slope, abs=1e-3)
    assert often.offset == pytest.approx(once.offset, abs=1e-3)


def test_a_set_whose_labels_cannot_be_told_apart_is_left_out() -> None:
    told = [(2.0, True, "a"), (1.0, True, "a"), (-1.0, False, "a"), (-2.0, False, "a")]
    untold = [(float(n), n % 2 == 1, "b") for n in range(-5, 5)]
    assert platt([*told, *untold]) == platt(told)
    assert platt(untold) == Calibration(1.0, 0.0)  # nothing was learned: the logit as it is
    assert platt([]) == Calibration(1.0, 0.0)


def test_each_head_is_scaled_by_the_labels_that_are_known() -> None:
    rows = [judged("a", logit=n - 3.5, answers=n >= 4) for n in range(8)]
    made = calibrations(rows)
    assert set(made) == {"answers", "relevance", "evidence", "verdict"}
    assert made["answers"].slope > 0
    assert made["relevance"] == made["evidence"] == Calibration(1.0, 0.0)
    assert made["verdict"] == Calibration(0.0, -1.0)
