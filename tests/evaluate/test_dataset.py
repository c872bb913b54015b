from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from decoct.data import Span
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Question
from decoct_lab.dataset import choose, load
from decoct_lab.datasets.sets import NAMES, module

SHARED = (
    "2wikimultihopqa",
    "clapnq",
    "conflictqa-strategyqa",
    "covidqa",
    "hotpotqa",
    "musique",
    "nq-gold",
    "pubmedqa",
    "qmsum",
    "ramdocs",
    "scholarqa-multi",
    "scidocs-conflicts",
    "scisummnet",
    "wikicontradict",
)
# Questions here (not held out) in the default setting, and documents, from each set's README; 2WikiMultiHopQA: its benchmark.
SIZES = {
    "2wikimultihopqa": (589, 6119),
    "clapnq": (365, 596),
    "conflictqa-strategyqa": (753, 2531),
    "covidqa": (832, 2028),
    "hotpotqa": (414, 15411),
    "musique": (217, 6605),
    "nq-gold": (1592, 2587),
    "pubmedqa": (585, 3347),
    "qmsum": (322, 3906),
    "ramdocs": (317, 2765),
    "scholarqa-multi": (108, 565),
    "scidocs-conflicts": (50, 178),
    "scisummnet": (300, 978),
    "wikicontradict": (253, 232),
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_set_says_what_it_is(name: str) -> None:
    spec = module(name).SPEC
    assert spec.name == name
    assert all((spec.title, spec.source, spec.licence, spec.notes, spec.metrics))
    assert all(values for values in spec.options.values())


@pytest.mark.parametrize("name", SHARED)
def test_excerpts_load(name: str, excerpts: Path) -> None:
    dataset = load(name, excerpts)
    documents = {document.id: document for document in dataset.documents()}
    assert dataset.questions
    assert documents == {document.id: document for document in dataset.documents()}  # as often as wanted
    assert dataset.lengths == {i: len(document.text) for i, document in documents.items()}
    for question in dataset.questions:
        assert question.origin.startswith(str(excerpts / name))
        for span in dataset.gold(question):
            assert documents[span.doc_id].text[span.start : span.end].strip()


@pytest.mark.parametrize("name", SHARED)
def test_whole_sets_load(name: str, shared: Path) -> None:
    dataset = load(name, shared)
    assert (len(dataset.questions), len(dataset.lengths)) == SIZES[name]
    assert dataset.excluded.get("gold sentence not found in its passage", 0) == 0


def test_gold_by_unit(excerpts: Path) -> None:
    dataset = load("hotpotqa", excerpts)
    (question,) = dataset.questions
    texts = {document.id: document.text for document in dataset.documents()}
    sentences = [
        json.loads(line) for line in (excerpts / "hotpotqa" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    expected = {(s["id"], s["text"]) for s in sentences[0]["supporting_sentences"]}
    assert {(s.doc_id, texts[s.doc_id][s.start : s.end]) for s in dataset.gold(question)} == expected
    assert set(dataset.gold(question, "passage")) == {Span(i, 0, len(texts[i])) for i in question.supporting_ids}
    assert dataset.gold(question, "none") == ()


def test_settings_choose_questions_and_passages(excerpts: Path) -> None:
    assert [q.extra["setting"] for q in load("hotpotqa", excerpts).questions] == ["distractor"]
    assert [q.extra["setting"] for q in load("hotpotqa", excerpts, {"setting": "fullwiki"}).questions] == ["fullwiki"]
    assert len(load("hotpotqa", excerpts, {"setting": "all"}).questions) == 2
    benchmark, everything = load("2wikimultihopqa", excerpts), load("2wikimultihopqa", excerpts, {"questions": "all"})
    assert (len(benchmark.questions), len(everything.questions)) == (1, 2)
    assert len(benchmark.lengths) < len(everything.lengths)
    assert benchmark.excluded == {"question outside the setting": 1}
    assert {q.type for q in load("clapnq", excerpts, {"questions": "answerable"}).questions} == {"answerable"}


def test_scopes_limit_retrieval(excerpts: Path) -> None:
    meeting = load("qmsum", excerpts)
    question = meeting.questions[0]
    assert question.where == {"document_id": (question.extra["document_id"],)}
    assert {d.metadata["document_id"] for d in meeting.documents()} >= set(question.where["document_id"])
    assert load("qmsum", excerpts, {"scope": "corpus"}).questions[0].where == {}
    given = load("ramdocs", excerpts, {"scope": "candidates"})
    assert given.questions[0].where == {"passage": given.questions[0].candidate_ids}
    assert {d.metadata["passage"] for d in given.documents()} == set(given.lengths)
    own = load("scidocs-conflicts", excerpts)
    assert own.questions[0].where == {"question": (own.questions[0].id,)}
    assert {d.metadata["question"] for d in own.documents()} == {q.id for q in own.questions}


def test_conflict_sets_know_what_is_wanted_and_what_is_wrong(excerpts: Path) -> None:
    flag = next(q for q in load("scidocs-conflicts", excerpts).questions if q.type == "flag")
    assert len(flag.groups) == 2
    ramdocs = load("ramdocs", excerpts)
    assert ramdocs.excluded == {"question without a gold document": 1}
    assert any(q.wrong_answers for q in ramdocs.questions)
    assert all(len(q.groups) == len(q.answers) for q in ramdocs.questions)


def test_groups_are_the_answers_where_nothing_more_is_said() -> None:
    assert Question("q", "?", ("a", "b")).groups == (("a", "b"),)
    assert Question("q", "?").groups == ()


def test_scisummnet_keeps_summaries_from_the_engine(excerpts: Path) -> None:
    hand = load("scisummnet", excerpts)
    assert sorted(q.type for q in hand.questions) == ["conceptual", "technical"]
    assert all(dict(d.metadata) == {} for d in hand.documents())
    abstracts = load("scisummnet", excerpts, {"text": "abstract"})
    raw = [json.loads(line) for line in (excerpts / "scisummnet" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [d.text for d in abstracts.documents()] == [r["abstract"] for r in raw]
    assert [q.type for q in load("scisummnet", excerpts, {"queries": "citing"}).questions] == ["citing sentence"]


def test_a_folder_of_one_set_is_taken_as_it_is(excerpts: Path) -> None:
    assert load("hotpotqa", excerpts / "hotpotqa").questions == load("hotpotqa", excerpts).questions


def test_gz_or_plain(excerpts: Path, tmp_path: Path) -> None:
    for name in ("corpus.jsonl", "questions.jsonl"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((excerpts / "nq-gold" / name).read_bytes()))
    assert load("nq-gold", tmp_path).questions == load("nq-gold", excerpts).questions


def test_wrong_names_are_answered_with_the_nearest(
    excerpts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where no data sets are found
    with pytest.raises(EvaluationError, match=r"'hotpotq'; did you mean 'hotpotqa'\?"):
        load("hotpotq", excerpts)
    with pytest.raises(EvaluationError, match=r"no option 'settings'; did you mean 'setting'\?"):
        load("hotpotqa", excerpts, {"settings": "all"})
    with pytest.raises(EvaluationError, match="setting is one of distractor, fullwiki, all, not 'open'"):
        load("hotpotqa", excerpts, {"setting": "open"})
    with pytest.raises(EvaluationError, match="--data takes the folder of hotpotqa"):
        load("hotpotqa", excerpts / "nothing")
    with pytest.raises(EvaluationError, match="nq-gold is on no hub; give its folder with --data"):
        load("nq-gold")
    assert choose(module("hotpotqa").SPEC, {})["setting"] == "distractor"


def test_a_file_of_a_set_stands_for_its_folder_and_a_known_folder_for_its_set(excerpts: Path) -> None:
    file = next((excerpts / "hotpotqa").glob("questions.jsonl*"))
    whole = load("hotpotqa", excerpts)
    assert load("hotpotqa", file).questions == whole.questions
    assert load(excerpts / "hotpotqa").questions == whole.questions


def test_sets_are_looked_for_beside_the_working_directory(
    excerpts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(excerpts)
    assert load("clapnq").questions == load("clapnq", excerpts).questions
