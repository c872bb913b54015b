"""The best sentences of several passages as one text, and the way back."""

from __future__ import annotations

from decoct.reading.base import Reading, SentenceRelevance, TitledText
from decoct.text.sentences import sentences
from decoct_lab.reading.digest import LENGTH, digest

FILM = TitledText("Vitti Dandu", "Vitti Dandu is a film produced by Ajay Devgn. It was shot in Goa.")
MAN = TitledText("Ajay Devgn", "Ajay Devgn was born on 2 April 1969. He lives in Mumbai.")


def reading(text: TitledText, *relevance: float, whole: float = 1.0) -> Reading:
    parts = tuple(SentenceRelevance(a, b, r) for (a, b), r in zip(sentences(text.text), relevance, strict=True))
    return Reading((), 0.5, whole, parts)


def test_sentences_stand_in_the_order_of_their_passages_behind_their_titles() -> None:
    made = digest([FILM, MAN], [reading(FILM, 0.9, 0.1), reading(MAN, 0.8, 0.2)], length=130)
    assert (
        made.text
        == "Vitti Dandu: Vitti Dandu is a film produced by Ajay Devgn.\nAjay Devgn: Ajay Devgn was born on 2 April 1969.\n"
    )


def test_a_line_knows_its_sentence_and_where_it_stands() -> None:
    made = digest([FILM, MAN], [reading(FILM, 0.9, 0.1), reading(MAN, 0.8, 0.2)], length=130)
    line = made.lines[1]
    sentence = MAN.text[line.start : line.end]
    assert (line.passage, sentence) == (1, "Ajay Devgn was born on 2 April 1969.")
    assert made.text[line.at : line.at + len(sentence)] == sentence


def test_a_passage_that_is_no_evidence_gives_its_room_to_others() -> None:
    made = digest([FILM, MAN], [reading(FILM, 0.9, 0.9, whole=0.01), reading(MAN, 0.2, 0.2, whole=0.9)], length=80)
    assert {line.passage for line in made.lines} == {1}


def test_the_text_stays_within_its_length() -> None:
    long = TitledText("Long", " ".join(f"Sentence number {number} says something or other." for number in range(200)))
    made = digest([long], [reading(long, *[0.5] * 200)])
    assert len(made.text) <= LENGTH
    assert made.lines


def test_nothing_gives_nothing() -> None:
    assert digest([], []).text == ""
