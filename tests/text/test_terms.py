"""Terms above what is said of them."""

from __future__ import annotations

import pytest

from decoct.answer.siblings import SiblingSentences
from decoct.data import Passage, Span
from decoct.text.outline import above
from decoct.text.quotable import statements
from decoct.text.sentences import sentences
from decoct.text.terms import terms
from decoct.text.words import content_stems

OPTIONS = """Options of the gate

wait_of_the_gate_in_seconds (default: 50)
    How long a gate stays open. More than a minute is refused
wait_ratio (default: none)
    How long it waits for the next.

    Measured by the hour.

    - one
-q
--quiet
    Say nothing.

That is all of them, and the end.
"""


def _named(text: str) -> list[str]:
    return [text[start:end] for start, end in terms(text)]


def test_a_term_is_one_with_what_is_first_said_of_it_and_stands_over_the_rest() -> None:
    assert _named(OPTIONS) == ["wait_of_the_gate_in_seconds (default: 50)", "wait_ratio (default: none)", "-q\n--quiet"]
    said = [" ".join(OPTIONS[start:end].split()) for start, end in sentences(OPTIONS)]
    assert said[1:6] == [
        "wait_of_the_gate_in_seconds (default: 50) How long a gate stays open.",
        "More than a minute is refused",
        "wait_ratio (default: none) How long it waits for the next.",
        "Measured by the hour.",
        "- one",
    ]
    assert said[6] == "-q --quiet Say nothing."
    assert above(OPTIONS, OPTIONS.index("More")) == ("Options of the gate", "wait_of_the_gate_in_seconds (default: 50)")
    assert above(OPTIONS, OPTIONS.index("- one")) == ("Options of the gate", "wait_ratio (default: none)")
    assert above(OPTIONS, OPTIONS.index("That")) == ("Options of the gate",)
    assert {one.over for one in statements(OPTIONS) if "hour" in OPTIONS[slice(*one.place)]} == {
        "Options of the gate: wait_ratio (default: none)"
    }


@pytest.mark.parametrize(
    "text",
    [
        "A line that is as long as those below it and hangs before the others\n    of its paragraph, which has a small letter.",
        "It is the end of a paragraph here, in a book\nwhich is short\n    The next begins further in and goes on.",
        "- an item of a list\n    goes on below it, further in.",
        "port: 80\nhost: here\nname\n    value",
        "It rained.\n    The next day it did not.",
        "Shown   in two columns\n    which go on below in this line.",
        "A term\n\n    and a paragraph by itself, which it is not said of.",
    ],
)
def test_what_hangs_or_goes_on_is_below_no_term(text: str) -> None:
    assert _named(text) == []


def test_what_is_said_of_an_option_is_not_said_of_one_whose_name_is_longer() -> None:
    text = "wait seconds\n    Stays open. The default is 3 seconds.\nwaitratio ratio\n    Limits it. It is disabled by default.\n"
    passage = Passage(text, (Span("a.1", 0, len(text)),))
    siblings = SiblingSentences(content_stems("What is the default of waitratio?"), [passage])
    places = {text[start:end].split(maxsplit=1)[0]: (start, end) for start, end in sentences(text)}
    assert siblings.is_of_another(passage, places["The"], "3 seconds")
    assert not siblings.is_of_another(passage, places["It"], "disabled")
    of_wait = SiblingSentences(content_stems("What is the default of wait?"), [passage])
    assert not of_wait.is_of_another(passage, places["The"], "3 seconds")
