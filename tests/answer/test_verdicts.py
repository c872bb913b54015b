"""A yes needs its value; a value that contradicts is a no with its sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.verdicts import Agreement, asked_values, judged_by_values, judged_with_values
from decoct.data import Passage, Span
from decoct.reading.base import Reading

LIFT = "The lift carries 8 people. It is serviced in March and October. It was installed on 3 May 2016."
LIBRARY = "The library opens at ten. It is closed on Mondays. Loans last three weeks. Cards cost 12 euros a year."
POOL = "The pool is open from 9:00 to 17:00. It holds up to 60 bathers. Visitors have to be at least 6 years old."


def judged(question: str, text: str, title: str) -> tuple[Agreement, str] | None:
    passage = Passage(text, (Span("d", 0, len(text)),), title=title)
    found = judged_by_values(
        asked_values(question), [ReadPassage(passage, Reading((), 0.9, 0.9, ()), 0)], lambda _: False
    )
    return (found[0], found[1].quote) if found else None


@pytest.mark.parametrize(
    ("question", "agreement"),
    [
        ("Does the lift carry 12 people?", "other"),
        ("Does the lift carry 8 people?", "same"),
        ("Does the lift carry eight people?", "same"),
        ("Does the lift carry at least 5 people?", "same"),
        ("Does the lift carry at least 10 people?", "other"),
        ("Does the lift carry more than 10 people?", "other"),
        ("Does the lift carry up to 12 people?", "other"),
        ("Is the lift serviced in June?", "other"),
        ("Is the lift serviced in October?", "same"),
        ("Was the lift installed in 2018?", "other"),
        ("Was the lift installed in May 2016?", "same"),
        ("Was the lift installed before 2018?", "same"),
        ("Was the lift installed after 2018?", "other"),
        ("Does the lift carry dogs?", None),
        ("Does the lift weigh 500 kg?", None),
    ],
)
def test_values_of_the_question_are_compared(question: str, agreement: Agreement | None) -> None:
    found = judged(question, LIFT, "Lift")
    assert (found[0] if found else None) == agreement


@pytest.mark.parametrize(
    ("question", "text", "agreement"),
    [
        ("Does the library open at nine?", LIBRARY, "other"),
        ("Does the library open at 10:00?", LIBRARY, "same"),
        ("Does the library open before eleven?", LIBRARY, "same"),
        ("Is the library closed on Sundays?", LIBRARY, "other"),
        ("Do loans last two weeks?", LIBRARY, "other"),
        ("Do loans last 21 days?", LIBRARY, "same"),
        ("Do cards cost 15 euros a year?", LIBRARY, "other"),
        ("Do cards cost 12 euros a year?", LIBRARY, "same"),
        ("Is the pool open at 11:00?", POOL, "open"),
        ("Does the pool hold 80 bathers?", POOL, "other"),
        ("Does the pool hold 40 bathers?", POOL, "open"),
        ("Do visitors have to be at least 5 years old?", POOL, "other"),
    ],
)
def test_limits_ranges_and_units_are_read(question: str, text: str, agreement: Agreement) -> None:
    found = judged(question, text, "Town library" if text is LIBRARY else "Pool")
    assert found is not None
    assert found[0] == agreement


def test_the_sentence_with_the_value_is_quoted_and_one_that_denies_is_left_open() -> None:
    assert judged("Does the library open at nine?", LIBRARY, "Library") == ("other", "The library opens at ten.")
    assert judged("Do dogs pay 5 euros?", "Dogs do not pay 5 euros.", "Fees") == ("open", "Dogs do not pay 5 euros.")


def test_the_number_of_what_is_named_is_no_value() -> None:
    question = "Does tram 9 need 25 minutes?"
    assert [value.raw for value, _ in asked_values(question, [(5, 11)]).values] == ["25 minutes"]


def test_a_yes_needs_the_sentence_with_its_value() -> None:
    passage = Passage(LIFT, (Span("d", 0, len(LIFT)),), title="Lift")
    read = ReadPassage(passage, Reading((), 0.9, 0.9, ()), 0)
    yes = FoundWords(read, (0, 26), (0, 26), "yes", 0.9, judged=True)
    no = replace(yes, words="no")
    assert judged_with_values(None, [yes, no]) == [no]
    assert judged_with_values(("open", yes, 1.0), [yes]) == []
    assert judged_with_values(("other", no, 0.7), [yes]) == [no]
    assert judged_with_values(("same", replace(yes, weight=0.5), 0.7), [yes]) == [yes]
    assert judged_with_values(("same", yes, 0.7), [no]) == [no]
    assert judged_with_values(("same", yes, 0.9), []) == [yes]
