"""How systems and measures relate: what is more than noise, what goes with answer quality, what is on the Pareto front.

- Significance: every system against a baseline at every budget, for the headline measures; Holm's correction over all of a measure's tests.
- Correlation (Tables 1 and 2 of the recall-oriented paper): Pearson's r over the budgets, for each system, between the mean of a context
  measure and the mean of an answer measure; and over all systems and budgets at once, which the paper does not show.
- Pareto front: points that no other point equals or beats in quality, context tokens and time at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from decoct.evaluate.amounts import Amount, in_order
from decoct.evaluate.measure import LOWER_IS_BETTER
from decoct.evaluate.record import Row
from decoct.evaluate.significance import Comparison, compare, holm, pearson

ANSWERS = ("judge", "token_f1", "accuracy", "exact_match", "word_accuracy", "group_coverage")
EVIDENCE = (
    "evidence_recall", "evidence_precision", "evidence_f1", "chunk_recall", "chunk_precision", "chunk_f1", "passage_recall",
    "all_gold", "answer_in_context",
)  # fmt: skip
LEAST = (
    12  # questions: of fewer the bootstrap's interval is much too narrow, and the exact test can hardly reject anything
)
TESTED = 3  # headline measures: each more would cost every test power


def significance(rows: Sequence[Row], metrics: Sequence[str], baseline: str | None) -> list[dict[str, Any]]:
    """One line a measure, budget and system: the difference to the baseline, its interval and p, and a plain sentence."""
    names = list(dict.fromkeys(row.system for row in rows))
    if len(names) < 2:
        return []
    base = baseline if baseline in names else names[0]
    found = []
    for metric in metrics[:TESTED]:
        tests = [(budget, one) for budget, part in _by_budget(rows).items() for one in _tests(part, metric, base)]
        corrected = holm([one.p for _, one in tests])
        for (budget, one), p in zip(tests, corrected, strict=True):
            settled = replace(one, corrected=p)
            enough = one.n >= LEAST
            found.append(
                {
                    "metric": metric,
                    "budget": budget,
                    "system": one.a,
                    "baseline": base,
                    "n": one.n,
                    "difference": round(one.difference, 4),
                    "low": round(one.low, 4),
                    "high": round(one.high, 4),
                    "p": round(one.p, 6),
                    "corrected": round(p, 6),
                    "significant": enough and settled.significant,
                    "better": enough and settled.significant and (one.difference > 0) != (metric in LOWER_IS_BETTER),
                    "verdict": settled.verdict() if enough else f"too few questions to test (n = {one.n})",
                }
            )
    return found


def _by_budget(rows: Sequence[Row]) -> dict[Amount, list[Row]]:
    found: dict[Amount, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.budget].append(row)
    return dict(sorted(found.items(), key=lambda item: in_order(item[0])))


def _tests(rows: Sequence[Row], metric: str, base: str) -> list[Comparison]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.error is None and (value := row.metrics.get(metric)) is not None:
            scores[row.system][row.question] = float(value)
    made = []
    against = scores.pop(base, {})
    for name, own in scores.items():
        both = sorted(own.keys() & against.keys())
        if both:
            made.extend(compare({name: [own[q] for q in both], base: [against[q] for q in both]}, base))
    return made


def correlations(quality: Sequence[Mapping[str, Any]], metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Correlate each context measure with each answer measure: over the budgets of each system, and over all points."""
    means = {(row["system"], row["budget"], row["metric"]): row["mean"] for row in quality if row["mean"] is not None}
    systems = list(dict.fromkeys(row["system"] for row in quality))
    found = []
    for answer in (name for name in ANSWERS if name in metrics):
        for measure in (name for name in EVIDENCE if name in metrics):
            points = [
                (s, means[s, b, measure], means[s, b, answer])
                for s, b, m in means
                if m == answer and (s, b, measure) in means
            ]
            for system in [*systems, "all"]:
                part = [(x, y) for s, x, y in points if system in ("all", s)]
                r = pearson([x for x, _ in part], [y for _, y in part])
                if r is not None:
                    found.append(
                        {"answer": answer, "measure": measure, "system": system, "points": len(part), "r": round(r, 3)}
                    )
    return found


def pareto_points(
    quality: Sequence[Mapping[str, Any]], cost: Sequence[Mapping[str, Any]], metrics: Sequence[str]
) -> list[dict[str, Any]]:
    """Every system and budget as a point, with `on_front` for those that nothing beats in all three."""
    spent = {(row["system"], row["budget"]): row for row in cost}
    points = []
    for row in quality:
        line = spent.get((row["system"], row["budget"]))
        if row["metric"] in metrics and row["mean"] is not None and line is not None:
            seconds = line["milliseconds"] / 1000 + line["read_seconds"]
            points.append(
                {
                    "system": row["system"],
                    "budget": row["budget"],
                    "metric": row["metric"],
                    "quality": row["mean"],
                    "tokens": line["context_tokens"],
                    "seconds": round(seconds, 4),
                }
            )
    for point in points:
        point["on_front"] = not any(_beats(other, point) for other in points)
    return points


def _beats(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    sign = -1 if a["metric"] in LOWER_IS_BETTER else 1
    left = (sign * a["quality"], -a["tokens"], -a["seconds"])
    right = (sign * b["quality"], -b["tokens"], -b["seconds"])
    return left != right and all(x >= y for x, y in zip(left, right, strict=True))
