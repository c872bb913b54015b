"""Questions of one's own about a library: one JSON object a line.

Fields: `id`, `question`; `answers` (accepted strings), `supporting_ids` (document ids), `supporting` (a list of `doc_id`, `start`, `end`:
the characters of the gold evidence), `type`. A span's document counts as supporting. There are no documents here: they are in the
library; `load_questions` checks ids and spans against it when it is given.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from decoct.data import Document, Span
from decoct.errors import CorpusError, EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question, Spec, no_documents
from decoct.tables import TypedTable, read_table


# The checks that every data set passes before anything is measured on it.
#
# Ids are unique; every id in a gold label is a document of the set; a gold span lies inside its document; answers are there. A set either
# grades its questions or not: a question without answers (or without gold) among others that have them is a fault, unless its type is one
# the SPEC calls ungraded. When no question's gold is in the corpus, the two files are of different sets, and the message says so.
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


SPEC = Spec(
    name="questions",
    title="the user's own questions about a library",
    source="the user's own",
    licence="the user's own",
    notes="questions of type 'unanswerable' need neither answers nor gold",
    gold="sentence",
    metrics=(
        "answered",
        "answered_rightly",
        "token_f1",
        "exact_match",
        "accuracy",
        "evidence_recall",
        "evidence_precision",
        "recall@5",
    ),
    ungraded=("unanswerable",),
)


def _as_text(value: object) -> object:
    """The digits of a whole number, as ids often are."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_Text = Annotated[str, BeforeValidator(_as_text)]
_Filled = Annotated[_Text, Field(pattern=r"\S")]


class GoldEvidence(TypedTable):
    """The characters of a document that hold the answer."""

    doc_id: _Filled
    start: int = Field(ge=0)
    end: int = Field(gt=0)


class OwnQuestion(TypedTable):
    """A line of a questions file."""

    id: _Filled
    question: _Filled
    answers: list[_Filled] = Field(default_factory=list)
    supporting_ids: list[_Filled] = Field(default_factory=list)
    supporting: list[GoldEvidence] = Field(default_factory=list)
    type: _Text = ""
    dataset: _Text = ""


def load_questions(
    path: Path,
    document: Callable[[str], Document] | None = None,
    options: Options | None = None,
    spec: Spec | None = None,
) -> Dataset:
    """Read a questions file; with `document` (a store's) every gold id and span is checked against the library.

    `document` raises `CorpusError` for an id it does not know, as `Store.document` does. Where some questions have gold documents but
    no spans, the unit of gold is the document.
    """
    read = [(place, read_table(OwnQuestion, row, place, EvaluationError)) for place, row in rows_of(path)]
    _one_set(read)
    questions = [_question(place, row) for place, row in read]
    lengths = _lengths(questions, document) if document is not None else None
    spec = spec or SPEC
    graded = [question for question in questions if question.supporting_ids]
    if not all(question.supporting for question in graded):
        spec = replace(spec, gold="document")
    check(questions, spec, lengths)
    return Dataset(spec, options or {}, tuple(questions), no_documents, lengths or {})


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON-lines file (plain or .gz), each with its place (`file:line`); `EvaluationError` for what is none."""
    number = 0
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if text := line.decode("utf-8").strip("\r\n \t\ufeff"):
                    row = json.loads(text)
                    if not isinstance(row, dict):
                        raise EvaluationError(f"{path}:{number}: must be a JSON object, not {type(row).__name__}")
                    yield f"{path}:{number}", row
    except json.JSONDecodeError as error:
        raise EvaluationError(f"{path}:{number}: not valid JSON ({error.msg} at character {error.colno})") from error
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{path}:{number}: not valid UTF-8 ({error.reason})") from error
    except (OSError, EOFError, zlib.error) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def _one_set(read: list[tuple[str, OwnQuestion]]) -> None:
    named = [(place, row.dataset) for place, row in read if row.dataset]
    for place, name in named:
        if name != named[0][1]:
            raise EvaluationError(
                f"{place}: mixes data sets: {name!r} after {named[0][1]!r}; give each a file of its own"
            )


def _lengths(questions: list[Question], document: Callable[[str], Document]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for doc_id in {i for question in questions for i in question.supporting_ids}:
        try:
            lengths[doc_id] = len(document(doc_id).text)
        except CorpusError:
            continue  # `check` names the question whose gold is not in the library
    return lengths


def _question(place: str, row: OwnQuestion) -> Question:
    spans = tuple(sorted(_span(place, at, one) for at, one in enumerate(row.supporting)))
    ids = tuple(row.supporting_ids) or tuple(dict.fromkeys(span.doc_id for span in spans))
    return Question(row.id, row.question, tuple(row.answers), ids, spans, row.type, origin=place)


def _span(place: str, at: int, one: GoldEvidence) -> Span:
    if one.end <= one.start:
        raise EvaluationError(f"{place}: supporting[{at}]: a gold span needs start < end, not {one.start}..{one.end}")
    return Span(one.doc_id, one.start, one.end)
