"""One self-contained HTML page: figures first, then tables, then questions side by side. It opens offline; there is no script in it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from decoct.evaluate.amounts import in_order, written
from decoct.evaluate.report.excerpts import Excerpt, Shown, Side
from decoct.evaluate.report.figures import curves, legend, pareto, scatter
from decoct.evaluate.report.markdown import pivot
from decoct.visible import visible

CURVES = 6  # figures of quality against budget; the tables have every measure
UNMARKED = 160  # characters shown of a passage without gold evidence


def page(made: Mapping[str, Any], shown: Sequence[Excerpt] = ()) -> str:
    """The page of the tables and excerpts."""
    css = (files("decoct.evaluate.report") / "page.css").read_text("utf-8")
    body = "".join(_run(run, made, [one for one in shown if one.run == run["run"]]) for run in made["runs"])
    names = ", ".join(run["dataset"]["name"] for run in made["runs"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Decoct evaluation: {_text(names)}</title><style>{css}</style></head><body><h1>Recipes compared</h1>"
        f'<p class="dim">Equal token budgets, the same documents, questions and reader. Whiskers and ± are 95 % intervals of a mean; '
        f"hold the pointer over a mark for its figures.</p>{body}</body></html>\n"
    )


def _run(run: Mapping[str, Any], made: Mapping[str, Any], shown: Sequence[Excerpt]) -> str:
    mine = {key: [row for row in made[key] if row["run"] == run["run"]] for key in made if key != "runs"}
    systems = run["systems"]
    parts = [f"<h2>{_text(run['dataset']['title'])}</h2>", _about(run), _said(mine["significance"], mine["failures"])]
    figures = [curves([r for r in mine["quality"] if r["metric"] == m], systems, m) for m in _curved(run["metrics"])]
    parts += [legend(systems), _grid(figures)]
    if mine["front"]:
        metric = mine["front"][0]["metric"]
        plots = [pareto(mine["front"], systems, f"{metric}: what it costs"), *_scatters(mine, systems)]
        parts += [
            "<h3>Quality, tokens and time</h3><p>Left is cheaper, up is better, a larger mark is slower. "
            "Ringed: no other point is at least as good in all three and better in one.</p>",
            _grid(plots),
        ]
    for metric in run["metrics"]:
        parts.append(_quality(metric, [row for row in mine["quality"] if row["metric"] == metric]))
    parts.append(_tests(mine["significance"]))
    for title, key in (
        ("Correlation with answer quality", "correlation"),
        ("Question types", "types"),
        ("What a question costs", "cost"),
        ("Failures", "failures"),
    ):
        if mine[key]:
            parts.append(f"<h3>{title}</h3>{_table(pivot(mine[key]) if key == 'types' else mine[key])}")
    if shown:
        base, best = shown[0].sides
        parts.append(
            f"<h3>Questions that tell most</h3><p>Largest differences in {_text(shown[0].metric)} at {shown[0].budget} tokens between "
            f"{_text(base.system)} and {_text(best.system)}, either way. Gold evidence is <mark>marked</mark>{_gone(shown)}.</p>"
        )
        parts += [_excerpt(one) for one in shown]
    return "".join(parts)


def _about(run: Mapping[str, Any]) -> str:
    data = run["dataset"]
    options = "".join(f", {k}={v}" for k, v in data["options"].items())
    facts = [
        f"n = {run['questions']} of {data['questions']} questions (seed {run['seed']}{options})",
        f"{data['documents']:,} documents",
        f"gold unit: {run['unit']}",
        f"reader: {run['llm']}" if run["llm"] else "no reader: contexts and rankings only",
        f"embedder: {run['embedder']}",
        f"tokens: {run['tokenizer']}",
    ]
    facts += [f"judge: {run['judge']}"] if run["judge"] else []
    facts += [f"left out: {n} × {why}" for why, n in run["excluded"].items()]
    facts += [", ".join(f"{name} {version}" for name, version in run["versions"].items())]
    warning = (
        f"<p><b>{run['missing']} rows are still missing:</b> run the same command to go on.</p>"
        if run["missing"]
        else ""
    )
    return f'{warning}<p class="dim">{_text(" · ".join(facts))}</p>'


def _said(tests: Sequence[Mapping[str, Any]], failures: Sequence[Mapping[str, Any]]) -> str:
    """In words: which differences in the first measure are more than noise."""
    lines = []
    if tests:
        metric, base = tests[0]["metric"], tests[0]["baseline"]
        for system in dict.fromkeys(test["system"] for test in tests):
            own = [test for test in tests if test["metric"] == metric and test["system"] == system]
            better = [str(t["budget"]) for t in own if t["better"]]
            worse = [str(t["budget"]) for t in own if t["significant"] and not t["better"]]
            noise = [str(t["budget"]) for t in own if not t["significant"]]
            told = [f"better at {', '.join(better)} tokens"] if better else []
            told += [f"worse at {', '.join(worse)}"] if worse else []
            told += [f"within noise at {', '.join(noise)}"] if noise else []
            lines.append(
                f"<p><b>{_text(system)}</b> against {_text(base)} in {_text(metric)}: {_text('; '.join(told))}.</p>"
            )
    if failures:
        lines.append(f'<p class="down">{sum(row["rows"] for row in failures)} rows failed; see below.</p>')
    return f'<div class="said">{"".join(lines)}</div>' if lines else ""


def _curved(metrics: Sequence[str]) -> list[str]:
    return [name for name in metrics if "@" not in name][:CURVES]


def _scatters(mine: Mapping[str, Any], systems: Sequence[str]) -> list[str]:
    means = {(r["system"], r["budget"], r["metric"]): r["mean"] for r in mine["quality"] if r["mean"] is not None}
    plots = []
    strongest = sorted((row for row in mine["correlation"] if row["system"] == "all"), key=lambda row: -abs(row["r"]))
    for row in strongest[:3]:
        points = [
            (s, means[s, b, row["measure"]], value)
            for (s, b, m), value in means.items()
            if m == row["answer"] and (s, b, row["measure"]) in means
        ]
        title = f"{row['answer']} against {row['measure']}: r = {row['r']:.2f}"
        plots.append(scatter(points, systems, (row["measure"], row["answer"]), title))
    return plots


def _quality(metric: str, rows: Sequence[Mapping[str, Any]]) -> str:
    if not any(row["mean"] is not None for row in rows):
        return f'<h3>{_text(metric)}</h3><p class="dim">It applies to none of the questions asked.</p>'
    budgets = sorted({row["budget"] for row in rows}, key=in_order)[: 1 if "@" in metric else None]
    cell = {(row["system"], row["budget"]): row for row in rows}
    best = {
        b: max(row["mean"] for (_, at), row in cell.items() if at == b and row["mean"] is not None) for b in budgets
    }
    heads = "".join(f"<th>{'any budget' if '@' in metric else written(b)}</th>" for b in budgets)
    lines = []
    for system in dict.fromkeys(row["system"] for row in rows):
        cells = "".join(_mean(cell.get((system, b)), best[b]) for b in budgets)
        n = max((cell[system, b]["n"] for b in budgets if (system, b) in cell), default=0)
        lines.append(f"<tr><td>{_text(system)}</td>{cells}<td>{n}</td></tr>")
    return f'<h3>{_text(metric)}</h3><div class="scroll"><table><tr><th>system</th>{heads}<th>n</th></tr>{"".join(lines)}</table></div>'


def _mean(row: Mapping[str, Any] | None, best: float) -> str:
    if row is None or row["mean"] is None:
        return "<td>–</td>"
    mark = ' class="best"' if row["mean"] == best else ""
    return f"<td{mark}>{row['mean']:.3f} <i>± {(row['high'] - row['low']) / 2:.3f}</i></td>"


def _tests(tests: Sequence[Mapping[str, Any]]) -> str:
    if not tests:
        return ""
    budgets = sorted({test["budget"] for test in tests}, key=in_order)
    cell = {(t["metric"], t["system"], t["budget"]): t for t in tests}
    lines = []
    for metric, system in dict.fromkeys((t["metric"], t["system"]) for t in tests):
        cells = "".join(_test(cell.get((metric, system, b))) for b in budgets)
        lines.append(f'<tr><td>{_text(metric)}</td><td class="text">{_text(system)}</td>{cells}</tr>')
    heads = "".join(f"<th>{written(b)}</th>" for b in budgets)
    return (
        f"<h3>Is it more than chance?</h3><p>Points (hundredths) against {_text(tests[0]['baseline'])}, with the 95 % interval; coloured "
        "where it is significant after Holm's correction over all tests of the measure. Everything grey is within noise.</p>"
        f'<div class="scroll"><table><tr><th>measure</th><th class="text">system</th>{heads}</tr>{"".join(lines)}</table></div>'
    )


def _test(test: Mapping[str, Any] | None) -> str:
    if test is None:
        return "<td>–</td>"
    kind = ("up" if test["better"] else "down") if test["significant"] else "same"
    title = _text(test["verdict"])
    return (
        f'<td title="{title}"><span class="{kind}">{100 * test["difference"]:+.1f}</span> '
        f"<i>{100 * test['low']:+.1f} … {100 * test['high']:+.1f}</i></td>"
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    heads = [key for key in dict.fromkeys(key for row in rows for key in row) if key != "run"]
    lines = ["".join(f"<td>{_text(_cell(row.get(head, '')))}</td>" for head in heads) for row in rows]
    table = f"<table><tr>{''.join(f'<th>{_text(h)}</th>' for h in heads)}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
    if len(rows) > 12:
        return f'<details><summary>{len(rows)} lines</summary><div class="scroll">{table}</div></details>'
    return f'<div class="scroll">{table}</div>'


def _cell(value: object) -> str:
    return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)


def _gone(shown: Sequence[Excerpt]) -> str:
    texts = any(passage.pieces for one in shown for side in one.sides for passage in side.passages)
    return (
        ""
        if texts
        else " in passages; their texts are not shown, because the library of this run is not at hand (--cache, --library)"
    )


def _excerpt(one: Excerpt) -> str:
    left, right = one.sides
    key = "; ".join(one.question.answers[:4]) or "no key"
    return (
        f"<details><summary><b>{_text(one.question.question)}</b> <small>key: {_text(key)} · {_text(left.system)} {left.value:.2f} "
        f'against {_text(right.system)} {right.value:.2f}</small></summary><div class="sides">{_side(left)}{_side(right)}</div></details>'
    )


def _side(side: Side) -> str:
    answer = f"<p><b>Answer:</b> {_text(side.answer)}</p>" if side.answer is not None else ""
    head = f"{_text(side.system)}: {side.value:.2f}, {side.tokens} tokens, {len(side.passages)} passages"
    return f"<div><h4>{head}</h4>{answer}{''.join(map(_passage, side.passages))}</div>"


def _passage(passage: Shown) -> str:
    text = "".join(f"<mark>{_text(piece)}</mark>" if gold else _text(piece) for piece, gold in passage.pieces)
    kind = "passage" if passage.has_gold or passage.rewritten else "passage other"
    if kind != "passage":
        plain = "".join(piece for piece, _ in passage.pieces)
        text = _text(plain[:UNMARKED] + ("…" if len(plain) > UNMARKED else ""))
    note = " (rewritten)" if passage.rewritten else ""
    title = f"<mark>{_text(passage.title)}</mark>" if passage.has_gold and not passage.pieces else _text(passage.title)
    return f'<div class="{kind}"><b>{title}{note}</b>{text}</div>'


def _grid(figures: Sequence[str]) -> str:
    return f'<div class="figures">{"".join(figures)}</div>' if any(figures) else ""


def _text(text: str) -> str:
    return html.escape(visible(text), quote=True)
