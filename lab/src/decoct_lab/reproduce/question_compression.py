"""The tables of question compression, ours beside theirs, with what makes them hard to compare.

Printed figures and caveats stand in the TOML file beside this module; a row names the paper's line, the condition here that is its like,
and what was printed (nothing for conditions that the paper lacks). Four kinds of table: `documents` (one set of queries), `mean` (Table 3),
`storage` (vectors), `reader` (multi-hop). What several tables share is run once. Conditions that a language model must write cards for are
skipped without one, and named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from statistics import mean
from typing import Any, Literal

from decoct.errors import ConfigError, EvaluationError
from decoct.evaluate.dataset_types import default_cache
from decoct.evaluate.run import sample
from decoct.evaluate.significance import compare
from decoct.registry import nearest
from decoct_lab.dataset import Question, load
from decoct_lab.reproduce import question_compression_documents as documents
from decoct_lab.reproduce import question_compression_reader as reader
from decoct_lab.reproduce.arms import Arm
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest
from decoct_lab.reproduce.claims import PaperClaim, claim_difference
from decoct_lab.reproduce.compare import order, table_of_lines, verdict
from decoct_lab.reproduce.paper import PrintedLine, claims_of
from decoct_lab.reproduce.tellable import wilson

Kind = Literal["documents", "mean", "storage", "reader"]
QUERIES = ("technical", "conceptual")
# Differences are tested against this: what the paper's cards are to replace.
BASELINE = "bm25-abstract"
PAPERS_A_QUESTION = 5  # where not all questions are asked: those beside the right one


@dataclass(slots=True)
class Shared:
    """What the tables of one reproduction have run: found documents and readings, by what decides them."""

    found: dict[tuple[object, ...], list[list[str]]] = field(default_factory=dict)
    read: dict[tuple[object, ...], dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompressionTable:
    """One table of the paper."""

    id: str
    title: str
    kind: Kind
    metrics: tuple[str, ...]
    rows: tuple[PrintedLine, ...]
    queries: str
    setting: str
    caveats: tuple[str, ...]
    claims: tuple[PaperClaim, ...]
    shared: Shared = field(repr=False)

    def unable(self, request: ReproductionRequest) -> str:
        """Every table says something without a model."""
        return ""

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """The comparison; `EvaluationError` where the data set is not at hand or no condition can be run."""
        names = dict.fromkeys(row.condition for row in self.rows)
        for asked in request.conditions:
            if asked not in names:
                raise EvaluationError(f"table {self.id} has no {asked!r}; {nearest(asked, names)}")
        wanted = [row for row in self.rows if not request.conditions or row.condition in request.conditions]
        skipped = [row.condition for row in wanted if self._asks(row.condition) and request.setup.llm is None]
        able = list(dict.fromkeys(row.condition for row in wanted if row.condition not in skipped))
        if not able:
            raise EvaluationError(f"table {self.id}: every condition asks a language model: give one with --llm NAME")
        match self.kind:
            case "storage":
                made = self._storage(request, able)
            case "reader":
                made = self._reader(request, able)
            case _:
                made = self._documents(request, able)
        lines = [
            self._line(row, n, metric, made)
            for n, metric in enumerate(self.metrics)
            for row in (wanted if n < 1 or self.kind != "reader" else _once(wanted))
            if row.condition not in skipped and row.condition not in made.get("unloaded", {})
        ]
        scores = {"all": made.get("scores", {})}
        return {
            "table": self.id,
            "title": self.title,
            "setting": self.setting,
            **{key: value for key, value in made.items() if key not in ("figures", "other", "scores")},
            "lines": lines,
            "order": order(lines) if self.kind != "reader" else [],
            "claims": [
                one
                for claim in self.claims
                if (one := claim_difference(claim, scores, self.arms(made.get("reader", ""))))
            ],
            "skipped": skipped,
            "caveats": list(self.caveats),
        }

    def arms(self, reads: str = "") -> dict[str, Arm]:
        """Its conditions as arms; `reads` is who reads, where answers are measured."""
        names = tuple(dict.fromkeys(row.condition for row in self.rows))
        return reader.arms(names, reads) if self.kind == "reader" else documents.arms(names)

    def markdown(self, result: Mapping[str, Any]) -> str:
        """The comparison as Markdown."""
        head = [
            f"## Table {result['table']}: {result['title']}",
            f"The paper: {result['setting']}. Ours: {result['ours']}.",
        ]
        # Measures of answers are never set side by side: one was printed as another (lab/docs/methods.md, Question compression).
        metrics = dict.fromkeys(line["metric"] for line in result["lines"])
        apart = [(one,) for one in metrics] if self.kind == "reader" else [tuple(metrics)]
        parts = [table_of_lines([line for line in result["lines"] if line["metric"] in group]) for group in apart]
        notes = [
            f"- {o['metric']}: {o['same_order']} of {o['pairs']} pairs in the paper's order" for o in result["order"]
        ]
        notes += [f"- {metric}: {verdict_}" for metric, told in result.get("compared", {}).items() for verdict_ in told]
        notes += [f"- {note}" for note in result.get("notes", ())]
        notes += [f"- needs --llm: {', '.join(result['skipped'])}"] if result["skipped"] else []
        notes += [f"- {name} was not run: {why}" for name, why in result.get("unloaded", {}).items()]
        notes += [f"- Caveat: {one}" for one in result["caveats"]]
        return "\n\n".join([*head, *parts, "\n".join(notes)]) + "\n"

    # -- what is run -------------------------------------------------------------------------------------------------
    def _documents(self, request: ReproductionRequest, names: Sequence[str]) -> dict[str, Any]:
        given = _given(request)
        sets = QUERIES if self.kind == "mean" else (self.queries,)
        by_set = {one: sample(given.questions(one), request.setup.questions, request.setup.seed) for one in sets}
        figures: dict[str, dict[str, Any]] = {}
        hits: dict[str, list[float]] = {}
        unloaded: dict[str, str] = {}
        for name in names:
            try:
                found = {one: self._found(given, request, name, one, asked) for one, asked in by_set.items()}
            except ConfigError as error:  # a scorer whose package or weights are not here: no reason to lose the others
                unloaded[name] = str(error)
                continue
            taken = [documents.figures(found[one], asked) for one, asked in by_set.items()]
            if self.kind == "mean":
                figures[name] = {m: mean(t[f"{m}@{k}"] for t in taken for k in (3, 5)) for m in self.metrics}
            else:
                figures[name] = dict(taken[0])
            hits[name] = [
                float(question.supporting_ids[0] in ids[:3])
                for one, asked in by_set.items()
                for ids, question in zip(found[one], asked, strict=True)
            ]
        if not figures:
            raise EvaluationError(f"table {self.id}: " + "; ".join(unloaded.values()))
        n = sum(map(len, by_set.values()))
        made: dict[str, Any] = {
            "figures": figures,
            "n": n,
            "ours": f"n = {n}, {given.embedder}, cards by rules",
            "unloaded": unloaded,
            "scores": {"acc@3": {name: _by_question(values) for name, values in hits.items()}},
        }
        if BASELINE in hits and len(hits) > 1:
            made["compared"] = {"acc@3": [one.verdict() for one in compare(hits, BASELINE)]}
        if any(documents.CONDITIONS[name].cards == "pooled" for name in names):
            leaks = {one: given.leaked(asked) for one, asked in by_set.items()}
            made["notes"] = [f"queries that share five words with the card of their paper: {leaks}"]
        if given.papers is not None:
            told = f"what is measured is finding among {given.kept:,} papers that are asked for, not among the whole set (--whole-corpus)"
            made["notes"] = [
                *made.get("notes", ()),
                f"with fewer questions {told}: that is easier, and no figure for the set",
            ]
        return made

    def _found(
        self,
        given: documents.Documents,
        request: ReproductionRequest,
        name: str,
        queries: str,
        asked: Sequence[Question],
    ) -> list[list[str]]:
        llm = request.setup.llm.fingerprint if request.setup.llm and self._asks(name) else ""
        key = (name, queries, tuple(q.id for q in asked), str(request.data), given.embedder, llm)
        if key not in self.shared.found:
            request.progress(f"{queries} queries, {name}")
            self.shared.found[key] = given.found(name, asked)
        return self.shared.found[key]

    def _storage(self, request: ReproductionRequest, names: Sequence[str]) -> dict[str, Any]:
        given = _given(request)
        for name in names:
            if name in documents.CORPORA:
                with given.library(name):
                    continue
            with given.library("whole") as whole, given.cards(whole, documents.KINDS[name]):
                continue
        figures = {name: {"vectors": given.stored[name]["vectors"]} for name in names}
        ours = "cards by rules; two vectors a card, of which the recipe `cards` searches one"
        return {"figures": figures, "ours": ours, "other": "another corpus"}

    def _reader(self, request: ReproductionRequest, names: Sequence[str]) -> dict[str, Any]:
        setup = request.setup
        llm = request.sentences_or_model
        n = setup.questions or reader.QUESTIONS
        given = reader.candidates_of_questions(
            load("2wikimultihopqa", request.data, {"questions": "all"}), n, setup.seed
        )
        if not given.questions:
            raise EvaluationError("no question of 2wikimultihopqa has all its candidate passages at hand")
        key = (tuple(names), n, setup.seed, str(request.data), llm.fingerprint if llm else "")
        if key not in self.shared.read:
            self.shared.read[key] = reader.read(given, names, llm, request.progress)
        made = self.shared.read[key]
        filters = {name: reader.filter_measures(given, reader.FILTERS[name]) for name in names}
        notes = [
            f"{name}: {one['selectivity']:.0%} of passages pass, {one['gold_recall']:.1%} of gold ones"
            for name, one in filters.items()
        ]
        notes += [made["note"]] if "note" in made else []
        notes += [f"{made['failed']} calls failed and count as empty answers"] if made["failed"] else []
        return {
            "figures": made["conditions"],
            "reader": made["reader"],
            "other": "" if llm else "another kind of reader",
            "n": made["n"],
            "ours": f"n = {made['n']}, reader {made['reader']}",
            "filters": filters,
            "compared": made.get("compared", {}),
            "scores": {
                metric: {name: _by_question(values) for name, values in by_name.items()}
                for metric, by_name in made["scores"].items()
            },
            "notes": notes,
        }

    def _asks(self, condition: str) -> bool:
        return self.kind in ("documents", "mean") and documents.CONDITIONS[condition].cards == "model"

    def _line(self, row: PrintedLine, at: int, metric: str, made: Mapping[str, Any]) -> dict[str, Any]:
        ours = made["figures"][row.condition][metric]
        low = high = ours
        if self.kind == "documents" and metric.startswith("acc"):
            low, high = (round(one, 4) for one in wilson(round(ours * made["n"]), made["n"]))
        line: dict[str, Any] = {
            "line": row.label,
            "condition": row.condition,
            "metric": metric,
            "ours": ours,
            "low": low,
            "high": high,
            "paper": row.paper[at] if at < len(row.paper) else None,
        }
        other = made.get("other", "")  # what makes any verdict empty
        return {**line, "verdict": other if other and line["paper"] is not None else verdict(line)}


def _by_question(values: Sequence[float]) -> dict[str, list[float]]:
    """Values of the questions in their order, which all conditions of a table share."""
    return {f"{at:04}": [value] for at, value in enumerate(values)}


def _once(rows: Sequence[PrintedLine]) -> list[PrintedLine]:
    """One row a condition, named after it: what the paper has no figures of."""
    return [PrintedLine(name, name, ()) for name in dict.fromkeys(row.condition for row in rows)]


def question_compression(name: str) -> Reproduction:
    """The paper of the file `question_compression.toml`."""
    data = tomllib.loads((files("decoct_lab.reproduce") / "question_compression.toml").read_text("utf-8"))
    shared = Shared()
    conditions = {table["id"]: [row[1] for row in table["rows"]] for table in data["table"]}
    claims = claims_of(data["claim"], conditions, name)
    tables = {
        table["id"]: CompressionTable(
            id=table["id"],
            title=table["title"],
            kind=table["kind"],
            metrics=tuple(table["metrics"]),
            rows=tuple(PrintedLine(label, condition, tuple(paper)) for label, condition, paper in table["rows"]),
            queries=table.get("queries", ""),
            setting=data["setting"],
            caveats=tuple(data["caveats"][one] for one in table["caveats"]),
            claims=tuple(one for one in claims if one.table == table["id"]),
            shared=shared,
        )
        for table in data["table"]
    }
    return Reproduction(name, data["title"], data["setting"], tables, claims)


def _given(request: ReproductionRequest) -> documents.Documents:
    setup = request.setup
    papers = None if setup.questions is None or request.whole_corpus else PAPERS_A_QUESTION * setup.questions
    return documents.Documents(
        request.data, setup.cache or default_cache(), setup.llm, setup.embedder, papers, request.progress
    )
