"""Yes or no by the sentence that says what is asked: found in other words, compared in its values, read with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from decoct.answer.candidates import ClaimFinder
from decoct.answer.quoted import ReadPassage
from decoct.answer.verdicts import ComparedSentence, SentenceVerdict, VerdictCertainty, VerdictFinder, denies
from decoct.data import Passage, Span
from decoct.errors import ConfigError
from decoct.reading.base import Readable, Reading, SentenceRelevance
from decoct.text.sentences import sentences

LIFT = "The lift carries 8 people. It is serviced in March and October. Dogs are welcome."


class Leaning:
    """Leans as far as it is told for the first words of a text, and finds every text evidence."""

    fingerprint = "leaning"

    def __init__(self, **leanings: float) -> None:
        self.leanings = leanings

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        return [
            Reading((), 0.9, 0.97, (), leaning=self.leanings.get(passage.text.split()[0], 1.0)) for passage in passages
        ]


def read(text: str, title: str = "House rules") -> ReadPassage:
    found = tuple(SentenceRelevance(start, end, 0.9) for start, end in sentences(text))
    return ReadPassage(Passage(text, (Span(title, 0, len(text)),), title=title), Reading((), 0.9, 0.9, found), 0)


def finder(question: str, *passages: ReadPassage, **leanings: float) -> VerdictFinder:
    return VerdictFinder(ClaimFinder(question, passages, 0.4), Leaning(**leanings))


def nearest(question: str, text: str, **leanings: float) -> tuple[str, str, str]:
    first = max(finder(question, read(text), **leanings).verdicts(), key=lambda one: one.compared.near)
    return first.word, first.ground, first.compared.words


@pytest.mark.parametrize(
    ("question", "text", "leanings", "verdict"),
    [
        ("Does the lift carry eight people?", LIFT, {}, ("yes", "same", "The lift carries 8 people.")),
        ("Does the lift carry 12 people?", LIFT, {}, ("no", "other", "The lift carries 8 people.")),
        ("May I bring my puppy?", LIFT, {}, ("yes", "said", "Dogs are welcome.")),
        ("May I bring my puppy?", "Dogs stay outside.", {"Dogs": -2.0}, ("no", "said", "Dogs stay outside.")),
        ("Is it true that no dogs come in?", "Dogs stay outside.", {"Dogs": -2.0}, ("yes", "said", "Dogs stay outside.")),
        ("Is it true that no dogs come in?", LIFT, {}, ("no", "said", "Dogs are welcome.")),
        ("Can I fish at K4?", "Fishing is allowed at K7 only.", {}, ("no", "only", "Fishing is allowed at K7 only.")),
    ],
)  # fmt: skip
def test_the_sentence_that_is_nearest_decides(
    question: str, text: str, leanings: dict[str, float], verdict: tuple[str, str, str]
) -> None:
    passages = [read(text), read("Quay K4 is long. Nobody lives there.", "Quays")] if "K4" in question else [read(text)]
    found = max(finder(question, *passages, **leanings).verdicts(), key=lambda one: one.compared.near)
    assert (found.word, found.ground, found.compared.words) == verdict


def test_a_yes_needs_every_value_and_identifier_and_another_value_is_no_no_where_the_sentence_denies() -> None:
    assert finder("Does the lift carry 8 people in May?", read("The lift carries 8 people.")).verdicts() == []
    assert finder("Does the lift carry 12 people?", read("The lift never carries 8 people."), The=-1.0).verdicts() == []
    assert finder("Does the lift carry eight people?", read("The lift carries 8 people."), The=0.0).verdicts() == []


def test_a_row_is_read_with_its_heads_and_answers_in_the_column_that_is_named() -> None:
    table = "| Plan | Fee | Sauna |\n|---|---|---|\n| Basic | £24 | no |\n| Plus | £36 | yes |"
    assert nearest("Is the sauna part of the Plus plan?", table)[:2] == ("yes", "cell")
    assert nearest("Is the sauna part of the Basic plan?", table) == ("no", "cell", "Plan: Basic, Fee: £24, Sauna: no")


def test_each_clause_between_semicolons_is_read_alone() -> None:
    word, _, said = nearest(
        "Are the files on drive P: saved?", "The desktop is not backed up; files on drive P: are saved every night."
    )
    assert (word, said) == ("yes", "files on drive P: are saved every night.")


def test_what_says_the_opposite_takes_from_the_certainty() -> None:
    now, before = read("Standby is paid at £26.", "Rules 2025"), read("Standby is paid at £18.", "Rules 2023")
    (alone,) = finder("Is standby paid at £18?", before).claims()
    both = finder("Is standby paid at £18?", before, now).claims()
    assert {one.found.words for one in both} == {"yes", "no"}
    assert max(one.probability for one in both) < alone.probability


def test_a_question_whose_names_stand_in_no_one_place_needs_two() -> None:
    one, other = read("Ada Holt was Danish.", "Ada Holt"), read("Per Lind was Danish.", "Per Lind")
    question = "Were Ada Holt and Per Lind both Danish?"
    assert finder(question, one, other).is_joint()
    assert not finder(question, read("Ada Holt and Per Lind were both Danish painters.")).is_joint()


@pytest.mark.parametrize(
    "question",
    ["Is it true that no ferries run?", "Are there no lockers?", "Is it not allowed to smoke?", "Do they never ring?"],
)
def test_a_question_that_asks_for_a_denial(question: str) -> None:
    assert denies(question)


@pytest.mark.parametrize(
    "question",
    [
        "Isn't it open?",
        "Don't I need a note?",
        "Do they charge cars at no cost?",
        "Will you take back loaves we could not sell?",
        "Is it open?",
    ],
)
def test_a_question_that_asks_for_none(question: str) -> None:
    assert not denies(question)


def test_the_nearer_and_the_further_leant_the_surer_and_a_broken_fit_is_told(tmp_path: object) -> None:
    near = ComparedSentence(
        read(LIFT), (0, 26), "The lift carries 8 people.", "Lift", near=0.7, relevance=0.97, leaning=1.5
    )
    far = replace(near, near=0.4, behind=0.2)
    sure = [
        VerdictCertainty().probability(SentenceVerdict(one, "yes", "same", lean))
        for one, lean in ((near, 1.5), (far, 1.5), (near, 0.1))
    ]
    assert 1 > sure[0] > max(sure[1:])
    with pytest.raises(ConfigError, match="fit it again"):
        VerdictCertainty(tmp_path / "none.json").probability(SentenceVerdict(near, "yes", "same", 1.0))  # type: ignore[operator]
