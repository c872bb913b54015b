"""Instruments that measure nothing give no verdict: gold of other questions, contexts of other questions, answers at random.

One test over every way in which the project says that a difference is real: the claims of `reproduce`, the differences of a report, and
the tests behind both. Each runs on scores that are made as a run makes them (answers beside gold), and then with what a null takes away.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from decoct.evaluate.metrics.answers import exact_match, token_f1
from decoct.evaluate.record import Row
from decoct.evaluate.report.tables import significance
from decoct.evaluate.significance import compare, mcnemar
from decoct_lab.reproduce.arms import Arm
from decoct_lab.reproduce.claims import PaperClaim, claim_difference, of_rows, verdicts

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from setting import gained  # noqa: E402

N, RUNS = 80, 5
WORDS = [f"word{n}" for n in range(400)]  # two answers share a word as seldom as those of real questions do
ARMS = {name: Arm(name, context=name) for name in ("good", "poor")}
Asked: TypeAlias = tuple[list[str], dict[str, list[str]]]
Null: TypeAlias = Callable[[random.Random, Asked], Asked]


def asked(dice: random.Random) -> Asked:
    """Gold of N questions, and what two systems answer: `good` names it in three of four questions, `poor` in one."""
    gold = [" ".join(dice.sample(WORDS, 2)) for _ in range(N)]
    shares = {"good": 0.75, "poor": 0.25}
    answers = {
        name: [one if dice.random() < share else " ".join(dice.sample(WORDS, 2)) for one in gold]
        for name, share in shares.items()
    }
    return gold, answers


def permuted_gold(dice: random.Random, run: Asked) -> Asked:
    gold, answers = run
    return dice.sample(gold, len(gold)), answers


def shuffled_contexts(dice: random.Random, run: Asked) -> Asked:
    """Each system answers from the context of another question: its answers, drawn anew over the questions."""
    gold, answers = run
    return gold, {name: dice.sample(mine, len(mine)) for name, mine in answers.items()}


def random_reader(dice: random.Random, run: Asked) -> Asked:
    gold, answers = run
    said = [word for mine in answers.values() for word in mine]
    return gold, {name: [dice.choice(said) for _ in mine] for name, mine in answers.items()}


def rows_of(run: Asked) -> list[Row]:
    gold, answers = run
    return [
        Row(name, 300, str(n), {"token_f1": token_f1(said, (one,)), "exact_match": exact_match(said, (one,))})
        for name, mine in answers.items()
        for n, (said, one) in enumerate(zip(mine, gold, strict=True))
    ]


def by_claims(rows: Sequence[Row]) -> list[str]:
    found = of_rows(rows)
    kinds: list[tuple[Any, str, str]] = [
        ("better", "good", "poor"), ("better", "poor", "good"), ("nothing more", "good", "poor"),
    ]  # fmt: skip
    claims = [PaperClaim(f"{n}", "", "1", a, b, ("token_f1",), kind) for n, (kind, a, b) in enumerate(kinds)]
    told = [one for claim in claims if (one := claim_difference(claim, {"s": found}, ARMS))]
    return [str(one["verdict"]) for one in verdicts(told) if one["verdict"] != "cannot be told"]


def by_report(rows: Sequence[Row]) -> list[str]:
    return [str(row["verdict"]) for row in significance(rows, ["exact_match"], None) if row["significant"]]


def by_comparison(rows: Sequence[Row]) -> list[str]:
    values = {name: [float(row.metrics["token_f1"] or 0) for row in rows if row.system == name] for name in ARMS}
    return [one.verdict() for one in compare(values, "poor") if one.significant]


def by_right_or_wrong(rows: Sequence[Row]) -> list[str]:
    good, poor = ([float(row.metrics["exact_match"] or 0) for row in rows if row.system == name] for name in ARMS)
    found = mcnemar(good, poor)
    return [found.verdict()] if found.significant else []


def by_gain(rows: Sequence[Row]) -> list[str]:
    """What benchmarks write beside a difference: its interval, which speaks where it is on one side of nought."""
    good, poor = ([float(row.metrics["token_f1"] or 0) for row in rows if row.system == name] for name in ARMS)
    difference, low, high = gained(good, poor)
    return [f"{difference}"] if low > 0 or high < 0 else []


INSTRUMENTS: tuple[Callable[[Sequence[Row]], list[str]], ...] = (
    by_claims, by_report, by_comparison, by_right_or_wrong, by_gain,
)  # fmt: skip


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_a_null_gives_no_verdict_and_the_run_itself_does(instrument: Callable[[Sequence[Row]], list[str]]) -> None:
    assert instrument(rows_of(asked(random.Random(0))))  # an instrument that never speaks would pass the rest
    for null in (permuted_gold, shuffled_contexts, random_reader):
        spoke = 0
        for seed in range(RUNS):
            dice = random.Random(seed)
            spoke += bool(instrument(rows_of(null(dice, asked(dice)))))
        # A test at .05 speaks of nothing in one run of twenty; two of five are chance once in forty.
        assert spoke <= 1, f"{null.__name__}: a verdict in {spoke} of {RUNS} runs"


def test_there_is_no_other_instrument() -> None:
    """Whoever tests a difference takes `decoct.evaluate.significance`, of which the instruments above are made."""
    tests = re.compile(
        r"\.pvalue\b|\bimport comb\b|\bttest_\w+|\bpermutation_test\b|\bbinomtest\b|\bwilcoxon\b|\bmannwhitneyu\b|\bztest\b"
    )
    files = [
        path
        for folder in ("src", "lab/src", "plugins", "benchmarks", "experiments")
        for path in (ROOT / folder).rglob("*.py")
    ]
    found = {path.relative_to(ROOT).as_posix() for path in files if tests.search(path.read_text("utf-8"))}
    shares = "lab/src/decoct_lab/reproduce/tellable.py"  # intervals of one share, no test of a difference
    assert found == {"src/decoct/evaluate/significance.py", shares}
