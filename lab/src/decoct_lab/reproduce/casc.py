"""The tables of CASC, ours beside theirs, with what makes them hard to compare.

Printed figures, caveats and claims stand in the TOML file beside this module; a row names the paper's line, the condition here that is its
like (`casc_conditions`), and what was printed. Every condition is run once for all tables. What a condition needs and was not given is
named with it. `--sets` takes any set whose questions come with their own documents (where none is named the two of `SETS`; ramdocs,
wikicontradict).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from statistics import fmean
from typing import Any

from decoct.embed.resolve import open_embedder
from decoct.errors import EvaluationError
from decoct.evaluate.reader_names import SHORT_ANSWERS
from decoct.evaluate.run import sample
from decoct.llm.base import LLM
from decoct.registry import nearest
from decoct_lab.dataset import load
from decoct_lab.judges.rubric import RubricJudge, ShownCase, means
from decoct_lab.reproduce import casc_conditions as conditions
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest, Table
from decoct_lab.reproduce.claims import PaperClaim, claim_difference
from decoct_lab.reproduce.paper import PrintedLine, claims_of

SETS = ("scidocs-conflicts", "everyday-conflicts")
"""What is run where no set is named: both were written for this project and lie in its repository."""
_HUNDRED = ("em", "f1", "unsupported", "wrong")
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CascTable:
    """One table of the paper; `conflicts`: over questions whose documents conflict, `shares`: of errors, `judged`: by the rubric."""

    id: str
    title: str
    metrics: tuple[str, ...]
    rows: tuple[PrintedLine, ...]
    setting: str
    caveats: tuple[str, ...]
    claims: tuple[PaperClaim, ...]
    run_of: dict[tuple[object, ...], Rows] = field(repr=False)
    conflicts: bool = False
    shares: bool = False
    judged: bool = False

    def unable(self, request: ReproductionRequest) -> str:
        """Table III asks a judge; the others say something without a model."""
        return "needs --judge" if self.judged and request.setup.judge is None else ""

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """The comparison; `EvaluationError` where the set is not at hand, has no documents by question, or no condition can be run."""
        if why := self.unable(request):
            raise EvaluationError(f"table {self.id} {why} NAME")
        names = dict.fromkeys(row.condition for row in self.rows)
        for asked in request.conditions:
            if asked not in conditions.NAMES:
                raise EvaluationError(f"casc has no condition {asked!r}; {nearest(asked, conditions.NAMES)}")
        wanted = [row for row in self.rows if self._wanted(row.condition, request)]
        skipped = {name: why for name in names if (why := self._why_not(name, request))}
        able = [row for row in wanted if row.condition not in skipped]
        if not able:
            raise EvaluationError(
                f"table {self.id}: no condition can be run: {skipped or 'none of those asked for is in it'}"
            )
        sets, absent = dict[str, Any](), dict[str, str]()
        for name in request.sets or SETS:
            try:
                sets[name] = self._of_set(name, able, request)
            except EvaluationError as error:
                if request.sets:
                    raise
                absent[name] = str(error)
        if not sets:
            raise EvaluationError(f"table {self.id}: none of its data sets is at hand: {'; '.join(absent.values())}")
        scores = {name: one.pop("scores") for name, one in sets.items()}
        arms = {row.condition: conditions.arm(row.condition, *self._reads(request)) for row in able}
        return {
            "table": self.id,
            "title": self.title,
            "setting": self.setting,
            "sets": sets,
            "absent": absent,
            "claims": [one for claim_ in self.claims if (one := claim_difference(claim_, scores, arms))],
            "skipped": skipped,
            "caveats": list(self.caveats),
        }

    def _wanted(self, name: str, request: ReproductionRequest) -> bool:
        return name in request.conditions if request.conditions else name not in conditions.TRAINED

    def _why_not(self, name: str, request: ReproductionRequest) -> str:
        if not self._wanted(name, request):
            return "" if request.conditions else f"a trained model: --conditions {name} --llm NAME"
        return conditions.why_not(name, request.setup.llm)

    def _of_set(self, name: str, able: Sequence[PrintedLine], request: ReproductionRequest) -> dict[str, Any]:
        dataset = load(name, request.data)
        asked = sample(list(dataset.questions), request.setup.questions, request.setup.seed)
        found = conditions.cases(dataset, asked)
        rows = {row.condition: self._rows(row.condition, name, found, request) for row in able}
        if self.conflicts:
            rows = {one: [row for row in mine if row["conflict"]] for one, mine in rows.items()}
            if not any(rows.values()):
                raise EvaluationError(f"{name} labels no conflicts; take {SETS[0]}")
        lines = []
        for row in able:
            ours = self._figures(rows[row.condition], request)
            lines.append({"label": row.label, "condition": row.condition, "paper": list(row.paper), "ours": ours})
        measures = {
            m: {c: {r["id"]: [r[m]] for r in mine} for c, mine in rows.items()} for m in ("em", "f1", "not wrong")
        }
        return {"n": max(map(len, rows.values())), "lines": lines, "scores": measures}

    def _reads(self, request: ReproductionRequest) -> tuple[LLM | None, str]:
        """The language model that reads, and who reads where there is none."""
        named = request.setup.reader
        if named and named not in conditions.READERS:
            raise EvaluationError(f"table {self.id} is read by a language model, {' or '.join(conditions.READERS)}")
        return (None if named else request.setup.llm), named or SHORT_ANSWERS

    def _rows(
        self, name: str, set_name: str, found: Sequence[conditions.ConflictCase], request: ReproductionRequest
    ) -> Rows:
        llm, reader = self._reads(request)
        asked = tuple(case.question.id for case in found)
        key = (name, set_name, str(request.data), asked, llm.fingerprint if llm else reader)
        if key not in self.run_of:
            request.progress(f"{set_name}, {name}")
            given = request.setup.embedder
            embedder = open_embedder(given) if isinstance(given, str) else given
            self.run_of[key] = [conditions.condition_measures(name, case, llm, embedder, reader) for case in found]
        return self.run_of[key]

    def _figures(self, rows: Rows, request: ReproductionRequest) -> list[float]:
        if self.judged and request.setup.judge is not None:
            judge = RubricJudge(request.setup.judge)
            marks = means(judge.judge([ShownCase(row["id"], row["context"]) for row in rows]))
            return [round(float(marks[metric]), 2) for metric in self.metrics]
        if self.shares:
            by = dict(conditions.error_shares(rows))
            return [round(by[metric], 1) for metric in self.metrics]
        scale = {metric: 100.0 if metric in _HUNDRED else 1.0 for metric in self.metrics}
        return [round(scale[metric] * fmean(row[metric] for row in rows), 2) for metric in self.metrics]

    def markdown(self, result: Mapping[str, Any]) -> str:
        """The comparison as Markdown: a table a set, then what was not run and the caveats."""
        parts = [f"## Table {result['table']}: {result['title']}", f"The paper: {result['setting']}."]
        for name, one in result["sets"].items():
            heads = [f"{metric}, {side}" for metric in self.metrics for side in ("paper", "ours")]
            lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
            for line in one["lines"]:
                printed = [*map(_written, line["paper"]), *["–"] * (len(self.metrics) - len(line["paper"]))]
                cells = [cell for pair in zip(printed, map(_written, line["ours"]), strict=True) for cell in pair]
                lines.append(f"| {line['label']} | {' | '.join(cells)} |")
            parts.append(f"### {name} (n = {one['n']})\n\n" + "\n".join(lines))
        notes = [f"- {name} was not run: {why}" for name, why in (result["absent"] | result["skipped"]).items()]
        notes += [f"- Caveat: {caveat}" for caveat in result["caveats"]]
        return "\n\n".join([*parts, "\n".join(notes)]) + "\n"


def casc(name: str) -> Reproduction:
    """The paper's tables, in its order; all run each condition once."""
    data = tomllib.loads((files("decoct_lab.reproduce") / f"{name}.toml").read_text("utf-8"))
    named = {table["id"]: tuple(row[1] for row in table["rows"]) for table in data["table"]}
    claims = claims_of(data["claim"], named, name)
    run_of: dict[tuple[object, ...], Rows] = {}
    tables: dict[str, Table] = {}
    for table in data["table"]:
        tables[table["id"]] = CascTable(
            table["id"],
            table["title"],
            tuple(table["metrics"]),
            tuple(PrintedLine(label, condition, tuple(map(float, paper))) for label, condition, paper in table["rows"]),
            data["setting"],
            tuple(data["caveats"][key] for key in table["caveats"]),
            tuple(one for one in claims if one.table == table["id"]),
            run_of,
            conflicts=table.get("conflicts", False),
            shares=table.get("shares", False),
            judged=table.get("judged", False),
        )
    return Reproduction(name, data["title"], data["setting"], tables, claims)


def _written(value: float) -> str:
    return f"{value:,.4g}"
