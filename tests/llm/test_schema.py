"""The reply check: what fits, what is told of what does not, and what is no schema."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.errors import ConfigError, ReplyError
from decoct.llm.schema import conform, is_closed, misfits
from decoct_lab.structure.replies import begun

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "age": {"type": ["integer", "null"], "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}, "maxItems": 2},
    },
    "required": ["name"],
    "additionalProperties": False,
    "$defs": {"Tag": {"enum": ["a", "b"]}},
}


@pytest.mark.parametrize(
    "value", [{"name": "x"}, {"name": "x", "age": None}, {"name": "x", "age": 3.0, "tags": ["a", "b"]}]
)
def test_what_fits_is_returned(value: Any) -> None:
    assert json.loads(conform(json.dumps(value), PERSON)) == value


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"name": "ü", "age": 3.0}', {"name": "ü", "age": 3}),
        ('{"name": "ü", "age": 1e2}', {"name": "ü", "age": 100}),
    ],
)
def test_a_whole_number_is_an_integer_however_it_is_written(written: str, read: Any) -> None:
    found = json.loads(conform(written, PERSON))
    assert found == read
    assert type(found["age"]) is int


@pytest.mark.parametrize(
    "written", ['{"name": "x", "age": 3.5}', '{"name": "x", "age": 1e999}', '{"name": "x", "age": NaN}']
)
def test_what_is_no_whole_number_is_no_integer(written: str) -> None:
    with pytest.raises(ReplyError, match=r"reply\.age"):
        conform(written, PERSON)


@pytest.mark.parametrize(
    ("value", "misfit"),
    [
        ({}, "reply: 'name' is a required property"),
        ([], "reply: [] is not of type 'object'"),
        ({"name": ""}, "reply.name: '' should be non-empty"),
        ({"name": "x", "age": True}, "reply.age: True is not of type 'integer', 'null'"),
        ({"name": "x", "age": -1}, "reply.age: -1 is less than the minimum of 0"),
        ({"name": "x", "age": 151}, "reply.age: 151 is greater than the maximum of 150"),
        ({"name": "x", "tags": ["c"]}, "reply.tags[0]: 'c' is not one of ['a', 'b']"),
        ({"name": "x", "tags": ["a", "a", "a"]}, "reply.tags: ['a', 'a', 'a'] is too long"),
        ({"name": "x", "more": 1}, "reply: Additional properties are not allowed ('more' was unexpected)"),
    ],
)
def test_a_misfit_is_named_with_its_path(value: Any, misfit: str) -> None:
    assert next(misfits(value, PERSON)).startswith(misfit)
    with pytest.raises(ReplyError) as caught:
        conform(json.dumps(value), PERSON)
    assert misfit in str(caught.value)
    assert caught.value.reply == json.dumps(value)


def test_alternatives_and_constants() -> None:
    schema = {"anyOf": [{"const": 1}, {"type": "string", "pattern": "^a"}]}
    assert [next(misfits(v, schema), None) for v in (1, "ab")] == [None, None]
    assert len(list(misfits("b", schema))) == 1
    assert len(list(misfits(True, schema))) == 1  # true is not 1
    assert len(list(misfits(1, {"oneOf": [{"type": "number"}, {"const": 1}]}))) == 1


def test_a_fence_is_taken_off() -> None:
    assert conform('```json\n{"name": "x"}\n```\n', PERSON) == '{"name": "x"}'


@pytest.mark.parametrize("text", ["", "yes", '{"name": "x"', 'Sure: {"name": "x"}'])
def test_what_is_not_json_is_an_error(text: str) -> None:
    with pytest.raises(ReplyError, match="not JSON"):
        conform(text, PERSON)


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(ConfigError, match="is none"):
        conform("[]", {"type": "lst"})
    with pytest.raises(ConfigError, match="does not define"):
        conform("1", {"$ref": "#/$defs/Missing"})


def test_no_schema_is_fetched() -> None:
    with pytest.raises(ConfigError, match="does not define"):
        conform("1", {"$ref": "http://127.0.0.1:9/schema.json"})


def test_closed_schemas() -> None:
    assert is_closed(
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
    )
    assert not is_closed(PERSON)
    assert is_closed({"type": "array", "items": {"type": "string"}})


# -- replies that were cut ---------------------------------------------------------------------------------------------
_TALK = {
    "type": "object",
    "properties": {"said": {"type": "string"}, "by": {"type": "array", "items": {"type": "string"}}},
    "required": ["said", "by"],
}
TALKS = {
    "type": "object",
    "properties": {
        "talks": {"type": "array", "items": _TALK},
        "marks": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["talks", "marks"],
}
FIRST = {"said": "yes", "by": ["a", "b"]}
WHOLE = json.dumps({"talks": [FIRST, {"said": "no", "by": ["c", "d"]}], "marks": [90, 7]})


@pytest.mark.parametrize(
    ("up_to", "kept"),
    [
        ('"yes", "by": ["a", "b', {"talks": [{"said": "yes", "by": ["a"]}], "marks": []}),
        ('"said": "n', {"talks": [FIRST], "marks": []}),
        ('"no", "by"', {"talks": [FIRST], "marks": []}),
        ('"c", "d"]', {"talks": [FIRST, {"said": "no", "by": ["c"]}], "marks": []}),
        ('"marks": [9', {"talks": [FIRST, {"said": "no", "by": ["c", "d"]}], "marks": []}),
    ],
)
def test_of_a_cut_reply_the_items_before_the_cut_are_kept(up_to: str, kept: Any) -> None:
    cut = WHOLE[: WHOLE.index(up_to) + len(up_to)]
    assert begun(cut, TALKS) == kept
    assert begun("```json\n" + cut, TALKS) == kept


@given(st.integers(min_value=0, max_value=len(WHOLE) - 2))
def test_wherever_a_reply_is_cut_what_is_kept_was_written(at: int) -> None:
    try:
        found = begun(WHOLE[:at], TALKS)
    except ReplyError:
        assert at <= WHOLE.index('["a"')  # before the first item can be complete
    else:
        assert found["marks"] in ([], [90])
        said = {one["said"]: one["by"] for one in found["talks"]}
        assert set(said) <= {"yes", "no"}
        assert all(
            names == full[: len(names)] for names, full in zip(said.values(), (["a", "b"], ["c", "d"]), strict=False)
        )


@pytest.mark.parametrize("text", ["", "no JSON", '{"talks": 3', "[1, 2"])
def test_a_cut_reply_with_nothing_complete_is_an_error(text: str) -> None:
    with pytest.raises(ReplyError):
        begun(text, TALKS)
