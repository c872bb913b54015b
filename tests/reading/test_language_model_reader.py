"""A language model as a reader of passages, with the model scripted."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import Reply, Request
from decoct.reading.base import PassageReader, TitledText
from decoct_lab.reading.language_model import LanguageModelReader
from decoct_testing.passage_reader_contract import PASSAGES, QUESTION, PassageReaderContract


class _Scripted:
    """Answers with "1934" where the passage holds it, else with null."""

    fingerprint = "scripted"

    def __init__(self, reply: str | None = None) -> None:
        self._reply = reply

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        return [
            Reply(self._reply or json.dumps({"answer": "1934" if "1934" in r.messages[-1].content else None}))
            for r in requests
        ]


class _Failing:
    fingerprint = "failing"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        return [ModelError("no route") for _ in requests]


class TestContract(PassageReaderContract):
    @pytest.fixture
    def reader(self) -> PassageReader:
        return LanguageModelReader(_Scripted())


def test_the_answers_words_are_found_in_the_passage() -> None:
    (reading,) = LanguageModelReader(_Scripted('{"answer": "opened  IN 1934"}')).read(QUESTION, PASSAGES[:1])
    assert PASSAGES[0].text[reading.spans[0].start : reading.spans[0].end] == "opened in 1934"
    assert [sentence.relevance for sentence in reading.sentences] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("reply", "fallback"),
    [
        ('{"answer": "1935"}', "reading.not_in_the_passage"),
        ("[1]", "reading.malformed"),
        ("nothing", "reading.malformed"),
    ],
)
def test_what_is_no_answer_is_counted(reply: str, fallback: str) -> None:
    with trace.recording() as record:
        (reading,) = LanguageModelReader(_Scripted(reply)).read(QUESTION, PASSAGES[:1])
    assert reading.spans == ()
    assert reading.answers == 0
    assert fallback in record.fallbacks


def test_a_failed_call_reads_as_silence_and_is_counted() -> None:
    with trace.recording() as record:
        (reading,) = LanguageModelReader(_Failing()).read(QUESTION, PASSAGES[:1])
    assert reading.answers == 0
    assert "reading.failed" in record.fallbacks


def test_deciding_words_with_a_negation_mean_no() -> None:
    passage = TitledText("Pass", "Dogs are not allowed on the ferry.")
    (reading,) = LanguageModelReader(_Scripted('{"answer": "Dogs are not allowed"}')).read(
        "Are dogs allowed on the ferry?", [passage]
    )
    assert reading.verdict == "no"
