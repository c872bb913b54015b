"""Tables that people write: what is wrong is told by its place, and the nearest name."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import Field

from decoct.errors import ConfigError, EvaluationError
from decoct.tables import TypedTable, read_table


class Inner(TypedTable):
    size: int = 1
    kind: Literal["small", "large"] = "small"


class Outer(TypedTable):
    inner: Inner = Inner()
    rows: list[Inner] = Field(default_factory=list)
    named: dict[str, Inner] = Field(default_factory=dict)
    either: int | str = 0
    share: float = 0.5
    names: list[str] = Field(default_factory=list)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"iner": {}}, "t.iner: unknown key; did you mean 'inner'"),
        ({"inner": {"sise": 1}}, "t.inner.sise: unknown key; did you mean 'size'"),
        ({"rows": [{}, {"knd": "small"}]}, r"t.rows\[1\].knd: unknown key; did you mean 'kind'"),
        ({"named": {"a": {"sze": 1}}}, "t.named.a.sze: unknown key; did you mean 'size'"),
        ({"inner": {"size": "3"}}, "t.inner.size: expected a whole number, not '3'"),
        ({"inner": {"size": True}}, "t.inner.size: expected a whole number, not True"),
        ({"inner": {"kind": "huge"}}, "t.inner.kind: expected 'small' or 'large', not 'huge'"),
        ({"inner": 3}, "t.inner: expected a table, not 3"),
        ({"either": []}, r"t.either: expected a whole number or a text, not \[\]"),
        ({"share": "much"}, "t.share: expected a number, not 'much'"),
        ({"names": ["a", 2]}, r"t.names\[1\]: expected a text, not 2"),
        ([], r"t: expected a table, not \[\]"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(table: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read_table(Outer, table, "t")


def test_an_unknown_key_is_told_before_what_is_missing() -> None:
    class Needs(TypedTable):
        model: str

    with pytest.raises(EvaluationError, match="modl: unknown key; did you mean 'model'"):
        read_table(Needs, {"modl": "m"}, error=EvaluationError)
    with pytest.raises(ConfigError, match="model: missing"):
        read_table(Needs, {})


def test_whole_numbers_are_numbers() -> None:
    assert read_table(Outer, {"share": 1, "named": {"a": {"size": 4}}}).named["a"].size == 4
