"""Whether a question leans on what was spoken of, and what is made of one that does not."""

from __future__ import annotations

import pytest

from decoct.conversation.completion import Spoken, completed
from decoct.conversation.leaning import LEANS, WEIGHTS, leaning, leaning_features
from decoct.reading.small import SmallReader

READER = SmallReader()
CANTEEN = Spoken("When is the canteen open?", "It is open from 11.30 to 14.00.")


@pytest.mark.parametrize("question", ["What is the default?", "which unit?", "Is there a minimum?", "who pays?"])
def test_what_asks_for_something_of_a_thing_leans(question: str) -> None:
    assert leaning(question) > LEANS
    assert "canteen" in completed(question, [CANTEEN], READER).readings[0]


@pytest.mark.parametrize(
    "question",
    ["Why is the sea salty?", "Who do I call when the lift is stuck?", "How do bees make honey?"],
)
def test_what_names_its_own_thing_is_asked_as_it_stands(question: str) -> None:
    """Was: "Who do I call when the lift is stuck (the canteen)?"."""
    assert leaning(question) < LEANS
    assert completed(question, [CANTEEN], READER).readings[0] == question


def test_features_are_the_vector_the_words_with_meaning_and_a_one() -> None:
    read = leaning_features("What is the default?")
    assert float(read[:384] @ read[:384]) == pytest.approx(1, abs=1e-3)
    assert read[384:].tolist() == [0.25, 1]
    assert leaning_features("  what is the DEFAULT") == pytest.approx(read)
    assert WEIGHTS.stat().st_size == 2 * len(read) + 128  # half precision, behind numpy's header
