"""The search for the few sentences that answer together, on contexts of a line or two."""

from __future__ import annotations

import pytest
from contexts import context_of

from decoct.data import Context, Passage, Span
from decoct.text.questions import parsed_question
from decoct_lab.answer import paths
from decoct_lab.answer.evidence import candidate_sentences, weights
from decoct_lab.answer.paths import Paths


def best(question: str, context: Context, most: int = 3, least_gain: float = 0.1) -> list[str]:
    asked, found = parsed_question(question), candidate_sentences(context)
    search = Paths(asked, found, weights(asked, found), context.passages)
    return [sentence.text for sentence in search.best(most, least_gain)]


LANTERN = "When was the red lantern bought?"
FILM = "Where was the director of Amber Bay born?"
FILMS = context_of(
    FILM,
    "Amber Bay was shot in a week. Its director is Ida Holm.",
    "Ida Holm was born in Graz. She likes tea.",
    "The harbour has three cranes.",
    titles=("Amber Bay", "Ida Holm", "Harbour"),
)


def test_the_sentence_that_speaks_of_the_question_is_taken() -> None:
    context = context_of(LANTERN, "The hall is warm. The red lantern was bought in 1934. Stones lie outside.")
    assert best(LANTERN, context, most=1) == ["The red lantern was bought in 1934."]


def test_a_second_hop_follows_the_name_that_leads_there() -> None:
    assert best(FILM, FILMS, most=2) == ["Its director is Ida Holm.", "Ida Holm was born in Graz."]


def test_the_step_to_a_named_passage_is_worth_a_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question has four words (director, Amber, Bay, born); without the bridge the second sentence adds too little here."""
    asked, found = parsed_question(FILM), candidate_sentences(FILMS)
    search = Paths(asked, found, weights(asked, found), FILMS.passages)
    first = next(n for n, one in enumerate(found) if one.text.startswith("Its director"))
    second = next(n for n, one in enumerate(found) if one.text.startswith("Ida Holm was"))
    path = search._extended(paths._Path(), first)
    with_bridge = search._value(path, second)
    monkeypatch.setattr(paths, "BRIDGE", 0.0)
    assert with_bridge - search._value(path, second) == pytest.approx(0.35)


def test_a_sentence_that_adds_too_little_is_left_out() -> None:
    assert len(best(FILM, FILMS, most=2, least_gain=5.0)) == 1


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_sentences_than_asked_for(most: int) -> None:
    assert len(best(FILM, FILMS, most=most, least_gain=-5.0)) == most


def test_a_context_without_sentences_has_no_path() -> None:
    asked = parsed_question(LANTERN)
    assert Paths(asked, [], weights(asked, []), ()).best(3, 0.1) == []


def test_no_sentence_is_taken_twice() -> None:
    taken = best(FILM, FILMS, most=5, least_gain=-5.0)
    assert len(taken) == len(set(taken)) == 5


def test_rank_and_score_by_hand() -> None:
    """.1 for the rank (1, 2/3, 1/3 of it) and .2 for the place of the score between least and greatest."""
    given = [Passage("x", (Span(f"d{n}", 0, 1),), score=score) for n, score in enumerate((3.0, 2.0, 1.0))]
    assert paths._priors(given) == pytest.approx([0.1 + 0.2, 0.1 * 2 / 3 + 0.1, 0.1 / 3])


def test_equal_scores_say_nothing() -> None:
    given = [Passage("x", (Span(f"d{n}", 0, 1),), score=0.5) for n in range(2)]
    assert paths._priors(given) == pytest.approx([0.1, 0.05])
    assert paths._priors([]) == []
