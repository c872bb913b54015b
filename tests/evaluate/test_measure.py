from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from words import words_of

from decoct.data import Citation, Passage, SourceQuote, Span
from decoct.errors import EvaluationError
from decoct.evaluate.measure import Case, chosen_measures, measure, measure_values
from decoct_lab.dataset import Question

TOKENS = words_of(a="one two three four five six", b="seven eight nine ten")
QUESTION = Question("1", "Which?", ("three",), ("a", "b"))
CASE = Case(
    question=QUESTION,
    gold=(Span("a", 8, 18),),  # "three four"
    passages=(Span("a", 0, 27), Span("b", 0, 20)),
    text="one two three",
    shown=(Span("a", 0, 13),),  # "one two three"
    quoted=(Span("a", 0, 13),),
    tokens=TOKENS,
    ranking=("a", "c", "b"),
    found=(Span("a", 0, 13), Span("a", 8, 27)),
    gold_chunks=(Span("a", 0, 13), Span("a", 8, 27), Span("b", 0, 20)),
)


def test_context_measures_by_hand() -> None:
    taken = measure_values(
        CASE,
        ["evidence_recall", "evidence_precision", "evidence_f1", "passage_recall", "all_gold", "answer_in_context"],
    )
    # One of the two gold tokens is among the three shown; three of six tokens are half of passage a, nothing of b.
    assert taken == {
        "evidence_recall": 0.5,
        "evidence_precision": 0.333333,
        "evidence_f1": 0.4,
        "passage_recall": 0.5,
        "all_gold": 0.0,
        "answer_in_context": 1.0,
    }


def test_chunk_measures_count_chunks_of_which_the_context_holds_half() -> None:
    # Chunks that overlap gold: the first two. The context holds the first whole and 5 of 19 characters of the second.
    assert measure_values(CASE, ["chunk_recall", "chunk_precision"]) == {"chunk_recall": 0.5, "chunk_precision": 1.0}


def test_ranking_measures_take_any_k() -> None:
    assert measure_values(CASE, ["recall@1", "recall@3", "hit@1", "mrr@10", "all_gold@2"]) == {
        "recall@1": 0.5,
        "recall@3": 1.0,
        "hit@1": 1.0,
        "mrr@10": 1.0,
        "all_gold@2": 0.0,
    }


def test_ranking_measures_of_chunks_take_those_that_overlap_gold() -> None:
    # Right are a 0..13 and a 8..27, found first and second.
    assert measure_values(CASE, ["chunk_recall@1", "chunk_recall@2", "chunk_mrr@5", "chunk_ndcg@2"]) == {
        "chunk_recall@1": 0.5,
        "chunk_recall@2": 1.0,
        "chunk_mrr@5": 1.0,
        "chunk_ndcg@2": 1.0,
    }


def test_citations_and_conflicts_have_a_value_where_there_is_something_to_compare() -> None:
    names = ["citation_precision", "citation_recall", "conflict_detection", "conflict_recall"]
    assert measure_values(CASE, names) == dict.fromkeys(names)
    good = Citation(1, 0, 3, Passage("one two three four", (Span("a", 0, 18),)), SourceQuote("a", 0, 3, "one"))
    idle = Citation(2, 3, 6, Passage("seven", (Span("b", 0, 5),)), SourceQuote("b", 0, 5, "seven"))
    question = replace(QUESTION, extra={"conflicts": [{"documents": ["a", "b"]}]})
    told = [SimpleNamespace(sides=[SimpleNamespace(support=(Span(i, 0, 1),)) for i in pair]) for pair in ("ab", "bc")]
    case = replace(CASE, question=question, citations=(good, idle), notes={"conflicts": tuple(told)})
    assert measure_values(case, names) == {
        "citation_precision": 0.5,
        "citation_recall": 1.0,
        "conflict_detection": 0.666667,
        "conflict_recall": 1.0,
    }


def test_without_an_answer_or_a_key_a_measure_of_answers_means_nothing() -> None:
    assert measure_values(CASE, ["token_f1", "judge"]) == {"token_f1": None, "judge": None}
    assert measure_values(replace(CASE, answer="three"), ["token_f1", "exact_match"]) == {
        "token_f1": 1.0,
        "exact_match": 1.0,
    }
    keyless = replace(CASE, question=replace(QUESTION, answers=()), answer="three")
    assert measure_values(keyless, ["token_f1", "group_coverage"]) == {"token_f1": None, "group_coverage": None}


@pytest.mark.parametrize(
    ("answer", "key", "answered", "rightly"),
    [
        ("in three days", ("three",), 1.0, 1.0),
        ("four", ("three",), 1.0, 0.0),
        ("", ("three",), 0.0, None),
        ("three", (), 1.0, 0.0),
        ("", (), 0.0, None),
        (None, (), None, None),
    ],
)
def test_what_is_answered_may_be_right_and_what_has_no_answer_is_never(
    answer: str | None, key: tuple[str, ...], answered: float | None, rightly: float | None
) -> None:
    case = replace(CASE, question=replace(QUESTION, answers=key), answer=answer)
    assert measure_values(case, ["answered", "answered_rightly"]) == {"answered": answered, "answered_rightly": rightly}


def test_unknown_names_are_told_the_nearest() -> None:
    with pytest.raises(EvaluationError, match="did you mean 'evidence_recall'"):
        measure("evidence_recal")
    with pytest.raises(EvaluationError, match="did you mean 'recall@7'"):
        measure("recal@7")


def test_what_is_asked_for_must_be_possible_and_the_preset_is_what_is_possible() -> None:
    able = frozenset({"retrieval"})
    assert chosen_measures((), ("token_f1", "recall@5", "citation_recall"), able) == ("recall@5",)  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="needs a reader"):
        chosen_measures(("token_f1",), (), able)  # type: ignore[arg-type]
