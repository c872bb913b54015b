"""What of lists and tables belongs to what was read."""

from __future__ import annotations

from dataclasses import replace

from decoct.answer.found import cells_named, with_lists
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.data import Passage, Span
from decoct.reading.base import Reading

LIST = "It carries:\n- cars\n- bicycles\n\nDogs travel free of charge."
PERSON = "name: Ida Holm\nphone: 2291"


def read(text: str, rank: int = 0, relevance: float = 0.9) -> ReadPassage:
    return ReadPassage(
        Passage(text, (Span(f"d{rank}", 0, len(text)),)), Reading((), 0.9, relevance, (), "neither"), rank
    )


def found(text: str, words: str, rank: int = 0, weight: float = 0.8) -> FoundWords:
    at = text.index(words)
    return FoundWords(read(text, rank), (at, at + len(words)), (at, at + len(words)), words, weight)


def test_every_item_is_an_answer_where_several_are_asked_for() -> None:
    best = with_lists([found(LIST, "cars"), found(LIST, "bicycles")], several=True)
    assert [one.words for one in best] == ["cars", "bicycles"]
    assert {LIST[slice(*one.sentence)] for one in best} == {"It carries:\n- cars\n- bicycles"}
    assert [one.words for one in with_lists([found(LIST, "cars")], several=False)] == ["cars"]


def test_a_cell_that_is_named_wholly_or_in_part() -> None:
    (cell,) = cells_named("Ida Holm's phone", [read(PERSON), read(LIST, 1)], 0.4)
    assert (cell.words, PERSON[slice(*cell.place)], PERSON[slice(*cell.sentence)]) == ("2291", "2291", PERSON)
    (partly,) = cells_named("What is Ida Holm's phone number?", [read(PERSON), read(LIST, 1)], 0.4)
    assert partly.words == "2291"
    assert partly.weight < cell.weight


def test_a_table_in_a_passage_that_is_no_evidence_is_not_looked_up() -> None:
    assert cells_named("What is Ida Holm's phone number?", [read(PERSON, relevance=0.1)], 0.4) == []
    (cell,) = cells_named("Ida Holm's phone", [read(PERSON, relevance=0.1)], 0.4)
    assert cell.words == "2291"  # all that is asked is named


STEPS = "If the pump stops:\n1. Close the valve\n2. Ring the yard on ext. 12\n3. Wait"


def item(text: str, words: str) -> FoundWords:
    start = text.index(words)
    begin, end = text.rindex("\n", 0, start) + 1, text.find("\n", start)
    return replace(found(text, words), sentence=(begin, end if end > 0 else len(text)))


def test_a_step_that_is_read_as_a_whole_is_told_with_the_others() -> None:
    best = with_lists([item(STEPS, "Close the valve")], several=False)
    assert [one.words for one in best] == ["Close the valve", "Ring the yard on ext. 12", "Wait"]
    assert [one.words for one in with_lists([item(STEPS, "ext. 12")], several=False)] == ["ext. 12"]
    bullets = STEPS.replace("1.", "-").replace("2.", "-").replace("3.", "-")
    assert [one.words for one in with_lists([item(bullets, "Close the valve")], several=False)] == ["Close the valve"]
