"""How sure a claim is: a small monotone model of its evidence (`claim_evidence.py`), fitted on claims over whole libraries.

The weight of a claim is a sum of parts, each of which can only speak for it the more the larger it is (`PARTS`; the fit holds every weight
at nought or above), and an offset of the claim's form; it is fitted to set a question's right claims before its others. The log-odds that
a claim is right are such a sum too, with the distance of its weight to the best other and how far nearness and second reading stand above
what is usual among the question's claims: where a library is about one thing, all it says is near to every question. Fitted by
`experiments/reader/fit_certainty.py` on questions whose documents the readers were not trained on, and judged on kinds of documents left
out (docs/reader.md); selective answering by a calibrator that is trained apart from the reader is Kamath et al. 2020, "Selective Question
Answering under Domain Shift".
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from decoct.answer.claim_evidence import ClaimEvidence, ClaimForm
from decoct.errors import ConfigError
from decoct.reading.base import logistic

FITTED = Path(__file__).with_suffix(".json")


Part: TypeAlias = Callable[[ClaimEvidence], float]
_OWN: Mapping[str, Part] = {
    "weight": lambda one: max(-6.0, min(6.0, one.weight)),
    "in_heading": lambda one: one.in_heading,
    "named": lambda one: one.named,
    "in_force": lambda one: 1.0 - one.replaced,
    "rank": lambda one: -math.log1p(one.rank),
    "size": lambda one: math.log(one.size),
}
PARTS: Mapping[str, Part] = {
    "near": lambda one: one.near,
    "entailed": lambda one: one.entailment,
    "worded": lambda one: one.wording,
    "lead": lambda one: one.lead,
    **_OWN,
}
"""What speaks for a claim among those of its question, by name; each is the larger the likelier the claim is right."""
SURE_PARTS: Mapping[str, Part] = {
    "margin": lambda one: one.margin,
    "entailed_above": lambda one: one.entailed_above,
    "near_above": lambda one: one.near_above,
    "entailed": lambda one: one.entailment,
    "worded": lambda one: one.wording,
    "lead": lambda one: one.lead,
    **_OWN,
}
"""What speaks for a claim's being right at all, by name."""
OFFSETS: Mapping[ClaimForm, str] = {
    "words": "words",
    "statement": "statement",
    "cell": "formed",
    "steps": "formed",
    "entry": "formed",
    "verdict": "verdict",
}
"""The offset that a form has: what a table, steps or an entry says by its form has one together."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Weights of parts and offsets of forms by name: for the ranking and for how `sure` it is.

    The ranking has three: `before` a second reading, with that of the statement, and with that of the words too (`worded`).
    """

    before: Mapping[str, float]
    weights: Mapping[str, float]
    worded: Mapping[str, float]
    sure: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FittedCertainty:
    """The weighted parts and the form's offset, and the logistic of their line, all as `file` holds them."""

    file: Path = FITTED

    @property
    def fingerprint(self) -> str:
        """The digest of the weights."""
        return f"fitted:{hashlib.sha256(self.file.read_bytes()).hexdigest()[:8]}"

    def weight(self, evidence: ClaimEvidence) -> float:
        """How much speaks for the claim, among those of its question."""
        held = _fitted(self.file)
        read = held.weights if evidence.worded is None else held.worded
        return _sum(held.before if evidence.entailed is None else read, PARTS, evidence)

    def probability(self, evidence: ClaimEvidence) -> float:
        """How likely the claim is right, from 0 to 1."""
        sure = _fitted(self.file).sure
        return logistic(_sum(sure, SURE_PARTS, evidence) + sure.get("offset", 0.0))


def _sum(weights: Mapping[str, float], parts_by_name: Mapping[str, Part], evidence: ClaimEvidence) -> float:
    parts = sum(weights[name] * part(evidence) for name, part in parts_by_name.items() if name in weights)
    return parts + weights.get(OFFSETS[evidence.form], 0.0)


@cache
def _fitted(file: Path) -> _Fitted:
    try:
        held = _Fitted(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, json.JSONDecodeError, TypeError) as error:
        raise ConfigError(f"the certainty of claims {str(file)!r} cannot be used: {error!r}; fit it again") from error
    known = {*PARTS, *OFFSETS.values()}
    if unknown := sorted(
        ({*held.weights, *held.before, *held.worded} - known)
        | ({*held.sure} - {*SURE_PARTS, *OFFSETS.values(), "offset"})
    ):
        raise ConfigError(f"{str(file)!r} weighs {', '.join(unknown)}, which no claim's evidence has; fit it again")
    return held
