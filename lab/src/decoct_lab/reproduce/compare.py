"""Ours beside theirs: OK, near or differs, and why.

A figure in 0..1 is OK within .02 or inside our 95 % interval, near within .10, else it differs. Other figures (seconds, calls) are
compared by ratio: OK within a fifth, near within a factor of 2. Where reader or corpus is another, absolute figures cannot be expected to
agree; so the order of conditions is compared too: of the pairs whose printed figures differ by at least .02, the share that ours puts in
the same order. Figures under a budget that the paper did not use are shown beside the printed ones where the table has one budget, and
are not comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from decoct.evaluate.amounts import Amount
from decoct_lab.reproduce.paper import Paper, PaperTable

CLOSE, NEAR = 0.02, 0.10
COSTS = ("calls", "retrieval_tokens", "seconds_per_1000")
"""Not of the measure table: read from the cost of a run, for every condition of a table that prints them."""
ANOTHER_BUDGET = "not comparable: another budget"
Lines = list[dict[str, Any]]


def lines(
    paper: Paper, table: PaperTable, dataset: str, made: Mapping[str, Any], budgets: Sequence[Amount] = ()
) -> Lines:
    """A line a condition, budget and measure that the paper prints or the table asks for; `made` are the report's tables of our run.

    `budgets` are those of our run where they are not the table's.
    """
    quality = {(row["system"], row["budget"], row["metric"]): row for row in made["quality"]}
    cost = {(row["system"], row["budget"]): row for row in made["cost"]}
    why = "; ".join(paper.reasons[name] for name in dict.fromkeys((*paper.sets[dataset].reasons, *table.reasons)))
    costs = [name for name in COSTS if any(name in one.paper.get(dataset, {}) for one in table.conditions)]
    found: Lines = []
    for condition in table.conditions:
        printed = condition.paper.get(dataset, {})
        for metric in dict.fromkeys((*printed, *costs, *table.metrics)):
            for budget in budgets or table.budgets:
                theirs = _theirs(table, printed.get(metric), budget)
                ours = _ours(quality, cost, condition.name, budget, metric)
                if ours is None and theirs is None:
                    continue
                line: dict[str, Any] = {
                    "condition": condition.name,
                    "budget": budget,
                    "metric": metric,
                    "paper": theirs,
                    **(ours or {}),
                }
                line["verdict"] = condition.missing or verdict(line)
                if budget not in table.budgets and line["verdict"] in ("OK", "near", "differs", "not printed"):
                    line["verdict"] = ANOTHER_BUDGET
                line["why"] = why if line["verdict"] in ("near", "differs") else ""
                found.append(line)
    return found


def _theirs(table: PaperTable, printed: Sequence[float] | None, budget: Amount) -> float | None:
    """The printed figure of a budget; of the only one there is, for a budget that the paper did not use."""
    if printed is None:
        return None
    if budget in table.budgets:
        return printed[table.budgets.index(budget)]
    return printed[0] if len(printed) == 1 else None


def _ours(
    quality: Mapping[tuple[str, Amount, str], Mapping[str, Any]],
    cost: Mapping[tuple[str, Amount], Mapping[str, Any]],
    system: str,
    budget: Amount,
    metric: str,
) -> dict[str, Any] | None:
    line = cost.get((system, budget))
    if metric == "calls":  # of retrieval: the reader's one call is left out, as in the paper
        return None if line is None else {"ours": round(max(0.0, line["calls"] - line["read_calls"]), 2)}
    if metric == "retrieval_tokens":
        spent = ("prompt_tokens", "completion_tokens")
        return None if line is None else {"ours": round(sum(line[name] for name in spent) - line["read_tokens"], 1)}
    if metric == "seconds_per_1000":
        return (
            None if line is None else {"ours": line["milliseconds"]}
        )  # a question's milliseconds are 1,000 questions' seconds
    row = quality.get((system, budget, metric))
    if row is None or row["mean"] is None:
        return None
    return {"ours": row["mean"], "low": row["low"], "high": row["high"], "n": row["n"]}


def verdict(line: Mapping[str, Any]) -> str:
    """OK, near or differs; "not run" where a side is missing."""
    ours, theirs = line.get("ours"), line.get("paper")
    if ours is None:
        return "not run"
    if theirs is None:
        return "not printed"
    if line["metric"] in COSTS:
        return _by_ratio(float(ours), float(theirs))
    if abs(ours - theirs) <= CLOSE or line["low"] <= theirs <= line["high"]:
        return "OK"
    return "near" if abs(ours - theirs) <= NEAR else "differs"


def _by_ratio(ours: float, theirs: float) -> str:
    if abs(ours - theirs) < 0.05:
        return "OK"
    ratio = max(ours, theirs) / max(min(ours, theirs), 1e-9)
    return "OK" if ratio <= 1.2 else "near" if ratio <= 2 else "differs"


def order(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each measure: of the pairs that the paper tells apart, how many ours puts in the same order."""
    told = []
    for metric in dict.fromkeys(line["metric"] for line in found):
        known = [
            line
            for line in found
            if line["metric"] == metric and line["paper"] is not None and line.get("ours") is not None
        ]
        pairs = [(a, b) for a, b in combinations(known, 2) if abs(a["paper"] - b["paper"]) >= CLOSE]
        same = [(a["paper"] - b["paper"]) * (a["ours"] - b["ours"]) > 0 for a, b in pairs]
        if pairs:
            told.append(
                {"metric": metric, "pairs": len(pairs), "same_order": sum(same), "share": round(fmean(same), 3)}
            )
    return told


def table_of_lines(lines: Sequence[Mapping[str, Any]]) -> str:
    """Lines of a paper's own tables as Markdown: what it calls them, the condition here, both figures and the verdict."""
    head = "| line | condition here | measure | ours | paper | verdict |\n|---|---|---|---:|---:|---|"
    return "\n".join([head, *map(_row, lines)])


def _row(line: Mapping[str, Any]) -> str:
    cells = [_figure(line["ours"]), _figure(line["paper"])]
    label = line["line"].replace("  ", "· ")
    return f"| {label} | {line['condition']} | {line['metric']} | {cells[0]} | {cells[1]} | {line['verdict']} |"


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
