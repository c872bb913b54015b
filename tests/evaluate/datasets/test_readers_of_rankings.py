"""The readers of sets that judge rankings (BEIR, FiQA, ScisummNet), and the set of planned conflicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.errors import EvaluationError
from decoct_lab.dataset import Options, choose
from decoct_lab.datasets import beir, fiqa, scidocs_conflicts, scisummnet
from decoct_lab.datasets.sets import module


def options(name: str, **given: str) -> Options:
    return choose(module(name).spec, given)


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    texts = {"1": "Buy low.", "2": "Sell high.", "3": ""}
    lines(tmp_path / "corpus.jsonl", *({"_id": i, "text": text, "title": ""} for i, text in texts.items()))
    lines(tmp_path / "queries.jsonl", {"_id": "a", "text": "When to buy?"}, {"_id": "b", "text": "When to sell?"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\t2\t0\na\t1\t2\nb\t2\t-1\n")
    return tmp_path


def test_only_grades_above_nothing_are_gold_and_what_has_none_is_counted(posts: Path) -> None:
    dataset = beir.load(posts, module("beir"), options("beir"))
    (question,) = dataset.questions
    assert (question.id, question.supporting_ids, question.extra) == ("a", ("1",), {"grades": {"2": 0, "1": 2}})
    assert dataset.excluded == {"query without a relevant document": 1}
    assert [document.id for document in dataset.documents()] == ["1", "2"]  # the blank one is none


def test_the_split_chooses_the_judgements(posts: Path) -> None:
    (posts / "qrels" / "dev.tsv").write_text("b\t2\t1\n")  # without a head
    assert [q.id for q in beir.load(posts, module("beir"), options("beir", split="dev")).questions] == ["b"]
    with pytest.raises(EvaluationError, match=r"train\.tsv does not exist"):
        beir.load(posts, module("beir"), options("beir", split="train"))


def test_a_document_of_titles_alone_keeps_its_title_as_text(posts: Path) -> None:
    lines(posts / "corpus.jsonl", {"_id": "1", "title": "Low"}, {"_id": "2", "title": "High", "text": "Sell."})
    dataset = beir.load(posts, module("beir"), options("beir"))
    assert [(d.title, d.text) for d in dataset.documents()] == [("Low", "Low"), ("High", "Sell.")]
    lines(posts / "corpus.jsonl", {"_id": "1", "text": "a"}, {"_id": "1", "text": "b"})
    with pytest.raises(EvaluationError, match=r"corpus\.jsonl:2: the document id '1' was used before"):
        beir.load(posts, module("beir"), options("beir"))


@pytest.mark.parametrize("grade", ["²", "--1", "1.5", "", "-"])
def test_a_grade_that_is_no_whole_number_is_named(tmp_path: Path, grade: str) -> None:
    (tmp_path / "test.tsv").write_text(f"a\t1\t{grade}\n", "utf-8")
    with pytest.raises(EvaluationError, match=r"test\.tsv:1: must be query-id, corpus-id and a whole number"):
        beir.judgements(tmp_path / "test.tsv", {"1": 5})


@given(st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("123"), st.integers(-3, 9)), min_size=1))
def test_judgements_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, grades: dict[str, dict[str, int]]
) -> None:
    file = tmp_path_factory.mktemp("qrels") / "test.tsv"
    file.write_text("".join(f"{q}\t{d}\t{grade}\n" for q, judged in grades.items() for d, grade in judged.items()))
    assert beir.judgements(file, dict.fromkeys("123", 1)) == {q: judged for q, judged in grades.items() if judged}


def test_posts_are_answers_in_the_order_of_their_grades_lines(posts: Path) -> None:
    (posts / "qrels" / "test.tsv").write_text("a\t2\t1\na\t1\t1\n")
    asked = fiqa.load(posts, module("fiqa"), options("fiqa"))
    assert asked.questions[0].answers == ("Sell high.", "Buy low.")
    assert not asked.spec.retrieval_only
    bare = fiqa.load(posts, module("fiqa"), options("fiqa", answers="none"))
    assert (bare.questions[0].answers, bare.spec.retrieval_only) == ((), True)


def test_judgements_are_not_fetched_where_there_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"has neither corpus\.jsonl"):
        fiqa.load(tmp_path, module("fiqa"), options("fiqa"))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    lines(
        tmp_path / "corpus.jsonl",
        {"id": "p1", "title": "Verbs", "text": "We move verbs a long way.", "abstract": "We move verbs."},
        {"id": "p2", "title": "Sounds", "text": "We hear sounds.", "abstract": " "},
    )
    for name, wanted in (("technical", "p1"), ("conceptual", "p2")):
        query = {"id": name, "question": f"The {name} one?", "answers": [], "supporting_ids": [wanted], "type": name}
        lines(tmp_path / f"queries_{name}.jsonl", query)
    lines(tmp_path / "questions.jsonl", {"id": "c", "question": "As [1] says", "answers": [], "supporting_ids": ["p1"]})
    return tmp_path


@pytest.mark.parametrize(
    ("queries", "ids"),
    [
        ("hand-written", ["technical", "conceptual"]),
        ("technical", ["technical"]),
        ("conceptual", ["conceptual"]),
        ("citing", ["c"]),
    ],
)
def test_the_queries_of_papers(papers: Path, queries: str, ids: list[str]) -> None:
    dataset = scisummnet.load(papers, module("scisummnet"), options("scisummnet", queries=queries))
    assert [q.id for q in dataset.questions] == ids
    assert [d.text for d in dataset.documents()] == ["We move verbs a long way.", "We hear sounds."]


def test_an_abstract_stands_for_its_paper_where_there_is_one(papers: Path) -> None:
    dataset = scisummnet.load(papers, module("scisummnet"), options("scisummnet", text="abstract"))
    assert [d.text for d in dataset.documents()] == ["We move verbs.", "We hear sounds."]
    assert dataset.lengths == {"p1": 14, "p2": 15}
    assert dataset.excluded == {"paper without an abstract (its text is used)": 1}


def test_what_every_file_of_queries_could_not_use_is_counted(papers: Path) -> None:
    for name in ("technical", "conceptual"):
        file = papers / f"queries_{name}.jsonl"
        gold = [{"id": "p1", "text": f"Not there, {name}."}]
        lines(file, {**json.loads(file.read_text()), "supporting_sentences": gold, "supporting_ids": ["p1"]})
    dataset = scisummnet.load(papers, module("scisummnet"), options("scisummnet", text="abstract"))
    assert dataset.excluded == {
        "gold sentence not found in its passage": 2,
        "paper without an abstract (its text is used)": 1,
    }
    assert [remark[-24:] for remark in dataset.remarks] == [
        "1: 'Not there, technical.'"[-24:],
        "1: 'Not there, conceptual.'"[-24:],
    ]


def conflict(**changed: Any) -> dict[str, Any]:
    documents = [
        {"id": "d1", "title": "A", "date": "2020-01-01", "kind": "paper", "venue": "", "text": "It melts at 500 K."},
        {"id": "d2", "title": "B", "text": "It melts at 900 K."},
    ]
    row = {"id": "s1", "question": "When does it melt?", "documents": documents, "answers": ["500 K"]}
    more = {
        "answer_groups": [["500 K"]],
        "behaviour": "authority",
        "wrong_answers": ["900 K"],
        "supporting_ids": ["d1"],
    }
    return {**row, **more, "conflicts": [], **changed}


def test_a_planned_conflict_is_asked_of_its_own_documents_or_of_all(tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", conflict())
    own = scidocs_conflicts.load(tmp_path, module("scidocs-conflicts"), options("scidocs-conflicts"))
    (question,) = own.questions
    assert (question.where, question.type, question.wrong_answers) == ({"question": ("s1",)}, "authority", ("900 K",))
    assert (question.candidate_ids, question.groups) == (("d1", "d2"), (("500 K",),))
    first, second = own.documents()
    assert dict(first.metadata) == {"date": "2020-01-01", "kind": "paper", "question": "s1"}  # a blank venue is none
    assert dict(second.metadata) == {"question": "s1"}
    everything = options("scidocs-conflicts", scope="corpus")
    whole = scidocs_conflicts.load(tmp_path, module("scidocs-conflicts"), everything)
    assert whole.questions[0].where == {}


@pytest.mark.parametrize("groups", [None, "500 K", ["500 K"], [[]], [[5]]])
def test_groups_that_are_none_are_named(tmp_path: Path, groups: Any) -> None:
    lines(tmp_path / "questions.jsonl", conflict(answer_groups=groups))
    with pytest.raises(EvaluationError, match=r"questions\.jsonl:1: 'answer_groups' must be a list of lists"):
        scidocs_conflicts.load(tmp_path, module("scidocs-conflicts"), options("scidocs-conflicts"))


def test_a_document_of_two_questions_is_named(tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", conflict(), conflict(id="s2"))
    with pytest.raises(EvaluationError, match=r":2 documents\[0\]: the document id 'd1' was used before"):
        scidocs_conflicts.load(tmp_path, module("scidocs-conflicts"), options("scidocs-conflicts"))
