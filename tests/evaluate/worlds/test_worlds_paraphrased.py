"""Worlds in other words, and conflicts planted in real passages."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from decoct.errors import EvaluationError
from decoct.text.words import content_stems
from decoct_lab.dataset import Dataset, load
from decoct_lab.worlds.families import Split, families
from decoct_lab.worlds.generate import worlds
from decoct_lab.worlds.passages import answer_shape, planted_questions, substitute

PARAPHRASED: list[Split] = ["paraphrased-dev", "paraphrased-test"]


@pytest.mark.parametrize("split", PARAPHRASED)
def test_most_statements_share_no_word_with_what_is_asked(split: Split) -> None:
    known, _ = families(split)
    shared = [
        bool(content_stems(family.question.replace("{e}", "")) & content_stems(statement.replace("{e}", "")))
        for family in known
        for statements in family.statements.values()
        for statement in statements
    ]
    assert sum(shared) / len(shared) <= 0.15


@pytest.mark.parametrize("split", PARAPHRASED)
def test_every_kind_of_question_can_be_made(split: Split) -> None:
    made = list(worlds(3, 80, split))
    assert {record["behaviour"] for record in made} >= {"answer", "complementary", "recency", "correction", "flag"}
    for record in made:
        texts = {document["id"]: document["text"] for document in record["documents"]}
        assert all(value in texts[doc_id] for doc_id, value in record["notes"]["said"].items())


def test_the_paraphrased_splits_share_no_family_and_no_sentence() -> None:
    (dev, dev_filler), (test, test_filler) = families("paraphrased-dev"), families("paraphrased-test")
    assert not {f.question for f in dev} & {f.question for f in test}
    assert not set(dev_filler) & set(test_filler)


@pytest.fixture
def public(tmp_path: Path) -> Dataset:
    """Six questions over passages of the layout of Natural Questions' gold passages."""
    people = ["Ada Brook", "Ben Cole", "Cid Dale", "Dot Eames", "Eve Frost", "Flo Grant"]
    corpus = [
        {
            "id": f"p{i}",
            "title": f"Hall {i}",
            "text": f"Hall {i} stands by the river. It was built by {who} in {1900 + i}. The roof is of slate. Ivy covers it.",
        }
        for i, who in enumerate(people)
    ]
    asked = [
        {"id": f"q{i}", "question": f"Who built Hall {i}?", "answers": [who], "supporting_ids": [f"p{i}"]}
        for i, who in enumerate(people)
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    return load(tmp_path)


def test_planted_conflicts_stand_in_the_documents_that_are_named(public: Dataset) -> None:
    made = list(planted_questions(1, 6, public))
    assert made == list(planted_questions(1, 6, public))
    assert len(made) == 6
    for record in made:
        texts = {document["id"]: document["text"] for document in record["documents"]}
        said = record["notes"]["said"]
        assert all(value in texts[doc_id] for doc_id, value in said.items())
        silent = [text for doc_id, text in texts.items() if doc_id not in said]
        assert silent
        assert not any(value in text for value in said.values() for text in silent)
        for conflict in record["conflicts"]:
            one, other = conflict["values"]
            assert one != other
            assert other not in texts[conflict["documents"][0]]


def test_planted_records_are_read_back_as_a_data_set(public: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    made = list(planted_questions(1, 4, public))
    (out / "questions.jsonl").write_text("".join(json.dumps(record) + "\n" for record in made))
    held = load("scidocs-conflicts", out, {"scope": "question"})
    assert [question.id for question in held.questions] == [record["id"] for record in made]


def test_what_is_kept_for_tests_is_refused(public: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct_lab.worlds.passages.KEPT_FOR_TESTS", (public.spec.name,))
    with pytest.raises(EvaluationError, match="kept for tests"):
        next(planted_questions(1, 1, public))


@pytest.mark.parametrize("answer", ["1987", "12,400 people", "5 May 1931", "Ann Lee"])
def test_a_substitute_has_the_same_form_and_says_something_else(answer: str) -> None:
    other = substitute(answer, ["Ann Lee", "Bob Roe"], random.Random(4))
    assert other is not None
    assert other != answer
    assert answer_shape(other) == answer_shape(answer)


def test_there_is_no_substitute_for_a_name_that_is_alone_of_its_form() -> None:
    assert substitute("Ann Lee", ["Ann Lee"], random.Random(4)) is None
