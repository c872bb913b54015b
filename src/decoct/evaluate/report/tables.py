"""From the rows of runs to the tables of a report, all JSON-ready; figures and text are made from these tables alone.

Means are over the questions a measure applies to; `none` counts those it does not, `failed` the rows that are errors. Compared systems
are tested on the questions that both have a value for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from decoct.errors import EvaluationError
from decoct.evaluate.amounts import Amount, in_order
from decoct.evaluate.measure import LOWER_IS_BETTER
from decoct.evaluate.record import Header, RecordedQuestion, Row, read_header, read_questions, read_rows
from decoct.evaluate.significance import Comparison, compare, holm
from decoct.registry import nearest

# How systems and measures relate: what is more than noise, what is on the Pareto front.
#
# - Significance: every system against a baseline at every budget, for the headline measures; Holm's correction over all of a measure's
# tests.
# - Pareto front: points that no other point equals or beats in quality, context tokens and time at once.
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
    ordered = sorted(rows, key=lambda row: in_order(row.budget))
    by_budget = [(budget, list(part)) for budget, part in groupby(ordered, key=lambda row: row.budget)]
    found = []
    for metric in metrics[:TESTED]:
        tests = [(budget, one) for budget, part in by_budget for one in _tests(part, metric, base)]
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


Table = list[dict[str, Any]]
HEADLINES = (
    "judge", "token_f1", "accuracy", "group_coverage", "evidence_recall", "passage_recall", "all_gold", "answer_in_context", "recall@5",
)  # fmt: skip
"""The order in which measures come first in a report: answers before contexts before rankings."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One run read from its folder."""

    folder: Path
    header: Header
    rows: tuple[Row, ...]
    questions: Mapping[str, RecordedQuestion]
    name: str
    """How a report calls it: its folder's name, or the whole path where two runs have the same."""


def read_all(folders: Iterable[str | Path]) -> list[Loaded]:
    """Read runs, each under a name of its own."""
    places = [Path(folder) for folder in folders]
    if len({place.resolve() for place in places}) < len(places):
        raise EvaluationError("a run is named twice; name each folder once")
    names = Counter(place.resolve().name for place in places)
    return [read(place, name if names[name := place.resolve().name] == 1 else str(place)) for place in places]


def read(folder: str | Path, name: str = "") -> Loaded:
    """Read a run; `name` is how a report calls it (default: the folder's)."""
    header = read_header(folder)
    order = {name: place for place, name in enumerate(header.systems)}
    latest = {row.key: row for row in read_rows(folder)}
    rows = sorted(latest.values(), key=lambda row: (order[row.system], in_order(row.budget)))
    asked = {one.id: one for one in read_questions(folder)}
    return Loaded(Path(folder), header, tuple(rows), asked, name or Path(folder).resolve().name)


def tables(
    folders: Iterable[str | Path], *, baseline: str | None = None, prices: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """All tables over the runs.

    `baseline` is the system that others are tested against (default, and in a run without it: the run's first); one that no run has is
    an `EvaluationError`.
    """
    runs = read_all(folders)
    there = {name for run in runs for name in run.header.systems}
    if baseline is not None and baseline not in there:
        raise EvaluationError(f"--baseline: no run has a system {baseline!r}; {nearest(baseline, there)}")
    made: dict[str, Any] = {"runs": [_about(run) for run in runs]}
    rows_of: dict[str, Callable[[Loaded], Table]] = {
        "quality": quality,
        "types": types,
        "failures": failures,
        "cost": lambda run: cost(run, prices or {}),
        "significance": lambda run: significance(run.rows, headlines(run), baseline),
        "front": lambda run: pareto_points(quality(run), cost(run, {}), headlines(run)[:1]),
    }
    return made | {name: [{"run": run.name, **row} for run in runs for row in of(run)] for name, of in rows_of.items()}


def headlines(run: Loaded) -> list[str]:
    """The run's measures, the most telling first."""
    first = [name for name in HEADLINES if name in run.header.metrics]
    return first + [name for name in run.header.metrics if name not in first]


def cells(rows: Sequence[Row]) -> Iterable[tuple[str, Amount, list[Row]]]:
    """The rows of each system and budget, in order."""
    for (system, budget), part in groupby(rows, key=lambda row: (row.system, row.budget)):
        yield system, budget, list(part)


def quality(run: Loaded) -> Table:
    """Mean and 95 % interval of every measure, a row a system, budget and measure."""
    found = []
    for system, budget, rows in cells(run.rows):
        good = [row for row in rows if row.error is None]
        for name in headlines(run):
            values = [float(v) for row in good if (v := row.metrics.get(name)) is not None]
            low, high = interval(values)
            found.append(
                {
                    "system": system,
                    "budget": budget,
                    "metric": name,
                    "n": len(values),
                    "mean": _round(fmean(values)) if values else None,
                    "low": _round(low),
                    "high": _round(high),
                    "none": len(good) - len(values),
                    "failed": len(rows) - len(good),
                }
            )
    return found


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The normal 95 % interval of a mean, inside 0..1; (0, 1) for fewer than two values."""
    if len(values) < 2:
        return 0.0, 1.0
    half = 1.96 * stdev(values) / len(values) ** 0.5
    return max(0.0, fmean(values) - half), min(1.0, fmean(values) + half)


def types(run: Loaded) -> Table:
    """The mean of the headline measures by question type, where there are two types or more."""
    if len({one.type for one in run.questions.values()}) < 2:
        return []
    found = []
    for system, budget, rows in cells(run.rows):
        by_type: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row.error is None and row.question in run.questions:
                by_type[run.questions[row.question].type or "(none)"].append(row)
        for kind, part in sorted(by_type.items()):
            for name in headlines(run)[:3]:
                values = [float(v) for row in part if (v := row.metrics.get(name)) is not None]
                if values:
                    found.append(
                        {
                            "system": system,
                            "budget": budget,
                            "type": kind,
                            "metric": name,
                            "n": len(values),
                            "mean": _round(fmean(values)),
                        }
                    )
    return found


_KEPT = {
    "calls": "cached",
    "prompt_tokens": "cached_prompt_tokens",
    "completion_tokens": "cached_completion_tokens",
}


def _reading(costs: Sequence[Mapping[str, Any]]) -> list[float]:
    """Seconds of reading, without kept replies: those took none."""
    return [c["read_seconds"] for c in costs if c["read_seconds"] > 0 or not c.get("read_calls", 0)] or [0.0]


def cost(run: Loaded, prices: Mapping[str, float]) -> Table:
    """What a question costs: medians of time, means of tokens, calls and time in each stage (stages hold others inside them).

    Calls and tokens are what a system needs, whether a reply was new or kept from another system, budget or run: what comes second would
    look free otherwise. `cached` tells how many of the calls were kept; times are without those. `money_per_1000` is for a thousand
    questions, where prices are given.
    """
    found = []
    for system, budget, rows in cells(run.rows):
        good = [row.cost for row in rows if row.error is None]
        if not good:
            continue
        line: dict[str, Any] = {
            "system": system,
            "budget": budget,
            "context_tokens": round(fmean(c["tokens"] for c in good), 1),
            "milliseconds": round(1000 * median(c["seconds"] for c in good), 2),
            "p95_milliseconds": round(1000 * sorted(c["seconds"] for c in good)[ceil(0.95 * len(good)) - 1], 2),
            "read_seconds": round(fmean(_reading(good)), 3),
        }
        for name in ("calls", "prompt_tokens", "completion_tokens", "cached"):
            kept = _KEPT.get(name, "")
            line[name] = round(fmean(c[name] + c.get(kept, 0) for c in good), 2)
        # Records before `read_calls` tell a reader's call by its time alone.
        line["read_calls"] = round(fmean(c.get("read_calls", int(c["read_seconds"] > 0)) for c in good), 2)
        line["read_tokens"] = round(fmean(c.get("read_tokens", 0) for c in good), 2)
        if prices:
            line["money_per_1000"] = round(
                sum(1000 * line[name] * price / 1_000_000 for name, price in prices.items()), 4
            )
        stages: Counter[str] = Counter()
        for spent in good:
            stages.update(spent["stages"])
        line["stage_milliseconds"] = {
            name: round(1000 * seconds / len(good), 2) for name, seconds in stages.most_common()
        }
        fallbacks = sum((Counter(row.fallbacks) for row in rows), Counter[str]())
        line["fallbacks"] = dict(fallbacks)
        found.append(line)
    return found


def failures(run: Loaded) -> Table:
    """Failed rows by system and error code, with one message of each."""
    counts: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    for row in run.rows:
        if row.error is not None:
            key = (row.system, row.error["code"])
            counts[key] += 1
            example.setdefault(key, row.error["message"])
    return [
        {"system": s, "code": code, "rows": n, "example": example[s, code]} for (s, code), n in sorted(counts.items())
    ]


_MADE_BY = ("embedder", "tokenizer", "llm", "judge")


def _about(run: Loaded) -> dict[str, Any]:
    header = run.header
    rows = len(run.rows)
    wanted = len(header.systems) * len(header.budgets) * header.questions
    told = {name: getattr(header, name) for name in ("dataset", "questions", "unit", "seed", *_MADE_BY)}
    dicts = {name: dict(getattr(header, name)) for name in ("prompts", "excluded", "versions", "machine")}
    lists = {"systems": list(header.systems), "budgets": list(header.budgets), "metrics": headlines(run)}
    return {"run": run.name, **told, **dicts, **lists, "rows": rows, "missing": max(0, wanted - rows)}


def _round(value: float) -> float:
    return round(value, 4)
