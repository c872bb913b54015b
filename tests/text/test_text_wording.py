from __future__ import annotations

import pytest

from decoct_lab.context.wording import same_facts


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("He was born in 1990.", "He was born, in 1990", True),
        ("He was born in 1990.", "He was born in 1991.", False),
        ("It grew by 3.5 percent", "It grew by 35 percent", False),
        ("It is safe", "It is not safe", False),
        ("It isn't safe", "It is not safe", True),
        ("It was never safe", "It was safe", False),
        ("the film by Anna", "The film by Anna", True),
        ("the film by Anna", "the film by Anne", False),
        ("It has two doors", "It has three doors", False),
        ("Émile came", "Emile came", False),
    ],
)
def test_small_edits_that_change_the_meaning_are_seen(one: str, other: str, same: bool) -> None:
    assert same_facts(one, other) is same
    assert same_facts(other, one) is same
