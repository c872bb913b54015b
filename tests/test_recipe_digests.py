"""Every recipe hands out what it did: context and answer as digests (`recipe_digests.py` says how to renew them)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import recipe_digests as frozen

from decoct.recipe import shipped


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, list[str]]]]:
    with pytest.MonkeyPatch.context() as patched:
        for name, module in frozen.stand_ins().items():
            patched.setitem(sys.modules, name, module)
        folder: Path = tmp_path_factory.mktemp("digests")
        recipes = list(shipped())
        with frozen.library(folder / "library", recipes) as opened:
            yield dict(frozen.digests(opened, recipes, frozen.kept()["questions"][: frozen.FEW]))


@pytest.mark.timeout(600)
def test_every_recipe_hands_out_what_it_did(found: dict[str, dict[str, list[str]]]) -> None:
    before = frozen.kept()["digests"]
    assert sorted(before) == sorted(found), "run: python tests/recipe_digests.py --write"
    changed = [recipe for recipe in found if frozen.differing(found[recipe], before[recipe])]
    assert changed == [], "if that is meant, run: python tests/recipe_digests.py --write"


def test_a_digest_sees_a_word_and_no_rounding() -> None:
    one, other = {"text": "a", "score": 1.0, "share": 0.12341}, {"text": "a", "score": 2.0, "share": 0.12342}
    assert frozen.digest(frozen.plain(one)) == frozen.digest(frozen.plain(other))
    assert frozen.digest(frozen.plain(one)) != frozen.digest(frozen.plain({**one, "text": "b"}))
