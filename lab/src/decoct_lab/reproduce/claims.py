"""What a paper claims, and whether a run of its tables bears it out: holds, does not, or cannot be told from so many questions.

A claim sets one condition of a table against another. Per question the difference is the mean over the run's budgets of the first of the
claim's measures that the run has; questions of all sets are taken together (paired bootstrap; Holm over all claims that were told).

- A claim that one is *better*: holds where the difference is above 0 beyond noise; does not where it is below 0 beyond noise, or where the
  interval lies below the smallest difference worth having (`least`); else it cannot be told.
- A claim that one brings *nothing more*: holds where the interval lies below `least`; does not where the difference is above 0 beyond
  noise.

Where the two conditions differ in more than the claim names (`arms`) there is a figure and no verdict. Nor is there one
where both score below `FLOOR`: two measures that see nothing agree, whatever they are of.

With each goes the smallest difference that so many questions would tell, four times of five: where it is larger than the difference that
was sought, "cannot be told" says something about the run and nothing about the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal

from decoct.evaluate.measure import LOWER_IS_BETTER
from decoct.evaluate.record import Row
from decoct.evaluate.significance import holm, paired_bootstrap
from decoct_lab.reproduce.arms import RECIPE, Arm, Part, unnamed
from decoct_lab.reproduce.tellable import can_test, least_tellable_difference

Kind = Literal["better", "nothing more"]
Verdict = Literal["holds", "does not", "cannot be told", "arms not equal"]
FLOOR = 0.1  # of scores from 0 to 1: gold that belongs to other questions gives short answers up to so much
LEAST = 12  # questions: of fewer a bootstrap's interval is much too narrow
Told = dict[str, Any]
Scores = Mapping[str, Sequence[float]]
"""By question its values, one a budget."""


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """One sentence of a paper: in `table` the condition `better` beats `than`, in the first measure of `metrics` that a run has.

    `differ` names the parts in which the two are allowed to differ: what the claim is about.
    """

    id: str
    text: str
    table: str
    better: str
    than: str
    metrics: tuple[str, ...]
    kind: Kind = "better"
    least: float = 0.02
    sets: tuple[str, ...] = field(default=())
    differ: tuple[Part, ...] = RECIPE


def of_rows(rows: Iterable[Row]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Values by measure, system and question, of the rows of a run."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        for metric, value in row.metrics.items() if row.error is None else ():
            if value is not None:
                found.setdefault(metric, {}).setdefault(row.system, {}).setdefault(row.question, []).append(value)
    return found


def claim_difference(
    claim: PaperClaim, by_set: Mapping[str, Mapping[str, Mapping[str, Scores]]], arms: Mapping[str, Arm]
) -> Told | None:
    """The claim's difference over the sets of a run (measure, system, question, values); None where the run lacks a side of it.

    `arms` are the run's conditions by name.
    """
    taken = {name: found for name, found in by_set.items() if not claim.sets or name in claim.sets}
    for metric in claim.metrics:
        sign = -1 if metric in LOWER_IS_BETTER else 1
        pairs, sets = list[tuple[float, float]](), dict[str, Any]()
        for name, measures in taken.items():
            one, other = (measures.get(metric, {}).get(side, {}) for side in (claim.better, claim.than))
            mine = [(sign * fmean(one[q]), sign * fmean(other[q])) for q in sorted(one.keys() & other.keys())]
            if mine:
                sets[name] = {"n": len(mine), "difference": round(fmean(a - b for a, b in mine), 4)}
            pairs += mine
        if pairs:
            beyond = unnamed(arms[claim.better], arms[claim.than], claim.differ)
            return _compared(claim, metric, pairs) | {"sets": sets, "unnamed": list(beyond)}
    return None


def _compared(claim: PaperClaim, metric: str, pairs: Sequence[tuple[float, float]]) -> Told:
    test = paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs], names=(claim.better, claim.than))
    seen = least_tellable_difference([a - b for a, b in pairs]) if can_test() else None
    return {
        "id": claim.id,
        "claim": claim.text,
        "table": claim.table,
        "better": claim.better,
        "than": claim.than,
        "metric": metric,
        "kind": claim.kind,
        "least": claim.least,
        "n": test.n,
        "means": [round(test.mean_a, 4), round(test.mean_b, 4)],
        "difference": round(test.difference, 4),
        "low": round(test.low, 4),
        "high": round(test.high, 4),
        "p": round(test.p, 6),
        "tellable": None if seen is None else round(seen, 4),
    }


def verdicts(found: Sequence[Told]) -> list[Told]:
    """The same with a verdict each, p corrected over those of equal arms; `MissingExtraError` without the extra `evaluate`."""
    equal = [at for at, one in enumerate(found) if not one["unnamed"]]
    corrected = dict(zip(equal, holm([found[at]["p"] for at in equal]), strict=True))
    return [
        {
            **one,
            "corrected": round(p, 6) if p is not None else None,
            "verdict": verdict(one, p if p is not None else 1.0),
        }
        for one, p in ((one, corrected.get(at)) for at, one in enumerate(found))
    ]


def verdict(one: Told, p: float) -> Verdict:
    """What the difference, its interval and the corrected p say."""
    if one["unnamed"]:
        return "arms not equal"
    beyond = p < 0.05
    if one["n"] < LEAST or (not beyond and max(map(abs, one["means"])) < FLOOR):
        return "cannot be told"
    if one["kind"] == "nothing more":
        return (
            "does not"
            if beyond and one["difference"] > 0
            else "holds"
            if one["high"] < one["least"]
            else "cannot be told"
        )
    if beyond and one["difference"] > 0:
        return "holds"
    return "does not" if (beyond and one["difference"] < 0) or one["high"] < one["least"] else "cannot be told"


def markdown(found: Sequence[Told], claims: Sequence[PaperClaim]) -> str:
    """Every claim with its verdict, those that were not run too."""
    run = {one["id"]: one for one in found}
    lines = [
        "## Verdicts",
        "",
        "| claim | verdict | difference, points | n | smallest that n tells |",
        "|---|---|---:|---:|---:|",
    ]
    lines += [_line(claim, run.get(claim.id)) for claim in claims]
    return "\n".join(lines) + "\n"


def _line(claim: PaperClaim, one: Told | None) -> str:
    where = f"table {claim.table}" if claim.table.isdecimal() else claim.table
    if one is None:
        return f"| {claim.text} ({where}) | not run | – | – | – |"
    figure = f"{100 * one['difference']:+.1f} ({100 * one['low']:+.1f} to {100 * one['high']:+.1f}) in {one['metric']}"
    if one["unnamed"]:
        figure += f"; they differ in {', '.join(one['unnamed'])} too"
    least = "–" if one["tellable"] is None else f"{100 * one['tellable']:.1f}"
    return f"| {claim.text} ({where}) | **{one['verdict']}** | {figure} | {one['n']} | {least} |"
