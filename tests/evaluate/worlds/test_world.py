from __future__ import annotations

import random

from decoct_lab.worlds.families import families
from decoct_lab.worlds.world import Stated, name, wrong_value


def test_wrong_quantities_lie_below_and_above_the_truth_by_the_share_that_is_told() -> None:
    family = next(one for one in families("dev")[0] if len(one.units) == 1 and one.units)
    true, below, above = Stated(100.0), 0, 0
    for seed in range(60):
        made, kind, told = wrong_value(family, true, random.Random(seed))
        assert kind == "numeric"
        assert made.amount == round(100 * (1 + float(told.rstrip("%")) / 100), family.decimals)
        below, above = below + (made.amount < 100), above + (made.amount > 100)
    assert min(below, above) > 5
    assert below + above == 60


def test_names_are_invented_once() -> None:
    taken: set[str] = set()
    made = [name(random.Random(1), taken, coded=True) for _ in range(1)]
    assert made[0] in taken
    assert made[0][-1].isdecimal()
    assert len({name(random.Random(seed), taken, coded=False) for seed in range(20)}) == 20
