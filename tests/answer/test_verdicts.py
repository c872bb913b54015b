"""Yes or no by the statement that answers: its values, its words, and what of both is made."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from decoct.answer.candidates import ClaimFinder
from decoct.answer.certainty import FittedCertainty
from decoct.answer.decision import ClaimCandidate
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.verdicts import StatementVerdict, VerdictCertainty, VerdictFinder
from decoct.data import Passage, Span
from decoct.errors import ConfigError
from decoct.reading.base import NOTHING_READ
from decoct.reading.verifier import Verifier

LIFT = "The lift carries 8 people. It is serviced in March and October. Dogs are welcome."
PLANS = "| Plan | Fee | Sauna |\n|---|---|---|\n| Basic | £24 | no |\n| Plus | £36 | yes |"


def told(
    question: str, text: str, statement: str, title: str = "House rules", today: date = date(2026, 6, 30)
) -> tuple[VerdictFinder, ClaimCandidate]:
    """A finder for the question, and the statement as a candidate."""
    read = ReadPassage(Passage(text, (Span(title, 0, len(text)),), title=title), NOTHING_READ, 0)
    place = (text.index(statement), text.index(statement) + len(statement))
    finder = ClaimFinder(question, [read], 0.4, today=today)
    found = FoundWords(read, place, place, statement, 0.5, form="statement")
    return VerdictFinder(finder), finder.ranked([found], FittedCertainty(), Verifier())[0]


@pytest.mark.parametrize(
    ("question", "statement", "agreement"),
    [
        ("Does the lift carry eight people?", "The lift carries 8 people.", "same"),
        ("Does the lift carry 12 people?", "The lift carries 8 people.", "other"),
        ("Does the lift carry 8 people in May?", "The lift carries 8 people.", "missing"),
        ("May I bring my puppy?", "Dogs are welcome.", "none"),
    ],
)
def test_the_values_of_question_and_statement_are_compared(question: str, statement: str, agreement: str) -> None:
    finder, one = told(question, LIFT, statement)
    assert {verdict.agreement for verdict in finder.verdicts(one)} == {agreement}


@pytest.mark.parametrize(
    ("plan", "row", "agreement"), [("Plus", "| Plus | £36 | yes |", "same"), ("Basic", "| Basic | £24 | no |", "other")]
)
def test_a_row_answers_in_the_column_that_is_named(plan: str, row: str, agreement: str) -> None:
    finder, one = told(f"Is the sauna part of the {plan} plan?", PLANS, row)
    assert finder.verdicts(one)[0].agreement == agreement


HOURS = "| Day | Workshop | Shop |\n|---|---|---|\n| Friday | 07:00-14:30 | 08:00-16:00 |\n| Saturday | closed | 09:00-13:00 |"


@pytest.mark.parametrize(
    ("question", "row", "word"),
    [
        ("Is the shop open on Saturday?", "| Saturday | closed | 09:00-13:00 |", "yes"),
        ("Is the workshop open on Saturday?", "| Saturday | closed | 09:00-13:00 |", "no"),
        ("Is the workshop closed on Fridays?", "| Friday | 07:00-14:30 | 08:00-16:00 |", "no"),
    ],
)
def test_hours_of_the_column_that_is_named_say_open(question: str, row: str, word: str) -> None:
    finder, one = told(question, HOURS, row, "Opening hours")
    assert finder.claims([one])[0].found.words == word


def test_yes_and_no_lean_to_opposite_sides_and_the_likelier_is_first() -> None:
    finder, one = told("Does the lift carry 12 people?", LIFT, "The lift carries 8 people.")
    yes, no = finder.verdicts(one)
    assert (yes.word, no.word, yes.leaning) == ("yes", "no", -no.leaning)
    first, second = finder.claims([one])
    assert {first.found.words, second.found.words} == {"yes", "no"}
    assert first.probability >= second.probability
    assert first.found.quote == "The lift carries 8 people."


@pytest.mark.parametrize(
    ("question", "statement", "word"),
    [
        ("Does the lift carry 12 people?", "The lift carries 8 people.", "no"),
        ("Does the lift carry eight people?", "The lift carries 8 people.", "yes"),
        ("May I bring my puppy?", "Dogs are welcome.", "yes"),
        ("Is the lift serviced in July?", "It is serviced in March and October.", "no"),
    ],
)
def test_a_statement_leans_to_what_it_says(question: str, statement: str, word: str) -> None:
    finder, one = told(question, LIFT, statement)
    assert finder.claims([one])[0].found.words == word


def test_a_no_under_another_head_is_no_answer() -> None:
    row = "| Basic | £24 | no |"
    finder, one = told("Is the fee of Basic £24?", PLANS, row)
    assert [verdict.leaning for verdict in finder.verdicts(one)] == [0.0, 0.0]
    assert finder.claims([one])[0].found.words == "yes"
    asked, other = told("Does Basic include the sauna?", PLANS, row)
    assert asked.claims([other])[0].found.words == "no"


def test_a_statement_that_may_answer_as_well_is_heard_as_far_as_it_is_likely() -> None:
    finder, one = told("Does the lift carry 12 people?", LIFT, "The lift carries 8 people.")
    first = replace(one, probability=0.8, evidence=replace(one.evidence, leaning=-4.0))
    _, other = told("Does the lift carry 12 people?", LIFT, "Dogs are welcome.")
    likely, unlikely, rival = (
        replace(other, probability=p, evidence=replace(other.evidence, leaning=4.0)) for p in (0.8, 0.01, 0.8)
    )
    rival = replace(rival, evidence=replace(rival.evidence, rivals=1))
    alone, *heard = (finder.verdicts(first, [first, other])[0].leaning for other in (rival, likely, unlikely))
    assert (alone, heard[0]) == (-4.0, 0.0)
    assert -4.0 < heard[1] < -3.0
    finder, one = told("Does the lift carry eight people?", LIFT, "The lift carries 8 people.")
    same = replace(one, probability=0.8, evidence=replace(one.evidence, leaning=2.0))
    assert finder.verdicts(same, [same, replace(likely, evidence=first.evidence)])[0].leaning == 2.0


def test_a_replaced_edition_decides_only_where_none_in_force_is_about_as_likely() -> None:
    finder, old = told("Are dogs welcome?", LIFT, "Dogs are welcome.", "House rules 2023")
    _, new = told("Are dogs welcome?", "Dogs are not welcome.", "Dogs are not welcome.", "House rules 2025")
    old = replace(old, evidence=replace(old.evidence, replaced=1.0), probability=0.9)
    assert finder.deciding([old, replace(new, probability=0.5)]) == replace(new, probability=0.5)
    assert finder.deciding([old, replace(new, probability=0.4)]) == old
    assert not finder.claims([old])[0].evidence.is_whole
    assert finder.claims([new])[0].evidence.is_whole


def test_a_denial_for_other_days_leans_to_neither() -> None:
    finder, one = told(
        "Does the lift run on Sundays?", "The lift does not run on Mondays.", "The lift does not run on Mondays."
    )
    assert {(verdict.agreement, abs(verdict.leaning)) for verdict in finder.verdicts(one)} == {("open", 0.0)}


def test_what_is_said_of_another_thing_decides_nothing() -> None:
    finder, one = told("Does the lift carry 12 people?", LIFT, "The lift carries 8 people.")
    other = replace(one, evidence=replace(one.evidence, rivals=1))
    assert finder.claims([other]) == []
    assert finder.claims([other, one]) == finder.claims([one])


def test_the_further_it_leans_and_the_likelier_it_answers_the_surer(tmp_path: Path) -> None:
    verdict, certainty = StatementVerdict("no", "none", 0.5, 0.0), VerdictCertainty()
    assert certainty.probability(replace(verdict, leaning=2.0)) > certainty.probability(verdict)
    assert certainty.probability(replace(verdict, answers=3.0)) > certainty.probability(verdict)
    with pytest.raises(ConfigError, match="fit it again"):
        VerdictCertainty(tmp_path / "none.json").probability(verdict)


def test_what_ended_says_neither_yes_nor_no() -> None:
    text = "Yellow badges may be worn until 30 June 2026."
    for today, holds in ((date(2026, 6, 30), True), (date(2026, 7, 1), False)):
        finder, one = told("Can yellow badges be worn?", text, text, today=today)
        assert bool(finder.claims([one])) is holds


def test_a_measured_number_is_no_label() -> None:
    text = "Members pay 12 euros."
    finder, one = told("Do members pay 12 euros?", text, text)
    assert {verdict.agreement for verdict in finder.verdicts(one)} == {"same"}


@pytest.mark.parametrize(("cell", "agreement"), [("yes – dent in the bow", "same"), ("no (spares only)", "other")])
def test_a_cell_says_yes_or_no_with_a_remark(cell: str, agreement: str) -> None:
    row = f"| 4 | {cell} |"
    finder, one = told("Is canoe 4 insured?", f"| Canoe | Insured |\n|---|---|\n{row}", row)
    assert finder.verdicts(one)[0].agreement == agreement
