"""Which questions ask for several things, and what they ask for one after the other."""

from __future__ import annotations

import time

import pytest

from decoct.answer.in_steps import ComparisonQuestion, NestedQuestion, comparison, nested
from decoct.text.words import content_stems


def chosen(question: str) -> ComparisonQuestion:
    found = comparison(question)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "least", "asks"),
    [
        ("Who was born first, Ada Holt or Per Lind?", True, "When Ada Holt was born?"),
        ("Who was born first Ada Holt or Per Lind ?", True, "When Ada Holt was born?"),
        ("Was Ada Holt or Per Lind born first?", True, "When Ada Holt was born?"),
        ("Who is younger, Ada Holt or Per Lind?", False, "When Ada Holt was born or founded?"),
        ("Which of the two died later: Ada Holt or Per Lind?", False, "When Ada Holt died?"),
        ("Which novel came out more recently, Ada Holt, or Per Lind?", False, "When Ada Holt novel came out?"),
        ("Between Ada Holt and Per Lind, who arrived earlier?", True, "When Ada Holt arrived?"),
        ("Ada Holt or Per Lind, which opened first?", True, "When Ada Holt opened?"),
    ],
)
def test_a_comparison_in_time_asks_when_of_both(question: str, least: bool, asks: str) -> None:
    found = chosen(question)
    assert (found.alternatives, found.measure, found.least) == (("Ada Holt", "Per Lind"), "date", least)
    assert found.value("Ada Holt") == asks


def test_a_relative_clause_with_its_preposition_describes_what_is_asked_about() -> None:
    found = nested("What is the capital of the country in which Mozart was born?", [])
    assert found is not None
    assert (found.first, found.then("Austria")) == (
        "In which country Mozart was born?",
        "What is the capital of Austria?",
    )


@pytest.mark.parametrize(
    ("said", "half"),
    [
        ("Mozart was born in Salzburg", True),
        ("Vienna is the capital of Austria", True),
        ("Mozart was born in Austria, whose capital is Vienna", False),
    ],
)
def test_words_that_speak_of_one_half_of_a_nested_question_are_told(said: str, half: bool) -> None:
    found = nested("What is the capital of the country in which Mozart was born?", [])
    assert found is not None
    assert found.is_half_said(content_stems(said)) == half


def test_what_names_nobody_is_no_half() -> None:
    found = nested("Who signs the form that is needed for parental leave?", [])
    assert found is not None
    assert not found.is_half_said(content_stems("Parents take paper P9 from the shelf"))


@pytest.mark.parametrize(
    ("question", "least", "asks"),
    [
        ("Which mountain is taller, Great Ask or Little Ask?", False, "How tall mountain is Great Ask?"),
        ("Is Great Ask or Little Ask smaller?", True, "How small is Great Ask?"),
        ("Which opera has more acts, Great Ask or Little Ask?", False, "How many acts opera has Great Ask?"),
        ("Which has more storage: Great Ask or Little Ask?", False, "How much storage has Great Ask?"),
        ("Which is less expensive, Great Ask or Little Ask?", True, "How expensive is Great Ask?"),
    ],
)
def test_a_comparison_of_quantities_asks_how_much_of_both(question: str, least: bool, asks: str) -> None:
    found = chosen(question)
    assert (found.alternatives, found.measure, found.least) == (("Great Ask", "Little Ask"), "number", least)
    assert found.value("Great Ask") == asks


@pytest.mark.parametrize(
    "question",
    [
        "Which film has the director who died later, Red Sand or The Long Field?",
        "Which film has the director that died later, Red Sand or The Long Field?",
        "Of Red Sand and The Long Field, which film has a director who died later?",
    ],
)
def test_what_belongs_to_each_is_asked_for_first(question: str) -> None:
    found = chosen(question)
    assert found.alternatives == ("Red Sand", "The Long Field")
    assert found.who("Red Sand") == "Who is the director of Red Sand?"
    assert found.value("Ada Holt") == "When Ada Holt died?"


@pytest.mark.parametrize(
    ("question", "relation", "asks"),
    [
        ("Are Red Sand and The Long Field set in the same country?", "", "Red Sand set in what country?"),
        ("Were both novels, Red Sand and The Long Field, printed in the same town?", "", "Red Sand printed in what town?"),
        ("Do the authors of Red Sand and The Long Field have the same nationality?", "author", "Red Sand have what nationality?"),
        ("Do both Red Sand and The Long Field have editors from the same town?", "editor", "Red Sand from what town?"),
    ],
)  # fmt: skip
def test_whether_two_have_the_same_asks_what_each_has(question: str, relation: str, asks: str) -> None:
    found = chosen(question)
    assert (found.alternatives, found.measure) == (("Red Sand", "The Long Field"), "same")
    assert (found.relation, found.value("Red Sand")) == (relation, asks)


@pytest.mark.parametrize(
    "question",
    [
        "Which town lies in Cornwall, Truro or Exeter?",  # nothing is compared
        "What is the difference between apt and aptitude?",
        "Is it better to use apt or aptitude?",
        "Who was born first?",
        "Is this the same as that?",
        "Who was the first to climb the Great Ask?",
        "",
    ],
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert comparison(question) is None


@pytest.mark.parametrize(
    ("question", "first", "then"),
    [
        ("Where was the director of Red Sand born?", "Who is the director of Red Sand?", "Where was X born?"),
        ("Where was the director of film Red Sand born?", "Who is the director of film Red Sand?", "Where was X born?"),
        ("When did Ada Holt's father die?", "Who is Ada Holt's father?", "When did X die?"),
        ("What is the place of birth of Ada Holt's second wife?", "Who is Ada Holt's second wife?", "What is the place of birth of X?"),
        ("How old is the founder of Acme Corp?", "Who is the founder of Acme Corp?", "How old is X?"),
        ("What is the port of the server that ships with Lorry?", "Which server ships with Lorry?", "What is the port of X?"),
        ("What river flows through the town where Per Lind grew up?", "In which town Per Lind grew up?", "What river flows through X?"),
    ],
)  # fmt: skip
def test_what_is_described_is_asked_for_first(question: str, first: str, then: str) -> None:
    found = nested(question, ())
    assert found is not None
    assert (found.first, found.then("X")) == (first, then)


def test_a_title_is_a_name_in_any_case_and_keeps_its_brackets() -> None:
    found = nested("where was the director of red sand (1976 film) born?", ["Red Sand"])
    assert found == NestedQuestion("Who is the director of red sand (1976 film)?", "where was ", " born?")


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of Red Sand?",  # one step
        "Who is Ada Holt's paternal grandmother?",
        "When was Ada Holt born?",
        "how do I list the files of a package",
        "",
    ],
)
def test_other_questions_have_one_step(question: str) -> None:
    assert nested(question, ["Red Sand", "Ada Holt"]) is None


@pytest.mark.parametrize(
    "piece", ["or ", "a or A, ", "the a of ", "the same ", "and A ", "first, A or ", "who is the a who is "]
)
def test_a_long_question_takes_no_long_time(piece: str) -> None:
    question = "Which is " + piece * 4000
    start = time.process_time()
    for text in (question, question[:499]):
        comparison(text)
        nested(text, ["A"])
    assert time.process_time() - start < 10
