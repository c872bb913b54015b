from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.evaluate.generate import generate
from decoct.library import Library
from decoct_lab.question_rules import from_text
from decoct_testing.hash_embedder import HashEmbedder

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("The Karl Bridge was opened in 1912 after long delays.", "When was the Karl Bridge opened?", "1912"),
        (
            "The Stone Bridge was built by Ada Stone of Norwick.",
            "Who built the Stone Bridge?",
            "Ada Stone of Norwick",
        ),
        ("Ada Stone was born in Norwick near the sea.", "Where was Ada Stone born?", "Norwick"),
        ("Ada Stone (born 3 May 1912 in Elmford) was a writer.", "When was Ada Stone born?", "3 May 1912"),
        ("Ada Stone was a Norwick writer and painter.", "Who was Ada Stone?", "a Norwick writer and painter"),
        ("Long Way is a 1971 film directed by D. W. Stone and starring Ada Low.", "Who directed Long Way?", "D. W. Stone"),
        (
            "Norwick is a small town on the northern coast, known for fish.",
            "What is Norwick?",
            "a small town on the northern coast",
        ),
        ("SQLite is a library that keeps a database in one file.", "What is SQLite?", "a library that keeps a database in one file"),
        ("A weir is a low dam that raises the water of a river.", "What is a weir?", "a low dam that raises the water of a river"),
    ],
)  # fmt: skip
def test_each_template_on_a_sentence(sentence: str, question: str, answer: str) -> None:
    (made,) = from_text(sentence, "Norwick")
    assert (made.question, made.answer) == (question, answer)
    assert sentence[made.start : made.end] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "It was opened in 1912 by the mayor of Elmford.",  # what?
        "The latter was built in 1934 for the railway company.",
        "The film was directed by Ada Stone in Norwick.",  # which?
        "Open it now.",  # too short
        "was opened in 1912 and closed again in the same year",  # no sentence
        "Bombus neoboreus belongs to the same group as Bombus",  # no end
        "Engineers finished the second tunnel under the river in 1934.",  # a blank is no question that people ask
        "Karl Bridge is a large, flat bridge of stone over the river.",  # "a large"
        "Karl Bridge is a 1971 film directed by D.",  # cut in a name
        "Ada Stone is a keen observer of birds.",  # a person, and no word that says so for sure
        "The Stone Bridge was followed in 1912 by another one.",  # followed by what?
        "Karl Bridge is the most likely place of those above.",
        "Elm Street and Oak Street were the only streets flooded.",
        "In 1934 Norwick is a small town on the northern coast.",
    ],
)
def test_sentences_that_give_no_good_question_are_passed_over(sentence: str) -> None:
    assert list(from_text(sentence)) == []


def test_a_common_noun_is_written_as_the_text_writes_it() -> None:
    text = "Bone marrow is a soft tissue within the bones. Much of the bone marrow is red."
    assert [made.question for made in from_text(text, "Bone marrow")] == ["What is bone marrow?"]


def test_offsets_are_those_of_the_sentence() -> None:
    text = "Cakes are sweet. The Karl Bridge was opened in 1912 after long delays. Fine."
    (made,) = from_text(text)
    assert text[made.start : made.end].strip() == "The Karl Bridge was opened in 1912 after long delays."


@given(st.text(max_size=300))
def test_any_text_gives_answers_that_stand_in_their_sentence(text: str) -> None:
    for made in from_text(text, text[:10]):
        assert made.answer in text[made.start : made.end]
        assert made.question.endswith("?")


@pytest.mark.timeout(600)
def test_the_questions_of_the_examples_are_those_that_were_read_and_judged(tmp_path: Path) -> None:
    judged = json.loads((ROOT / "benchmarks/results/question_rules.json").read_text("utf-8"))["questions"]
    good = {row["question"]: row for row in judged if row["grammatical"] and row["answered_by_quote"]}
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add(ROOT / "examples" / "documents")
        made = generate(library, 50, seed=0).questions
        quotes = [library.document(q["supporting"][0]["doc_id"]).text for q in made]
    assert len(made) == 50
    held = [q for q in made if q["question"] in good and good[q["question"]]["answer"] == q["answers"][0]]
    assert len(held) >= 45
    for question, text in zip(made, quotes, strict=True):
        place = question["supporting"][0]
        assert question["answers"][0] in text[place["start"] : place["end"]]
