"""The tables of a report as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from decoct.evaluate.amounts import in_order

# What a run, a model or a document named or said, as words that Markdown makes nothing of.
from decoct.visible import visible_markdown_line as _text


def markdown(made: Mapping[str, Any]) -> str:
    """The whole report as Markdown text."""
    return "\n\n".join(part for run in made["runs"] for part in _run(run, made) if part) + "\n"


def _run(run: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    name = run["run"]
    mine = {key: [row for row in made[key] if row["run"] == name] for key in made if key != "runs"}
    data = run["dataset"]
    options = _text(", ".join(f"{k}={v}" for k, v in data["options"].items()))
    reader = f"reader {run['llm']}" if run["llm"] else "no reader: contexts and rankings only"
    about = _text(
        f"n = {run['questions']} of {data['questions']} questions (seed {run['seed']}), {data['documents']} documents; gold unit: "
        f"{run['unit']}; {reader}; embedder {run['embedder']}; tokens of {run['tokenizer']}"
    )
    if run["missing"]:
        about += f"; **{run['missing']} rows are still missing**"
    if run["excluded"]:
        about += _text("; left out: " + ", ".join(f"{n} × {why}" for why, n in run["excluded"].items()))
    parts = [f"## {_text(data['title'])}{f' ({options})' if options else ''}", about]
    for metric in run["metrics"]:
        parts.append(grid(metric, [row for row in mine["quality"] if row["metric"] == metric]))
    if mine["significance"]:
        parts.append(differences_text(mine["significance"]))
    if mine["types"]:
        middle = run["budgets"][len(run["budgets"]) // 2]
        rows = pivot([row for row in mine["types"] if row["budget"] == middle])
        parts.append("### Question types\n\n" + table(rows))
    for title, key in (("Cost of a question", "cost"), ("Failures", "failures")):
        if mine[key]:
            parts.append(f"### {title}\n\n" + table(rows_without_run(mine[key])))
    return parts


def pivot(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Question types across, with how many questions each has; measures, systems and budgets down."""
    found: dict[tuple[str, str, int | str], dict[str, Any]] = {}
    for row in rows:
        key = row["metric"], row["system"], row["budget"]
        line = found.setdefault(key, {"measure": key[0], "system": key[1], "budget": key[2]})
        line[f"{row['type']} ({row['n']})"] = row["mean"]
    measures = [row["metric"] for row in rows]
    return sorted(found.values(), key=lambda line: measures.index(line["measure"]))


def metric_grid(metric: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The table of a measure: its `budgets`, and `lines` of a system, its cells (mean, `half` its interval, `best`; or None) and n."""
    # A measure of the ranking is the same at every budget.
    budgets = sorted({row["budget"] for row in rows}, key=in_order)[: 1 if "@" in metric else None]
    cell = {(row["system"], row["budget"]): row for row in rows if row["mean"] is not None}
    best = {b: max((row["mean"] for (_, at), row in cell.items() if at == b), default=None) for b in budgets}
    lines = []
    for system in dict.fromkeys(row["system"] for row in rows) if cell else ():
        found = [cell.get((system, b)) for b in budgets]
        cells = [
            None if row is None else {**row, "half": (row["high"] - row["low"]) / 2, "best": row["mean"] == best[b]}
            for b, row in zip(budgets, found, strict=True)
        ]
        lines.append((system, cells, max((row["n"] for row in found if row), default=0)))
    return {"metric": metric, "budgets": budgets, "lines": lines}


def grid(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Systems down, budgets across, the mean and half its 95 % interval in each cell."""
    found = metric_grid(title, rows)
    if not found["lines"]:
        return f"### {_text(title)}\n\nIt applies to none of the questions asked."
    heads = ["any" if "@" in title else str(budget) for budget in found["budgets"]]
    lines = [f"### {_text(title)}", "", f"| system | {' | '.join(heads)} | n |", "|---|" + "---:|" * (len(heads) + 1)]
    for system, cells, n in found["lines"]:
        shown = ["–" if one is None else f"{one['mean']:.3f} ± {one['half']:.3f}" for one in cells]
        lines.append(f"| {_text(system)} | " + " | ".join(shown) + f" | {n} |")
    return "\n".join(lines)


def differences_grid(tests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The differences to the `baseline`: its `budgets`, and `lines` of a measure, a system and the test at each budget, or None."""
    budgets = sorted({test["budget"] for test in tests}, key=in_order)
    cell = {(t["metric"], t["system"], t["budget"]): t for t in tests}
    pairs = dict.fromkeys((t["metric"], t["system"]) for t in tests)
    lines = [(*pair, [cell.get((*pair, budget)) for budget in budgets]) for pair in pairs]
    return {"baseline": tests[0]["baseline"], "budgets": budgets, "lines": lines}


def differences_text(tests: Sequence[Mapping[str, Any]]) -> str:
    """The differences to the baseline in points, a star where one is more than noise, and those sentences in full."""
    found = differences_grid(tests)
    lines = [
        f"### Against {_text(found['baseline'])}\n",
        "Points (hundredths); * is significant after Holm's correction, all else is within noise.\n",
        "| measure | system | " + " | ".join(map(str, found["budgets"])) + " |",
        "|---|---|" + "---:|" * len(found["budgets"]),
    ]
    for metric, system, cells in found["lines"]:
        lines.append(f"| {_text(metric)} | {_text(system)} | " + " | ".join(map(_points, cells)) + " |")
    told = [f"- {_text(t['metric'])} at {t['budget']}: {_text(t['verdict'])}" for t in tests if t["significant"]]
    return "\n".join([*lines, "", *(told or ["No difference is more than noise."])])


def _points(test: Mapping[str, Any] | None) -> str:
    return "–" if test is None else f"{100 * test['difference']:+.1f}{'*' if test['significant'] else ''}"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of equal keys as a Markdown table."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(map(_text, heads)) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(_cell(row.get(head, "")) for head in heads) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{k} {v}" for k, v in value.items())
    return _text(str(value))


def rows_without_run(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of one run without its name."""
    return [{key: value for key, value in row.items() if key != "run"} for row in rows]
