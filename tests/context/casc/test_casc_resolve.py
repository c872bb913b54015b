"""Which side is believed: each rule on sides made by hand, its thresholds, and how surely."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decoct.context.casc.claims import Claim, Hedge, Side, Status
from decoct.context.casc.focus import focuses
from decoct.context.casc.resolve import POLICY, resolve, weight_of
from decoct.context.casc.sources import EvidenceSource
from decoct.data import Span
from decoct.text.values import Value

ONCE = focuses("Who won the prize in 1994?")[0]
LASTING = focuses("What is the limit of speed on the bridge?")[0]
NEWEST = focuses("What is the current price?")[0]


def claim(
    authority: float = 0.8,
    day: int | None = None,
    *,
    kind: str = "report",
    hedge: Hedge = "none",
    status: Status = "stated",
    quote: str = "It was said so.",
    sure: float = 1.0,
    low: float = 0.0,
) -> Claim:
    span = Span("d", 0, len(quote))
    source = EvidenceSource("D1", "d", ((span, quote),), "Notes", day, str(day or ""), kind, authority)
    value = Value("x", "number", 0, 1, low, low)
    return Claim(source, quote, span, value, Span("d", 0, 1), 1.0, hedge=hedge, status=status, sure=sure)


def side(*claims: Claim) -> Side:
    return Side("x", claims, len(claims), sum(map(weight_of, claims)))


# -- weight ------------------------------------------------------------------------------------------------------
def test_a_source_weighs_by_authority_and_hedge() -> None:
    assert weight_of(claim(0.8)) == pytest.approx(0.8)
    assert weight_of(claim(0.8, hedge="weak")) == pytest.approx(0.56)
    assert weight_of(claim(0.8, hedge="strong")) == pytest.approx(0.32)


# -- majority ----------------------------------------------------------------------------------------------------
def test_two_sources_with_most_of_the_weight_are_a_majority() -> None:
    verdict = resolve([side(claim()), side(claim(), claim())], ONCE)
    assert (verdict.action, verdict.rule, verdict.chosen, verdict.confidence) == ("resolved", "majority", 1, 0.67)
    assert verdict.reason == "2 independent sources agree"


@pytest.mark.parametrize(
    ("sides", "rule"),
    [
        ([side(claim()), side(claim())], "none"),
        ([side(*[claim()] * 4), side(*[claim()] * 3)], "majority"),  # .57 of the weight
    ],
)
def test_less_than_a_majority_is_flagged(sides: list[Side], rule: str) -> None:
    verdict = resolve(sides, ONCE)
    assert (verdict.action, verdict.rule, verdict.chosen) == ("flagged", rule, None)
    assert verdict.confidence == round(sides[0].weight / sum(one.weight for one in sides), 2)


# -- authority ---------------------------------------------------------------------------------------------------
def test_a_much_better_source_outweighs_a_crowd() -> None:
    verdict = resolve([side(claim(0.3, kind="blog"), claim(0.3, kind="blog")), side(claim(0.85, kind="paper"))], ONCE)
    assert (verdict.action, verdict.rule, verdict.chosen) == ("resolved", "authority", 1)
    assert verdict.confidence == round(0.85 / 1.15, 2)
    assert verdict.reason == "better sources (paper)"


@pytest.mark.parametrize(
    ("better", "worse", "chosen"),
    [
        (0.6, 0.3, 0),  # a gap of .3: just enough
        (0.59, 0.3, None),  # the gap is too small
    ],
)
def test_the_gap_decides(better: float, worse: float, chosen: int | None) -> None:
    assert resolve([side(claim(better)), side(claim(worse))], ONCE).chosen == chosen


def test_a_side_that_is_chosen_but_weighs_too_little_is_flagged() -> None:
    crowd = side(*[claim(0.65, hedge="strong")] * 4)
    verdict = resolve([side(claim(0.95)), crowd], ONCE)
    assert (verdict.action, verdict.rule, verdict.confidence) == ("flagged", "authority", 0.59)  # .95 / (.95 + .65)
    assert verdict.reason.endswith("but the other side weighs as much")


# -- recency -----------------------------------------------------------------------------------------------------
def test_the_newest_accountable_source_is_believed_of_what_changes() -> None:
    sides = [side(claim(day=100)), side(claim(day=200)), side(claim(0.3, 900, kind="blog"))]
    verdict = resolve(sides, NEWEST)
    assert (verdict.rule, verdict.chosen, verdict.confidence) == ("recency", 1, 0.75)  # its share is .42, the floor .75
    assert verdict.reason == "more recent (200)"
    assert resolve(sides[:2], ONCE).rule == "none"
    assert resolve([side(claim(day=200)), side(claim(day=200))], NEWEST).rule == "none"
    assert resolve([side(claim(day=100)), side(claim(day=200, hedge="strong"))], NEWEST, ["recency"]).chosen == 0


def test_where_nobody_is_accountable_the_best_there_are_must_do() -> None:
    assert resolve([side(claim(0.4, 100)), side(claim(0.4, 200)), side(claim(0.1, 300))], NEWEST).chosen == 1
    assert resolve([side(claim(0.4, 100)), side(claim(0.4, 200)), side(claim(0.2, 300))], NEWEST).chosen == 2


def test_how_things_are_goes_by_the_newer_source_unless_it_was_measured() -> None:
    kinds = ("report", "manual"), ("manual", "manual")
    sides = [[side(claim(day=1000 + at, kind=kind)) for at, kind in enumerate(both)] for both in kinds]
    assert [resolve(both, LASTING, ["recency"]).chosen for both in sides] == [None, 1]


# -- correction --------------------------------------------------------------------------------------------------
def erratum(day: int | None = None, status: Status = "stated") -> Claim:
    return claim(0.95, day, kind="erratum", status=status)


def test_an_erratum_is_believed_unless_all_others_are_newer() -> None:
    verdict = resolve([side(claim(), claim(), claim()), side(erratum())], ONCE)
    assert (verdict.rule, verdict.chosen, verdict.confidence) == ("correction", 1, 0.9)
    assert verdict.reason == "D1 corrects or replaces what others say"
    assert resolve([side(claim(day=200), claim(day=300)), side(erratum(100))], ONCE).rule != "correction"
    assert resolve([side(claim(day=50), claim(day=300)), side(erratum(100))], ONCE).rule == "correction"


def test_an_erratum_goes_before_a_source_that_says_it_replaces_another() -> None:
    replacing = side(claim(status="correction"))
    assert resolve([replacing, side(erratum())], ONCE).chosen == 1
    assert resolve([replacing, side(claim())], ONCE).chosen == 0
    assert resolve([replacing, replacing], ONCE).rule == "none"  # each says it of the other


def test_a_blog_corrects_no_paper() -> None:
    blog = side(claim(0.3, status="correction", kind="blog"))
    assert resolve([blog, side(claim(0.85))], ONCE, ["correction"]).chosen is None


def test_what_is_left_when_a_notice_withdraws_the_others_is_believed() -> None:
    withdrawn = side(erratum(status="withdrawn"))
    verdict = resolve([withdrawn, side(claim())], ONCE)
    assert (verdict.rule, verdict.chosen, verdict.reason) == ("correction", 1, "D1 has been replaced or withdrawn")
    assert resolve([withdrawn, side(claim()), side(claim())], ONCE, ["correction"]).chosen is None


# -- all together ------------------------------------------------------------------------------------------------
def test_the_policy_is_an_order_and_leaving_a_rule_out_switches_it_off() -> None:
    sides = [side(claim(), claim(), claim()), side(erratum())]
    assert resolve(sides, ONCE).rule == "correction"
    assert resolve(sides, ONCE, POLICY[::-1]).rule == "majority"
    assert resolve(sides, ONCE, ["recency"]).rule == "none"
    assert resolve(sides, ONCE, []).action == "flagged"


def test_nothing_speaks_for_a_side_that_was_hardly_read() -> None:
    unsure = side(*[replace(claim(), sure=sure) for sure in (0.2, 0.39)])
    verdict = resolve([unsure, side(claim())], ONCE, settles=0.4)
    assert (verdict.action, verdict.rule, verdict.chosen, verdict.confidence) == ("flagged", "majority", None, 0.0)
    assert verdict.reason.endswith("but that is not surely read")
    assert resolve([unsure, side(claim())], ONCE, settles=0.39).chosen == 0
