"""Which stretches of a passage may answer, how their kinds fit, and what the fitted weights make of them."""

from __future__ import annotations

import numpy as np
import pytest

from decoct.context.casc.candidates import Read, candidates_of_pieces, support_elsewhere
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.weighing import CLAIM, RANK, calibration, thresholds, weights_of
from decoct.data import Document
from decoct.reading.base import AnswerSpan, Reading, SentenceRelevance


def read(text: str, *spans: str) -> Read:
    (source,) = handed_over([Document("d", text)])
    found = tuple(AnswerSpan(text.index(s), text.index(s) + len(s), 0.5) for s in spans)
    return Read(source, source.pieces[0][0], text, Reading(found, 0.6, 0.6, (SentenceRelevance(0, len(text), 0.6),)))


def values(question: str, text: str, *spans: str) -> list[str]:
    (found,) = candidates_of_pieces([read(text, *spans)], focuses(question)[0])
    return [c.value.raw for c in found]


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("How many guests does the barn hold?", "The barn is fit for at least 45 guests.", "at least 45"),
        ("How long does the lamp burn?", "The lamp burns for about a week.", "about a week"),
        ("What does the bond pay?", "The bond pays between 2.1 and 2.6 % a year.", "between 2.1 and 2.6 % a year"),
    ],
)
def test_a_value_is_a_candidate_with_the_words_that_belong_to_it(question: str, text: str, told: str) -> None:
    assert told in values(question, text)


def test_a_span_that_is_a_value_with_its_limit_is_no_answer_in_words() -> None:
    text = "Riders have to be nine or older."
    (found,) = candidates_of_pieces([read(text, "nine or older")], focuses("From what age may one ride?")[0])
    assert [(c.value.raw, c.value.kind, c.value.limit) for c in found] == [("nine or older", "number", "≥")]


def test_a_hyphenated_name_of_the_question_is_no_answer() -> None:
    found = values("Who designed the Tarn-9 bridge?", "Let us look at Tarn-9, drawn by Ada Holm.", "Tarn-9")
    assert "Tarn-9" not in found
    assert "Ada Holm" in found


def test_what_the_reader_points_at_is_a_candidate_though_it_is_no_value() -> None:
    text = "The monsoon comes in the middle of the summer, as a rule."
    assert "middle of the summer" in values("When does the monsoon come?", text, "the middle of the summer")


SEATS = "Room | Seats | Warden\nElm | 40 | Jo Pryde\nOak | 24 | Al Brandt"


@pytest.mark.parametrize(
    ("question", "pointed_at", "told"),
    [
        ("How many seats has the Oak room?", "40", "24"),  # another row
        ("How many seats has the Elm room?", "Jo Pryde", "40"),  # another column
        ("Who is the warden of Oak?", "Jo Pryde", "Al Brandt"),
    ],
)
def test_of_a_table_the_cell_that_the_question_names_is_the_candidate(
    question: str, pointed_at: str, told: str
) -> None:
    (found,) = candidates_of_pieces([read(SEATS, pointed_at)], focuses(question)[0])
    assert [c.value.raw for c in found] == [told]
    assert found[0].likely == pytest.approx(np.log(0.5))


def test_the_heads_of_a_table_are_no_candidates() -> None:
    assert "Seats" not in values("What does the book say of Elm?", SEATS, "Seats")


@pytest.mark.parametrize(
    ("question", "target"),
    [
        ("Who led the union when the wall was built?", "entity"),
        ("When the wall was built, who led the union?", "date"),
        ("How old was Manning when he played the final?", "number"),
        ("What year was it when the bridge opened?", "date"),
        ("In what year did the mill open?", "date"),
        ("At what time does the train leave?", "date"),
    ],
)
def test_the_first_question_word_says_what_is_asked(question: str, target: str) -> None:
    assert focuses(question)[0].target == target


def test_the_calibration_names_the_reader_that_it_was_fitted_to_and_every_weight() -> None:
    held = calibration()
    assert held["fitted_on"]["reader"].startswith("reader:")
    assert "fit_conflicts.py" in held["fitted_on"]["command"]
    for kind in ("places", "spans"):
        assert set(held["weights"][kind]["rank"]) == set(RANK)
        assert set(held["weights"][kind]["claim"]) == {*CLAIM, "offset"}
    limits = thresholds()
    assert set(limits) == {"heard", "differs", "sure", "settles"}
    assert all(0 < limit < 1 for limit in limits.values())
    assert limits["heard"] <= limits["differs"] <= limits["sure"]
    assert limits["differs"] <= limits["settles"] <= limits["sure"]


def test_a_better_row_is_more_likely() -> None:
    weights = weights_of("places")
    low, high = [0.0] * len(CLAIM), [0.0] * len(CLAIM)
    high[CLAIM.index("likely")] = 2.0
    assert weights.probability(np.asarray(high)) > weights.probability(np.asarray(low))


def test_agreement_counts_between_sentences_that_are_not_the_same() -> None:
    question = "When was Edwin Marin filmed?"
    life = "Edwin Marin, born on February 21, 1899 and dead since May 2, {}, was an American film director of the studio era."
    other = "A street was named after Marin, who was born on 21 February 1899, in his home town by the sea."

    def support(*texts: str) -> float:
        reads = []
        for i, text in enumerate(texts):
            (source,) = handed_over([Document(f"d{i}", text)])
            reading = Reading((AnswerSpan(0, len(text), 0.5),), 0.6, 0.6, (SentenceRelevance(0, len(text), 0.6),))
            reads.append(Read(source, source.pieces[0][0], text, reading))
        found = candidates_of_pieces(reads, focuses(question)[0])
        birth = next(c for c in found[0] if c.value.raw == "February 21, 1899")
        return support_elsewhere(found, 0, birth)

    assert support(life.format(1951), life.format(1953)) == 0.0
    assert support(life.format(1951), other) == 1.0
    twice = f"{life.format(1951)} {other}"
    assert support(twice, twice) == 0.0
