"""Equal arms: what differs is named, every claim of this repository names it, and a claim about more is given no verdict."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct_lab.reproduce import casc_conditions
from decoct_lab.reproduce.arms import PARTS, Arm, arm_of_system, checked, unnamed
from decoct_lab.reproduce.base import Reproduction
from decoct_lab.reproduce.casc import CascTable
from decoct_lab.reproduce.claims import PaperClaim, claim_difference, verdicts
from decoct_lab.reproduce.mergerag import Timed
from decoct_lab.reproduce.papers import papers, reproduction
from decoct_lab.reproduce.question_compression import CompressionTable
from decoct_lab.reproduce.recipes import RecipeTable

ROOT = Path(__file__).parents[2]
FILES = [*papers(), *(str(path) for path in sorted((ROOT / "experiments").glob("*.toml")))]
ONE = Arm("a", documents="five", context="passages", budget="300", tokenizer="words", reader="short-answers")


def test_a_part_is_a_field_and_what_differs_is_found() -> None:
    assert tuple(field.name for field in fields(Arm)) == ("name", *PARTS)
    other = replace(ONE, name="b", context="notes", reader="extractive")
    assert ONE.differing(other) == ("context", "reader")
    assert unnamed(ONE, other, ("context",)) == ("reader",)
    assert unnamed(ONE, other, ("reader", "context", "budget")) == ()
    with pytest.raises(EvaluationError, match="arms have no part 'readers'"):
        checked(["readers"], "x.claim.y.differ")


def arms_of(loaded: Reproduction, table: str, reader: str = "short-answers") -> dict[str, Arm]:
    """The arms of a table's conditions, as a run of it would have them."""
    mine = loaded.tables[table]
    if isinstance(mine, CascTable):
        return {row.condition: casc_conditions.arm(row.condition, None, reader) for row in mine.rows}
    if isinstance(mine, CompressionTable):
        return mine.arms("some reader")
    mine = mine.table if isinstance(mine, Timed) else mine
    assert isinstance(mine, RecipeTable)
    systems = [one.system for one in mine.table.conditions if one.system is not None]
    return {one.name: arm_of_system(one.name, one.as_dict(), Arm("")) for one in systems}


@pytest.mark.parametrize("name", FILES, ids=lambda name: Path(name).stem)
def test_every_claim_names_just_what_its_arms_differ_in(name: str) -> None:
    loaded = reproduction(name)
    assert loaded.claims
    for claim in loaded.claims:
        arms = arms_of(loaded, claim.table)
        assert claim.differ == arms[claim.better].differing(arms[claim.than]), claim.id


SCORES: dict[str, Any] = {
    "s": {"m": {"a": {str(i): [1.0] for i in range(40)}, "b": {str(i): [0.0] for i in range(40)}}}
}


def test_arms_that_differ_in_more_than_the_claim_names_get_a_figure_and_no_verdict() -> None:
    claim = PaperClaim("c", "", "1", "a", "b", ("m",), differ=("context",))
    equal = {"a": ONE, "b": replace(ONE, name="b", context="notes")}
    unequal = {"a": ONE, "b": replace(ONE, name="b", context="notes", reader="extractive")}
    told = [claim_difference(claim, SCORES, arms) for arms in (equal, unequal)]
    fair, unfair = verdicts([one for one in told if one is not None])
    assert fair["verdict"] == "holds"
    assert (unfair["verdict"], unfair["unnamed"], unfair["difference"]) == ("arms not equal", ["reader"], 1.0)
    assert unfair["corrected"] is None
    assert fair["corrected"] == fair["p"]  # what is not compared corrects nothing


def test_word_overlap_beside_notes_of_the_bundled_reader_is_refused() -> None:
    loaded = reproduction("casc")
    by_words = arms_of(loaded, "1", "extractive")
    (claim,) = [one for one in loaded.claims if one.id == "casc-and-top-5"]
    assert unnamed(by_words["casc"], by_words["top-5"], claim.differ) == ("reader",)
