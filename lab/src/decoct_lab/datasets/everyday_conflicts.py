"""everyday-conflicts: 65 questions over short documents that agree or not, each claim marked (ours, CC0).

A case says how a careful person ends it: `prefer` one side, show `both` (here "flag", as other sets of conflicts call it), `agree`, or
`complementary`. Two documents conflict where the case does and their marked claims are not of one side.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.layout import find
from decoct_lab.datasets.records import Record, jsonl

FIELDS = (
    "id",
    "question",
    "documents",
    "conflict",
    "expected_answers",
    "wrong_answers",
    "behaviour",
    "claims",
    "why",
)
DOCUMENT = ("id", "title", "text", "date", "kind")
_EVERY_ONE_WANTED = ("both", "complementary")


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read `questions.jsonl` of the folder."""
    file = find(path, "questions.jsonl")
    read = partial(_documents, file)
    lengths = {document.id: len(document.text) for document in read()}
    questions = tuple(_question(record, options["scope"]) for record in jsonl(file))
    check(questions, entry.spec, lengths)
    return Dataset(entry.spec, options, questions, read, lengths)


def _documents(file: Path) -> Iterator[Document]:
    for record in jsonl(file):
        for inner in record.records("documents"):
            inner.only(DOCUMENT)
            given = {name: inner.text(name, default="") for name in ("date", "kind")}
            metadata = {name: value for name, value in given.items() if value}
            title = inner.text("title", default="")
            yield Document(
                inner.text("id"), inner.text("text"), title, metadata={**metadata, "question": record.text("id")}
            )


def _question(record: Record, scope: str) -> Question:
    record.only(FIELDS)
    question_id, behaviour, answers = record.text("id"), record.text("behaviour"), record.texts("expected_answers")
    groups = tuple((one,) for one in answers) if behaviour in _EVERY_ONE_WANTED else (answers,)
    claims = [(claim.text("doc_id"), claim.data.get("value")) for claim in record.records("claims")]
    return Question(
        id=question_id,
        question=record.text("question"),
        answers=answers,
        supporting_ids=tuple(dict.fromkeys(doc_id for doc_id, value in claims if value in answers)),
        type="flag" if behaviour == "both" else behaviour,
        candidate_ids=tuple(inner.text("id") for inner in record.records("documents")),
        answer_groups=groups,
        wrong_answers=record.texts("wrong_answers"),
        where={"question": (question_id,)} if scope == "question" else {},
        extra={"conflicts": _conflicts(claims, groups) if record.data.get("conflict") else []},
        origin=record.place,
    )


def _conflicts(claims: list[tuple[str, Any]], groups: tuple[tuple[str, ...], ...]) -> list[dict[str, Any]]:
    """The pairs of documents whose claims differ; answers that are accepted for one another do not."""
    side = {answer: number for number, group in enumerate(groups) for answer in group}
    told = [(doc_id, side.get(value, str(value).casefold())) for doc_id, value in claims if value]
    return [{"documents": [a, b]} for (a, x), (b, y) in combinations(told, 2) if a != b and x != y]
