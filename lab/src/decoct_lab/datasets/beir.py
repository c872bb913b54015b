"""BEIR's layout (Thakur et al., 2021): `corpus.jsonl`, `queries.jsonl` (`_id`, `title`, `text`) and `qrels/<split>.tsv`.

The judgements choose the questions: `queries.jsonl` holds those of every split. A judgement above 0 makes a document gold; grades are kept
in `extra["grades"]` for nDCG. There are no answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.layout import find
from decoct_lab.datasets.records import jsonl, numbered_lines


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder."""
    return load_beir(path, path / "qrels", entry, options)


def load_beir(path: Path, qrels: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read corpus and queries of `path` and the judgements of the split in `qrels`."""
    read = partial(_documents, find(path, "corpus.jsonl"))
    lengths = {document.id: len(document.text) for document in read()}
    grades = judgements(qrels / f"{options['split']}.tsv", lengths)
    questions = []
    for record in jsonl(find(path, "queries.jsonl")):
        record.only(("_id", "text", "title", "metadata"))
        query_id = record.text("_id")
        if (graded := grades.pop(query_id, None)) is not None:
            gold = tuple(doc_id for doc_id, grade in graded.items() if grade > 0)
            extra = {"grades": graded}
            questions.append(
                Question(query_id, record.text("text"), supporting_ids=gold, extra=extra, origin=record.place)
            )
    if grades:
        raise EvaluationError(f"{qrels}: judges {len(grades)} unknown queries, among them {next(iter(grades))!r}")
    judged = [question for question in questions if question.supporting_ids]
    check(judged, entry.spec, lengths)
    excluded = {"query without a relevant document": len(questions) - len(judged)}
    return Dataset(entry.spec, options, tuple(judged), read, lengths, excluded)


def _documents(file: Path) -> Iterator[Document]:
    seen: set[str] = set()
    for record in jsonl(file):
        record.only(("_id", "title", "text", "metadata"))
        doc_id = record.text("_id")
        if doc_id in seen:
            raise record.error(f"the document id {doc_id!r} was used before")
        seen.add(doc_id)
        title, text = record.text("title", default=""), record.text("text", default="")
        if text.strip() or title.strip():  # a few sets hold blank documents, which no judgement names
            yield Document(doc_id, text if text.strip() else title, title)


def judgements(file: Path, lengths: dict[str, int]) -> dict[str, dict[str, int]]:
    """For each query id the grade of each judged document, from a tab-separated file with the columns query-id, corpus-id, score."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in numbered_lines(file):
        fields = line.split("\t")
        if number == 1 and fields[0] == "query-id":
            continue
        if len(fields) != 3 or re.fullmatch(r"-?[0-9]+", fields[2].strip()) is None:
            raise EvaluationError(f"{file}:{number}: must be query-id, corpus-id and a whole number, separated by tabs")
        query_id, doc_id, grade = fields[0], fields[1], int(fields[2])
        if doc_id not in lengths:
            raise EvaluationError(f"{file}:{number}: judges {doc_id!r}, which is not in corpus.jsonl")
        if doc_id in grades.setdefault(query_id, {}):
            raise EvaluationError(f"{file}:{number}: judges {doc_id!r} twice for {query_id!r}")
        grades[query_id][doc_id] = grade
    return grades
