"""Questions of one's own about a library: one JSON object a line.

Fields: `id`, `question`; `answers` (accepted strings), `supporting_ids` (document ids), `supporting` (a list of `doc_id`, `start`, `end`:
the characters of the gold evidence), `type`. A span's document counts as supporting. There are no documents here: they are in the
library; `load_questions` checks ids and spans against it when it is given.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from decoct.data import Document, Span
from decoct.errors import CorpusError, EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question, Spec
from decoct.evaluate.datasets.checks import check
from decoct.tables import TypedTable, read_table

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
    return Dataset(spec, options or {}, tuple(questions), _none, lengths or {})


def _none() -> Iterator[Document]:
    return iter(())


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
