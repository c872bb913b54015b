"""How sure a claim is: more evidence never makes it less sure, and a file that cannot be used is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from decoct.answer.certainty import FITTED, OFFSETS, PARTS, SURE_PARTS, FittedCertainty
from decoct.answer.claim_evidence import ClaimEvidence, ClaimForm
from decoct.errors import ConfigError

MORE: list[dict[str, Any]] = [
    {"weight": 3.0},
    {"margin": 5.0},
    {"entailed": 0.9},
    {"near": 0.7},
    {"replaced": 0.0},
    {"in_heading": 0.9},
    {"named": 1.0},
    {"rank": 0},
]
LITTLE = ClaimEvidence(
    "words",
    0.0,
    0.0,
    rank=4,
    in_heading=0.1,
    named=0.5,
    entailed=0.4,
    replaced=1.0,
)


@pytest.mark.parametrize("more", MORE, ids="+".join)
def test_more_evidence_never_makes_a_claim_less_sure(more: dict[str, Any]) -> None:
    certainty = FittedCertainty()
    assert certainty.probability(replace(LITTLE, **more)) >= certainty.probability(LITTLE)


def test_the_second_reading_counts() -> None:
    certainty = FittedCertainty()
    sure, unsure = (replace(LITTLE, entailed=one) for one in (0.95, 0.05))
    assert certainty.weight(sure) > certainty.weight(unsure) + 0.5
    assert certainty.probability(sure) > certainty.probability(unsure)


@pytest.mark.parametrize("form", get_args(ClaimForm))
def test_every_form_has_a_probability(form: Any) -> None:
    assert 0 < FittedCertainty().probability(replace(LITTLE, form=form)) < 1


def test_the_fitted_weights_are_of_known_parts_and_never_below_nought() -> None:
    held = json.loads(FITTED.read_text("utf-8"))
    assert set(held) == {"before", "weights", "worded", "sure"}
    for weights in held.values():
        parts = {name: weight for name, weight in weights.items() if name in {**PARTS, **SURE_PARTS}}
        assert min(parts.values()) >= 0
        assert set(weights) - set(parts) <= {"offset", *OFFSETS.values()}


@pytest.mark.parametrize("content", ["", "{}", '{"weights": {"moon": 1}, "before": {}, "sure": {}}'])
def test_a_file_that_cannot_be_used_is_said(tmp_path: Path, content: str) -> None:
    file = tmp_path / "certainty.json"
    file.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match="fit it again"):
        FittedCertainty(file).probability(LITTLE)
