"""The small parts of CASC by themselves: background, conditions, denials, and how near words stand to a value."""

from __future__ import annotations

import pytest

from decoct.context.casc.candidates import Candidate, Read
from decoct.context.casc.check import exclude_each_other
from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.step import background
from decoct.context.casc.weighing import Nearness
from decoct.data import Span
from decoct.reading.base import Reading, SentenceRelevance
from decoct.text.sentences import sentences
from decoct.text.values import Value, quantities


def claim(quote: str, value: str = "", title: str = "") -> Claim:
    """A source says in `quote` that it is `value`, a quantity that stands there (the first one, where none is named)."""
    span = Span("d", 0, len(quote))
    source = EvidenceSource("D1", "d", ((span, quote),), title)
    found = [one for one in quantities(quote) if value in one.raw]
    said = found[0] if found else Value(quote[:1], "entity", 0, 1)
    return Claim(source, quote, span, said, Span("d", said.start, said.end), 1.0)


# -- background --------------------------------------------------------------------------------------------------
SAME = "The river rose by three metres in the spring of that year."
AGAIN = "In short, the river rose by three metres in the spring of that year."  # 10 of 13 word 3-grams in common
OTHER = "A bridge was built of stone."


def test_background_is_the_first_sentences_none_nearly_twice() -> None:
    given_sentences = [claim(SAME), claim(AGAIN), claim(OTHER)]
    assert [one.quote for one in background(given_sentences, 9)] == [SAME, OTHER]
    assert [one.quote for one in background(given_sentences, 1)] == [SAME]
    assert background(given_sentences, 0) == []
    assert background([], 3) == []


def test_background_says_nothing_that_is_said_already() -> None:
    # What is passed over is not what others are compared with.
    assert [one.quote for one in background([claim(SAME), claim(OTHER)], 9, {Span("d", 0, len(OTHER))})] == [SAME]


# -- conditions --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other", "exclude"),
    [
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 77 K.", True),
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 27 °C.", False),  # the same temperature
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm.", False),  # nothing is said of the other
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 5 V.", False),  # not to be compared
        ("It closes at 20 h on weekdays.", "It closes at 18 h on Sundays.", True),
        ("It closes at 20 h on weekdays.", "It closes at 18 h on Monday to Friday.", False),
        ("It closes at 20 h on weekdays and weekends.", "It closes at 18 h on Sundays.", False),
        ("It closes at 20 h on weekdays.", "It closes at 18 h.", False),
        ("It closes at 20 h on Mondays.", "It closes at 18 h on Tuesdays.", True),
    ],
)
def test_claims_hold_side_by_side_where_their_conditions_exclude_each_other(
    one: str, other: str, exclude: bool
) -> None:
    assert exclude_each_other(claim(one), claim(other)) is exclude
    assert exclude_each_other(claim(other), claim(one)) is exclude


def test_a_title_may_say_the_day() -> None:
    weekend = claim("It closes at 18 h.", title="Hours on public holidays")
    assert exclude_each_other(claim("It closes at 20 h on working days."), weekend)


# -- denials -----------------------------------------------------------------------------------------------------


# -- nearness ----------------------------------------------------------------------------------------------------
def read(text: str) -> Read:
    span = Span("d", 0, len(text))
    told = tuple(SentenceRelevance(start, end, 0.5) for start, end in sentences(text))
    return Read(EvidenceSource("D1", "d", ((span, text),)), span, text, Reading((), 0.5, 0.5, told))


def candidate(of: Read, raw: str) -> Candidate:
    start = of.text.index(raw)
    return Candidate(of, Value(raw, "number", start, start + len(raw)), 0.0)


QUESTION = focuses("What does unit 4B cost?")[0]


def test_the_words_of_the_question_pull_the_value_beside_them() -> None:
    """Only "4B" tells the two apart: of its weight, 1 / (1 + words between / 6) is left, itself counted."""
    prices = read("Unit 4A: 98 lakh; unit 4B: 120 lakh.")
    near = Nearness([prices, read("Nothing is said here of it.")], QUESTION)
    assert near.pull(candidate(prices, "120")) > near.pull(candidate(prices, "98"))


def test_a_single_word_pulls_by_its_distance_alone() -> None:
    text = read("The cost was then put at 70 by them.")
    near = Nearness([text], focuses("What is the cost?")[0])
    assert near.share(text, text.reading.sentences[0]) == pytest.approx(1.0)
    assert near.pull(candidate(text, "70")) == pytest.approx(1 / (1 + 5 / 6))  # cost was then put at
    after = read("It took 70 as its cost.")
    assert Nearness([after], focuses("What is the cost?")[0]).pull(candidate(after, "70")) == pytest.approx(
        1 / (1 + 3 / 6)
    )


def test_words_of_other_sentences_and_unknown_ones_pull_nothing() -> None:
    text = read("The cost was high. It came to 70.")
    near = Nearness([text], focuses("What is the cost?")[0])
    assert near.pull(candidate(text, "70")) == 0
    assert [near.share(text, sentence) for sentence in text.reading.sentences] == pytest.approx([1, 0])
    assert Nearness([], QUESTION).pull(candidate(text, "70")) == 0


def test_a_word_that_every_sentence_has_weighs_less_than_a_rare_one() -> None:
    texts = [read("The cost of tea is 3."), read("The cost of salt is 4."), read("The cost of cork is 5.")]
    near = Nearness(texts, focuses("What is the cost of cork?")[0])
    shares = [near.share(one, one.reading.sentences[0]) for one in texts]
    assert shares[0] == shares[1] < shares[2]
    assert shares[2] == pytest.approx(1.0)


def test_a_copied_sentence_makes_no_word_more_common() -> None:
    tea, cork = read("The cost of tea is 3."), read("The cost of cork is 5.")
    asked = focuses("What is the cost of cork?")[0]
    alone, beside_copies = Nearness([tea, cork], asked), Nearness([tea, cork, cork, cork], asked)
    assert beside_copies.pull(candidate(cork, "5")) == alone.pull(candidate(cork, "5"))
