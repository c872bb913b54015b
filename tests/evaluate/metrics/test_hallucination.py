from __future__ import annotations

from pathlib import Path

import pytest

from decoct_lab.dataset import load
from decoct_lab.measures.group_coverage import group_coverage
from decoct_lab.measures.hallucination import Label, behaved_as_expected, hallucination, rates

QUESTION = "What daily dose did participants of the MERIDA trial take?"
DOCUMENTS = [
    "The dose was 0.5 g daily in MERIDA, after a run-in of 250 mg.",
    "Participants lived in Oslo. 40 took part.",
]


def label(prediction: str, *, found: bool = True, malformed: bool = False) -> Label:
    return hallucination(
        prediction, QUESTION, [("0.5 g", "500 mg")], ["250 mg", "1 g"], DOCUMENTS, found=found, malformed=malformed
    )


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ("500 mg", "correct"),
        ("The dose was 0.5 g a day.", "correct"),
        ("250 mg", "misled"),
        ("One report says 0.5 g, another 250 mg.", "both"),
        ("The sources do not say.", "abstain"),
        ("Not found.", "abstain"),
        ("40", "misled"),  # a value of the documents, but not the answer
        ("Oslo", "misled"),
        ("750 mg", "unsupported"),
        ("It was Bergen, with 40 people", "unsupported"),  # one value that no document holds is enough
        ("quarterly", "unsupported"),  # no number or name: looked up as a whole
        ("", "malformed"),
        ("  \n", "malformed"),
    ],
)
def test_each_answer_has_one_label(prediction: str, expected: str) -> None:
    assert label(prediction) == expected


def test_what_the_reader_said_of_itself() -> None:
    assert label("{", malformed=True) == "malformed"
    assert label("I have nothing on this", found=False) == "abstain"
    assert label("500 mg", found=False) == "correct"  # an answer given is an answer


def test_a_right_value_among_the_wrong_answers_is_right() -> None:
    assert hallucination("5", "?", [("5",)], ["5", "6"], []) == "correct"


def test_the_questions_own_words_are_not_values_of_the_answer() -> None:
    assert label("MERIDA: 40") == "misled"


def test_expected_behaviours() -> None:
    groups = [("11.3 hours",), ("18.6 hours",)]
    both, one = "11.3 hours or 18.6 hours, sources differ", "11.3 hours"
    for text, flag in ((both, True), (one, False)):
        assert (
            behaved_as_expected(hallucination(text, "?", groups, [], []), group_coverage(text, groups), "flag") is flag
        )
    assert behaved_as_expected("correct", 1.0, "recency")
    assert not behaved_as_expected("both", 1.0, "recency")
    assert not behaved_as_expected("misled", 0.0, "answer")


def test_rates_sum_to_one_and_wrong_is_unsupported_plus_misled() -> None:
    made = rates(["correct", "correct", "misled", "unsupported", "both", "abstain", "malformed", "misled"])
    assert sum(made.shares.values()) == pytest.approx(1)
    assert (made.n, made.hallucination, made.misled, made.wrong) == (8, 1 / 8, 2 / 8, 3 / 8)
    assert rates([]).wrong == 0


@pytest.mark.parametrize("name", ["scidocs-conflicts", "ramdocs", "conflictqa-strategyqa", "wikicontradict"])
def test_gold_and_planted_answers_of_the_conflict_sets(name: str, shared: Path) -> None:
    """Every gold answer is correct; every planted one is misled, but for those that the set itself also accepts."""
    dataset = load(name, shared)
    texts = {document.id: document.text for document in dataset.documents()}
    for question in dataset.questions:
        documents = [texts[i] for i in question.candidate_ids]

        def judge(answer: str) -> Label:
            return hallucination(answer, question.question, question.groups, question.wrong_answers, documents)  # noqa: B023

        assert {judge(answer) for answer in question.answers} == {"correct"}
        assert {judge(answer) for answer in set(question.wrong_answers) - set(question.answers)} <= {"misled"}
