"""The statements of a text, with what stands over them, and the nearest to a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from decoct.answer.quoted import ReadPassage
from decoct.answer.statements import name_of, near_statements
from decoct.data import Floats, Passage, Span
from decoct.reading.base import Reading, SentenceRelevance
from decoct.text.quotable import quotable_words, statements
from decoct.text.sentences import sentences

FARES = "# Fares\n\nFares hold until May.\n\nFare | Summer | Winter\nCar with driver | 48 | 39\nBicycle | 2.50 | 2.50\n\nOffice: 4417"


def test_a_row_stands_under_the_heads_of_its_table_and_the_heads_are_no_statement() -> None:
    told = {FARES[slice(*one.place)]: one.over for one in statements(FARES, "Prices 2026")}
    assert told["Car with driver | 48 | 39"] == "Prices 2026: Fares: Fare | Summer | Winter"
    assert told["Fares hold until May."] == "Prices 2026: Fares"
    assert "Fare | Summer | Winter" not in told


def test_a_field_is_a_statement_and_a_heading_is_none() -> None:
    said = [FARES[slice(*one.place)] for one in statements(FARES)]
    assert "Office: 4417" in said
    assert "# Fares" not in said


def test_a_field_stands_under_the_first_of_its_record_and_a_record_holds_no_heading() -> None:
    found = statements("Part: HF-280\nFits: Dunlin\nPrice: 61.20", "Stock")
    assert [one.over for one in found] == ["Stock", "Stock: Part: HF-280", "Stock: Part: HF-280"]


def test_an_item_that_others_lie_below_is_their_heading() -> None:
    text = "1. Weekdays\n   - Cafe: 8 to 6\n2. Weekends\n   - Cafe: closed"
    assert [text[slice(*one.place)] for one in statements(text)] == ["- Cafe: 8 to 6", "- Cafe: closed"]


def test_a_further_sentence_of_an_item_stands_under_the_first() -> None:
    found = statements(
        "1. Bell: general emergency.\n2. Warbling tone: fire detector. You have 90 seconds to acknowledge it.", "Alarms"
    )
    assert found[-1].over == "Alarms: Warbling tone: fire detector."


@pytest.mark.parametrize(
    "asked",
    [
        "**Can I pay in cash?**",
        "Q: Can I pay in cash?",
        "**It rains. Can I pay in cash?**",
        "I have come without my card and there is no bank in the village, so would you also let me pay in cash?",
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_what_answers_a_question_by_itself_stands_under_it(asked: str, between: str) -> None:
    text = f"# Tickets\n\nBoats leave at nine.\n\n{asked}{between}A: No, only by card. A card costs 2 euros.\n"
    told = {text[slice(*one.place)]: one.over for one in statements(text)}
    asked_bare = asked.strip("*")
    assert told["A: No, only by card."] == told["A card costs 2 euros."] == f"Tickets: {asked_bare}"
    assert not any("cash" in words for words in told)


def test_an_item_stands_under_the_one_above_it() -> None:
    text = "- Children\n  - Day ticket: 5 euros in summer\n- Adults\n  - Day ticket: 9 euros in summer"
    told = {text[slice(*one.place)].strip(): one.over for one in statements(text, "Fees")}
    assert told["- Day ticket: 9 euros in summer"] == "Fees: Adults"


def test_rows_that_say_their_heads_are_statements_each() -> None:
    text = "Item: Built | Corncrake: 2009\nItem: Length | Corncrake: 74.6"
    assert [text[slice(*one.place)] for one in statements(text)] == text.split("\n")
    at = text.index("74.6")
    held = quotable_words(text, (at, at + 4))
    assert held is not None
    assert text[slice(*held[0])] == "Item: Length | Corncrake: 74.6"


@pytest.mark.parametrize(
    ("title", "doc_id", "name"),
    [
        ("", "vessels/fault_codes-2026.xlsx#3", "fault codes 2026"),
        ("Codes", "vessels/fault.xlsx", "Codes"),
        ("", "4f1c", ""),
    ],
)
def test_a_passage_without_a_title_is_called_as_its_file(title: str, doc_id: str, name: str) -> None:
    assert name_of(Passage("It is.", (Span(doc_id, 0, 6),), title=title)) == name


class ByWord:
    """A vector that says whether a word stands in the text."""

    fingerprint = "by-word"
    dimension = 2

    def __init__(self, word: str) -> None:
        self.word = word

    def embed(self, texts: Sequence[str], kind: str) -> Floats:
        return np.array(
            [[1.0, 0.0] if self.word in text or kind == "query" else [0.0, 1.0] for text in texts], np.float32
        )


@pytest.mark.parametrize("word", ["Bicycle", "Car"])
def test_the_nearest_statement_is_the_one_whose_vector_is(word: str) -> None:
    passage = Passage(FARES, (Span("d", 0, len(FARES)),), title="Prices")
    marked = tuple(SentenceRelevance(start, end, 0.1) for start, end in sentences(FARES))
    near = near_statements("What does it cost?", [ReadPassage(passage, Reading((), 0.5, 0.5, marked), 0)], ByWord(word))
    best = max(near, key=lambda one: one.near)
    assert FARES[slice(*best.statement.place)].startswith(word)
    assert best.likely == pytest.approx(0.1)
