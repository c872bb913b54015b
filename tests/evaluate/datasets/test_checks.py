from __future__ import annotations

from typing import Any

import pytest

from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.evaluate.datasets.own import check
from decoct_lab.dataset import Question, Spec
from decoct_lab.datasets.tally import Tally, checked_dataset

SPEC = Spec("s", "S", "here", "CC0", "", "passage", ("token_f1",), ungraded=("general",))
LENGTHS = {"d": 10, "e": 5}


def asked(name: str = "q", **change: Any) -> Question:
    return Question(name, "Q?", **{"answers": ("a",), "supporting_ids": ("d",), "origin": f"f:{name}", **change})


def test_a_whole_set_passes_and_a_span_may_reach_its_documents_end() -> None:
    check(
        [
            asked(),
            asked("r", supporting=(Span("d", 0, 10),)),
            asked("g", type="general", answers=(), supporting_ids=()),
        ],
        SPEC,
        LENGTHS,
    )


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([], "s: no question is left with these options"),
        ([asked(), asked()], "f:q: the question id 'q' was used before, at f:q"),
        ([asked(supporting_ids=("x",))], "none of the gold documents is in the corpus"),
        ([asked(), asked("r", answers=())], "f:r: question 'r' has no answers"),
        ([asked(), asked("r", supporting_ids=())], "f:r: question 'r' has no gold document"),
        ([asked(answers=(), supporting_ids=())], "has neither answers nor gold documents"),
        ([asked(), asked("r", supporting_ids=("d", "x"))], "f:r: supporting_ids names 'x', which is not a document"),
        ([asked(candidate_ids=("x",))], "candidate_ids names 'x'"),
        ([asked(candidate_ids=("d", "d"))], "candidate_ids names a document twice"),
        ([asked(supporting=(Span("e", 0, 1),))], "a gold span is in 'e', which supporting_ids does not name"),
        ([asked(supporting=(Span("d", 4, 11),))], r"gold span 4..11 reaches past the end of 'd' \(10 characters\)"),
    ],
)
def test_each_fault_is_named_with_its_place(questions: list[Question], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        check(questions, SPEC, LENGTHS)


def test_without_a_corpus_ids_are_not_checked() -> None:
    check([asked(supporting_ids=("anything",))], SPEC, None)


def test_a_checked_set_has_its_lengths_and_what_was_left_out() -> None:
    tally = Tally()
    tally.add("lost", "f:9: lost")
    tally.add("lost")
    made = checked_dataset(SPEC, {}, [asked()], {"d": Document("d", "0123456789")}, tally)
    assert (made.lengths, made.excluded, made.remarks) == ({"d": 10}, {"lost": 2}, ("f:9: lost",))
    assert [document.id for document in made.documents()] == ["d"]
    assert made.gold(made.questions[0]) == (Span("d", 0, 10),)
