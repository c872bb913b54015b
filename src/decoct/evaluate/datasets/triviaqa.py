"""TriviaQA, reading-comprehension release (Joshi et al., 2017): trivia questions with Wikipedia pages or web pages as evidence.

Release: `qa/wikipedia-dev.json` (or `web-dev`) and `evidence/wikipedia/<Filename>`. Rows of the hub (config rc.wikipedia) hold the pages
themselves. Evidence is by distant supervision: a page is gold because it holds an answer, so recall counts pages, not proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset import Dataset, Options, Question
from decoct.evaluate.datasets.catalogue import CatalogueEntry
from decoct.evaluate.datasets.checks import Tally, checked_dataset
from decoct.evaluate.datasets.records import Record, json_value, jsonl


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder of the release, or the rows fetched from the hub."""
    documents: dict[str, Document] = {}
    rows = path / "rows.jsonl"
    if rows.is_file():
        questions = [_row(record, documents) for record in jsonl(rows)]
    else:
        questions = list(_release(path, options["domain"], documents))
    tally = Tally(Counter({"question without a page at hand": sum(not one.supporting_ids for one in questions)}))
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
    for index, item in enumerate(data["Data"]):
        record = Record(f"{file} Data[{index}]", item)
        gold: dict[str, None] = {}
        for page in record.records(kind, default=()):
            name = page.text("Filename")
            target = path / "evidence" / domain / name
            if name not in documents and target.is_file():
                text = target.read_text(encoding="utf-8")
                if text.strip():
                    documents[name] = Document(name, text, page.text("Title", default=""))
            if name in documents:
                gold[name] = None
        answer = Record(f"{record.place} Answer", record.data.get("Answer", {}))
        yield Question(
            id=record.text("QuestionId"),
            question=record.text("Question"),
            answers=tuple(dict.fromkeys((answer.text("Value"), *answer.texts("Aliases", default=())))),
            supporting_ids=tuple(gold),
            origin=record.place,
        )


def _row(record: Record, documents: dict[str, Document]) -> Question:
    """A row of the hub: lists of `entity_pages` side by side."""
    pages: Mapping[str, Any] = record.data.get("entity_pages") or {}
    gold: dict[str, None] = {}
    for name, title, text in zip(
        pages.get("filename", ()), pages.get("title", ()), pages.get("wiki_context", ()), strict=True
    ):
        if isinstance(text, str) and text.strip():
            documents.setdefault(name, Document(name, text, title))
            gold[name] = None
    answer = Record(f"{record.place} answer", record.data.get("answer", {}))
    return Question(
        id=record.text("question_id"),
        question=record.text("question"),
        answers=tuple(dict.fromkeys((answer.text("value"), *answer.texts("aliases", default=())))),
        supporting_ids=tuple(gold),
        origin=record.place,
    )
