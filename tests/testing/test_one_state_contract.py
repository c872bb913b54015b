"""The contract of one state a question is not passed by a store that hides its changes."""

import pytest

from decoct.index.abilities import StoreState
from decoct_testing.memory_store import MemoryStore
from decoct_testing.one_state_contract import OneStateContract


class Still(MemoryStore):
    """One that always tells the same state."""

    def state(self) -> StoreState:
        return StoreState("", 0, 0)


def test_a_store_that_hides_its_changes_fails() -> None:
    OneStateContract().test_a_question_sees_one_state_of_the_library(MemoryStore())
    with pytest.raises(AssertionError):
        OneStateContract().test_a_question_sees_one_state_of_the_library(Still())
