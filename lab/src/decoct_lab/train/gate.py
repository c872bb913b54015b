"""Whether a trained CAS model may take the place of the rules in all three of its tasks (lab/docs/methods.md).

The gate runs on worlds of held-out template families, which neither rules nor training saw. *Extract*: replies valid under the schema at
least 98 %, quotes found in their documents at least 97 %, conflict F1 (its claims, checked by rules) at least that of the rules' claims.
*Check*, given the plan's claims: replies usable at least 98 %, conflict F1 at least that of the rules. *Synthesise*, given the rules'
findings: replies valid at least 98 %, lines borne out by the claims they name at least 97 %, of the facts and conflicts at least 97 % told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Findings
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import CONFLICTS, FACTS, synthesise
from decoct.errors import ModelError
from decoct.llm.base import LLM, Reply, Schema
from decoct_lab.casc.check_llm import VERDICTS, check_request, verified_verdicts
from decoct_lab.casc.claim_schema import CLAIMS
from decoct_lab.casc.extract_llm import extraction_request, verified
from decoct_lab.casc.replies import parsed
from decoct_lab.casc.synthesise_llm import LINES, synthesis_request, verified_lines
from decoct_lab.measures.conflict_detection import Detection, conflict_detection
from decoct_lab.train.examples import document_of_record, gold_claim

VALID, ALIGNED = 0.98, 0.97


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """Counts of one task: questions `asked`, replies `usable`, `lines` written, those `verified`, and `points` of which `said` are told."""

    asked: int = 0
    usable: int = 0
    lines: int = 0
    verified: int = 0
    points: int = 0
    said: int = 0

    @property
    def valid(self) -> float:
        """The share of replies that could be used; 1 where none was asked for."""
        return self.usable / self.asked if self.asked else 1.0

    @property
    def held(self) -> float:
        """The share of lines that their claims bear out; 1 where none was written."""
        return self.verified / self.lines if self.lines else 1.0

    @property
    def told(self) -> float:
        """The share of facts and conflicts that a line tells; 1 where there are none."""
        return self.said / self.points if self.points else 1.0

    def __add__(self, other: TaskFigures) -> TaskFigures:
        return TaskFigures(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class GateFigures:
    """The figures of the gate over `documents` extractions, `checks` questions with claims to compare and `syntheses` with findings."""

    documents: int
    valid: float
    aligned: float
    model: Detection
    rules: Detection
    checks: TaskFigures
    syntheses: TaskFigures
    checked: Detection
    checked_by_rules: Detection

    @property
    def tasks(self) -> dict[str, bool]:
        """Whether the conditions of each task hold."""
        return {
            "extract": self.valid >= VALID and self.aligned >= ALIGNED and self.model.f1 >= self.rules.f1,
            "check": self.checks.valid >= VALID and self.checked.f1 >= self.checked_by_rules.f1,
            "synthesise": min(
                self.syntheses.valid - VALID, self.syntheses.held - ALIGNED, self.syntheses.told - ALIGNED
            )
            >= 0,
        }

    @property
    def passed(self) -> bool:
        """Whether those of all three tasks do."""
        return all(self.tasks.values())

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        return {
            "documents": self.documents,
            "schema_valid": round(self.valid, 4),
            "quotes_aligned": round(self.aligned, 4),
            "conflict_f1": round(self.model.f1, 4),
            "conflict_f1_rules": round(self.rules.f1, 4),
            "checks": self.checks.asked,
            "check_valid": round(self.checks.valid, 4),
            "check_conflict_f1": round(self.checked.f1, 4),
            "check_conflict_f1_rules": round(self.checked_by_rules.f1, 4),
            "syntheses": self.syntheses.asked,
            "synthesis_valid": round(self.syntheses.valid, 4),
            "lines_verified": round(self.syntheses.held, 4),
            "findings_told": round(self.syntheses.told, 4),
            "tasks": self.tasks,
            "passed": self.passed,
        }


def gate(llm: LLM, records: Sequence[dict[str, Any]], max_tokens: int = 600) -> GateFigures:
    """Have `llm` do all three tasks on `records`, without repair or rules in its place."""
    documents = valid = claimed = aligned = 0
    model, rules, checked, checked_by_rules = Detection(), Detection(), Detection(), Detection()
    checks, syntheses = TaskFigures(), TaskFigures()
    for record in records:
        question, parts = record["question"], focuses(record["question"])
        sources = handed_over([document_of_record(document) for document in record["documents"]])
        replies = llm.complete([extraction_request(question, source, parts, max_tokens) for source in sources])
        claims: list[Claim] = []
        for source, reply in zip(sources, replies, strict=True):
            documents += 1
            found = _parsed(reply, CLAIMS)
            if found is None:
                continue
            valid += 1
            kept = verified(source, found, len(parts))
            claimed += len(found["claims"])
            aligned += len(kept)
            claims += kept
        gold = [tuple(conflict["documents"]) for conflict in record["conflicts"]]
        model = model.add(conflict_detection(_pairs(check(question, sources, parts, claims)), gold))
        by_rules = ByRules().extract(question, sources, parts).claims
        rules = rules.add(conflict_detection(_pairs(check(question, sources, parts, by_rules)), gold))
        planned = [c for s in sources if (c := gold_claim(s, record["notes"].get("said", {}).get(s.doc_id, "")))]
        findings = check(question, sources, parts, planned)
        if len(planned) > 1:
            (outcome,) = llm.complete([check_request(question, planned)])
            told = _parsed(outcome, VERDICTS)
            compared = None if told is None else verified_verdicts(question, sources, parts, planned, told)
            checks += TaskFigures(asked=1, usable=int(compared is not None))
            checked = checked.add(conflict_detection([] if compared is None else _pairs(compared), gold))
            checked_by_rules = checked_by_rules.add(conflict_detection(_pairs(findings), gold))
        if findings.clusters:
            (written,) = llm.complete([synthesis_request(findings)])
            syntheses += _synthesised(findings, written)
    held = aligned / claimed if claimed else 0.0
    return GateFigures(
        documents, valid / max(1, documents), held, model, rules, checks, syntheses, checked, checked_by_rules
    )  # fmt: skip


def _synthesised(findings: Findings, outcome: Reply | ModelError) -> TaskFigures:
    reply = _parsed(outcome, LINES)
    wanted = [line for line in synthesise(findings).lines if line.section in (FACTS, CONFLICTS)]
    if reply is None:
        return TaskFigures(asked=1, points=len(wanted))
    lines = verified_lines(findings, reply)
    told = {span for line in lines for span in line.support}
    said = sum(set(line.support) <= told for line in wanted)
    return TaskFigures(1, 1, len(reply["lines"]), len(lines), len(wanted), said)


def _parsed(outcome: Reply | ModelError, schema: Schema) -> Mapping[str, Any] | None:
    return parsed(outcome.text, schema)[0] if isinstance(outcome, Reply) else None


def _pairs(findings: Findings) -> list[tuple[str, str]]:
    return [
        (a.source.doc_id, b.source.doc_id)
        for cluster in findings.clusters
        if cluster.status == "conflict"
        for one, other in combinations(cluster.sides, 2)
        for a in one.claims
        for b in other.claims
    ]
