"""No reply, however it is made, takes more than linear time to read."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import pytest

from decoct.answer.base import says_not_found
from decoct.errors import ReplyError
from decoct.evaluate.answers import unmarked
from decoct.llm.schema import conform
from decoct.text.words import content_stems
from decoct_lab.cards.replies import items_in, questions_in
from decoct_lab.measures.hallucination import hallucination

READERS: dict[str, Callable[[str], object]] = {
    "schema": lambda text: conform(text, {"type": "object"}),
    "questions": questions_in,
    "items": items_in,
    "refusals": says_not_found,
    "marks": unmarked,
    "words": content_stems,
    "hallucination": lambda text: hallucination(text, "q", [["a"]], ["b"], ["c"]),
}
PIECES = ["\n", " ", '"', '\\"', "```\n", "[", "[1", "A ", "A\n", "1,", "a's", "* ", "**a", "?", "[{", "<"]


def _seconds(read: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    with contextlib.suppress(ReplyError):
        read(text)
    return time.process_time() - start


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("frame", ["{}", "```json\n{}x", '"{}', "```{}```"])
def test_a_hostile_reply_is_read_in_linear_time(reader: str, frame: str) -> None:
    for piece in PIECES:
        times = (
            _times(READERS[reader], frame, piece) for _ in range(3)
        )  # a busy machine stretches one of them now and then
        assert any(long < 64 * short + 0.1 for short, long in times), (
            piece
        )  # sixteen times the text; quadratic would be 256


def _times(read: Callable[[str], object], frame: str, piece: str) -> tuple[float, float]:
    """The seconds of a short text and of one sixteen times as long."""
    short, long = (_seconds(read, frame.format(piece * (n // len(piece)))) for n in (3_000, 48_000))
    return short, long


def test_fences_are_taken_off() -> None:
    for text in ('```json\n{"a": 1}\n```', '```\n{"a": 1}```', '  ```json  \n\n{"a": 1}\n\n``` \n', '{"a": 1}'):
        assert conform(text, {"type": "object"}) == '{"a": 1}'
    for text in ('```a b\n{"a": 1}\n```', '```{"a": 1}```', "```\n```x"):
        with pytest.raises(ReplyError):
            conform(text, {"type": "object"})
