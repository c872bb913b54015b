"""How sure a claim is: a small monotone model of its evidence (`claim_evidence.py`), fitted on claims over whole libraries.

The log-odds that a claim is right are a sum of parts, each of which can only speak for it the more the larger it is (`PARTS`; the fit holds
every weight at nought or above), and an offset of the claim's form. Fitted by `experiments/reader/fit_certainty.py` on questions whose
documents the readers were not trained on, and judged on kinds of documents left out (docs/answer.md); selective answering by a calibrator
that is trained apart from the reader is Kamath et al. 2020, "Selective Question Answering under Domain Shift".
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from decoct.answer.claim_evidence import ClaimEvidence
from decoct.errors import ConfigError
from decoct.reading.base import log_odds, logistic

FITTED = Path(__file__).with_suffix(".json")

PARTS: Mapping[str, Callable[[ClaimEvidence], float]] = {
    "weight": lambda one: max(-6.0, min(6.0, one.weight)),
    "margin": lambda one: one.margin,
    "entailed": lambda one: max(-6.0, min(6.0, log_odds(one.entailed))),
    "in_sentence": lambda one: one.in_sentence,
    "in_part": lambda one: one.in_part,
    "in_heading": lambda one: one.in_heading,
    "named": lambda one: one.named,
    "expected": lambda one: one.expected,
    "passages": lambda one: math.log(one.passages),
    "rank": lambda one: -math.log1p(one.rank),
    "share": lambda one: math.log(max(one.share, 1e-3)),
}
"""What speaks for a claim, by name; each is the larger the likelier the claim is right."""


@dataclass(frozen=True, slots=True)
class FittedCertainty:
    """The logistic of the weighted parts and of the form's offset, both as `file` holds them."""

    file: Path = FITTED

    @property
    def fingerprint(self) -> str:
        """The digest of the weights."""
        return f"fitted:{hashlib.sha256(self.file.read_bytes()).hexdigest()[:8]}"

    def probability(self, evidence: ClaimEvidence) -> float:
        """How likely the claim is right, from 0 to 1."""
        weights, offsets = _fitted(self.file)
        said = sum(weight * PARTS[name](evidence) for name, weight in weights.items())
        return logistic(said + offsets.get(evidence.form, offsets["words"]))


@cache
def _fitted(file: Path) -> tuple[dict[str, float], dict[str, float]]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        weights, offsets = dict(held["weights"]), dict(held["offsets"])
    except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"the certainty of claims {str(file)!r} cannot be used: {error!r}; fit it again") from error
    if unknown := sorted(set(weights) - set(PARTS)):
        raise ConfigError(f"{str(file)!r} weighs {', '.join(unknown)}, which no claim's evidence has; fit it again")
    return weights, offsets
