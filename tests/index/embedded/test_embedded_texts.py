"""Texts out of their parts."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.index.embedded.border import UndecodableError
from decoct.index.embedded.columns import MOST_PARTS, PART, text, texts

WORDS = {1: "héllo 😀 " * 500, 2: "x" * PART, 7: "River stone. " * 230}
PLACES = st.sampled_from(sorted(WORDS)).flatmap(
    lambda number: st.tuples(st.just(number), *[st.integers(0, len(WORDS[number]))] * 2).map(
        lambda one: (one[0], min(one[1:]), max(one[1:]))
    )
)


def filled() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE texts (place INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    for number, words in WORDS.items():
        parts = [words[at : at + PART] for at in range(0, len(words), PART)]
        connection.executemany("INSERT INTO texts VALUES (?, ?)", enumerate(parts, number * MOST_PARTS))
    return connection


@given(st.lists(PLACES, max_size=8))
def test_many_are_what_each_alone_is_and_take_one_statement(ranges: list[tuple[int, int, int]]) -> None:
    connection = filled()
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    found = texts(connection, ranges)
    assert len(asked) == 1
    assert found == [WORDS[number][start:end] for number, start, end in ranges]
    assert found == [text(connection, *one) for one in ranges]


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_lost_part_is_told_and_not_left_out(part: int) -> None:
    connection = filled()
    connection.execute("DELETE FROM texts WHERE place = ?", (7 * MOST_PARTS + part,))
    with pytest.raises(UndecodableError, match="document number 7 has lost characters 10 to 2900"):
        texts(connection, [(2, 0, 10), (7, 10, 2900)])
