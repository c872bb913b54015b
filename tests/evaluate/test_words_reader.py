"""The small reader as a reader of all contexts, those that a model wrote too."""

from __future__ import annotations

import pytest

from decoct.budget import Budget
from decoct.data import Context, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.evaluate.answers import ReadAnswer, WordsReader
from decoct.trace import Trace

TEXT = "The Long Tower was designed by the architect Ada Stone and opened in 1912."


def context(*passages: Passage) -> Context:
    text = "\n".join(passage.text for passage in passages)
    return Context("Who designed the Long Tower?", text, passages, Budget(200, default_tokenizer()), Trace())


QUOTE = Passage(TEXT, (Span("tower", 5, 5 + len(TEXT)),))
WRITTEN = Passage(TEXT, (Span("tower", 5, 400), Span("other", 0, 9)), kind="rewrite")


@pytest.mark.parametrize(("passage", "cited"), [(QUOTE, 1), (WRITTEN, 0)])
def test_what_a_model_wrote_is_read_like_a_quote_and_not_cited(passage: Passage, cited: int) -> None:
    (read,) = WordsReader().answer([context(passage)])
    assert isinstance(read, ReadAnswer)
    assert (read.text, len(read.citations)) == ("Ada Stone", cited)
    assert (read.calls, read.prompt_tokens) == (0, 0)
