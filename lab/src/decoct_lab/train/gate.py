"""Whether a trained CAS model may take the place of the rules (docs/methods.md): valid JSON, aligned quotes, conflict detection.

The gate runs on worlds of held-out template families, which neither rules nor training saw: schema-valid at least 98 %, quotes found in
their documents at least 97 %, conflict F1 at least that of the rules.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Findings
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply
from decoct.llm.schema import conform
from decoct_lab.casc.claim_schema import CLAIMS
from decoct_lab.casc.extract_llm import extraction_request, verified
from decoct_lab.measures.conflict_detection import Detection, conflict_detection
from decoct_lab.train.examples import _document

VALID, ALIGNED = 0.98, 0.97


@dataclass(frozen=True, slots=True)
class GateFigures:
    """The figures of the gate over `documents` extractions."""

    documents: int
    valid: float
    aligned: float
    model: Detection
    rules: Detection

    @property
    def passed(self) -> bool:
        """Whether all three conditions hold."""
        return self.valid >= VALID and self.aligned >= ALIGNED and self.model.f1 >= self.rules.f1

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        return {
            "documents": self.documents,
            "schema_valid": round(self.valid, 4),
            "quotes_aligned": round(self.aligned, 4),
            "conflict_f1": round(self.model.f1, 4),
            "conflict_f1_rules": round(self.rules.f1, 4),
            "passed": self.passed,
        }


def gate(llm: LLM, records: Sequence[dict[str, Any]], max_tokens: int = 600) -> GateFigures:
    """Ask `llm` for the claims of every document of `records`, without repair or rules in its place."""
    documents = valid = claimed = aligned = 0
    model, rules = Detection(), Detection()
    for record in records:
        question, parts = record["question"], focuses(record["question"])
        sources = handed_over([_document(document) for document in record["documents"]])
        replies = llm.complete([extraction_request(question, source, parts, max_tokens) for source in sources])
        claims: list[Claim] = []
        for source, reply in zip(sources, replies, strict=True):
            documents += 1
            found = _parsed(reply.text) if isinstance(reply, Reply) else None
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
    return GateFigures(documents, valid / max(1, documents), aligned / claimed if claimed else 0.0, model, rules)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(conform(text, CLAIMS))
    except ReplyError:
        return None
    return found


def _pairs(findings: Findings) -> list[tuple[str, str]]:
    return [
        (a.source.doc_id, b.source.doc_id)
        for cluster in findings.clusters
        if cluster.status == "conflict"
        for one, other in combinations(cluster.sides, 2)
        for a in one.claims
        for b in other.claims
    ]
