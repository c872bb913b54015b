"""scidocs-conflicts: 50 invented questions whose documents agree, complement each other or conflict (written for this project, CC0).

Every question brings 3 to 5 documents with date, kind and venue, the conflicts between them, and the behaviour a good system shows
(`type`). `scope=question` (the default) retrieves among these; `scope=corpus` among the documents of all questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from decoct.data import Document
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.layout import find
from decoct_lab.datasets.records import Record, jsonl

FIELDS = (
    "id",
    "domain",
    "question",
    "documents",
    "answers",
    "answer_groups",
    "behaviour",
    "wrong_answers",
    "conflicts",
    "supporting_ids",
    "notes",
)
DOCUMENT = ("id", "title", "date", "kind", "venue", "text")


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read `questions.jsonl` of the folder."""
    file = find(path, "questions.jsonl")
    read = partial(_documents, file)
    lengths = {document.id: len(document.text) for document in read()}
    questions = tuple(_question(record, options["scope"]) for record in jsonl(file))
    check(questions, entry.spec, lengths)
    return Dataset(entry.spec, options, questions, read, lengths)


def _documents(file: Path) -> Iterator[Document]:
    seen: set[str] = set()
    for record in jsonl(file):
        for inner in record.records("documents"):
            inner.only(DOCUMENT)
            doc_id = inner.text("id")
            if doc_id in seen:
                raise inner.error(f"the document id {doc_id!r} was used before")
            seen.add(doc_id)
            # A passage with a planted conflict (`decoct worlds generate --passages`) has no date or kind unless they decide something.
            given = {name: inner.text(name, default="") for name in ("date", "kind", "venue")}
            metadata = {name: value for name, value in given.items() if value}
            title = inner.text("title", default="")
            yield Document(doc_id, inner.text("text"), title, metadata={**metadata, "question": record.text("id")})


def _question(record: Record, scope: str) -> Question:
    record.only(FIELDS)
    groups = record.data.get("answer_groups")
    if not isinstance(groups, list) or not all(
        isinstance(g, list) and g and all(isinstance(s, str) for s in g) for g in groups
    ):
        raise record.error("'answer_groups' must be a list of lists of strings, none empty")
    question_id = record.text("id")
    return Question(
        id=question_id,
        question=record.text("question"),
        answers=record.texts("answers"),
        supporting_ids=record.texts("supporting_ids"),
        type=record.text("behaviour"),
        candidate_ids=tuple(inner.text("id") for inner in record.records("documents")),
        answer_groups=tuple(tuple(group) for group in groups),
        wrong_answers=record.texts("wrong_answers"),
        where={"question": (question_id,)} if scope == "question" else {},
        extra={name: record.data[name] for name in ("domain", "conflicts", "notes") if name in record.data},
        origin=record.place,
    )
