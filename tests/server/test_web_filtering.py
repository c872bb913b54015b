"""Filters as people write them on the page: what they mean, what cannot be read, and that reading takes no time."""

from __future__ import annotations

import time

import pytest

from decoct.data import Range
from decoct.server.problems import ProblemError
from decoct.server.web.render import where_of_text


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", None),
        (" ; ;; ", None),
        ("kind=paper", {"kind": ("paper",)}),
        ("kind = paper, annual report ", {"kind": ("paper", "annual report")}),
        ("kind = paper; kind = report", {"kind": ("paper", "report")}),
        ("year >= 2020; year < 2024", {"year": (Range(((">=", "2020"), ("<", "2024"))),)}),
        ("year>2020; kind = a", {"kind": ("a",), "year": (Range(((">", "2020"),)),)}),
        ("year = 2020, 2025; year > 2021; year > 2022", {"year": ("2025",)}),
        ("first author = Ada", {"first author": ("Ada",)}),
        ("\n due <= 2024-05 \n", {"due": (Range((("<=", "2024-05"),)),)}),
        ("rule = a = b", {"rule": ("a = b",)}),
    ],
)
def test_what_is_written_is_what_is_meant(text: str, where: object) -> None:
    assert where_of_text(text) == where


@pytest.mark.parametrize(
    "text",
    [
        "kind", "kind =", "= paper", "kind != paper", "kind == paper", "a => 1", "kind = ,",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ProblemError) as error:
        where_of_text(f"good = yes; {text}")
    assert (error.value.status_code, error.value.code, error.value.param) == (422, "validation", "only")
    assert repr(text.rsplit(";", maxsplit=1)[-1].strip()) in error.value.detail


@pytest.mark.parametrize("text", [" " * 3999 + "a" + " " * 4000, "a=" + " " * 7998, "a " * 4000, "a" + "=" * 7999])
def test_the_longest_field_is_read_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ProblemError):
        where_of_text(text)
    assert time.process_time() - began < 2  # the square of the field takes much longer
