from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decoct.evaluate.metrics.answers import answer_in_context, normalise


def test_whole_words_in_normal_form() -> None:
    context = "[1] Poland\nWarsaw, the capital; 15 mg"
    assert answer_in_context(context, ["Krakow", "Warsaw the Capital!"]) == 1
    assert answer_in_context(context, ["5 mg"]) == 0
    assert answer_in_context("", ["Warsaw"]) == 0


def test_verdicts_are_not_evidence() -> None:
    assert answer_in_context("yes", ["yes"]) is None
    assert answer_in_context("no", ["No", "The"]) is None
    assert answer_in_context("no way", ["no", "no way"]) == 1


@given(st.text(alphabet="aThe n.'\n\t\r ΣσΑ\u0345-5x", max_size=40), st.text(min_size=1, max_size=3))
def test_lines_apart_are_the_text_as_a_whole(context: str, answer: str) -> None:
    found = answer_in_context(context, [answer])
    wanted = normalise(answer)
    assert found == (None if not wanted else float(f" {wanted} " in f" {normalise(context)} "))
