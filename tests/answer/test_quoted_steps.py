"""The sentences of an answer in steps."""

from __future__ import annotations

from decoct.answer.in_steps import Step, StepwiseAnswer, step_sentences
from decoct.data import Passage, Span

TEXTS = ("Jaws was directed by Ann Lee.", "Opening 1934\n\nAnn Lee was born in Oslo in 1934.")
PASSAGES = [Passage(text, (Span(f"d{n}", 0, len(text)),)) for n, text in enumerate(TEXTS)]


def step(number: int, words: str, at: int) -> Step:
    return Step(number, (at, at + len(words)), words, 0.9)


def test_the_deciding_step_comes_last_with_the_answer() -> None:
    first, last = step(0, "Ann Lee", TEXTS[0].index("Ann")), step(1, "Oslo", TEXTS[1].index("Oslo"))
    shown = step_sentences(StepwiseAnswer("Oslo", (last, first), last, compared=False), PASSAGES)
    assert [(one.quote, one.words) for one in shown] == [
        ("Jaws was directed by Ann Lee.", "Ann Lee"),
        ("Ann Lee was born in Oslo in 1934.", "Oslo"),
    ]


def test_a_step_in_a_heading_is_no_sentence() -> None:
    headed = step(1, "1934", TEXTS[1].index("1934"))
    assert step_sentences(StepwiseAnswer("1934", (headed,), headed, compared=False), PASSAGES) == []


def test_the_name_chosen_stands_where_the_sentence_says_it() -> None:
    last = step(1, "1934", TEXTS[1].rindex("1934"))
    (shown,) = step_sentences(StepwiseAnswer("Ann Lee", (last,), last, compared=True), PASSAGES)
    assert TEXTS[1][slice(*shown.place)] == "Ann Lee"
    assert shown.judged
