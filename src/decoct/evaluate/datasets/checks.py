"""The checks that every data set passes before anything is measured on it.

Ids are unique; every id in a gold label is a document of the set; a gold span lies inside its document; answers are there. A set either
grades its questions or not: a question without answers (or without gold) among others that have them is a fault, unless its type is one
the SPEC calls ungraded. When no question's gold is in the corpus, the two files are of different sets, and the message says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Question, Spec


def check(questions: Sequence[Question], spec: Spec, lengths: Mapping[str, int] | None) -> None:
    """Raise `EvaluationError` at the first fault, naming its place. Without `lengths` ids are not checked against documents."""
    if not questions:
        raise EvaluationError(f"{spec.name}: no question is left with these options; check --data and the options")
    _unique(questions)
    if lengths is not None:
        gold = {i for question in questions for i in question.supporting_ids}
        if gold and not any(i in lengths for i in gold):
            raise EvaluationError(
                f"{questions[0].origin}: none of the gold documents is in the corpus; questions and corpus belong to different data sets"
            )
    any_answers = any(question.answers for question in questions) and not spec.retrieval_only
    any_gold = spec.gold != "none" and any(question.supporting_ids for question in questions)
    for question in questions:
        ungraded = question.type in spec.ungraded
        if any_answers and not question.answers and not ungraded:
            raise EvaluationError(f"{question.origin}: question {question.id!r} has no answers")
        if any_gold and not question.supporting_ids and not ungraded and not spec.gold_is_partial:
            raise EvaluationError(f"{question.origin}: question {question.id!r} has no gold document (supporting_ids)")
        if not any_answers and not any_gold and not ungraded:
            raise EvaluationError(f"{question.origin}: question {question.id!r} has neither answers nor gold documents")
        if lengths is not None:
            _inside(question, lengths)


def _unique(questions: Sequence[Question]) -> None:
    first: dict[str, str] = {}
    for question in questions:
        if question.id in first:
            raise EvaluationError(
                f"{question.origin}: the question id {question.id!r} was used before, at {first[question.id]}"
            )
        first[question.id] = question.origin


def _inside(question: Question, lengths: Mapping[str, int]) -> None:
    for name, ids in (("supporting_ids", question.supporting_ids), ("candidate_ids", question.candidate_ids)):
        for i in ids:
            if i not in lengths:
                raise EvaluationError(f"{question.origin}: {name} names {i!r}, which is not a document of the corpus")
        if len(set(ids)) < len(ids):
            raise EvaluationError(f"{question.origin}: {name} names a document twice")
    for span in question.supporting:
        if span.doc_id not in question.supporting_ids:
            raise EvaluationError(
                f"{question.origin}: a gold span is in {span.doc_id!r}, which supporting_ids does not name"
            )
        if span.end > lengths[span.doc_id]:
            raise EvaluationError(
                f"{question.origin}: gold span {span.start}..{span.end} reaches past the end of {span.doc_id!r} "
                f"({lengths[span.doc_id]} characters)"
            )
