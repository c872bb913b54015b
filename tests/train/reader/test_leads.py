"""Passages behind their leads: what is marked where, and what is left as it was."""

from __future__ import annotations

from dataclasses import replace

from decoct.text.sentences import sentences
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.leads import led_examples

FILM = "The Salt Window was directed by Ileana Corvescu. It was shot in a customs house."
WOMAN = "She came from the port of Vadeni. She trained as a stenographer."
QUESTION = "From which town came the director of The Salt Window?"


def example(title: str, text: str, answer: str | None, evidence: int | None) -> ReaderExample:
    spans = () if answer is None else ((text.index(answer), text.index(answer) + len(answer)),)
    marked = tuple((a, b, number == evidence) for number, (a, b) in enumerate(sentences(text)))
    return ReaderExample(
        "worlds", "silver", "w/1", QUESTION, title, text, spans, bool(spans), evidence is not None, marked, None,
        (answer,) if answer else (),
    )  # fmt: skip


STEP = example("The Salt Window", FILM, None, 0)
HOLDING = example("Ileana Corvescu", WOMAN, "Vadeni", 0)


def test_answers_and_evidence_move_with_their_words() -> None:
    for made in led_examples([STEP, HOLDING], 1.0, seed=3):
        assert {made.text[a:b] for a, b in made.spans} <= {"Vadeni"}
        evidence = {made.text[a:b] for a, b, marked in made.sentences if marked}
        assert evidence <= {sentences_of(FILM)[0], sentences_of(WOMAN)[0]}
        assert evidence


def test_the_passage_stands_whole_at_the_end_with_its_title() -> None:
    made = {one.text.splitlines()[-1] for one in led_examples([STEP, HOLDING], 1.0, seed=3)}
    assert made == {f"The Salt Window: {FILM}", f"Ileana Corvescu: {WOMAN}"}


def test_a_lead_that_holds_the_answer_makes_the_whole_answer() -> None:
    seen = set()
    for seed in range(30):
        for made in led_examples([STEP, HOLDING], 1.0, seed):
            holds = "Vadeni" in made.text
            assert made.answers is holds
            assert made.aliases == (("Vadeni",) if holds else ())
            seen.add((made.text.splitlines()[-1].startswith("The Salt Window"), holds))
    assert {(True, True), (True, False), (False, True)} <= seen


def test_another_question_of_the_same_set_lends_a_sentence_that_marks_nothing() -> None:
    other = replace(
        HOLDING, question="Which river passes Vadeni?", title="Vadeni", text="It lies on the Tismara. It burned."
    )
    other = replace(other, spans=(), answers=False, sentences=((0, 23, False), (24, 34, False)))
    (made,) = [one for one in led_examples([HOLDING, other], 1.0, seed=1) if one.question == QUESTION]
    assert made.text.startswith("Vadeni: It ")
    assert [made.text[a:b] for a, b in made.spans] == ["Vadeni"]


def test_what_marks_no_sentences_stays_so() -> None:
    unmarked = replace(STEP, sentences=(), relevance=None)
    made = [one for one in led_examples([unmarked, HOLDING], 1.0, seed=5) if FILM in one.text.splitlines()[-1]]
    assert [one.sentences for one in made] == [()]


def test_yes_or_no_and_digests_are_passed_over() -> None:
    assert led_examples([replace(STEP, verdict=2), replace(HOLDING, kind="digest")], 1.0, seed=1) == []


def test_the_same_seed_draws_the_same() -> None:
    first, again = (led_examples([STEP, HOLDING], 0.5, seed=2) for _ in range(2))
    assert first == again


def sentences_of(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]
