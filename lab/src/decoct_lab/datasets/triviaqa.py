"""TriviaQA, reading-comprehension release (Joshi et al., 2017): trivia questions with Wikipedia pages or web pages as evidence.

Release: `qa/wikipedia-dev.json` (or `web-dev`) and `evidence/wikipedia/<Filename>`. Rows of the hub (config rc.wikipedia) hold the pages
themselves. Evidence is by distant supervision: a page is gold because it holds an answer, so recall counts pages, not proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_value, whole_text
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally, checked_dataset


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder of the release, or the rows fetched from the hub."""
    documents: dict[str, Document] = {}
    rows = path / "rows.jsonl"
    if rows.is_file():
        questions = [_row(record, documents) for record in jsonl(rows)]
    else:
        questions = list(_release(path, options["domain"], documents))
    tally = Tally()
    for question in questions:
        if not question.supporting_ids:
            tally.add("question without a page at hand")
    return checked_dataset(entry.spec, options, questions, documents, tally)


def _release(path: Path, domain: str, documents: dict[str, Document]) -> Iterator[Question]:
    file = path / "qa" / f"{domain}-dev.json"
    if not file.is_file():
        raise EvaluationError(
            f"{path} holds no qa/{domain}-dev.json; --data takes the folder of the release (triviaqa-rc)"
        )
    data = json_value(file)
    if not isinstance(data, dict) or not isinstance(data.get("Data"), list):
        raise EvaluationError(f"{file}: must be an object with the list 'Data', as in the release")
    kind = "EntityPages" if domain == "wikipedia" else "SearchResults"
    for record in Record(str(file), data).records("Data"):
        gold: dict[str, None] = {}
        for page in record.records(kind, default=()):
            name = page.text("Filename")
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise page.error(f"the page {name!r} lies outside the release")
            target = path / "evidence" / domain / name
            if name not in documents and target.is_file() and (text := whole_text(target)).strip():
                documents[name] = Document(name, text, page.text("Title", default=""))
            if name in documents:
                gold[name] = None
        answer = _answer(record, "Answer")
        yield Question(
            id=record.text("QuestionId"),
            question=record.text("Question"),
            answers=tuple(dict.fromkeys((answer.text("Value"), *answer.texts("Aliases", default=())))),
            supporting_ids=tuple(gold),
            origin=record.place,
        )


def _row(record: Record, documents: dict[str, Document]) -> Question:
    """A row of the hub: lists of `entity_pages` side by side."""
    gold: dict[str, None] = {}
    for page in record.records("entity_pages") if record.data.get("entity_pages") else ():
        name, text = page.text("filename"), page.text("wiki_context", default="")
        if text.strip():
            documents.setdefault(name, Document(name, text, page.text("title", default="")))
            gold[name] = None
    answer = _answer(record, "answer")
    return Question(
        id=record.text("question_id"),
        question=record.text("question"),
        answers=tuple(dict.fromkeys((answer.text("value"), *answer.texts("aliases", default=())))),
        supporting_ids=tuple(gold),
        origin=record.place,
    )


def _answer(record: Record, name: str) -> Record:
    given = record.data.get(name)
    if not isinstance(given, dict):
        raise record.error(f"{name!r} must be an object")
    return Record(f"{record.place} {name}", given)
