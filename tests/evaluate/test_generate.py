from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny

from decoct.errors import CorpusError, ModelUnavailableError
from decoct.evaluate.datasets.own import load_questions
from decoct.evaluate.generate import NEEDS_MODEL, generate, write
from decoct.library import Library
from decoct.llm.base import Request
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import Scripted, ScriptedLLM


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        opened.add(tiny.read())
        yield opened


def test_rules_make_questions_that_load_against_the_library(library: Library, tmp_path: Path) -> None:
    made = generate(library, 10)
    assert made.questions
    write(made.questions, tmp_path / "q.jsonl")
    dataset = load_questions(tmp_path / "q.jsonl", library.document)
    for question in dataset.questions:
        (span,) = question.supporting
        assert question.answers[0] in library.store.text(span)


def test_too_few_well_formed_questions_are_said_to_need_a_model(library: Library) -> None:
    made = generate(library, 500)
    assert made.questions
    assert made.dropped[NEEDS_MODEL] == 500 - len(made.questions)


def test_the_same_seed_makes_the_same_questions(library: Library) -> None:
    assert generate(library, 3, seed=1).questions == generate(library, 3, seed=1).questions


def test_an_empty_library_is_named(tmp_path: Path) -> None:
    with Library.open(tmp_path / "none", embedder=HashEmbedder()) as empty, pytest.raises(CorpusError, match="empty"):
        generate(empty, 3)


def _script(answer_back: str, question: str = "Who designed the Long Tower?") -> ScriptedLLM:
    def reply(request: Request) -> Scripted:
        text = request.messages[-1].content
        if request.schema is None:
            return answer_back
        if "Long Tower" not in text:
            return ModelUnavailableError("down")
        return json.dumps({"question": question, "answer": "Ada Stone", "sentences": [1]})

    return ScriptedLLM(reply)


def test_a_model_writes_questions_with_the_sentences_characters_as_gold(library: Library) -> None:
    library.llm = _script("ada stone")
    made = generate(library, 3)
    (question,) = made.questions
    (span,) = question["supporting"]
    assert tiny.TEXTS["tower"][span["start"] : span["end"]] == "The Long Tower was designed by Ada Stone."
    assert made.dropped["questions.failed"] == 4


@pytest.mark.parametrize(
    ("llm", "reason"),
    [
        (_script("Karl Bridge"), "questions.lost_on_the_way_back"),
        (_script("Ada Stone", "Who does the passage name?"), "questions.unusable"),
    ],
)
def test_questions_that_do_not_make_the_round_trip_are_dropped_and_counted(
    library: Library, llm: ScriptedLLM, reason: str
) -> None:
    library.llm = llm
    made = generate(library, 3)
    assert made.questions == []
    assert made.dropped[reason] == 1
