"""Whether a turn asks for anything."""

from __future__ import annotations

import pytest

from decoct.conversation.meant import meant_question
from decoct.conversation.turns import Turn
from decoct.reading.small import SmallReader

BEFORE = [Turn("user", "How many days of leave does a carer have?"), Turn("assistant", "Five. [1]")]


@pytest.mark.parametrize(
    "turn", ["Danke!", "Merci beaucoup!", "merci", "it works now, thanks", "ok got it, I'll try that", "👍"]
)
def test_what_asks_nothing_is_no_question(turn: str) -> None:
    """It was completed: "How many days of leave does a merci have?"."""
    assert meant_question(turn, BEFORE, None, SmallReader()).how == "no-question"


def test_an_answer_to_thanks_is_passed_over_in_what_was_spoken_of() -> None:
    turns = [*BEFORE, Turn("user", "it works now, thanks"), Turn("assistant", "That is no question.")]
    meant = meant_question("And an apprentice?", turns, None, SmallReader())
    assert meant.readings == ("How many days of leave does an apprentice have?",)


def test_what_puts_another_turn_right_asks_that_again() -> None:
    before = [Turn("user", "How do I stop the server abruptly?"), Turn("assistant", "By kill -9. [1]")]
    assert meant_question("Sorry, I meant gracefully", before, None, SmallReader()).how == "completed"
    assert meant_question("Sorry, I meant gracefully", (), None, SmallReader()).readings == ()
