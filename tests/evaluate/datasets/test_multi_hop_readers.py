"""The readers of sets whose questions need several passages: settings, aliases, and what a damaged release says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.data import Span
from decoct.errors import EvaluationError
from decoct_lab.dataset import Options, choose
from decoct_lab.datasets import flashrag, multihop, multihop_rag, musique
from decoct_lab.datasets.sets import module


def options(name: str, **given: str) -> Options:
    return choose(module(name).spec, given)


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def hop(**changed: Any) -> dict[str, Any]:
    return {
        "_id": "h1",
        "question": "Where did the friend of Bo live?",
        "answer": "Oslo",
        "supporting_facts": [["Bo", 0], ["Ada", 1]],
        "context": [["Ada", ["Ada built.", " She lived in Oslo."]], ["Bo", ["Bo knew Ada."]], ["Cy", ["Cy sang."]]],
        **changed,
    }


def test_a_question_asked_of_its_own_passages_finds_no_other(tmp_path: Path) -> None:
    other = hop(_id="h2", context=[["Dee", ["Dee ran."]]], supporting_facts=[["Dee", 0]])
    file = tmp_path / "hotpot_dev_distractor_v1.json"
    file.write_text(json.dumps([hop(), other]))
    entry = module("hotpotqa")
    whole = multihop.load(file, entry, options("hotpotqa"))
    assert [question.where for question in whole.questions] == [{}, {}]
    own = multihop.load(file, entry, options("hotpotqa", scope="candidates"))
    first, second = own.questions
    assert len(first.candidate_ids) == 3
    assert first.where == {"passage": first.candidate_ids}
    assert second.where == {"passage": second.supporting_ids}
    assert {document.id: document.metadata for document in own.documents()} == {
        i: {"passage": i} for i in (*first.candidate_ids, *second.candidate_ids)
    }


def test_a_fact_named_twice_and_a_passage_met_twice_count_once(tmp_path: Path) -> None:
    file = tmp_path / "hotpot_train_v1.json"
    file.write_text(json.dumps([hop(supporting_facts=[["Bo", 0], ["Bo", 0]]), hop(_id="h2")]))
    dataset = multihop.load(file, module("hotpotqa"), options("hotpotqa"))
    first, second = dataset.questions
    assert len(first.supporting_ids) == len(first.supporting) == 1
    assert len(dataset.lengths) == 3
    assert second.supporting == tuple(sorted(second.supporting))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"context": [["Ada", "one string"]]}, r"\[0\]: 'context' must be a list of \[title, \[sentence, …\]\]"),
        ({"context": [["Ada"]]}, r"'context' must be a list of pairs that begin with a title"),
        ({"supporting_facts": None}, r"'supporting_facts' must be a list of pairs"),
        ({"supporting_facts": {"title": ["Bo", "Ada"], "sent_id": [0]}}, r"lists of 'supporting_facts' are not of one length"),
        ({"answr": "Oslo"}, r"unknown field 'answr'; did you mean 'answer'"),
    ],
)  # fmt: skip
def test_a_damaged_question_is_named(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    file = tmp_path / "hotpot_dev_distractor_v1.json"
    file.write_text(json.dumps([hop(**changed)]))
    with pytest.raises(EvaluationError, match=message):
        multihop.load(file, module("hotpotqa"), options("hotpotqa"))


def steps(**changed: Any) -> dict[str, Any]:
    paragraphs = [
        {"idx": 0, "title": "Ada", "paragraph_text": "Ada lived in Oslo.", "is_supporting": True},
        {"idx": 1, "title": "Bo", "paragraph_text": "Bo knew Ada.", "is_supporting": True},
        {"idx": 2, "title": "Cy", "paragraph_text": "Cy sang.", "is_supporting": False},
    ]
    return {"id": "2hop__1_2", "paragraphs": paragraphs, "question": "Where?", "answer": "Oslo", **changed}


def test_musique_keeps_the_steps_and_the_first_of_equal_answers(tmp_path: Path) -> None:
    decomposition = [{"question": "Whom did Bo know?", "answer": "Ada"}]
    row = steps(answer_aliases=["Oslo", "Kristiania"], question_decomposition=decomposition)
    lines(tmp_path / "musique_ans_v1.0_dev.jsonl", row)
    dataset = musique.load(tmp_path, module("musique"), options("musique"))
    (question,) = dataset.questions
    assert question.answers == ("Oslo", "Kristiania")
    assert question.extra["decomposition"] == decomposition
    assert (len(question.supporting_ids), len(question.candidate_ids)) == (2, 3)
    assert dataset.gold(question) == tuple(
        Span(i, 0, n) for i, n in zip(question.supporting_ids, (18, 12), strict=True)
    )
    own = musique.load(tmp_path, module("musique"), options("musique", scope="candidates"))
    assert own.questions[0].where == {"passage": question.candidate_ids}


def test_musique_without_a_release_is_read_in_decocts_layout(tmp_path: Path) -> None:
    lines(tmp_path / "corpus.jsonl", {"id": "p", "title": "Ada", "text": "Ada lived in Oslo."})
    lines(tmp_path / "questions.jsonl", {"id": "q", "question": "Where?", "answers": ["Oslo"], "supporting_ids": ["p"]})
    assert [q.id for q in musique.load(tmp_path, module("musique"), options("musique")).questions] == ["q"]


def news(tmp_path: Path, facts: list[Any], *articles: str) -> Path:
    corpus = [{"title": "News", "url": url, "body": "Ada built it. Bo paid.", "author": None} for url in articles]
    (tmp_path / "corpus.json").write_text(json.dumps(corpus))
    asked = {"query": "Who paid?", "answer": "Bo", "question_type": "inference_query", "evidence_list": facts}
    (tmp_path / "MultiHopRAG.json").write_text(json.dumps([asked]))
    return tmp_path


def test_a_fact_of_the_news_is_a_span_or_counted(tmp_path: Path) -> None:
    facts = [{"url": "u/1", "fact": "Bo paid."}, {"url": "u/2", "fact": "Cy paid."}]
    dataset = multihop_rag.load(news(tmp_path, facts, "u/1", "u/2"), module("multihop-rag"), {})
    (question,) = dataset.questions
    assert (question.id, question.supporting_ids, question.supporting) == (
        "mh-0",
        ("u/1", "u/2"),
        (Span("u/1", 14, 22),),
    )
    assert dataset.excluded == {"gold fact not found in its article": 1}
    assert [(d.id, d.source) for d in dataset.documents()] == [("u/1", "u/1"), ("u/2", "u/2")]
    assert "author" not in next(dataset.documents()).metadata


def test_an_article_given_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"corpus\.json\[1\]: the article 'u/1' was given before"):
        multihop_rag.load(news(tmp_path, [], "u/1", "u/1"), module("multihop-rag"), {})


def flash(**metadata: Any) -> dict[str, Any]:
    return {"id": "f0", "question": "Where?", "golden_answers": ["Oslo", "Oslo"], "metadata": metadata}


def test_two_passages_of_one_title_are_both_candidates_and_the_first_is_meant(tmp_path: Path) -> None:
    context = {"title": ["Ada", "Ada"], "sentences": [["Ada lived in Oslo."], ["Ada is a language."]]}
    row = flash(context=context, supporting_facts={"title": ["Ada"], "sent_id": [0]})
    dataset = flashrag.load(lines(tmp_path / "dev.jsonl", row), module("flashrag"), {})
    (question,) = dataset.questions
    assert (len(question.candidate_ids), question.answers) == (2, ("Oslo",))
    by_id = {document.id: document.text for document in dataset.documents()}
    assert [by_id[span.doc_id][span.start : span.end] for span in question.supporting] == ["Ada lived in Oslo."]


@pytest.mark.parametrize(
    "metadata",
    [
        {"context": {"title": ["Ada"], "sentences": []}, "supporting_facts": {"title": [], "sent_id": []}},
        {"context": {"title": ["Ada"], "sentences": ["text"]}, "supporting_facts": {"title": [], "sent_id": []}},
        {"context": {"title": ["Ada"], "sentences": [["a"]]}, "supporting_facts": {"title": ["Ada"], "sent_id": ["0"]}},
        {"context": {"title": [["Ada"]], "sentences": [["a"]]}, "supporting_facts": {"title": [], "sent_id": []}},
    ],
)
def test_context_that_does_not_fit_its_titles_is_named(tmp_path: Path, metadata: dict[str, Any]) -> None:
    with pytest.raises(EvaluationError, match=r"dev\.jsonl:1: the metadata's context and supporting_facts must have"):
        flashrag.load(lines(tmp_path / "dev.jsonl", flash(**metadata)), module("flashrag"), {})


def test_metadata_that_is_no_object_is_named(tmp_path: Path) -> None:
    file = lines(tmp_path / "dev.jsonl", {**flash(), "metadata": ["a"]})
    with pytest.raises(EvaluationError, match="'metadata' must be an object"):
        flashrag.load(file, module("flashrag"), {})


def test_flashrags_corpus_without_a_title_line_is_text_alone(tmp_path: Path) -> None:
    rows = [{"id": "0", "contents": '"Ada"\nAda lived.'}, {"id": "1", "contents": "Only a line."}]
    lines(tmp_path / "corpus.jsonl", *rows)
    dataset = flashrag.load(lines(tmp_path / "dev.jsonl", flash()), module("flashrag"), {})
    assert [(d.title, d.text) for d in dataset.documents()] == [("Ada", "Ada lived."), ("", "Only a line.")]
    assert (dataset.spec.gold, dataset.questions[0].supporting_ids) == ("none", ())
