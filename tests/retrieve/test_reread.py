"""Reading the best chunks of a retriever again, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from decoct.data import Query
from decoct.reading.base import SecondReading, StatementToRead
from decoct.reading.nearest import NearestStatements
from decoct.retrieve.ranking import by_key
from decoct.retrieve.reread import Reread
from decoct.trace import recording
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry

FERRY, LIFT, DOGS = "The ferry leaves at nine.", "The lift carries eight people.", "Dogs travel free on board."
FOUND = [(1, 0.9), (2, 0.5), (3, 0.1)]


class Answering:
    """Says how likely what holds a word answers; keeps what it was asked."""

    fingerprint = "answering"

    def __init__(self, **words: float) -> None:
        self.words, self.asked = words, list[StatementToRead]()

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        self.asked += statements
        said = [one.text[one.start : one.end] for one in statements]
        return [
            SecondReading(max([value for word, value in self.words.items() if word in one] or [0.0])) for one in said
        ]


@pytest.fixture
def store() -> MemoryStore:
    store, entry = MemoryStore(), make_entry("one", [FERRY, LIFT, DOGS], title="Rules")
    store.put([replace(entry, chunks=(replace(entry.chunks[0], place="Port › Times"), *entry.chunks[1:]))])
    return store


def test_mixed_by_hand(store: Any, fixed: Any) -> None:
    reader = Answering(nine=0.2, eight=0.6, Dogs=1.0)
    found = Reread(fixed(FOUND, "dense"), store, statements=NearestStatements(reader)).retrieve(Query("How many?"), 9)
    # the retriever by min-max: 1, .5, 0; the probabilities count as they are
    assert by_key(found) == {1: pytest.approx(0.6), 2: pytest.approx(0.55), 3: pytest.approx(0.5)}
    assert found.found_by["reread"] == {1: 0.2, 2: 0.6, 3: 1.0}
    assert found.found_by["dense"] == {1: 0.9, 2: 0.5, 3: 0.1}


def test_the_order_stays_where_nothing_answers(store: Any, fixed: Any) -> None:
    found = Reread(fixed(FOUND), store, statements=NearestStatements(Answering())).retrieve(Query("Why?"), 9)
    assert found.keys.tolist() == [1, 2, 3]


def test_only_the_nearest_are_read_and_the_others_are_as_likely_as_the_least(store: Any, fixed: Any) -> None:
    reader = Answering(eight=0.8)
    asked = Query("How many people does the lift carry?")
    with recording() as trace:
        found = Reread(fixed(FOUND), store, share=1, statements=NearestStatements(reader, most=1)).retrieve(asked, 9)
    assert [one.text for one in reader.asked] == [LIFT]
    assert found.scores.tolist() == pytest.approx([0.8] * 3)
    assert next(one for one in trace.stages if one.name == "reread").counts == {"statements": 3, "read": 1}


def test_a_statement_is_read_with_what_stands_over_it(store: Any, fixed: Any) -> None:
    reader = Answering()
    Reread(fixed(FOUND), store, statements=NearestStatements(reader)).retrieve(Query("When?"), 9)
    assert {one.title for one in reader.asked} == {"Rules: Port › Times", "Rules"}


@pytest.mark.parametrize(
    ("kept", "expected"), [(0, [7, 6, 5, 4, 3, 2, 1]), (2, [7, 6, 5, 2, 1, 4, 3]), (5, [5, 4, 3, 2, 1, 7, 6])]
)
def test_the_retrievers_first_stay_among_the_first_five(fixed: Any, kept: int, expected: list[int]) -> None:
    store, words = MemoryStore(), ["one", "two", "three", "four", "five", "six", "seven"]
    store.put([make_entry("one", [f"The bus of line {word} waits here." for word in words])])
    reader = Answering(**{word: at / 10 for at, word in enumerate(words, 1)})
    found = [(key, 1 - key / 100) for key in range(1, 8)]
    reread = Reread(fixed(found), store, share=1, kept=kept, statements=NearestStatements(reader))
    ranking = reread.retrieve(Query("Which bus?"), 9)
    assert ranking.keys.tolist() == expected
    assert ranking.scores.tolist() == sorted(ranking.scores.tolist(), reverse=True)


def test_what_lies_deeper_keeps_its_order_behind(store: Any, fixed: Any) -> None:
    reader = Answering(eight=1.0)
    reread = Reread(fixed(FOUND), store, depth=2, share=0.6, statements=NearestStatements(reader))
    assert reread.retrieve(Query("How many?"), 9).keys.tolist() == [2, 1, 3]
    assert reread.retrieve(Query("How many?"), 1).keys.tolist() == [2]


def test_another_language_keeps_the_order(store: Any, fixed: Any) -> None:
    class English(Answering):
        languages = frozenset({"en"})

    reader = English(eight=1.0)
    with recording() as trace:
        asked = Query("Wie viele Personen darf der Aufzug auf einmal tragen?")
        found = Reread(fixed(FOUND), store, statements=NearestStatements(reader)).retrieve(asked, 9)
    assert found.keys.tolist() == [1, 2, 3]
    assert not reader.asked
    assert trace.fallbacks == {"reread.language": 1}


def test_copies_are_read_once(fixed: Any) -> None:
    reader = Answering(eight=0.7)
    store = MemoryStore()
    store.put([make_entry("one", [LIFT, LIFT], title="Rules")])
    found = Reread(fixed([(1, 0.9), (2, 0.5)]), store, statements=NearestStatements(reader)).retrieve(Query("How?"), 9)
    assert len(reader.asked) == 1
    assert found.found_by["reread"] == {1: 0.7, 2: 0.7}


def test_only_those_with_most_of_the_words_are_compared(store: Any, fixed: Any) -> None:
    reader = Answering(nine=1.0, eight=1.0, Dogs=1.0)
    nearest = NearestStatements(reader, most=1, compared=1)
    found = Reread(fixed(FOUND), store, share=1, statements=nearest).retrieve(Query("board for dogs"), 9)
    assert [one.text for one in reader.asked] == [DOGS]
    assert found.found_by["reread"] == {3: 1.0}
    # As many as are read are compared, however few were asked for.
    nearest = NearestStatements(reader, most=3, compared=1)
    found = Reread(fixed(FOUND), store, share=1, statements=nearest).retrieve(Query("board for dogs"), 9)
    assert found.found_by["reread"] == {1: 1.0, 2: 1.0, 3: 1.0}


def test_nothing_to_read(fixed: Any) -> None:
    store = MemoryStore()
    store.put([make_entry("one", ["# Heading", "# Another"])])
    assert Reread(fixed([(1, 0.9), (2, 0.5)]), store).retrieve(Query("q"), 9).keys.tolist() == [1, 2]
    assert len(Reread(fixed([]), store).retrieve(Query("q"), 9)) == 0


@pytest.mark.parametrize("given", [{"share": 1.5}, {"depth": 0}])
def test_settings_that_make_no_sense(given: Any, fixed: Any, store: Any) -> None:
    with pytest.raises(ValueError, match=r"share|depth"):
        Reread(fixed(FOUND), store, **given)
    bounds: list[dict[str, Any]] = [{"most": 0}, {"compared": 0}]
    for setting in bounds:
        with pytest.raises(ValueError, match="most"):
            NearestStatements(**setting)
