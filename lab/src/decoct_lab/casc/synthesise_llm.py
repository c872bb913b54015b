"""Synthesise(Q, I_cons, I_conf) by a language model: one call a question, each line verified (lab/docs/methods.md, CASC: synthesise).

A line counts only if everything it quotes stands in the claims that it names, every number outside quotation marks in those claims or in
what is known of their sources, and, for a conflict, each of its sides is quoted. A line that fails is dropped (`casc.line-not-verified`);
what then is told by no line, the rules tell (`casc.line-by-rules`), so that neither a fact nor a side is lost. Where the reply cannot be
used at all the rules write everything (`casc.synthesise-by-rules`). Notes, gaps and background are those of the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from decoct import trace
from decoct.context.casc.claims import Claim, Cluster, Findings
from decoct.context.casc.synthesise import CONFLICTS, FACTS, Line, Synthesis, one_line, synthesise
from decoct.data import Span
from decoct.llm.base import LLM, Request, Schema
from decoct.llm.prompts import load_prompt
from decoct_lab.casc.check_llm import numbered, verdicts_as_json
from decoct_lab.casc.replies import usable

MAX_TOKENS = 900
LINES: Schema = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "maxItems": 24,
            "items": {
                "type": "object",
                "properties": {
                    "section": {"type": "string", "enum": [FACTS, CONFLICTS]},
                    "text": {"type": "string", "minLength": 3, "maxLength": 900},
                    "claims": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 60,
                        "items": {"type": "string", "minLength": 2, "maxLength": 5},
                    },
                },
                "required": ["section", "text", "claims"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["lines"],
    "additionalProperties": False,
}
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def synthesise_by_model(findings: Findings, background: Sequence[Claim], llm: LLM) -> Synthesis:
    """The lines by `llm`, verified, in the order in which they shall have room; by the rules where its reply cannot be used."""
    made = synthesise(findings, background)
    claims = told_claims(findings)
    if not claims:
        return made
    (reply,) = usable(llm, llm.complete([synthesis_request(findings)]), LINES, MAX_TOKENS)
    if reply is None:
        trace.fallback("casc.synthesise-by-rules")
        return made
    lines = verified_lines(findings, reply)
    covered = {span for line in lines for span in line.support}
    left = [line for line in made.lines if line.section in (FACTS, CONFLICTS) and not set(line.support) <= covered]
    if left:
        trace.fallback("casc.line-by-rules", len(left))
    rest = [line for line in made.lines if line.section not in (FACTS, CONFLICTS)]
    ordered = sorted([*lines, *left], key=lambda line: (not line.first, line.section != FACTS))
    return replace(made, lines=(*ordered, *rest))


def told_claims(findings: Findings) -> list[Claim]:
    """The claims of all clusters, side by side: those that prompts number."""
    return [claim for cluster in findings.clusters for side in cluster.sides for claim in side.claims]


def synthesis_request(findings: Findings) -> Request:
    """The call for one question."""
    prompt = load_prompt("decoct_lab.casc", "synthesise", ("question", "checked"))
    claims = told_claims(findings)
    checked = json.dumps(verdicts_as_json(findings, claims), ensure_ascii=False)
    quotes = "\n".join(
        f"{name} {claim.source.label} ({claim.source.kind}, {claim.source.date}): {claim.quote}"
        for name, claim in numbered(claims).items()
    )
    values = {"question": findings.question, "checked": f"{checked}\n{quotes}"}
    return prompt.request(values, max_tokens=MAX_TOKENS, schema=LINES)


def lines_as_json(findings: Findings) -> dict[str, Any]:
    """The rules' lines on `findings` in the form of a reply: what a model is trained to write."""
    names = {claim.span: name for name, claim in numbered(told_claims(findings)).items()}
    return {
        "lines": [
            {"section": line.section, "text": line.text, "claims": [names[span] for span in line.support]}
            for line in synthesise(findings).lines
            if line.section in (FACTS, CONFLICTS) and line.support and set(line.support) <= names.keys()
        ]
    }


def verified_lines(findings: Findings, reply: Mapping[str, Any]) -> list[Line]:
    """The lines of a reply that the claims they name bear out."""
    known = numbered(told_claims(findings))
    kept = []
    for record in reply["lines"]:
        claims = [known[name] for name in dict.fromkeys(record["claims"]) if name in known]
        text = one_line(record["text"])
        if len(claims) == len(set(record["claims"])) and _borne_out(text, claims, record["section"], findings):
            spans: tuple[Span, ...] = tuple(dict.fromkeys(claim.span for claim in claims))
            conflict = record["section"] == CONFLICTS
            kept.append(Line(record["section"], text, spans, max(c.relevance for c in claims), first=conflict))
        else:
            trace.fallback("casc.line-not-verified")
    return kept


def _borne_out(text: str, claims: Sequence[Claim], section: str, findings: Findings) -> bool:
    said = [f"{one_line(claim.quote)}\n{one_line(claim.value.raw)}".replace('"', "'") for claim in claims]
    quotes = [quote.strip().removesuffix("…").strip() for quote in _QUOTED.findall(text)]
    if not quotes or not all(any(quote in one for one in said) for quote in quotes):
        return False
    about = " ".join(f"{c.source.label} {c.source.kind} {c.source.date}" for c in claims)
    counted = f"{about} {len({c.source.doc_id for c in claims})} {' '.join(said)} {findings.question}"
    if not set(_NUMBER.findall(_QUOTED.sub(" ", text))) <= set(_NUMBER.findall(counted)):
        return False
    return section == FACTS or any(_tells_all_sides(quotes, claims, cluster) for cluster in findings.clusters)


def _tells_all_sides(quotes: Sequence[str], claims: Sequence[Claim], cluster: Cluster) -> bool:
    """Whether the line quotes each side of this conflict, by one of its own claims."""
    named = {claim.span for claim in claims}
    return cluster.status == "conflict" and all(
        any(
            claim.span in named and any(quote in one_line(claim.quote).replace('"', "'") for quote in quotes)
            for claim in side.claims
        )
        for side in cluster.sides
    )
