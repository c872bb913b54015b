"""Filters compare as text, within ranges by number, date or code point, and every key must pass."""

import pytest

from decoct.data import Metadata, Range
from decoct.errors import QueryError
from decoct.index.filters import as_text, keeps, where_all_hold, where_of, within


def test_values_are_compared_as_text() -> None:
    assert [as_text(value) for value in ("a", 3, 0.5, True, False)] == ["a", "3", "0.5", "true", "false"]


def test_every_key_needs_one_of_its_values() -> None:
    metadata: Metadata = {"year": 2020, "kind": "report"}
    assert keeps(metadata, {})
    assert keeps(metadata, {"year": ("2019", "2020"), "kind": ("report",)})
    assert not keeps(metadata, {"year": ("2020",), "kind": ("letter",)})
    assert not keeps(metadata, {"absent": ("x",)})
    assert not keeps(metadata, {"year": ()})


@pytest.mark.parametrize(
    ("operator", "bound", "inside", "outside"),
    [
        (">=", "2020", ["2020", "2021", "10000", "2.02e3", "2020-05-17"], ["2019", "999", "-3000", "unknown", "true", "", "20-20"]),
        (">", "2020", ["2020.5", "2021-01"], ["2020", "2020-12-31"]),
        ("<=", "0.5", [".5", "-1", "0"], ["0.51", "1e0", "nan", "inf"]),
        ("<=", "2024-05", ["2024-05-31", "2024-05-31T23:59:59Z", "2024", "2023-12-01"], ["2024-06-01", "2025", "soon"]),
        ("<", "2024-05-17", ["2024-05-16", "2023"], ["2024-05-17", "2024-05-17T00:00", "2024"]),
        (">=", "m", ["m", "middle", "z", "é"], ["a", "M", "", "7"]),
        (">", "99999999999999999998", ["99999999999999999999"], ["99999999999999999998"]),
    ],
)  # fmt: skip
def test_a_range_keeps_what_lies_within(operator: str, bound: str, inside: list[str], outside: list[str]) -> None:
    asked = Range(((operator, bound),))
    assert [value for value in inside if not within(asked, value)] == []
    assert [value for value in outside if within(asked, value)] == []


def test_what_a_caller_writes_becomes_a_filter() -> None:
    assert where_of(None) == {}
    assert where_of({"year": 2020, "draft": True, "kind": ["a", "b"]}) == {
        "year": ("2020",), "draft": ("true",), "kind": ("a", "b"),
    }  # fmt: skip
    assert where_of({"year": {">=": 2020, "<": 2024}}) == {"year": (Range(((">=", "2020"), ("<", "2024"))),)}
    assert where_of(where_of({"year": {">=": 2020}, "kind": "a"})) == where_of({"year": {">=": 2020}, "kind": "a"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"year": {"=>": 2020}},
        {"year": {}},
        {"year": None},
        {"year": [None]},
        {"year": {">=": [1]}},
        {3: "x"},
        "kind=news",
    ],
)
def test_what_is_no_filter_is_told(wrong: object) -> None:
    with pytest.raises(QueryError, match="filter"):
        where_of(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "operator"), [("", None), ("year", "!="), ("", "OR")])
def test_what_is_no_condition_is_told_with_what_one_is(name: str, operator: str) -> None:
    """A filter in another form than the framework's was told as the operator 'None'."""
    with pytest.raises(QueryError, match=f"a condition is a field with ==, in.*not '{name}' with {operator!r}"):
        where_all_hold([(name, operator, 1)])


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        ([("==", 2020), (">", 2019)], [2020]),
        ([(">", 2019), ("==", 2020)], [2020]),
        ([("==", 2020), (">", 2020)], []),
        ([("in", [2019, 2020, 2021]), ("<=", 2020)], [2019, 2020]),
        ([("in", [2019, 2020]), ("in", [2020, 2021])], [2020]),
        ([(">", 2018), (">", 2020)], [2021]),
    ],
)
def test_conditions_of_one_key_must_all_hold(conditions: list[tuple[str, object]], kept: list[int]) -> None:
    """A bound behind a value was a TypeError; a value behind a bound, or a second one, took its place."""
    where = where_all_hold(("year", operator, value) for operator, value in conditions)
    assert [year for year in range(2018, 2022) if keeps({"year": year}, where)] == kept
