"""Records of tables and of JSON: which field is what, what a damaged line costs, and numbers that a store can hold."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from decoct.data import Document
from decoct.documents.base import Failure, Limits, Source
from decoct.documents.tables import jsonl, table
from decoct.documents.tables.csv_shape import csv_shape
from decoct.documents.tables.records import document, further_names, metadata_fields
from decoct.errors import ParseError

SOURCE = Source.of("notes.csv", b"", origin="/data/notes.csv")


def test_a_record_is_a_document_by_the_names_of_its_fields() -> None:
    record = {
        "_id": 7,
        "headline": " The\n dam ",
        "abstract": "It\r\nholds.",
        "year": 1911,
        "aliases": ["wall", " wall ", ""],
        "url": "https://a.b/c",
    }
    made = document(record, SOURCE, 3)
    assert (made.id, made.title, made.text, made.names) == ("7", "The dam", "It\nholds.", ("wall",))
    assert made.source == "https://a.b/c"
    assert made.metadata == {"year": 1911, "url": "https://a.b/c"}


def test_a_record_without_an_id_is_named_by_its_line() -> None:
    made = document({"text": "Words.", "source": "a book"}, SOURCE, 3)
    assert (made.id, made.source) == ("notes.csv#3", "/data/notes.csv#3")
    assert document({"text": "Words."}, Source.of("x.csv", b""), 1).source == "x.csv#1"


@pytest.mark.parametrize(
    ("contents", "title", "text"),
    [
        ('"Old bridge"\nIt is red.', "Old bridge", "It is red."),
        ("One line alone", "", "One line alone"),
        ("Title\n \n", "", "Title\n \n"),
    ],
)
def test_flashrag_puts_the_title_first(contents: str, title: str, text: str) -> None:
    made = document({"id": "a", "contents": contents}, SOURCE, 1)
    assert (made.title, made.text) == (title, text)


def test_the_first_field_that_is_filled_is_the_text() -> None:
    made = document({"text": " ", "body": "The body.", "passage": "Not this."}, SOURCE, 1)
    assert (made.text, made.metadata) == ("The body.", {"passage": "Not this."})
    with pytest.raises(ParseError, match="name the field one of text, contents"):
        document({"words": "x"}, SOURCE, 1)
    assert document({"words": "x"}, SOURCE, 1, prose="words: x").text == "words: x"


def test_a_text_over_the_limit_is_refused() -> None:
    small = Source.of("a", b"", limits=Limits(text_characters=5))
    assert document({"text": "12345"}, small, 1).text == "12345"
    with pytest.raises(ParseError, match="over the limit of 5"):
        document({"text": "123456"}, small, 1)


def test_what_can_be_filtered_by_is_kept() -> None:
    big = 2**63
    given: dict[str, Any] = {
        "draft": True, "year": 2020, "share": 0.5, "kind": "a\r\nb", "nan": float("nan"), "inf": float("inf"), "none": None, "list": [1],
        "tags": ["boats", " ", "x" * 1_001, 5, "a\r\nb"], "blank": " ", "long": "x" * 1_001, "most": "x" * 1_000, "edge": big - 1,
        "big": big, "huge": 10**5000, " a\nkey ": 1, "": 2,
    }  # fmt: skip
    kept = metadata_fields(given)
    assert kept["huge"] == hex(10**5000)
    assert {name: value for name, value in kept.items() if name not in {"huge", "most"}} == {
        "draft": True, "year": 2020, "share": 0.5, "kind": "a\nb", "edge": big - 1, "big": str(big), "a key": 1, "tags": ["boats", "a\nb"],
    }  # fmt: skip


def test_inner_metadata_gives_way_to_the_records_own_fields() -> None:
    made = document({"text": "x", "year": 2, "metadata": {"year": 1, "kind": "k"}}, SOURCE, 1)
    assert made.metadata == {"year": 2, "kind": "k"}


def test_names_are_a_list_or_one_text_with_bars() -> None:
    assert further_names({"names": "USA| United  States|", "aliases": ["USA", 5, "America"]}) == (
        "USA", "United States", "America",
    )  # fmt: skip
    assert further_names({"names": {"a": 1}, "aliases": None}) == ()


def told(items: Any) -> list[str]:
    """Texts of documents, and lines of failures."""
    return [one.text if isinstance(one, Document) else one.source.rpartition("#")[2] for one in items]


def lines_of(data: str | bytes, name: str = "a.jsonl", **limits: int) -> list[str]:
    raw = data.encode() if isinstance(data, str) else data
    return told(jsonl.parse(Source.of(name, raw, limits=Limits(**limits))))


def test_a_damaged_line_costs_itself_alone() -> None:
    assert lines_of('\n{"text": "a"}\nnonsense\n[1]\n{"text": ""}\n{"text": "b"}') == ["a", "3", "4", "5", "b"]
    assert lines_of(b'{"text": "a"}\n\xff\n{"text": "b"}\r\n') == ["a", "2", "b"]


def test_a_text_may_hold_what_unicode_calls_the_end_of_a_line() -> None:
    assert lines_of('{"text": "one\u2028two"}\n{"text": "three"}\n') == ["one\u2028two", "three"]


def test_a_line_at_the_limit_is_read_and_a_longer_one_is_not() -> None:
    line = '{"text": "abcdef"}'
    assert lines_of(f'{line}\n{line[:-2]}g"}}\n{line}\n', text_characters=len(line)) == ["abcdef", "2", "abcdef"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ('[{"text": "a"}, {"text": "b"}]', ["a", "b"]),
        ('{\n "text": "a"\n}\n{\n "text": "b"}', ["a", "b"]),
        ('[{"text": "a"},\n {"text": oops}]', ["a", "2"]),
        ('[{"text": "a"}', ["a", "1"]),
        ('[{"text": "a"}] more', ["a", "1"]),
        ('[{"text": "a"} {"text": "b"}]', ["a", "1"]),
        ('[{"text": "a"},]', ["a"]),
        ('\ufeff{"text": "a"}', ["a"]),
    ],
)
def test_arrays_and_values_over_several_lines(data: str, found: list[str]) -> None:
    assert lines_of(data, "a.json") == found


def test_json_in_utf16_is_read_and_deep_json_is_a_failure() -> None:
    assert lines_of('[{"text": "ü"}]'.encode("utf-16"), "a.json") == ["ü"]
    assert lines_of('{"text": "a"}\n' + "[" * 100_000 + "\n") == ["a", "2"]
    for nothing in ("", "\n\n", "[]"):
        with pytest.raises(ParseError, match="no records"):
            lines_of(nothing)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<p>Opening <b>hours</b></p>\n<ul><li>Mon 9&ndash;12</li></ul>", "Opening hours\n\n- Mon 9–12"),
        ("<div class='a'><h2>Fees</h2>12&nbsp;EUR<br/>a day</div>", "Fees\n\n12\u00a0EUR\na day"),
        ("<p>One <b>line</b></p> and a tail <i>x</i>", None),
        ("a < b, and <b>c</b> > d", None),
        ("<div>\n\n# A README\n\n</div>\n\nIn *Markdown*.<br>", None),
        ("<p>", None),
        ("<price>12</price>", None),
        (f"<p>{'word ' * 4_000}</p>", None),
    ],
)
def test_values_that_are_all_html_are_told_as_their_readers_see_them(value: str, text: str | None) -> None:
    told = value if text is None else text
    assert lines_of(json.dumps({"text": value})) == [told]
    assert lines_of(json.dumps({"a": {"note": value}})) == [f"a / note: {told}"]
    out = io.StringIO()
    csv.writer(out).writerows([["id", "text"], ["a", value], ["b", "Other words."]])
    assert [one.text for one in rows_of(out.getvalue()) if isinstance(one, Document)] == [told, "Other words."]


def rows_of(text: str, **limits: int) -> list[Document | Failure]:
    return list(table.parse(Source.of("a.csv", text.encode(), limits=Limits(**limits))))


@pytest.mark.parametrize(
    ("first", "delimiter"),
    [("a,b", ","), ("a;b,c;d", ";"), ("a\tb", "\t"), ("a|b", "|"), ('"a;b;c;d",e', ","), ("alone", ",")],
)
def test_the_commonest_delimiter_outside_quotes_parts_the_cells(first: str, delimiter: str) -> None:
    assert csv_shape(first).delimiter == delimiter


def test_columns_are_filled_and_unique() -> None:
    assert list(table._columns([[" ID ", "Text", "Jahr", "", "Jahr", ""]], 1)) == [
        "id",
        "text",
        "Jahr",
        "column 4",
        "Jahr 5",
        "column 6",
    ]
    nothing: tuple[list[str] | csv.Error, ...] = ([], csv.Error("quote"))
    for wrong in nothing:
        with pytest.raises(ParseError, match="first row"):
            table._columns([wrong], 1)


def test_rows_are_told_with_the_line_they_begin_at() -> None:
    made = rows_of('id,text\na,"two\nlines"\nb\n,,\nc,"broken" quote\nd,last\n')
    assert told(made) == ["two\nlines", "4", "6", "last"]  # a blank row is none
    reasons = [one.reason for one in made if isinstance(one, Failure)]
    assert "it has no text" in reasons[0]


def test_a_quote_that_is_not_closed_gives_its_lines_back() -> None:
    assert told(rows_of('id,text\na,"open\nb,second\nc,third\n')) == ["2", "second", "third"]


def test_a_row_that_takes_in_too_much_is_given_back_too() -> None:
    rows = "".join(f"{n},word\n" for n in range(20))
    assert told(rows_of(f'id,text\nx,"open\n{rows}', text_characters=40)) == ["2", *["word"] * 20]


def test_without_a_text_a_row_is_its_filled_cells() -> None:
    (made,) = rows_of("city,river,year\nBern, Aare ,\n")
    assert isinstance(made, Document)
    assert (made.text, made.metadata) == ("city: Bern\nriver: Aare", {"city": "Bern", "river": " Aare "})


def test_lines_that_were_given_back_come_again() -> None:
    lines = table._Lines(io.StringIO("a\nb\nc\n"), 10)
    assert (lines.begin_row(), next(lines), next(lines)) == (1, "a\n", "b\n")
    lines.give_back()
    assert (lines.begin_row(), next(lines), next(lines)) == (2, "b\n", "c\n")
    with pytest.raises(StopIteration):
        next(lines)
    with pytest.raises(ParseError, match="line 1 is longer than 3"):
        next(table._Lines(io.StringIO("abcd\n"), 3))
