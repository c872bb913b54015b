"""Questions of one's own about a library: one JSON object a line.

Fields: `id`, `question`; `answers` (accepted strings), `supporting_ids` (document ids), `supporting` (a list of `doc_id`, `start`, `end`:
the characters of the gold evidence), `type`. A span's document counts as supporting. There are no documents here: they are in the
library; `load_questions` checks ids and spans against it when it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from decoct.data import Document, Span
from decoct.errors import CorpusError
from decoct.evaluate.dataset_types import Dataset, Options, Question, Spec
from decoct.evaluate.datasets.checks import check
from decoct.evaluate.datasets.records import Record, jsonl

SPEC = Spec(
    name="questions",
    title="the user's own questions about a library",
    source="the user's own",
    licence="the user's own",
    notes="questions of type 'unanswerable' need neither answers nor gold",
    gold="sentence",
    metrics=("token_f1", "exact_match", "accuracy", "evidence_recall", "evidence_precision", "recall@5"),
    ungraded=("unanswerable",),
)
FIELDS = ("id", "question", "answers", "supporting_ids", "supporting", "type", "dataset")


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
    records = list(jsonl(path))
    _one_set(records)
    questions = [_question(record) for record in records]
    lengths = _lengths(questions, document) if document is not None else None
    spec = spec or SPEC
    graded = [question for question in questions if question.supporting_ids]
    if not all(question.supporting for question in graded):
        spec = replace(spec, gold="document")
    check(questions, spec, lengths)
    return Dataset(spec, options or {}, tuple(questions), _none, lengths or {})


def _none() -> Iterator[Document]:
    return iter(())


def _one_set(records: list[Record]) -> None:
    first = ""
    for record in records:
        name = record.text("dataset", default="")
        first = first or name
        if name and name != first:
            raise record.error(f"mixes data sets: {name!r} after {first!r}; give each a file of its own")


def _lengths(questions: list[Question], document: Callable[[str], Document]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for doc_id in {i for question in questions for i in question.supporting_ids}:
        try:
            lengths[doc_id] = len(document(doc_id).text)
        except CorpusError:
            continue  # `check` names the question whose gold is not in the library
    return lengths


def _question(record: Record) -> Question:
    record.only(FIELDS)
    spans = tuple(sorted(_span(inner) for inner in record.records("supporting", default=())))
    ids = record.texts("supporting_ids", default=()) or tuple(dict.fromkeys(span.doc_id for span in spans))
    return Question(
        id=record.text("id"),
        question=record.text("question"),
        answers=record.texts("answers", default=()),
        supporting_ids=ids,
        supporting=spans,
        type=record.text("type", default=""),
        origin=record.place,
    )


def _span(record: Record) -> Span:
    record.only(("doc_id", "start", "end"))
    start, end = record.number("start"), record.number("end")
    if not 0 <= start < end:
        raise record.error(f"a gold span needs 0 <= start < end, not {start}..{end}")
    return Span(record.text("doc_id"), start, end)
