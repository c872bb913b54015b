"""Every fault of a data set is named with its file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct_lab.dataset import load
from decoct_lab.datasets.sets import NAMES

PASSAGE = {"id": "p1", "title": "T", "text": "One sentence. Another one."}
QUESTION = {"id": "q1", "question": "Which?", "answers": ["one"], "supporting_ids": ["p1"]}


def write(path: Path, *rows: dict[str, Any] | str) -> None:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "corpus.jsonl", PASSAGE, {**PASSAGE, "id": "p2"})
    write(tmp_path / "questions.jsonl", QUESTION)
    return tmp_path


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("{broken", r"questions.jsonl:2: not valid JSON"),
        ("[1]", r"questions.jsonl:2: must be a JSON object, not list"),
        ({**QUESTION}, r"questions.jsonl:2: the question id 'q1' was used before, at .*questions.jsonl:1"),
        (
            {**QUESTION, "id": "q2", "answer": "x"},
            r"questions.jsonl:2: unknown field 'answer'; did you mean 'answers'\?",
        ),
        ({**QUESTION, "id": "q2", "answers": []}, r"questions.jsonl:2: question 'q2' has no answers"),
        ({**QUESTION, "id": "q2", "answers": [" "]}, r"questions.jsonl:2: 'answers' holds an empty string"),
        ({**QUESTION, "id": "q2", "answers": "one"}, r"questions.jsonl:2: 'answers' must be a list of strings"),
        ({**QUESTION, "id": "q2", "supporting_ids": []}, r"questions.jsonl:2: question 'q2' has no gold document"),
        (
            {**QUESTION, "id": "q2", "supporting_ids": ["p9"]},
            r"questions.jsonl:2: supporting_ids names 'p9', which is not",
        ),
        (
            {**QUESTION, "id": "q2", "supporting_ids": ["p1", "p1"]},
            r"questions.jsonl:2: supporting_ids names a document twice",
        ),
        ({**QUESTION, "id": "q2", "candidate_ids": ["p9"]}, r"questions.jsonl:2: candidate_ids names 'p9'"),
        (
            {"id": "q2", "answers": ["one"], "supporting_ids": ["p1"]},
            r"questions.jsonl:2: the field 'question' is missing",
        ),
        ({**QUESTION, "id": "q2", "question": " "}, r"questions.jsonl:2: 'question' is empty"),
        ({**QUESTION, "id": None}, r"questions.jsonl:2: 'id' must be a string, not nothing"),
        (
            {**QUESTION, "id": "q2", "supporting_sentences": [{"id": "p9", "text": "x"}]},
            r"questions.jsonl:2 supporting_sentences\[0\]: names 'p9'",
        ),
    ],
)
def test_a_bad_question(folder: Path, second: dict[str, Any] | str, message: str) -> None:
    write(folder / "questions.jsonl", QUESTION, second)
    with pytest.raises(EvaluationError, match=message):
        load(folder)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (PASSAGE, r"corpus.jsonl:2: the passage id 'p1' was used before"),
        ({**PASSAGE, "id": "p2", "text": " "}, r"corpus.jsonl:2: 'text' is empty"),
        ({**PASSAGE, "id": "p2", "body": "x"}, r"corpus.jsonl:2: unknown field 'body'"),
    ],
)
def test_a_bad_passage(folder: Path, second: dict[str, Any], message: str) -> None:
    write(folder / "corpus.jsonl", PASSAGE, second)
    with pytest.raises(EvaluationError, match=message):
        load(folder)


def test_blank_lines_do_not_shift_the_numbers(folder: Path) -> None:
    write(folder / "questions.jsonl", "", QUESTION, "", QUESTION)
    with pytest.raises(EvaluationError, match=r"questions.jsonl:4: the question id 'q1' .*questions.jsonl:2"):
        load(folder)


def test_files_of_two_sets_are_told_apart(folder: Path) -> None:
    write(folder / "corpus.jsonl", {**PASSAGE, "id": "other"})
    with pytest.raises(EvaluationError, match="belong to different data sets"):
        load(folder)


def test_a_gold_sentence_that_is_not_there_is_counted_and_named(folder: Path) -> None:
    gold = [{"id": "p1", "text": "Another  one."}, {"id": "p1", "text": "Quite another."}]
    write(folder / "questions.jsonl", {**QUESTION, "supporting_sentences": gold})
    dataset = load(folder)
    (span,) = dataset.questions[0].supporting
    assert PASSAGE["text"][span.start : span.end] == "Another one."
    assert dataset.excluded == {"gold sentence not found in its passage": 1}
    assert "questions.jsonl:1" in dataset.remarks[0]
    assert "'Quite another.'" in dataset.remarks[0]


def test_bytes_that_are_no_text(folder: Path) -> None:
    (folder / "questions.jsonl").write_bytes(json.dumps(QUESTION).encode() + b"\n\xff\xfe\n")
    with pytest.raises(EvaluationError, match=r"questions.jsonl:2: not valid UTF-8"):
        load(folder)


def test_a_cut_archive(folder: Path) -> None:
    import gzip

    whole = gzip.compress((folder / "questions.jsonl").read_bytes())
    (folder / "questions.jsonl").unlink()
    (folder / "questions.jsonl.gz").write_bytes(whole[:-9])
    with pytest.raises(EvaluationError, match=r"questions.jsonl.gz: a damaged .gz file"):
        load(folder)
    (folder / "questions.jsonl.gz").write_bytes(b"plain text")
    with pytest.raises(EvaluationError, match=r"questions.jsonl.gz: a damaged .gz file"):
        load(folder)


def test_missing_files_and_empty_ones(folder: Path) -> None:
    write(folder / "questions.jsonl")
    with pytest.raises(EvaluationError, match="no question is left"):
        load(folder)
    (folder / "questions.jsonl").unlink()
    with pytest.raises(EvaluationError, match="not a data set"):
        load(folder)
    with pytest.raises(EvaluationError, match=r"neither questions.jsonl nor questions.jsonl.gz"):
        load("nq-gold", folder)


def test_a_fault_of_a_file_that_is_one_json_value_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "dev.json"
    file.write_text('[\n\n{"_id": "1",\n"question": }]', "utf-8")
    with pytest.raises(EvaluationError, match=r"dev.json:4: not valid JSON"):
        load("2wikimultihopqa", file)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("content", ["", "[1]\n", '{"a": null}\n', "[]"])
def test_a_file_of_something_else_is_an_error_of_every_set(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(EvaluationError):
        load(name, tmp_path / "other.json")


def test_a_set_of_several_files_takes_their_folder(tmp_path: Path) -> None:
    write(tmp_path / "MultiHopRAG.json", "[]")
    with pytest.raises(EvaluationError, match=r"MultiHopRAG\.json is a file; .* the folder that holds corpus\.json"):
        load("multihop-rag", tmp_path / "MultiHopRAG.json")
