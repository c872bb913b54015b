"""The official files of sets that are not beside the project, in miniature and invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.data import Span
from decoct.errors import EvaluationError
from decoct_lab.dataset import Dataset, load


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = value if path.suffix == ".jsonl" else [value]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def quotes(dataset: Dataset) -> list[list[str]]:
    """The gold evidence of each question, as text."""
    texts = {document.id: document.text for document in dataset.documents()}
    return [[texts[s.doc_id][s.start : s.end] for s in q.supporting] for q in dataset.questions]


def titles(dataset: Dataset) -> list[list[str]]:
    """The titles of each question's gold documents."""
    by_id = {document.id: document.title for document in dataset.documents()}
    return [[by_id[i] for i in q.supporting_ids] for q in dataset.questions]


CONTEXT = [["Ada", ["Ada built an engine.", " She lived in Oslo."]], ["Bo", ["Bo knew Ada."]], ["Void", [""]]]
HOTPOT = {
    "_id": "h1",
    "question": "Where did the friend of Bo live?",
    "answer": "Oslo",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Bo", 0], ["Ada", 1], ["Ada", 7]],
    "context": CONTEXT,
}


def test_hotpotqa(tmp_path: Path) -> None:
    other = {**HOTPOT, "_id": "h2", "supporting_facts": [["Cy", 0]]}
    put(tmp_path / "hotpot_dev_distractor_v1.json", [HOTPOT, other])
    dataset = load("hotpotqa", tmp_path)
    assert [d.text for d in dataset.documents()] == ["Ada built an engine. She lived in Oslo.", "Bo knew Ada."]
    assert titles(dataset) == [["Bo", "Ada"]]
    assert sorted(quotes(dataset)[0]) == ["Bo knew Ada.", "She lived in Oslo."]
    assert dataset.excluded == {
        "gold sentence past its passage's end": 1,
        "question whose gold passage is not in its context": 1,
    }
    assert any("h" in remark and "'Cy'" in remark for remark in dataset.remarks)


def test_hotpotqa_as_one_file_and_as_rows_of_the_hub(tmp_path: Path) -> None:
    file = put(tmp_path / "hotpot_train_v1.1.json", [HOTPOT])
    dataset = load("hotpotqa", file)
    assert dataset.questions == load("hotpotqa", tmp_path).questions
    row = {
        **{k: v for k, v in HOTPOT.items() if k != "_id"},
        "id": "h1",
        "supporting_facts": {"title": ["Bo", "Ada"], "sent_id": [0, 1]},
        "context": {"title": [c[0] for c in CONTEXT], "sentences": [c[1] for c in CONTEXT]},
    }
    rows = load("hotpotqa", put(tmp_path / "hub" / "rows.jsonl", [row]))
    assert quotes(rows) == quotes(dataset)
    assert list(rows.documents()) == list(dataset.documents())


def test_2wikimultihopqa_with_aliases(tmp_path: Path) -> None:
    question = {
        **{k: v for k, v in HOTPOT.items() if k != "level"},
        "context": [["Ada", ["Ada built an engine.", "She lived in Oslo."]], ["Bo", ["Bo knew Ada."]]],
        "supporting_facts": [["Bo", 0], ["Ada", 1]],
        "evidences": [["Bo", "knew", "Ada"]],
        "answer_id": "Q585",
    }
    put(tmp_path / "dev.json", [question])
    put(tmp_path / "id_aliases.json", {"Q_id": "Q585", "aliases": ["Kristiania"], "demonyms": []})
    dataset = load("2wikimultihopqa", tmp_path)
    assert dataset.questions[0].answers == ("Oslo", "Kristiania")
    assert dataset.questions[0].extra["evidences"] == [["Bo", "knew", "Ada"]]
    assert next(d.text for d in dataset.documents()) == "Ada built an engine. She lived in Oslo."  # joined by a blank
    assert sorted(quotes(dataset)[0]) == ["Bo knew Ada.", "She lived in Oslo."]


def test_musique(tmp_path: Path) -> None:
    paragraphs = [
        {"idx": 0, "title": "Ada", "paragraph_text": "Ada lived in Oslo.", "is_supporting": True},
        {"idx": 1, "title": "Bo", "paragraph_text": "Bo knew Ada.", "is_supporting": False},
    ]
    row = {
        "id": "2hop__1_2",
        "paragraphs": paragraphs,
        "question": "Where?",
        "question_decomposition": [],
        "answer": "Oslo",
        "answer_aliases": ["Kristiania"],
        "answerable": True,
    }
    put(tmp_path / "musique_full_v1.0_dev.jsonl", [row, {**row, "answerable": False}])
    dataset = load("musique", tmp_path)
    assert titles(dataset) == [["Ada"]]
    assert (dataset.questions[0].type, dataset.questions[0].answers) == ("2hop", ("Oslo", "Kristiania"))
    assert len(dataset.lengths) == 2
    assert dataset.excluded == {"unanswerable variant (its passages kept)": 1}


def test_clapnq(tmp_path: Path) -> None:
    passage = {
        "title": "Ada",
        "text": "Ada lived in Oslo . She built .",
        "sentences": ["Ada lived in Oslo .", "She built ."],
    }
    answered = {"answer": "In Oslo.", "selected_sentences": ["Ada lived in Oslo .", "Nowhere ."], "meta": {}}
    put(
        tmp_path / "dev" / "clapnq_dev_answerable.jsonl",
        [{"id": "1", "input": "where did ada live", "passages": [passage], "output": [answered]}],
    )
    put(
        tmp_path / "dev" / "clapnq_dev_unanswerable.jsonl",
        [{"id": "2", "input": "when did ada live", "passages": [passage], "output": [{"answer": ""}]}],
    )
    dataset = load("clapnq", tmp_path)
    assert [q.type for q in dataset.questions] == ["answerable", "unanswerable"]
    assert quotes(dataset) == [["Ada lived in Oslo ."], []]
    assert dataset.excluded == {"gold sentence not found in its passage": 1}
    assert len(load("clapnq", tmp_path, {"questions": "answerable"}).questions) == 1


def test_multihop_rag(tmp_path: Path) -> None:
    article = {
        "title": "Engines",
        "author": None,
        "source": "News",
        "published_at": "2023-10-01",
        "category": "tech",
        "url": "https://example.org/1",
        "body": "Ada built it. Bo paid.",
    }
    fact = {"title": "Engines", "url": "https://example.org/1", "fact": "Bo  paid."}
    put(tmp_path / "dataset" / "corpus.json", [article])
    question = {"query": "Who paid?", "answer": "Bo", "question_type": "inference_query", "evidence_list": [fact]}
    null = {
        "query": "Who sang?",
        "answer": "Insufficient information.",
        "question_type": "null_query",
        "evidence_list": [],
    }
    put(tmp_path / "dataset" / "MultiHopRAG.json", [question, null])
    dataset = load("multihop-rag", tmp_path)
    assert [q.id for q in dataset.questions] == ["mh-0", "mh-1"]
    assert quotes(dataset) == [["Bo paid."], []]
    assert next(dataset.documents()).metadata["published_at"] == "2023-10-01"
    put(tmp_path / "dataset" / "corpus.json", [{**article, "url": "https://example.org/2"}])
    with pytest.raises(EvaluationError, match=r"MultiHopRAG.json\[0\] evidence_list\[0\]: names the article"):
        load("multihop-rag", tmp_path)


def test_triviaqa(tmp_path: Path) -> None:
    item = {
        "Question": "Who built the engine?",
        "QuestionId": "tc_1",
        "Answer": {"Value": "Ada", "Aliases": ["Ada", "Ada L."], "NormalizedAliases": ["ada"]},
        "EntityPages": [{"Filename": "Ada.txt", "Title": "Ada"}, {"Filename": "Gone.txt", "Title": "Gone"}],
        "SearchResults": [],
    }
    put(tmp_path / "qa" / "wikipedia-dev.json", {"Data": [item], "Domain": "Wikipedia"})
    (tmp_path / "evidence" / "wikipedia").mkdir(parents=True)
    (tmp_path / "evidence" / "wikipedia" / "Ada.txt").write_text("Ada built the engine.", "utf-8")
    dataset = load("triviaqa", tmp_path)
    assert dataset.questions[0].answers == ("Ada", "Ada L.")
    assert titles(dataset) == [["Ada"]]
    rows = {
        "question": "Who built the engine?",
        "question_id": "tc_1",
        "answer": {"value": "Ada", "aliases": ["Ada L."]},
        "entity_pages": {"filename": ["Ada.txt"], "title": ["Ada"], "wiki_context": ["Ada built the engine."]},
    }
    hub = tmp_path / "hub"
    put(hub / "rows.jsonl", [rows])
    fetched = load("triviaqa", hub)
    assert fetched.questions == dataset.questions
    assert list(fetched.documents()) == list(dataset.documents())


def qasper_answer(**given: Any) -> dict[str, Any]:
    empty = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "", "evidence": []}
    return {"answer": {**empty, **given}}


def test_qasper(tmp_path: Path) -> None:
    answers = [
        qasper_answer(
            extractive_spans=["BLEU", "ROUGE"], evidence=["We use BLEU and ROUGE.", "FLOAT SELECTED: Table 1"]
        ),
        qasper_answer(yes_no=False, evidence=["We use BLEU and ROUGE."]),
        qasper_answer(unanswerable=True),
    ]
    paper = {
        "title": "On Scores",
        "abstract": "We score.",
        "full_text": [{"section_name": "Setup", "paragraphs": ["We use BLEU and ROUGE.", ""]}],
        "qas": [
            {"question": "Which scores?", "question_id": "a", "answers": answers},
            {"question": "Why?", "question_id": "b", "answers": [qasper_answer(unanswerable=True)]},
        ],
    }
    put(tmp_path / "qasper-dev-v0.3.json", {"1234.5678": paper})
    dataset = load("qasper", tmp_path)
    first, second = dataset.questions
    assert first.answers == ("BLEU, ROUGE", "No")
    assert (second.type, second.answers, second.supporting_ids) == ("unanswerable", ("Unanswerable",), ())
    assert quotes(dataset) == [["We use BLEU and ROUGE."], []]
    assert next(dataset.documents()).text == "We score.\n\nSetup\n\nWe use BLEU and ROUGE."
    assert first.where == {"paper": ("1234.5678",)}
    assert dataset.excluded == {"gold figure or table not in the paper's text": 1}
    columns = {
        **paper,
        "id": "1234.5678",
        "full_text": {"section_name": ["Setup"], "paragraphs": [["We use BLEU and ROUGE.", ""]]},
        "qas": {
            "question": ["Which scores?", "Why?"],
            "question_id": ["a", "b"],
            "answers": [
                {"answer": [a["answer"] for a in answers]},
                {"answer": [qasper_answer(unanswerable=True)["answer"]]},
            ],
        },
    }
    put(tmp_path / "hub" / "rows.jsonl", [columns])
    assert load("qasper", tmp_path / "hub").questions == dataset.questions


def test_longbench(tmp_path: Path) -> None:
    context = "Passage 1:\nAda\nAda lived in Oslo.\n\nPassage 2:\nBo\nBo knew Ada.\nBo sang."
    row = {"input": "Where?", "context": context, "answers": ["Oslo"], "length": 9, "dataset": "hotpotqa", "_id": "x"}
    put(tmp_path / "data" / "hotpotqa.jsonl", [row])
    dataset = load("longbench", tmp_path, {"task": "hotpotqa"})
    assert [(d.id, d.title, d.text) for d in dataset.documents()] == [
        ("x-1", "Ada", "Ada lived in Oslo."),
        ("x-2", "Bo", "Bo knew Ada.\nBo sang."),
    ]
    assert dataset.questions[0].where == {"row": ("x",)}
    put(tmp_path / "data" / "hotpotqa.jsonl", [row, {**row, "_id": "y", "dataset": "musique"}])
    with pytest.raises(EvaluationError, match=r"hotpotqa.jsonl:2: mixes data sets: 'musique' in a file of 'hotpotqa'"):
        load("longbench", tmp_path, {"task": "hotpotqa"})
    with pytest.raises(EvaluationError, match=r"holds no qasper.jsonl; --data"):
        load("longbench", tmp_path, {"task": "qasper"})


def test_novelqa(tmp_path: Path) -> None:
    (tmp_path / "Books" / "PublicDomain").mkdir(parents=True)
    (tmp_path / "Books" / "PublicDomain" / "B01.txt").write_text("Ada sailed. Bo slept.", "utf-8")
    shown = {
        "Question": "Who sailed?",
        "Answer": "Ada",
        "Evidences": ["Ada sailed."],
        "Complexity": "sh",
        "Aspect": "role",
    }
    put(tmp_path / "Data" / "PublicDomain" / "B01.json", {"Q1": shown, "Q2": {"Question": "Who slept?"}})
    put(tmp_path / "Data" / "CopyrightProtected" / "B02.json", {"Q1": shown})
    dataset = load("novelqa", tmp_path)
    assert [q.id for q in dataset.questions] == ["B01-Q1"]
    assert quotes(dataset) == [["Ada sailed."]]
    assert dataset.excluded == {"question whose answer is withheld": 1, "novel whose text is not at hand": 1}


def beir(folder: Path) -> Path:
    put(
        folder / "corpus.jsonl",
        [{"_id": "1", "title": "", "text": "Buy low."}, {"_id": "2", "title": "T", "text": "Sell."}],
    )
    put(folder / "queries.jsonl", [{"_id": "a", "text": "When to buy?"}, {"_id": "b", "text": "Of another split"}])
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t2\na\t2\t0\n", "utf-8")
    return folder


def test_beir(tmp_path: Path) -> None:
    dataset = load(beir(tmp_path))
    (question,) = dataset.questions
    assert (question.supporting_ids, question.extra["grades"]) == (("1",), {"1": 2, "2": 0})
    assert dataset.gold(question) == (Span("1", 0, 8),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\t9\t1", r"test.tsv:4: judges '9', which is not in corpus.jsonl"),
        ("a\t1\t1", r"test.tsv:4: judges '1' twice for 'a'"),
        ("a 1 1", r"test.tsv:4: must be query-id, corpus-id and a whole number"),
        ("z\t1\t1", r"judges 1 unknown queries, among them 'z'"),
    ],
)
def test_beir_faults(tmp_path: Path, line: str, message: str) -> None:
    file = beir(tmp_path) / "qrels" / "test.tsv"
    file.write_text(file.read_text("utf-8") + line + "\n", "utf-8")
    with pytest.raises(EvaluationError, match=message):
        load(tmp_path)


@pytest.mark.parametrize("name", ["triviaqa", "qasper", "longbench", "multihop-rag", "novelqa", "fiqa", "musique"])
def test_a_folder_without_the_release_says_what_is_wanted(tmp_path: Path, name: str) -> None:
    with pytest.raises(EvaluationError, match="--data takes the"):
        load(name, tmp_path)


def test_fiqa_takes_the_posts_as_answers(tmp_path: Path) -> None:
    assert load("fiqa", beir(tmp_path)).questions[0].answers == ("Buy low.",)
    assert load("fiqa", tmp_path, {"answers": "none"}).questions[0].answers == ()


def test_flashrag_with_context(tmp_path: Path) -> None:
    metadata = {
        "type": "bridge",
        "supporting_facts": {"title": ["Ada", "Cy"], "sent_id": [1, 0]},
        "context": {"title": ["Ada"], "sentences": [["Ada built.", " She lived in Oslo."]]},
    }
    row = {"id": "dev_0", "question": "Where?", "golden_answers": ["Oslo"], "metadata": metadata}
    dataset = load(put(tmp_path / "dev.jsonl", [row]))
    assert quotes(dataset) == [["She lived in Oslo."]]
    assert dataset.excluded == {"supporting fact not in the context": 1}


def test_a_folder_in_flashrags_layout_is_its_test_split(tmp_path: Path) -> None:
    row = {"id": "t0", "question": "Who built it?", "golden_answers": ["Ada"], "metadata": {}}
    put(tmp_path / "dev.jsonl", [{**row, "id": "d0"}])
    put(tmp_path / "corpus.jsonl", [{"id": "0", "contents": '"Ada"\nAda built an engine.'}])
    assert [q.id for q in load(tmp_path).questions] == ["d0"]
    put(tmp_path / "test.jsonl", [row])
    assert [q.id for q in load(tmp_path).questions] == ["t0"]


def test_flashrag_with_a_corpus(tmp_path: Path) -> None:
    row = {"id": "dev_0", "question": "Where?", "golden_answers": ["Oslo"]}
    put(tmp_path / "corpus.jsonl", [{"id": 0, "contents": '"Ada"\nAda lived in Oslo.'}])
    dataset = load(put(tmp_path / "dev.jsonl", [row]))
    assert dataset.spec.gold == "none"
    assert [(d.id, d.title, d.text) for d in dataset.documents()] == [("0", "Ada", "Ada lived in Oslo.")]
