"""How sure a claim is: a small monotone model of its evidence (`claim_evidence.py`), fitted on claims over whole libraries.

The weight of a claim is a sum of parts, each of which can only speak for it the more the larger it is (`PARTS`; the fit holds every weight
at nought or above), and an offset of the claim's form; it is fitted to set a question's right claims before its others. The log-odds that
a claim is right are such a sum too, with the distance of its weight to the best other as one more part. Fitted by
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

from decoct.answer.claim_evidence import ClaimEvidence, ClaimForm
from decoct.errors import ConfigError
from decoct.reading.base import log_odds, logistic

FITTED = Path(__file__).with_suffix(".json")


def _odds(probability: float) -> float:
    return max(-5.0, min(5.0, log_odds(probability)))


PARTS: Mapping[str, Callable[[ClaimEvidence], float]] = {
    "near": lambda one: one.near,
    "entailed": lambda one: _odds(0.5 if one.entailed is None else one.entailed),
    "weight": lambda one: max(-6.0, min(6.0, one.weight)),
    "in_heading": lambda one: one.in_heading,
    "named": lambda one: one.named,
    "in_force": lambda one: 1.0 - one.replaced,
    "rank": lambda one: -math.log1p(one.rank),
    "size": lambda one: math.log(one.size),
}
"""What speaks for a claim, by name; each is the larger the likelier the claim is right."""


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
    """Weights of parts and offsets of forms by name: for the ranking, `before` a second reading and with it, and for how `sure` it is."""

    before: Mapping[str, float]
    weights: Mapping[str, float]
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
        return _sum(held.before if evidence.entailed is None else held.weights, evidence)

    def probability(self, evidence: ClaimEvidence) -> float:
        """How likely the claim is right, from 0 to 1."""
        sure = _fitted(self.file).sure
        return logistic(_sum(sure, evidence) + sure.get("margin", 0.0) * evidence.margin + sure.get("offset", 0.0))


def _sum(weights: Mapping[str, float], evidence: ClaimEvidence) -> float:
    parts = sum(weights[name] * part(evidence) for name, part in PARTS.items() if name in weights)
    return parts + weights.get(OFFSETS[evidence.form], 0.0)


@cache
def _fitted(file: Path) -> _Fitted:
    try:
        held = _Fitted(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, json.JSONDecodeError, TypeError) as error:
        raise ConfigError(f"the certainty of claims {str(file)!r} cannot be used: {error!r}; fit it again") from error
    named = {*PARTS, *OFFSETS.values(), "margin", "offset"}
    if unknown := sorted({*held.weights, *held.before, *held.sure} - named):
        raise ConfigError(f"{str(file)!r} weighs {', '.join(unknown)}, which no claim's evidence has; fit it again")
    return held
