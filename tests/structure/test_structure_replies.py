"""What a structure reads of a model's reply, of a whole one and of one that was cut."""

from __future__ import annotations

import pytest

from decoct.errors import ModelError, ModelTimeoutError, ReplyError
from decoct.llm.base import Reply
from decoct.trace import recording
from decoct_lab.structure.replies import listed_in
from decoct_lab.structure.treerag.outline import read

FORM = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
}


def test_a_whole_reply_is_its_json() -> None:
    with recording() as trace:
        assert listed_in(Reply('{"names": ["a", "b"]}', 1, 1), FORM) == {"names": ["a", "b"]}
    assert trace.fallbacks == {}


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (ModelTimeoutError("late"), ModelTimeoutError),
        (ReplyError("no JSON", "[1"), ReplyError),
        (Reply('{"names": [1]}', 1, 1), ReplyError),
    ],
)
def test_what_is_no_reply_raises_why(outcome: Reply | ModelError, error: type[ModelError]) -> None:
    with pytest.raises(error):
        listed_in(outcome, FORM)


def test_of_a_cut_reply_what_was_complete_is_kept_and_counted() -> None:
    with recording() as trace:
        assert listed_in(ReplyError("cut", '{"names": ["a", "b', cut=True), FORM) == {"names": ["a"]}
    assert trace.fallbacks == {"structure.reply_cut": 1}


def test_an_outline_that_was_cut_has_the_sections_before_the_cut() -> None:
    written = '{"sections": [{"title": "Pumps", "first": 1, "level": 1}, {"title": "Safety", "first": 1'
    outlined = read([ReplyError("cut", written, cut=True)], count=20, depth=3)
    assert outlined.failed == ()
    assert [(one.title, one.first, one.past) for one in outlined.sections] == [("Pumps", 0, 20)]
