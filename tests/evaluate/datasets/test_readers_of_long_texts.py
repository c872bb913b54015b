"""The readers of sets that ask about long texts: pages, papers, novels, contexts of a row; and what a damaged release says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct_lab.dataset import Options, choose
from decoct_lab.datasets import clapnq, longbench, novelqa, qasper, triviaqa
from decoct_lab.datasets.sets import module


def options(name: str, **given: str) -> Options:
    return choose(module(name).spec, given)


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_clapnq_joins_what_its_annotators_wrote(tmp_path: Path) -> None:
    passage = {"title": "Ada", "text": "Ada lived in Oslo. She built."}
    outputs = [
        {"answer": "In Oslo.", "selected_sentences": ["She built."]},
        {"answer": "In Oslo."},
        {"answer": "Oslo."},
    ]
    file = lines(
        tmp_path / "clapnq_dev_answerable.jsonl",
        {"id": 1, "input": "where", "passages": [passage, passage], "output": outputs},
    )
    (question,) = clapnq.load(file, module("clapnq"), options("clapnq")).questions
    assert (question.id, question.answers) == ("1", ("In Oslo.", "Oslo."))
    assert question.candidate_ids == question.supporting_ids
    (span,) = question.supporting
    assert (span.start, span.end) == (19, 29)


def test_a_question_of_clapnq_without_a_passage_is_named(tmp_path: Path) -> None:
    row = {"id": "1", "input": "where", "passages": [], "output": [{"answer": "x", "selected_sentences": ["y"]}]}
    with pytest.raises(EvaluationError, match=r"jsonl:1: 'passages' is empty"):
        clapnq.load(lines(tmp_path / "clapnq_dev_answerable.jsonl", row), module("clapnq"), options("clapnq"))


@pytest.mark.parametrize(
    ("context", "documents"),
    [
        ("One text. No passages.", [("x-0", "", "One text. No passages.")]),
        ("Passage 1:\nA title\nText.\nMore.\n\nPassage 2:\nOne line.", [("x-1", "A title", "Text.\nMore."), ("x-2", "", "One line.")]),
        ("As Passage 1:\nsays", [("x-0", "", "As Passage 1:\nsays")]),  # only at the beginning of a line
    ],
)  # fmt: skip
def test_the_passages_of_a_long_context(tmp_path: Path, context: str, documents: list[tuple[str, str, str]]) -> None:
    row = {"_id": "x", "input": "Which?", "context": context, "answers": ["a", "a"], "dataset": "musique"}
    lines(tmp_path / "musique.jsonl", row)
    dataset = longbench.load(tmp_path, module("longbench"), options("longbench", task="musique"))
    assert [(d.id, d.title, d.text) for d in dataset.documents()] == documents
    (question,) = dataset.questions
    assert (question.candidate_ids, question.answers) == (tuple(i for i, _, _ in documents), ("a",))


def test_a_packed_longbench_says_to_unpack_it(tmp_path: Path) -> None:
    (tmp_path / "data.zip").write_bytes(b"PK")
    with pytest.raises(EvaluationError, match=r"holds no qasper\.jsonl \(unpack data\.zip first\)"):
        longbench.load(tmp_path, module("longbench"), options("longbench", task="qasper"))


def novel(folder: Path, text: bytes, data: Any) -> Path:
    (folder / "Books").mkdir()
    (folder / "Books" / "B1.txt").write_bytes(text)
    written(folder / "Data" / "B1.json", data)
    return folder


def test_a_novels_questions_may_be_a_list_and_evidence_that_is_not_there_is_counted(tmp_path: Path) -> None:
    asked = {"Question": "Who sailed?", "Answer": "Ada", "Evidences": ["Ada sailed.", "Ada rowed."], "Gold": "A"}
    dataset = novelqa.load(novel(tmp_path, b"Ada sailed. Bo slept.", [asked, asked]), module("novelqa"), {})
    assert [q.id for q in dataset.questions] == ["B1-0", "B1-1"]
    assert dataset.questions[0].where == {"book": ("B1",)}
    assert dataset.questions[0].extra == {"Gold": "A"}
    assert dataset.excluded == {"gold evidence not found in its novel": 2}


@pytest.mark.parametrize("data", ["text", [["no object"]], {"Q1": "no object"}, 5])
def test_questions_of_a_novel_that_are_no_objects_are_named(tmp_path: Path, data: Any) -> None:
    with pytest.raises(EvaluationError, match=r"B1\.json: must be an object from question id to question, or a list"):
        novelqa.load(novel(tmp_path, b"Ada sailed.", data), module("novelqa"), {})


def test_a_novel_that_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"B1\.txt: not valid UTF-8"):
        novelqa.load(novel(tmp_path, b"Ada \xff", {}), module("novelqa"), {})


def paper(*answers: dict[str, Any], **changed: Any) -> dict[str, Any]:
    asked = {"question": "Which?", "question_id": "a", "answers": [{"answer": answer} for answer in answers]}
    sections = [{"section_name": None, "paragraphs": ["We use BLEU.", None]}]
    return {"1": {"title": "On Scores", "abstract": "", "full_text": sections, "qas": [asked], **changed}}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"extractive_spans": ["BLEU", "chrF"], "free_form_answer": "not this"}, "BLEU, chrF"),
        ({"extractive_spans": [], "free_form_answer": " Scores "}, "Scores"),
        ({"free_form_answer": "", "yes_no": True}, "Yes"),
        ({"yes_no": False}, "No"),
        ({"unanswerable": True, "free_form_answer": "not this"}, "Unanswerable"),
    ],
)
def test_one_annotators_answer(tmp_path: Path, answer: dict[str, Any], told: str) -> None:
    file = written(tmp_path / "qasper-dev-v0.3.json", paper(answer))
    dataset = qasper.load(file, module("qasper"), options("qasper", scope="corpus"))
    assert (dataset.questions[0].answers, dataset.questions[0].where) == ((told,), {})
    assert next(dataset.documents()).text == "We use BLEU."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (paper({"yes_no": None}), "has no answer: unanswerable"),
        (paper(full_text=[{"section_name": "A", "paragraphs": None}]), "'paragraphs' must be a list"),
        (paper(qas={"question": ["Which?", "Why?"], "question_id": ["a"]}), "lists of 'qas' are not of one length"),
        (
            paper(qas=[{"question": "Q", "question_id": "a", "answers": [{"answer": "x"}]}]),
            "'answer' must be an object",
        ),
        (["no object"], "must be an object from paper id to paper"),
    ],
)
def test_a_damaged_paper_is_named(tmp_path: Path, data: Any, message: str) -> None:
    file = written(tmp_path / "qasper-test-v0.3.json", data)
    with pytest.raises(EvaluationError, match=message):
        qasper.load(file, module("qasper"), options("qasper"))


def trivia(*pages: str) -> dict[str, Any]:
    found = [{"Filename": name, "Title": name} for name in pages]
    answer = {"Value": "Ada", "Aliases": ["Ada", "A. L."]}
    return {"Question": "Who?", "QuestionId": "t1", "Answer": answer, "EntityPages": found, "SearchResults": found[:1]}


def test_pages_of_the_web_are_another_list_in_another_folder(tmp_path: Path) -> None:
    for domain in ("wikipedia", "web"):
        written(tmp_path / "qa" / f"{domain}-dev.json", {"Data": [trivia("0/a.txt", "b.txt")]})
        for name in ("0/a.txt", "b.txt"):
            file = tmp_path / "evidence" / domain / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"Of {domain}.")
    pages = triviaqa.load(tmp_path, module("triviaqa"), options("triviaqa"))
    web = triviaqa.load(tmp_path, module("triviaqa"), options("triviaqa", domain="web"))
    assert pages.questions[0].supporting_ids == ("0/a.txt", "b.txt")
    assert (web.questions[0].supporting_ids, next(web.documents()).text) == (("0/a.txt",), "Of web.")
    assert (pages.questions[0].answers, pages.excluded) == (("Ada", "A. L."), {})


def test_a_question_without_a_page_is_counted(tmp_path: Path) -> None:
    asked = [trivia("a.txt"), {**trivia("gone.txt"), "QuestionId": "t2"}]
    written(tmp_path / "qa" / "wikipedia-dev.json", {"Data": asked})
    (tmp_path / "evidence" / "wikipedia").mkdir(parents=True)
    (tmp_path / "evidence" / "wikipedia" / "a.txt").write_text("Ada.")
    dataset = triviaqa.load(tmp_path, module("triviaqa"), options("triviaqa"))
    assert dataset.excluded == {"question without a page at hand": 1}


@pytest.mark.parametrize("name", ["../../../secret.txt", "/etc/hostname", "a/../../b"])
def test_no_page_is_read_outside_the_release(tmp_path: Path, name: str) -> None:
    written(tmp_path / "qa" / "wikipedia-dev.json", {"Data": [trivia(name)]})
    (tmp_path / "secret.txt").write_text("Not of this set.")
    with pytest.raises(EvaluationError, match=r"EntityPages\[0\]: the page '.*' lies outside the release"):
        triviaqa.load(tmp_path, module("triviaqa"), options("triviaqa"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"answer": "Ada"}, "'answer' must be an object"),
        ({"entity_pages": {"filename": ["a"], "wiki_context": []}}, "lists of 'entity_pages' are not of one length"),
    ],
)
def test_a_damaged_row_of_the_hub_is_named(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    row = {"question": "Who?", "question_id": "t1", "answer": {"value": "Ada"}, "entity_pages": {}, **changed}
    lines(tmp_path / "rows.jsonl", row)
    with pytest.raises(EvaluationError, match=message):
        triviaqa.load(tmp_path, module("triviaqa"), options("triviaqa"))
