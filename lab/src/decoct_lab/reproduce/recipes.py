"""Tables whose conditions are recipes over data sets: one run a data set, into a folder each, and the comparison over all of them.

Budgets of the user's own may stand in place of a table's, so that a small local reader can run it in minutes; such rows are shown beside
the paper's figures (where the table has one budget) and never judged against them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from decoct.embed.base import Embedder
from decoct.errors import EvaluationError
from decoct.evaluate.measure import measure
from decoct.evaluate.reader_names import LIKELIEST_WORDS, SHORT_ANSWERS
from decoct.evaluate.report.page import page
from decoct.evaluate.report.tables import read, tables
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.system import System
from decoct.library import DEFAULT_EMBEDDER
from decoct.registry import nearest
from decoct_lab.dataset import Dataset, load
from decoct_lab.reproduce.arms import Arm, arms_of_run
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest
from decoct_lab.reproduce.claims import claim_difference, of_rows
from decoct_lab.reproduce.compare import COSTS, lines, order
from decoct_lab.reproduce.limited import limited
from decoct_lab.reproduce.paper import Paper, PaperTable, load_paper
from decoct_lab.reproduce.stream import stream
from decoct_lab.reproduce.tellable import can_test, correlations
from decoct_lab.reproduce.windows import READS, Windows


def recipes(name: str) -> Reproduction:
    """The paper of a TOML file beside this module, or the experiment of a file of one's own."""
    paper = load_paper(name)
    tables = {key: RecipeTable(paper, table) for key, table in paper.tables.items()}
    return Reproduction(Path(name).stem, paper.title, paper.setting, tables, paper.claims)


@dataclass(frozen=True, slots=True)
class RecipeTable:
    """A table of recipes. Without a language model the conditions that need none are run, and measures of answers are left out."""

    paper: Paper
    table: PaperTable

    @property
    def id(self) -> str:
        """Its number, as the paper writes it."""
        return self.table.id

    @property
    def title(self) -> str:
        """What it shows."""
        return self.table.title

    def unable(self, request: ReproductionRequest) -> str:
        """Where none of its measures can be taken: what they need."""
        taken = [_metrics(self.table, name, request.setup) for name in request.sets or self.table.sets]
        if any(taken):
            return ""
        needs = {need for name in (*self.table.metrics, *self._judge()) for need in measure(name).needs}
        return "its measures need " + " and ".join(
            f"--{option}" for need, option in (("reader", "llm"), ("judge", "judge")) if need in needs
        )

    def _judge(self) -> tuple[str, ...]:
        return ("judge",) if self.table.judged else ()

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """The comparison of every data set that is at hand; others are named in `absent`, conditions that need a model in `skipped`."""
        table = self.table
        for asked, known in (
            (request.sets, table.sets),
            (request.conditions, [one.name for one in table.conditions]),
        ):
            for name in asked:
                if name not in known:
                    raise EvaluationError(f"table {table.id} has no {name!r}; {nearest(name, known)}")
        result: dict[str, Any] = {
            "table": table.id,
            "title": table.title,
            "setting": self.paper.setting,
            "budgets": list(request.budgets or table.budgets),
            "sets": {},
            "absent": {},
        }
        rows: dict[str, dict[str, dict[str, dict[str, list[float]]]]] = {}
        arms: dict[str, Arm] = {}
        for name in request.sets or table.sets:
            try:
                dataset = load(name, request.data, self.paper.sets[name].options)
            except EvaluationError as error:
                result["absent"][name] = str(error)
                continue
            result["sets"][name] = self._one(name, dataset, request)
            run = read(_folder(table, name, request))
            rows[name] = of_rows(run.rows)
            arms |= arms_of_run(run.header)  # every set runs the same conditions
        if not result["sets"]:
            raise EvaluationError(
                f"table {table.id}: none of its data sets is at hand: " + "; ".join(result["absent"].values())
            )
        mine = (claim_difference(claim, rows, arms) for claim in self.paper.claims if claim.table == table.id)
        result["claims"] = [one for one in mine if one is not None]
        return result

    def _one(self, name: str, dataset: Dataset, request: ReproductionRequest) -> dict[str, Any]:
        table, folder, setup = self.table, _folder(self.table, name, request), request.setup
        budgets = request.budgets or table.budgets
        wanted = [one for one in table.conditions if not request.conditions or one.name in request.conditions]
        systems, skipped = _able([one.system for one in wanted if one.system is not None], setup)
        if not systems:
            raise EvaluationError(f"table {table.id}: every condition asks a language model: give one with --llm NAME")
        metrics = _metrics(table, name, setup) or ("evidence_recall",)
        timed = any("seconds_per_1000" in found for one in wanted for found in one.paper.get(name, {}))
        # The papers' readers always answer, so the small one does here too, sure or not.
        reader = LIKELIEST_WORDS if setup.reader == SHORT_ANSWERS else setup.reader
        mine = replace(setup, budgets=budgets, metrics=metrics, workers=1 if timed else setup.workers, reader=reader)
        if mine.embedder == DEFAULT_EMBEDDER and max(_embedded_tokens(one) for one in systems) > READS:
            mine = replace(mine, embedder=_windows())
        dataset, corpus = (dataset, "") if request.whole_corpus else limited(dataset, setup.questions, setup.seed)
        execute(stream(dataset) if table.stream else dataset, systems, mine, folder, request.progress)
        made = tables([folder])
        if curved := table.id.startswith("figure"):
            (folder / "report.html").write_text(page(made), "utf-8")
        names = {one.name for one in wanted}
        found = [line for line in lines(self.paper, table, name, made, budgets) if line["condition"] in names]
        printed = {one.name: one.correlation for one in wanted if budgets == table.budgets}
        return {
            "run": made["runs"][0],
            "in_the_paper": self.paper.sets[name].paper,
            "corpus": corpus,
            "lines": found,
            "order": order(found),
            "correlation": [
                {**row, "paper": printed.get(row["system"], {}).get(row["measure"])}
                for row in (correlations(made["quality"], made["runs"][0]["metrics"]) if can_test() else [])
            ],
            "significance": made["significance"],
            "cost": made["cost"],
            "skipped": skipped,
            "curves": f"{folder.name}/report.html" if curved else "",
        }

    def markdown(self, result: Mapping[str, Any]) -> str:
        """The comparison as Markdown."""
        return as_markdown(result)


def _folder(table: PaperTable, name: str, request: ReproductionRequest) -> Path:
    return request.out / f"table-{table.id}-{name}"


def _able(systems: Sequence[System], setup: Setup) -> tuple[list[System], list[str]]:
    able = [
        one
        for one in systems
        if (setup.llm is not None or not one.needs_llm) and (setup.reads or one.oracle != "no-retrieval")
    ]
    return able, [one.name for one in systems if one not in able]


def _metrics(table: PaperTable, name: str, setup: Setup) -> tuple[str, ...]:
    """The table's measures that can be taken on the set `name`; none where all need a reader or judge that was not given."""
    if setup.metrics:
        return setup.metrics
    metrics = (*table.metrics, *(("judge",) if name in table.judged else ()))
    if table.stream and setup.reads:  # for the correlation with answer quality
        metrics = (*metrics, "token_f1", "word_accuracy")
    lacking = {need for need, given in (("reader", setup.reads), ("judge", setup.judge is not None)) if not given}
    return tuple(metric for metric in dict.fromkeys(metrics) if not measure(metric).needs & lacking)


def _embedded_tokens(one: System) -> int:
    """The most tokens of a text that the system has embedded: a chunk, or a question with what feedback adds."""
    asked = one.recipe.retrieve.as_dict().get("query_tokens", 0) if one.recipe else 0
    return max(int(json.loads(one.chunker).get("tokens", 0)), asked)


def _windows() -> Embedder:
    from decoct.embed.minilm import MiniLM
    from decoct.embed.tokenizer import default_tokenizer

    return Windows(MiniLM(), default_tokenizer())


def as_markdown(result: Mapping[str, Any]) -> str:
    """The comparison as Markdown."""
    parts = [f"## Table {result['table']}: {result['title']}"]
    parts += [f"The paper: {result['setting']}."] if result["setting"] else []
    for name, one in result["sets"].items():
        run = one["run"]
        reader = f"reader {run['llm']}" if run["llm"] else "no reader"
        parts.append(
            f"### {name}\n\nOurs: n = {run['questions']}, {run['dataset']['documents']:,} documents, embedder {run['embedder']}, {reader}, "
            f"tokens of {run['tokenizer']}." + (f" Theirs: {one['in_the_paper']}." if one["in_the_paper"] else "")
        )
        if one["corpus"]:
            parts.append(f"With fewer questions {one['corpus']}.")
        printed = any(line["paper"] is not None for line in one["lines"])
        if printed:
            heads = "| condition | budget | measure | ours | paper | verdict |\n|---|---:|---|---:|---:|---|"
            parts.append("\n".join([heads, *(_line(line) for line in one["lines"])]))
        if not printed or any(line["metric"] in COSTS for line in one["lines"]):
            parts.append(side_by_side(one["lines"]))
        parts += (
            [f"Curves of every measure against the budget: [{one['curves']}]({one['curves']})."]
            if one["curves"]
            else []
        )
        why = next((line["why"] for line in one["lines"] if line["why"]), "")
        parts += [f"Why figures differ: {why}."] if why else []
        parts += [
            f"- {o['metric']}: {o['same_order']} of {o['pairs']} pairs in the paper's order" for o in one["order"]
        ]
        for row in one["correlation"]:
            theirs = "" if row["paper"] is None else f" (paper {row['paper']:.3f})"
            parts.append(
                f"- r of {row['measure']} with {row['answer']}, {row['system']}: {row['r']:.3f}{theirs}, {row['points']} points"
            )
        parts += [f"- needs --llm: {', '.join(one['skipped'])}"] if one["skipped"] else []
    parts += [f"- {name} was not run: {why}" for name, why in result["absent"].items()]
    return "\n\n".join(parts).replace("\n\n- ", "\n- ") + "\n"


def side_by_side(found: Sequence[Mapping[str, Any]]) -> str:
    """Conditions down, measures and costs across: ours, and in brackets the paper's."""
    metrics = list(dict.fromkeys(line["metric"] for line in found))
    cell = {(line["condition"], line["budget"], line["metric"]): line for line in found}
    heads = [f"| condition | budget | {' | '.join(metrics)} |", "|---|---:|" + "---:|" * len(metrics)]
    rows = []
    for condition, budget in dict.fromkeys((line["condition"], line["budget"]) for line in found):
        shown = [_both(cell.get((condition, budget, metric), {})) for metric in metrics]
        rows.append(f"| {condition} | {budget} | {' | '.join(shown)} |")
    return "\n".join([*heads, *rows])


def _both(line: Mapping[str, Any]) -> str:
    ours, theirs = (_short(value) if (value := line.get(key)) is not None else "–" for key in ("ours", "paper"))
    return ours if theirs == "–" else f"{ours} ({theirs})"


def _short(value: float) -> str:
    return f"{value:.3f}" if 0 < value < 1 else f"{value:,.10g}"


def _line(line: Mapping[str, Any]) -> str:
    ours = "–" if line.get("ours") is None else f"{line['ours']:.3f}"
    if line.get("low") is not None and line.get("ours") is not None:
        ours += f" ± {(line['high'] - line['low']) / 2:.3f}"
    theirs = "–" if line["paper"] is None else f"{line['paper']:.3f}"
    return f"| {line['condition']} | {line['budget']} | {line['metric']} | {ours} | {theirs} | {line['verdict']} |"
