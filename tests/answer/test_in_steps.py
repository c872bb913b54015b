"""Questions in several steps: what is read where, how the steps are put together, and when they are not believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from reader_certainty import ReaderCertainty

from decoct.answer.in_steps import EACH, Step, StepReader, StepwiseAnswer, comparison
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.data import Context, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.reading.base import AnswerSpan, PassageReader, Readable, Reading, SentenceRelevance
from decoct.reading.small import SmallReader
from decoct.text.sentences import sentences
from decoct.text.words import content_stems
from decoct.trace import Trace, recording, stage

HOLT = ("Ada Holt", "Ada Holt (4 May 1901 – 1970) was a painter of harbours and boats.")
LIND = ("Per Lind", "Per Lind was a Danish engineer. He was born on 3 June 1888 in Odense and built bridges.")
SAND = ("Red Sand", "Red Sand is a silent film of 1922. It was directed by Per Lind and shot in the dunes.")
FIELD = ("The Long Field", "The Long Field is a drama from 1931, directed by Ada Holt after her own novel.")


def passages(*told: tuple[str, str]) -> tuple[Passage, ...]:
    return tuple(Passage(text, (Span(title, 0, len(text)),), title=title) for title, text in told)


def context(question: str, *told: tuple[str, str]) -> Context:
    text = "\n".join(text for _, text in told)
    return Context(question, text, passages(*told), Budget(900, default_tokenizer()), Trace())


class Scripted:
    """Gives for a question the words of the script where they stand in the passage, with their probability; remembers what it was asked."""

    fingerprint = "scripted"

    def __init__(self, script: Mapping[str, Mapping[str, float]]) -> None:
        self.script = script
        self.asked: list[tuple[str, str]] = []

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        self.asked += [(question, passage.title) for passage in passages]
        return [self._reading(question, passage.text) for passage in passages]

    def _reading(self, question: str, text: str) -> Reading:
        spans = tuple(
            AnswerSpan(at, at + len(words), score)
            for words, score in self.script.get(question, {}).items()
            if (at := text.find(words)) >= 0
        )
        best = max((span.score for span in spans), default=0.01)
        marked = tuple(SentenceRelevance(start, end, best) for start, end in sentences(text))
        return Reading(spans, best, best, marked)


def weigh(reading: Reading, span: AnswerSpan) -> float:
    return span.score


def answered(reader: PassageReader, question: str, *told: tuple[str, str], most: int = 8) -> StepwiseAnswer | None:
    return StepReader(question, reader, weigh, passages(*told), most).answer()


BORN = {"When Ada Holt was born?": {"4 May 1901": 0.9}, "When Per Lind was born?": {"3 June 1888": 0.4}}


def test_the_two_values_decide() -> None:
    first = answered(Scripted(BORN), "Who was born first, Ada Holt or Per Lind?", HOLT, LIND)
    last = answered(Scripted(BORN), "Who was born last, Ada Holt or Per Lind?", HOLT, LIND)
    assert first is not None
    assert last is not None
    assert (first.words, last.words) == ("Per Lind", "Ada Holt")
    assert (first.deciding.words, last.deciding.words) == ("3 June 1888", "4 May 1901")
    assert first.weight == pytest.approx((0.9 * 0.4) ** 0.5)


def test_each_side_is_read_in_the_passages_about_it() -> None:
    reader = Scripted(BORN)
    answered(reader, "Who was born first, Ada Holt or Per Lind?", SAND, FIELD, HOLT, LIND)
    assert reader.asked == [
        ("When Ada Holt was born?", "Ada Holt"),
        ("When Ada Holt was born?", "The Long Field"),
        ("When Per Lind was born?", "Per Lind"),
        ("When Per Lind was born?", "Red Sand"),
    ]


def test_what_belongs_to_each_is_found_before_it_is_compared() -> None:
    script = {
        "Who is the director of Red Sand?": {"Per Lind": 0.8},
        "Who is the director of The Long Field?": {"Ada Holt": 0.8},
        **BORN,
    }
    question = "Which film has the director who was born first, Red Sand or The Long Field?"
    found = answered(Scripted(script), question, SAND, FIELD, HOLT, LIND)
    assert found is not None
    assert found.words == "Red Sand"
    assert [step.words for step in found.steps] == ["Per Lind", "3 June 1888", "Ada Holt", "4 May 1901"]


def test_an_answer_is_put_into_the_question_that_is_left() -> None:
    script = {"Who is the director of Red Sand?": {"Per Lind": 0.8}, "Where was Per Lind born?": {"Odense": 0.7}}
    reader = Scripted(script)
    found = answered(reader, "Where was the director of Red Sand born?", FIELD, SAND, LIND)
    assert found is not None
    assert (found.words, found.compared) == ("Odense", False)
    # The passage that only said who it is, is not asked again.
    assert reader.asked == [("Who is the director of Red Sand?", "Red Sand"), ("Where was Per Lind born?", "Per Lind")]


@pytest.mark.parametrize(
    "script",
    [
        {},  # nothing is read
        {"When Ada Holt was born?": {"4 May 1901": 0.9}},  # one side only
        {**BORN, "When Per Lind was born?": {"Odense": 0.9}},  # no date
        {**BORN, "When Per Lind was born?": {"3 June": 0.9}},  # of no year
    ],
)
def test_a_comparison_needs_both_values(script: Mapping[str, Mapping[str, float]]) -> None:
    assert answered(Scripted(script), "Who was born first, Ada Holt or Per Lind?", HOLT, LIND) is None


def test_equal_values_choose_nobody() -> None:
    told = [("Oak", "The oak is 20 m tall."), ("Elm", "The elm is 20 m tall.")]
    script = {"How tall is Oak?": {"20 m": 0.9}, "How tall is Elm?": {"20 m": 0.9}}
    assert answered(Scripted(script), "Which is taller, Oak or Elm?", *told) is None


def test_units_are_converted_and_kinds_not_mixed() -> None:
    told = [("Oak", "The oak is 2000 cm tall."), ("Elm", "The elm is 25 m tall and weighs 9 t.")]
    script = {"How tall is Oak?": {"2000 cm": 0.9}, "How tall is Elm?": {"25 m": 0.9}}
    found = answered(Scripted(script), "Which is taller, Oak or Elm?", *told)
    assert found is not None
    assert found.words == "Elm"
    assert (
        answered(Scripted({**script, "How tall is Elm?": {"9 t": 0.9}}), "Which is taller, Oak or Elm?", *told) is None
    )


@pytest.mark.parametrize(("town", "said"), [("Odense", "yes"), ("Aarhus", None)])
def test_the_same_name_is_a_yes_and_another_proves_nothing(town: str, said: str | None) -> None:
    told = [("Red Sand", "Red Sand was printed in Odense."), ("Blue Sand", f"Blue Sand was printed in {town}.")]
    script = {"Red Sand printed in what town?": {"Odense": 0.9}, "Blue Sand printed in what town?": {town: 0.9}}
    found = answered(Scripted(script), "Were Red Sand and Blue Sand printed in the same town?", *told)
    assert (found.words if found is not None else None) == said


def test_quantities_that_differ_are_a_no() -> None:
    told = [("Basic", "Basic has 5 GB of storage."), ("Pro", "Pro has 50 GB of storage.")]
    script = {"Basic have what storage limit?": {"5 GB": 0.9}, "Pro have what storage limit?": {"50 GB": 0.9}}
    found = answered(Scripted(script), "Do Basic and Pro have the same storage limit?", *told)
    assert found is not None
    assert found.words == "no"


def test_no_more_is_read_than_is_left() -> None:
    many = [("Ada Holt", f"Ada Holt was here in {year}.") for year in range(1901, 1921)]
    reader = Scripted({})
    steps = StepReader("Who was born first, Ada Holt or Per Lind?", reader, weigh, passages(*many), 1)
    steps.answer()
    assert len(reader.asked) == steps.made == 1
    assert EACH > 1


def test_words_of_the_question_are_no_answer_to_it() -> None:
    directed = {"Red Sand": 0.99, "Per Lind": 0.3}
    script = {"Who is the director of Red Sand?": directed, "Where was Per Lind born?": {"Odense": 0.7}}
    found = answered(Scripted(script), "Where was the director of Red Sand born?", SAND, LIND)
    assert found is not None
    assert [step.words for step in found.steps] == ["Per Lind", "Odense"]


# -- in an answer ------------------------------------------------------------------------------------------------------
def test_the_answer_shows_and_cites_every_step() -> None:
    script = {
        "Who is the director of Red Sand?": {"Per Lind": 0.95},
        "Where was Per Lind born?": {"Odense": 0.95},
    }
    reader = ShortAnswers(Scripted(script)).with_(caution=0.5)
    answer = reader.answer(context("Where was the director of Red Sand born?", SAND, LIND))
    assert (answer.outcome, answer.found) == ("answer", True)
    assert [short.text for short in answer.answers] == ["Odense"]
    assert answer.text == (
        "It was directed by Per Lind and shot in the dunes. [1] He was born on 3 June 1888 in Odense and built bridges. [2]"
    )
    assert [citation.source.doc_id for citation in answer.citations] == ["Red Sand", "Per Lind"]


def test_a_comparison_names_its_choice_and_shows_both_values() -> None:
    question = "Who was born first, Ada Holt or Per Lind?"
    script = {"When Ada Holt was born?": {"4 May 1901": 0.95}, "When Per Lind was born?": {"3 June 1888": 0.95}}
    answer = ShortAnswers(Scripted(script)).answer(context(question, HOLT, LIND))
    (short,) = answer.answers
    assert short.text == "Per Lind"
    assert LIND[1][short.start : short.end] == "Per Lind"
    assert answer.text.startswith("Per Lind. Ada Holt (4 May 1901")
    assert [citation.source.doc_id for citation in answer.citations] == ["Ada Holt", "Per Lind"]


def test_a_name_that_the_passage_does_not_say_stands_at_its_value() -> None:
    lind = (LIND[0], "He was a Danish engineer, who was born on 3 June 1888 in Odense.")
    script = {"When Ada Holt was born?": {"4 May 1901": 0.95}, "When Per Lind was born?": {"3 June 1888": 0.95}}
    answer = ShortAnswers(Scripted(script)).answer(context("Who was born first, Ada Holt or Per Lind?", HOLT, lind))
    (short,) = answer.answers
    assert (short.text, lind[1][short.start : short.end]) == ("Per Lind", "3 June 1888")


DIRECTOR = "Where was the director of Red Sand born?"
UNSURE = {"Who is the director of Red Sand?": {"Per Lind": 0.5}, "Where was Per Lind born?": {"Odense": 0.4}}
BY_WEIGHT = ShortAnswers(certainty=ReaderCertainty(), second=None, near=None)


def test_words_that_answer_at_once_are_claimed_where_they_speak_of_the_whole_question() -> None:
    whole = ("Red Sand", "Red Sand was made in 1922, and its director was born in Lund.")
    one = replace(BY_WEIGHT, reader=Scripted({DIRECTOR: {"Lund": 0.999}}))
    assert [short.text for short in one.answer(context(DIRECTOR, whole)).answers] == ["Lund"]


def test_words_that_speak_of_one_half_of_a_nested_question_are_never_claimed() -> None:
    half = replace(BY_WEIGHT, reader=Scripted({DIRECTOR: {"the dunes": 0.999}}))
    assert half.answer(context(DIRECTOR, SAND)).outcome == "passages"


def test_an_answer_in_steps_tells_how_likely_it_is_right_and_is_claimed_from_there_on() -> None:
    steps = replace(BY_WEIGHT, reader=Scripted(UNSURE))
    assert steps.answer(context(DIRECTOR, SAND, LIND)).outcome == "passages"
    (short,) = steps.with_(caution=0.5).answer(context(DIRECTOR, SAND, LIND)).answers
    assert (short.text, 0.5 < short.score < 0.7) == ("Odense", True)


def test_the_surer_the_steps_the_surer_a_comparison_and_what_is_followed_is_never_sure() -> None:
    def sure(weight: float, *, compared: bool) -> float:
        step = Step(0, (0, 1), "x", weight)
        return StepwiseAnswer("x", (step, step), step, compared).probability

    assert 0 < sure(0.1, compared=True) < sure(0.9, compared=True) < 1
    assert 0.5 < sure(0.999, compared=False) < 0.7  # however sure the reader is of each step


def test_all_readings_of_a_question_stay_within_the_most() -> None:
    many = [("Ada Holt", f"Ada Holt was here in {year}.") for year in range(1901, 1931)]
    reader = Scripted({})
    with recording() as trace, stage("answer"):
        ShortAnswers(reader, most_read=20).answer(context("Who was born first, Ada Holt or Per Lind?", *many))
    assert len(reader.asked) <= 20
    assert trace.stages[0].counts["read"] == len(reader.asked)


@pytest.mark.parametrize(
    ("question", "told", "said"),
    [
        ("Who was born first, Ada Holt or Per Lind?", (HOLT, LIND, SAND), "Per Lind"),
        ("Where was the director of Red Sand born?", (FIELD, HOLT, SAND, LIND), "Odense"),
        ("Which film has the director who was born first, Red Sand or The Long Field?", (SAND, FIELD, HOLT, LIND), "Red Sand"),
    ],
)  # fmt: skip
def test_the_shipped_reader_answers_in_steps(question: str, told: Sequence[tuple[str, str]], said: str) -> None:
    answer = ShortAnswers(SmallReader()).with_(caution=0.5).answer(context(question, *told))
    assert [short.text for short in answer.answers] == [said]


HALLS = (
    "Halls of the fair",
    "Hall | Level | Stands\nLinde | 1 | 62\nTanne | 2 | 48\nAhorn | 2 | 30 (half of them with Tanne)",
)
CLOSED = ("Tanne closed", "Tanne is closed on Monday. Two people close each of its 9 doors.")


def compared(question: str, *told: tuple[str, str], **spans: float) -> StepwiseAnswer | None:
    script = dict.fromkeys(("How many stands hall has Tanne?", "How many stands hall has Linde?"), spans)
    return StepReader(question, Scripted(script), weigh, passages(*told), 8).answer()


def test_a_comparison_takes_the_cells_that_name_both() -> None:
    answer = compared("Which hall has more stands, Linde or Tanne?", CLOSED, HALLS, Two=0.99)
    assert answer is not None
    assert (answer.words, [step.words for step in answer.steps]) == ("Linde", ["62", "48"])


@pytest.mark.parametrize(
    "told",
    [
        (CLOSED, ("Linde", "Linde is open on Monday. Two people open it.")),  # a number of something else
        (("Halls", "The halls were full. There were 48 stands, Two more than before."), CLOSED),  # of nobody
    ],
)
def test_a_number_of_something_else_compares_nothing(told: Sequence[tuple[str, str]]) -> None:
    assert compared("Which hall has more stands, Linde or Tanne?", *told, Two=0.99) is None


def test_words_about_one_of_two_that_are_compared_are_not_claimed() -> None:
    question = "Which hall has more stands, Linde or Tanne?"
    text = "The hall with the stands is Tanne."
    reader = replace(BY_WEIGHT, reader=Scripted({question: {"Tanne": 0.99}}))
    assert reader.answer(context(question, ("The fair", text))).outcome == "passages"
    parts = comparison(question)
    assert parts is not None
    assert not parts.is_half_said(content_stems("Linde has more stands than Tanne."))
