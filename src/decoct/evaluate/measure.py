"""The one table from a measure's name to what it needs and how it is computed, and the only door through which gold enters a run.

A measure gives a number in 0..1 for one question, or None where it means nothing for that question: such questions are left out of its
mean and counted. `recall@5`, `hit@3`, `mrr@10`, `ndcg@10` and `all_gold@5` take any number; they look at the ranking of documents before
packing (with `chunk_` before the name, of chunks, where those that overlap gold evidence are the right ones), all others at the final
context or the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from decoct import plugins
from decoct.data import Citation, Span
from decoct.errors import EvaluationError, MissingDistributionError
from decoct.evaluate.dataset_types import Question
from decoct.evaluate.metrics.answers import accuracy, answer_in_context, exact_match, token_f1, word_accuracy
from decoct.evaluate.metrics.evidence import TokenMap, all_gold, citation_scores, evidence, passage_recall
from decoct.evaluate.metrics.ranking import (
    all_gold_at_k,
    chunks_with_gold,
    hit_at_k,
    ndcg_at_k,
    recall_at_k,
    reciprocal_rank,
)
from decoct.registry import nearest

Need: TypeAlias = Literal["reader", "judge", "retrieval", "context", "citations"]


@dataclass(frozen=True, slots=True)
class Case:
    """One question under one system and budget, with its gold.

    `gold` are its gold spans in the run's unit, `passages` the gold documents whole; `shown` are the spans that support the context,
    `quoted` those it quotes word for word; `ranking` the documents found, best first; `found` the chunks found; `gold_chunks` all chunks
    of the gold documents under the system's chunker; `answer` is None where no reader was asked, and so are `citations` where it does not
    cite; `notes` are the context's.
    """

    question: Question
    gold: tuple[Span, ...]
    passages: tuple[Span, ...]
    text: str
    shown: tuple[Span, ...]
    quoted: tuple[Span, ...]
    tokens: TokenMap
    ranking: tuple[str, ...] = ()
    found: tuple[Span, ...] = ()
    gold_chunks: tuple[Span, ...] = ()
    answer: str | None = None
    citations: tuple[Citation, ...] | None = None
    notes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    judged: float | None = None


Function: TypeAlias = Callable[[Case], float | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a measure needs beyond gold labels, and its function."""

    needs: frozenset[Need]
    value: Function


def _answered(function: Callable[[str, tuple[str, ...]], float]) -> Measure:
    def value(case: Case) -> float | None:
        if case.answer is None or not case.question.answers:
            return None
        return function(case.answer, case.question.answers)

    return Measure(frozenset({"reader"}), value)


def _answered_rightly(case: Case) -> float | None:
    """Of a question that is answered whether rightly; any answer to one that has none is wrong."""
    if not case.answer:
        return None
    return word_accuracy(case.answer, case.question.answers) if case.question.answers else 0.0


def _evidence(field: Literal["recall", "precision", "f1"], *, quoted: bool = False) -> Measure:
    def value(case: Case) -> float | None:
        found = evidence(case.quoted if quoted else case.shown, case.gold, case.tokens)
        return None if found is None else float(getattr(found, field))

    return Measure(frozenset({"context"}), value)


def _citations(field: Literal["precision", "recall"]) -> Measure:
    def value(case: Case) -> float | None:
        found = None if case.citations is None else citation_scores(case.citations, case.gold)
        return None if found is None else getattr(found, field)

    return Measure(frozenset({"reader", "citations"}), value)


MEASURES: Mapping[str, Measure] = {
    "accuracy": _answered(accuracy),
    "all_gold": Measure(frozenset({"context"}), lambda case: all_gold(case.shown, case.passages, case.tokens)),
    "answer_in_context": Measure(
        frozenset({"context"}), lambda case: answer_in_context(case.text, case.question.answers)
    ),
    "answered": Measure(frozenset({"reader"}), lambda case: None if case.answer is None else float(bool(case.answer))),
    "answered_rightly": Measure(frozenset({"reader"}), _answered_rightly),
    "citation_precision": _citations("precision"),
    "citation_recall": _citations("recall"),
    "evidence_f1": _evidence("f1"),
    "evidence_precision": _evidence("precision"),
    "evidence_recall": _evidence("recall"),
    "exact_match": _answered(exact_match),
    "judge": Measure(frozenset({"reader", "judge"}), lambda case: case.judged),
    "passage_recall": Measure(
        frozenset({"context"}), lambda case: passage_recall(case.shown, case.passages, case.tokens)
    ),
    "quoted_recall": _evidence("recall", quoted=True),
    "token_f1": _answered(token_f1),
    "word_accuracy": _answered(word_accuracy),
}
"""Our own; plug-ins bring more (`decoct.measures`)."""
LOWER_IS_BETTER = frozenset({"hallucination", "wrong_answer"})
_RANKED: Mapping[str, Callable[[Sequence[Hashable], Collection[Hashable], int], float | None]] = {
    "all_gold": all_gold_at_k,
    "hit": hit_at_k,
    "mrr": reciprocal_rank,
    "ndcg": ndcg_at_k,
    "recall": recall_at_k,
}
_AT = re.compile(r"([a-z_]+)@([1-9]\d*)")


def measure(name: str) -> Measure:
    """The measure of a name; `EvaluationError` with the nearest name for an unknown one."""
    if name in MEASURES:
        return MEASURES[name]
    added = plugins.points("measures")
    if name in added:
        brought: Measure = plugins.load("measures", name, "measure")
        return brought
    found = _AT.fullmatch(name)
    if found and found[1].removeprefix("chunk_") in _RANKED:
        function, k = _RANKED[found[1].removeprefix("chunk_")], int(found[2])
        if found[1].startswith("chunk_"):
            return Measure(
                frozenset({"retrieval"}),
                lambda case: function(case.found, chunks_with_gold(case.gold_chunks, case.gold), k),
            )
        return Measure(frozenset({"retrieval"}), lambda case: function(case.ranking, case.question.supporting_ids, k))
    plugins.check_installed("measures", name, "measure")
    known = [*MEASURES, *added, *(f"{ranked}@{found[2] if found else 5}" for ranked in _RANKED)]
    raise EvaluationError(f"there is no measure {name!r}; {nearest(name, known)}")


def chosen_measures(asked: Iterable[str], preset: Iterable[str], able: frozenset[Need]) -> tuple[str, ...]:
    """The measures of a run: those `asked` for, else the data set's own that this run is `able` to take.

    One that is asked for and needs what the run does not have is an `EvaluationError`.
    """
    names = tuple(dict.fromkeys(asked))
    for name in names:
        if missing := measure(name).needs - able - {"context"}:
            what = {
                "citations": "a reader that cites (--cite, or --reader short-answers or extractive)",
                "judge": "a judge (--judge)",
                "reader": "a reader (--llm, or --reader short-answers)",
                "retrieval": "a recipe that retrieves",
            }
            raise EvaluationError(f"the measure {name!r} needs {' and '.join(what[need] for need in sorted(missing))}")
    if names:
        return names
    return tuple(name for name in dict.fromkeys(preset) if _known(name) and measure(name).needs <= able | {"context"})


def _known(name: str) -> bool:
    try:
        measure(name)
    except (
        EvaluationError,
        MissingDistributionError,
    ):  # a SPEC names measures that a run has no use for, or does not have
        return False
    return True


def measure_values(case: Case, names: Iterable[str], void: frozenset[Need] = frozenset()) -> dict[str, float | None]:
    """Each measure's value for one case; None for those that need something that is `void` here."""
    taken: dict[str, float | None] = {}
    for name in names:
        one = measure(name)
        value = None if one.needs & void else one.value(case)
        taken[name] = None if value is None else round(float(value), 6)
    return taken
