"""Whether a turn asks for anything."""

from __future__ import annotations

import pytest

from decoct.conversation.asking import WEIGHTS, asking_features, asks_nothing
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


@pytest.mark.parametrize(
    "turn",
    [
        "still blinking red",
        "and for children",
        "tell me who built it",
        "I lost my card",
        "parking fee",
        "je voudrais savoir combien",
        "Thanks, this shows E-14",  # a code
        "Great, Harmon Jones then",  # a name
        "is it good?",
    ],
)
def test_what_asks_in_any_form_is_looked_up(turn: str) -> None:
    assert not asks_nothing(turn)


def test_a_question_mark_decides() -> None:
    assert asks_nothing("makes sense")
    assert not asks_nothing("makes sense?")


def test_an_answer_to_thanks_is_passed_over_in_what_was_spoken_of() -> None:
    turns = [*BEFORE, Turn("user", "it works now, thanks"), Turn("assistant", "That is no question.")]
    meant = meant_question("And an apprentice?", turns, None, SmallReader())
    assert meant.readings == ("How many days of leave does an apprentice have?",)


def test_features_are_the_vector_the_pieces_and_a_one() -> None:
    read = asking_features("ok ok")
    assert read[-1] == 1
    assert float(read[:384] @ read[:384]) == pytest.approx(1, abs=1e-3)
    assert float(read[384:-1] @ read[384:-1]) == pytest.approx(1.5**2)
    assert asking_features("OK   ok")[384:] == pytest.approx(read[384:])
    assert WEIGHTS.stat().st_size == 2 * len(read) + 128  # half precision, behind numpy's header


def test_what_puts_another_turn_right_asks_that_again() -> None:
    before = [Turn("user", "How do I stop the server abruptly?"), Turn("assistant", "By kill -9. [1]")]
    assert meant_question("Sorry, I meant gracefully", before, None, SmallReader()).how == "completed"
    assert meant_question("Sorry, I meant gracefully", (), None, SmallReader()).how == "no-question"
