from __future__ import annotations

import pytest

from decoct.text.questions import asks_for_several, parsed_question
from decoct.text.words import content_stems, stem
from decoct_lab.answer.answer_types import holds_expected


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did it open?", "time"),
        ("In what year did it open?", "time"),
        ("how many people live there", "number"),
        ("Where was she born?", "place"),
        ("Which European country is it in?", "place"),
        ("Who founded it?", "person"),
        ("Which Scottish singer wrote it?", "person"),
        ("who was president when the wall fell", "person"),
        ("Is Virgilia found in Africa?", "yes-no"),
        ("What is it made of?", "open"),
    ],
)
def test_the_kind_of_answer_is_read_off_the_first_question_word(question: str, kind: str) -> None:
    assert parsed_question(question).kind == kind


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("When did it open?", "It opened in 1912.", "It opened late."),
        ("How many floors has it?", "It has twelve floors.", "It has floors."),
        ("Where was Ada born?", "Ada was born in London.", "Ada was born in May 1912."),
        ("Which country is Ada from?", "Ada is a British writer.", "Ada is a writer."),
        ("Who taught Ada?", "Her tutor was Mary Somerville.", "Ada had a tutor."),
        ("What is it?", "Anything.", ""),
    ],
)
def test_sentences_hold_the_expected_kind_or_not(question: str, yes: str, no: str) -> None:
    asked = parsed_question(question)
    assert holds_expected(yes, asked)
    assert holds_expected(no, asked) is (asked.kind == "open")


def test_the_content_words_are_kept_as_written() -> None:
    assert dict(parsed_question("Who founded the city of Paris?").words) == {
        "found": "founded",
        "citi": "city",
        "pari": "Paris",
    }


def test_stems_meet_across_forms_and_relations() -> None:
    assert stem("founded") == stem("founder") == stem("founds")
    assert stem("cities") == stem("city")
    assert stem("planned") == stem("plans")
    assert stem("Paris's") == stem("paris")
    assert stem("died") == stem("death")
    assert content_stems("He was born in 1912, at the river's end.") == {"born", "1912", "river", "end"}


@pytest.mark.parametrize(
    "question",
    [
        "Which probes does it work with?",
        "what are the supported formats",
        "Who were the founders of the club?",
        "List the people who came",
        "How do I change the filter?",
        "What safety rules must I follow?",
        "Give me all dates",
        "What do we do when the rope is stuck?",
        "What should a guide do in a fire?",
    ],
)
def test_questions_that_ask_for_several(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which probe measures humidity?",
        "Who is the founder?",
        "What is this",
        "When did it open?",
        "Which vehicle does it take?",
        "What does it do?",
        "What can a lift of that kind carry?",
        "What causes the noise?",
        "How many boats are there?",
        "",
    ],
)
def test_questions_that_ask_for_one(question: str) -> None:
    assert not asks_for_several(question)
