"""CheckResolve(I_all) by a language model: one call, under a schema whose every word is verified (lab/docs/methods.md, CASC: check).

The model groups numbered claims into sides, and says what decides. What it returns is not believed where it can be known to be wrong: a
number that no claim has, a claim in two places, claims of two parts in one point, a conflict with one side or with two that say the same, a
choice where nothing conflicts. Such a reply is asked for once more; then the rules check (`casc.check-by-rules`). How many sources are
independent, and what each weighs, is counted as by the rules. Claims that the model left out are told beside, and not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from decoct import trace
from decoct.context.casc.check import check, side_of, type_of
from decoct.context.casc.claims import Claim, Cluster, Findings, Side, Verdict
from decoct.context.casc.focus import Focus
from decoct.context.casc.independent import Independence, independence
from decoct.context.casc.resolve import POLICY, Rule
from decoct.context.casc.sources import EvidenceSource
from decoct.llm.base import LLM, Request, Schema
from decoct.llm.prompts import load_prompt
from decoct.text.equality import known_equal
from decoct_lab.casc.replies import usable

MAX_TOKENS = 600
_CLAIM: Schema = {"type": "string", "minLength": 2, "maxLength": 5}
VERDICTS: Schema = {
    "type": "object",
    "properties": {
        "clusters": {
            "type": "array",
            "maxItems": 12,
            "items": {
                "type": "object",
                "properties": {
                    "sides": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 12,
                        "items": {"type": "array", "minItems": 1, "maxItems": 60, "items": _CLAIM},
                    },
                    "status": {"type": "string", "enum": ["agree", "single", "conditional", "conflict"]},
                    "chosen": {"type": ["integer", "null"]},
                    "rule": {"type": "string", "enum": ["correction", "recency", "authority", "majority", "none"]},
                },
                "required": ["sides", "status", "chosen", "rule"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["clusters"],
    "additionalProperties": False,
}


def check_by_model(
    question: str,
    sources: Sequence[EvidenceSource],
    parts: Sequence[Focus],
    claims: Sequence[Claim],
    *,
    llm: LLM,
    policy: Sequence[Rule] = POLICY,
) -> Findings:
    """What the claims come to by `llm`; by the rules (`policy`) where its reply cannot be used, and where there is nothing to compare."""
    if len(claims) < 2:
        return check(question, sources, parts, claims, policy)
    request = check_request(question, claims)
    (reply,) = usable(llm, llm.complete([request]), VERDICTS, MAX_TOKENS)
    found = None if reply is None else verified_verdicts(question, sources, parts, claims, reply)
    if found is None:
        trace.fallback("casc.check-by-rules")
        return check(question, sources, parts, claims, policy)
    return found


def check_request(question: str, claims: Sequence[Claim]) -> Request:
    """The call for one question."""
    prompt = load_prompt("decoct_lab.casc", "check", ("question", "claims"))
    listed = "\n".join(
        f"{number} {claim.source.label} ({claim.source.kind}, {claim.source.date}): {claim.value.raw} | {claim.quote}"
        for number, claim in numbered(claims).items()
    )
    values = {"question": question, "claims": listed or "none"}
    return prompt.request(values, max_tokens=MAX_TOKENS, schema=VERDICTS)


def numbered(claims: Sequence[Claim]) -> dict[str, Claim]:
    """The claims by the numbers that prompts give them."""
    return {f"C{number}": claim for number, claim in enumerate(claims, 1)}


def verdicts_as_json(findings: Findings, claims: Sequence[Claim]) -> dict[str, Any]:
    """Findings on `claims` in the form of a reply: what a model is trained to write, and what the next task is given.

    Of sides that were not read well enough to be compared the best one is the point; the others are left out, as a reply may leave them.
    """
    number = {id(claim): name for name, claim in numbered(claims).items()}
    by_span = {(claim.span, claim.value_span, claim.part): name for name, claim in numbered(claims).items()}

    def named(claim: Claim) -> str:
        return number.get(id(claim)) or by_span[claim.span, claim.value_span, claim.part]

    return {
        "clusters": [
            {
                "sides": [[named(claim) for claim in side.claims] for side in _compared(cluster)],
                "status": cluster.status,
                "chosen": cluster.verdict.chosen if cluster.verdict else None,
                "rule": cluster.verdict.rule if cluster.verdict else "none",
            }
            for cluster in findings.clusters
        ]
    }


def _compared(cluster: Cluster) -> Sequence[Side]:
    return cluster.sides if cluster.status in ("conflict", "conditional") else cluster.sides[:1]


def verified_verdicts(
    question: str,
    sources: Sequence[EvidenceSource],
    parts: Sequence[Focus],
    claims: Sequence[Claim],
    reply: Mapping[str, Any],
) -> Findings | None:
    """The findings that a reply gives; None where it contradicts itself or the claims."""
    known = numbered(claims)
    names = list(chain.from_iterable(side for cluster in reply["clusters"] for side in cluster["sides"]))
    if len(names) != len(set(names)) or not known.keys() >= set(names):
        return None
    origin = independence([source.doc_id for source in sources], [source.text for source in sources])
    clusters = []
    for told in reply["clusters"]:
        made = _cluster([[known[name] for name in side] for side in told["sides"]], told, parts, origin)
        if made is None:
            return None
        clusters.append(made)
    said = {known[name].span for name in names}
    further = tuple(claim for name, claim in known.items() if name not in names and claim.span not in said)
    answered = {cluster.part for cluster in clusters}
    gaps = tuple(part.text for number, part in enumerate(parts) if number not in answered)
    return Findings(question, tuple(sources), tuple(sorted(clusters, key=lambda c: c.part)), further, gaps)


def _cluster(
    groups: Sequence[Sequence[Claim]], told: Mapping[str, Any], parts: Sequence[Focus], origin: Independence
) -> Cluster | None:
    all_parts = {claim.part for group in groups for claim in group}
    status, chosen = told["status"], told["chosen"]
    several = status in ("conflict", "conditional")
    if len(all_parts) != 1 or several != (len(groups) > 1):
        return None
    if chosen is not None and (status != "conflict" or not 0 <= chosen < len(groups)):
        return None
    if status == "conflict" and any(
        known_equal(a.value, b.value) for one, other in combinations(groups, 2) for a in one for b in other
    ):
        return None
    (part,) = all_parts
    focus = parts[part]
    sides = tuple(side_of(tuple(group), origin) for group in groups)
    about = focus.about or focus.text.rstrip("?")
    if status != "conflict":
        # Agreement is counted, not told: copies of one text are one source.
        agreed = len(sides) == 1 and sides[0].support > 1
        return Cluster(about, part, sides, "conditional" if several else "agree" if agreed else "single", "scope")
    return Cluster(about, part, sides, "conflict", type_of(sides), _verdict(sides, chosen, told["rule"]))


def _verdict(sides: Sequence[Side], chosen: int | None, rule: str) -> Verdict:
    total = sum(side.weight for side in sides) or 1.0
    if chosen is None:
        best = max(side.weight for side in sides) / total
        return Verdict("flagged", rule, None, round(best, 2), "the model that compared them found nothing that decides")
    share = round(sides[chosen].weight / total, 2)
    return Verdict("resolved", rule, chosen, share, f"by {rule}, as the model that compared them says")
