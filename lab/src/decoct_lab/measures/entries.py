"""What an evaluation may take besides the core's measures: chunks given, conflicts told, right answers covered, wrong ones given."""

from __future__ import annotations

from typing import Literal

from decoct.evaluate.measure import Case, Measure
from decoct.evaluate.metrics.ranking import chunks_with_gold
from decoct_lab.measures.chunk_evidence import chunk_evidence, chunks_in_context
from decoct_lab.measures.conflict_detection import conflict_detection
from decoct_lab.measures.conflicts import labelled_pairs, reported_pairs
from decoct_lab.measures.group_coverage import group_coverage
from decoct_lab.measures.hallucination import hallucination


def _conflicts(field: Literal["precision", "recall", "f1"]) -> Measure:
    def value(case: Case) -> float | None:
        gold, reported = labelled_pairs(case.question), reported_pairs(case.notes)
        if gold is None or reported is None:
            return None
        return float(getattr(conflict_detection(reported, gold), field))

    return Measure(frozenset({"retrieval", "context"}), value)


def _chunks(field: Literal["recall", "precision", "f1"]) -> Measure:
    def value(case: Case) -> float | None:
        right = chunks_with_gold(case.gold_chunks, case.gold)
        found = chunk_evidence(chunks_in_context(case.found, case.shown), right)
        return None if found is None else float(getattr(found, field))

    return Measure(frozenset({"retrieval", "context"}), value)


def _coverage(case: Case) -> float | None:
    return (
        None if case.answer is None or not case.question.groups else group_coverage(case.answer, case.question.groups)
    )


def _labelled(*labels: str) -> Measure:
    def value(case: Case) -> float | None:
        if case.answer is None or not case.question.groups:
            return None
        question = case.question
        label = hallucination(case.answer, question.question, question.groups, question.wrong_answers, [case.text])
        return float(label in labels)

    return Measure(frozenset({"reader"}), value)


CHUNK_F1, CHUNK_PRECISION, CHUNK_RECALL = _chunks("f1"), _chunks("precision"), _chunks("recall")
CONFLICT_DETECTION, CONFLICT_PRECISION, CONFLICT_RECALL = (
    _conflicts("f1"),
    _conflicts("precision"),
    _conflicts("recall"),
)
GROUP_COVERAGE = Measure(frozenset({"reader"}), _coverage)
HALLUCINATION, WRONG_ANSWER = _labelled("unsupported"), _labelled("unsupported", "misled")
