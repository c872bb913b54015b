from __future__ import annotations

import pytest

from decoct_lab.measures.values import mentioned, pieces


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1,280 MB", "1280 mb"),
        ("Eleven", "11"),
        ("94 %", "94%"),
        ("2019–2021", "2019-2021"),
        ("−5 °C", "-5°C"),
        ("ﬁve", "5"),
    ],
)
def test_forms_of_one_value(a: str, b: str) -> None:
    assert pieces(a) == pieces(b)


@pytest.mark.parametrize(("a", "b"), [("-5", "5"), ("1.5", "15"), ("5 mg", "5 g"), ("1,28", "128")])
def test_different_values(a: str, b: str) -> None:
    assert pieces(a) != pieces(b)


def test_whole_pieces_only() -> None:
    assert mentioned(["5 mL/100 g"], "it was 15 mL/100 g") == set()
    assert mentioned(["5 mL/100 g"], "it was 5 mL/100 g.") == {"5 mL/100 g"}
    assert mentioned(["no"], "I know") == set()


def test_a_value_inside_a_longer_one_does_not_count_there() -> None:
    values = ["2021", "24 March 2021"]
    assert mentioned(values, "on 24 March 2021") == {"24 March 2021"}
    assert mentioned(values, "in 2021, on 24 March 2021") == set(values)
    assert mentioned(["11", "eleven"], "11 of them") == {"11", "eleven"}  # equal values are both found
