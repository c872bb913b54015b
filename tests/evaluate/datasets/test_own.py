from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.data import Document, Span
from decoct.errors import CorpusError, EvaluationError
from decoct.evaluate.datasets.own import load_questions
from decoct_lab.dataset import load

LIBRARY = {"a.md": Document("a.md", "Alpha beta gamma."), "b.md": Document("b.md", "Delta.")}


def document(doc_id: str) -> Document:
    if doc_id not in LIBRARY:
        raise CorpusError(f"no document {doc_id!r}")
    return LIBRARY[doc_id]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_questions_about_a_library(tmp_path: Path) -> None:
    file = write(
        tmp_path / "my-questions.jsonl",
        {"id": 1, "question": "What?", "answers": ["beta"], "supporting": [{"doc_id": "a.md", "start": 6, "end": 10}]},
        {"id": "2", "question": "Is there more?", "answers": [], "type": "unanswerable"},
    )
    dataset = load_questions(file, document)
    first, second = dataset.questions
    assert (first.id, first.supporting_ids, first.supporting) == ("1", ("a.md",), (Span("a.md", 6, 10),))
    assert dataset.gold(first) == (Span("a.md", 6, 10),)
    assert dataset.gold(first, "document") == (Span("a.md", 0, 17),)
    assert second.answers == ()
    assert list(dataset.documents()) == []
    assert load(file).questions == dataset.questions  # without the library nothing is checked against it


def test_documents_are_the_unit_where_spans_are_missing(tmp_path: Path) -> None:
    row = {"id": "1", "question": "What?", "answers": ["x"], "supporting_ids": ["b.md"]}
    dataset = load_questions(write(tmp_path / "q.jsonl", row), document)
    assert dataset.spec.gold == "document"
    assert dataset.gold(dataset.questions[0]) == (Span("b.md", 0, 6),)


def test_retrieval_only(tmp_path: Path) -> None:
    row = {"id": "1", "question": "What?", "supporting_ids": ["b.md"]}
    assert load(write(tmp_path / "q.jsonl", row)).questions[0].answers == ()


GOOD = {"id": "1", "question": "What?", "answers": ["x"], "supporting_ids": ["a.md"]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "2", "question": "What?"}, r"q.jsonl:2: question '2' has no answers"),
        ({**GOOD, "id": "2", "supporting_ids": ["z.md"]}, r"q.jsonl:2: supporting_ids names 'z.md'"),
        ({**GOOD, "id": "2", "supporting_ids": []}, r"q.jsonl:2: question '2' has no gold document"),
        (
            {**GOOD, "id": "2", "supporting": [{"doc_id": "a.md", "start": 4, "end": 4}]},
            r"q.jsonl:2: supporting\[0\]: .*4..4",
        ),
        (
            {**GOOD, "id": "2", "supporting": [{"doc_id": "a.md", "start": 4, "end": 18}]},
            r"q.jsonl:2: .* past the end of 'a.md'",
        ),
        (
            {**GOOD, "id": "2", "supporting": [{"doc_id": "b.md", "start": 0, "end": 2}]},
            r"q.jsonl:2: a gold span is in 'b.md'",
        ),
        (
            {**GOOD, "id": "2", "supporting": [{"doc_id": "a.md", "start": "0", "end": 2}]},
            r"q.jsonl:2: supporting\[0\].start: expected a whole number, not '0'",
        ),
        ({**GOOD, "id": "2", "gold": "x"}, r"q.jsonl:2: gold: unknown key"),
        ({**GOOD, "id": "2", "dataset": "other"}, r"q.jsonl:2: mixes data sets: 'other' after 'mine'"),
    ],
)
def test_faults(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        load_questions(write(tmp_path / "q.jsonl", {**GOOD, "dataset": "mine"}, row), document)


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="holds no questions"):
        load(write(tmp_path / "q.jsonl"))
