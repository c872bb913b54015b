"""Examples out of the public sets, each in miniature: what is gold, what is silent, what is split together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.data import Document
from decoct.errors import ConfigError
from decoct_lab.reading.digest import LENGTH
from decoct_lab.train.reader.collect import Sources, collect
from decoct_lab.train.reader.digests import digest_examples
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.run import ReaderRun, examples, train_reader
from decoct_lab.train.reader.sources import labelled_sentences, material, negative, split_key

TEXTS = {
    "oar": "The Oar is a film by Ida Marn. It was shot in a mill.",
    "ida": "Ida Marn directed four films. She was born in Vell in 1902.",
    "vell": "Vell is a town of weavers. It lies on the Sorne.",
}


def put(data: Path, name: str, questions: list[dict[str, Any]], more: int = 0, **passage: Any) -> Path:
    folder = data / name
    folder.mkdir(parents=True)
    corpus = [{"id": i, "title": i.title(), "text": text, **passage} for i, text in TEXTS.items()]
    corpus += [
        {"id": f"m{n}", "title": f"M{n}", "text": f"{'Long words of no use here ' * 10}.", **passage}
        for n in range(more)
    ]
    for file, rows in (("corpus.jsonl", corpus), ("questions.jsonl", questions)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return data


def asked(**changed: Any) -> dict[str, Any]:
    return {
        "id": "q1",
        "question": "Where was the director of The Oar born?",
        "answers": ["Vell"],
        "supporting_ids": ["oar", "ida"],
        "supporting_sentences": [{"id": "ida", "text": "She was born in Vell in 1902."}],
        "candidate_ids": ["oar", "ida", "vell"],
        **changed,
    }


def words(example: ReaderExample) -> list[str]:
    return [example.text[a:b] for a, b in example.spans]


def test_each_gold_passage_is_evidence_and_answers_where_the_words_stand(tmp_path: Path) -> None:
    made = material("hotpotqa", put(tmp_path, "hotpotqa", [asked(setting="distractor")]), 0)
    oar, ida = made.examples  # the third passage holds the answer's word, so it is no sure negative
    assert (oar.title, oar.answers, oar.relevance, oar.spans, oar.sentences) == ("Oar", False, True, (), ())
    assert (words(ida), ida.answers, ida.relevance) == (["Vell"], True, True)
    assert [label for *_, label in ida.sentences] == [False, True]
    assert oar.document == ida.document == "hotpotqa/Oar"
    assert [(question.id, gold) for question, gold in made.asked] == [("q1", frozenset({"oar", "ida"}))]


def test_a_candidate_that_does_not_hold_the_answer_is_a_negative(tmp_path: Path) -> None:
    row = asked(answers=["1902"], setting="distractor")
    *_, silent = material("hotpotqa", put(tmp_path, "hotpotqa", [row]), 0).examples
    assert (silent.kind, silent.title, silent.answers, silent.relevance) == ("candidate", "Vell", False, False)
    assert silent.question == row["question"]


def test_passages_that_say_yes_only_together_are_one_text(tmp_path: Path) -> None:
    together, *alone = material(
        "hotpotqa", put(tmp_path, "hotpotqa", [asked(answers=["yes"], setting="distractor")]), 0
    ).examples
    assert (together.kind, together.verdict, together.answers, together.spans) == ("together", 0, True, ())
    assert together.text == f"{TEXTS['oar']}\n{TEXTS['ida']}"
    assert [together.text[a:b] for a, b, label in together.sentences if label] == ["She was born in Vell in 1902."]
    assert [one.answers for one in alone[:2]] == [None, None]  # alone neither says yes nor no
    assert alone[2].verdict is None


def test_the_steps_of_musique_are_asked_with_the_answers_before_them(tmp_path: Path) -> None:
    steps = [
        {"id": 1, "question": "The Oar >> director", "answer": "Ida Marn", "supporting_id": "oar"},
        {"id": 2, "question": "Where was #1 born?", "answer": "Vell", "supporting_id": "ida"},
        {"id": 3, "question": "Why?", "answer": "no reason", "supporting_id": "gone"},
    ]
    made = material("musique", put(tmp_path, "musique", [asked(decomposition=steps)]), 0)
    first, second = [one for one in made.examples if one.kind == "step"]
    assert (first.question, words(first)) == ("What is the director of The Oar?", ["Ida Marn"])
    assert (second.question, words(second)) == ("Where was Ida Marn born?", ["Vell"])


def test_triples_are_asked_once_and_dates_are_found_in_either_form(tmp_path: Path) -> None:
    triples = [["Ida", "place of birth", "Vell"], ["Ida", "place of birth", "Elsewhere"], ["Ida", "unknown", "x"]]
    row = asked(evidences=triples, benchmark_1000=True)
    made = material("2wikimultihopqa", put(tmp_path, "2wikimultihopqa", [row]), 0)
    (triple,) = [one for one in made.examples if one.kind == "triple"]
    assert (words(triple), triple.title, "Ida" in triple.question) == (["Vell"], "Ida", True)
    row = asked(evidences=[["Ida", "date of birth", "5 May 1902"]], benchmark_1000=True)
    dated = material("2wikimultihopqa", put(tmp_path / "b", "2wikimultihopqa", [row]), 0)
    assert [words(one) for one in dated.examples if one.kind == "triple"] == [["1902"]]


def test_pubmeds_maybe_is_neither_yes_nor_no(tmp_path: Path) -> None:
    rows = [asked(id=answer, answers=[answer], supporting_ids=["ida"]) for answer in ("yes", "no", "maybe")]
    made = material("pubmedqa", put(tmp_path, "pubmedqa", rows), 0)
    told = {one.document: (one.verdict, one.answers) for one in made.examples if one.kind == "together"}
    assert told == {"pubmedqa/yes": (0, True), "pubmedqa/no": (1, True), "pubmedqa/maybe": (2, None)}


def test_what_clapnqs_annotators_left_unanswered_is_silent_and_may_be_related(tmp_path: Path) -> None:
    rows = [
        asked(supporting_ids=["ida"], type="answerable"),
        asked(id="q2", answers=[], supporting_ids=[], supporting_sentences=[], type="unanswerable"),
    ]
    answered, silent = material("clapnq", put(tmp_path, "clapnq", rows), 0).examples
    assert (answered.answers, [label for *_, label in answered.sentences]) == (True, [False, True])
    assert (silent.kind, silent.answers, silent.relevance) == ("judged-unanswerable", False, None)


def test_a_passage_of_a_meeting_is_compared_with_another_of_the_same(tmp_path: Path) -> None:
    row = asked(supporting_ids=["ida"], supporting_sentences=[], document_id="m1")
    gold, other = material("qmsum", put(tmp_path, "qmsum", [row], document_id="m1"), 0).examples
    assert (gold.title, gold.relevance, gold.answers, gold.document) == ("Ida", True, None, "qmsum/m1")
    assert (other.kind, other.relevance, other.title != "Ida") == ("same-document", False, True)


def test_sentences_are_evidence_where_they_overlap_by_more_than_a_quarter() -> None:
    text = "Ten chars. Also ten c."
    assert labelled_sentences(text, [(0, 2)]) == ((0, 10, True), (11, 22, False))  # all of the shorter range
    assert [label for *_, label in labelled_sentences(text, [(8, 22)])] == [False, True]  # 2 of 10 and 11 of 11
    assert [label for *_, label in labelled_sentences(text, [(7, 22)])] == [True, True]
    assert not any(label for *_, label in labelled_sentences(text, []))
    assert [label for *_, label in labelled_sentences("Twelve char. Also ten c.", [(9, 24)])] == [
        False,
        True,
    ]  # 3 of 12


def test_a_negative_says_nothing_and_a_split_follows_the_article() -> None:
    example = ReaderExample("a", "gold", "a/1", "q", "t", "x", ((0, 1),), answers=True, verdict=0)
    made = negative(example, Document("d", "Some text.", "D"), "random")
    assert (made.spans, made.answers, made.relevance, made.verdict, made.kind) == ((), False, False, 2, "random")
    assert made.sentences == ((0, 10, False),)
    assert split_key("a", Document("d", "x", "T", metadata={"document_id": "m"})) == "a/m"
    assert split_key("a", Document("d", "x", "T")) == "a/T"
    assert split_key("a", Document("d", "x")) == "a/d"


def test_a_digest_has_its_gold_lines_marked_and_fits_one_window(tmp_path: Path) -> None:
    candidates = ["oar", "ida", "vell", *(f"m{n}" for n in range(6))]
    data = put(tmp_path, "hotpotqa", [asked(setting="distractor", candidate_ids=candidates)], more=6)
    made = digest_examples(data, ("hotpotqa",), 30, 0)
    kinds = {one.kind for one in made}
    assert kinds == {"digest", "digest-silent"}
    for one in made:
        assert len(one.text) <= LENGTH
        marked = [one.text[a:b] for a, b, label in one.sentences if label]
        if one.kind == "digest":
            assert "She was born in Vell in 1902." in marked
            assert "Ida: She was born in Vell in 1902." in one.text
            assert words(one) == ["Vell"]
        else:
            assert "Vell" not in one.text.replace("Vell:", "")
            assert (one.answers, one.relevance, one.spans, one.sentences) == (False, False, (), ())
    assert digest_examples(data, (), 30, 0) == []
    assert digest_examples(data, ("hotpotqa",), 3, 7) == digest_examples(data, ("hotpotqa",), 3, 7)


def test_a_digest_of_a_yes_or_no_question_has_a_verdict_and_no_span(tmp_path: Path) -> None:
    made = digest_examples(
        put(tmp_path, "hotpotqa", [asked(answers=["no"], setting="distractor")]), ("hotpotqa",), 30, 0
    )
    assert {(one.kind, one.verdict, one.spans) for one in made} == {("digest", 1, ()), ("digest-silent", 2, ())}


def run(tmp_path: Path, **more: Any) -> ReaderRun:
    return ReaderRun(tmp_path / "out", "base", tmp_path / "data", **more)


def test_a_run_goes_on_with_the_examples_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Sources] = []

    def collected(sources: Sources) -> dict[str, list[ReaderExample]]:
        made.append(sources)
        sides = [ReaderExample("a", str(len(made)), f"a/{side}", "q", "t", "x") for side in ("train", "dev")]
        return {"train": sides[:1], "dev": sides[1:]}

    monkeypatch.setattr("decoct_lab.train.reader.collect.collect", collected)
    first = examples(run(tmp_path, without=("qmsum",)), fresh=True)
    assert examples(run(tmp_path), fresh=False) == first
    assert len(made) == 1
    assert "qmsum" not in made[0].sets
    assert "nq-gold" in made[0].sets
    assert examples(run(tmp_path), fresh=True) != first
    (tmp_path / "out" / "dev.jsonl").unlink()
    examples(run(tmp_path), fresh=False)
    assert len(made) == 3


def test_a_set_to_leave_out_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--without 'musiq': there is no such public set; did you mean 'musique'"):
        run(tmp_path, without=("musiq",))


def test_headings_of_a_test_set_are_never_trained_on(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="manuals: kept for tests"):
        collect(Sources(tmp_path, sets=(), headings={"manuals": tmp_path}))


def test_without_the_extra_a_run_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from decoct.errors import MissingExtraError

    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"decoct-lab\[train\]"):
        train_reader(run(tmp_path))
    assert not (tmp_path / "out").exists()
