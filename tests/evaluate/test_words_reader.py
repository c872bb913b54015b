"""The small reader as a reader of all contexts, those that a model wrote too."""

from __future__ import annotations

import pytest

from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.data import Context, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.evaluate.answers import ReadAnswer, reader_without_model, words_reader
from decoct.evaluate.reader_names import LIKELIEST_WORDS
from decoct.trace import Trace

TEXT = "The Long Tower was designed by the architect Ada Stone and opened in 1912."


def context(*passages: Passage) -> Context:
    text = "\n".join(passage.text for passage in passages)
    return Context("Who designed the Long Tower?", text, passages, Budget(200, default_tokenizer()), Trace())


QUOTE = Passage(TEXT, (Span("tower", 5, 5 + len(TEXT)),))
WRITTEN = Passage(TEXT, (Span("tower", 5, 400), Span("other", 0, 9)), kind="rewrite")


@pytest.mark.parametrize(("passage", "cited"), [(QUOTE, 1), (WRITTEN, 0)])
def test_what_a_model_wrote_is_read_like_a_quote_and_not_cited(passage: Passage, cited: int) -> None:
    (read,) = words_reader(ShortAnswers(sure=0.5), always=False).answer([context(passage)])
    assert isinstance(read, ReadAnswer)
    assert (read.text, len(read.citations)) == ("Ada Stone", cited)
    assert (read.calls, read.prompt_tokens) == (0, 0)


@pytest.mark.parametrize(("always", "words"), [(False, ""), (True, "Ada Stone")])
def test_what_it_is_not_sure_of_is_an_answer_only_where_it_answers_always(always: bool, words: str) -> None:
    (read,) = words_reader(ShortAnswers().with_(caution=1.0), always=always).answer([context(QUOTE)])
    assert isinstance(read, ReadAnswer)
    assert read.text == words


def test_who_answers_always_has_a_name_of_its_own() -> None:
    assert reader_without_model(LIKELIEST_WORDS).model == LIKELIEST_WORDS
