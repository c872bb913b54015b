"""The outline of a document by a model: windows that fit, and replies that are trusted only as far as they make sense."""

from __future__ import annotations

import json

import pytest
from word_tokenizer import Words

from decoct.data import Chunk, Span
from decoct.errors import ModelError, ModelUnavailableError
from decoct.llm.base import Reply
from decoct_lab.structure.treerag.outline import REPLY, WINDOW, read, requests
from decoct_lab.structure.treerag.sections import ChunkSection


def chunks(*words: int) -> list[Chunk]:
    """Chunks of so many words each."""
    texts = [" ".join([f"w{n}"] * count) for n, count in enumerate(words)]
    return [Chunk(Span("d", 0, len(text)), text, key=n) for n, text in enumerate(texts)]


def outlined(*sections: tuple[str, int, int]) -> Reply:
    return Reply(json.dumps({"sections": [{"title": t, "first": f, "level": level} for t, f, level in sections]}))


def windows(*words: int) -> list[list[int]]:
    """The numbers of the passages that each request shows."""
    found = []
    for request in requests("Dams", chunks(*words), Words()):
        shown = request.messages[-1].content
        found.append([n for n in range(1, len(words) + 1) if f"{n}: w{n - 1}" in shown])
        assert request.max_tokens == REPLY
        assert request.schema is not None
    return found


def test_passages_are_shown_in_windows_that_fit() -> None:
    assert windows(WINDOW // 2, WINDOW // 2, 1) == [[1, 2], [3]]
    assert windows(1, 1, 1) == [[1, 2, 3]]
    assert windows(WINDOW + 1, 1) == [[1], [2]]  # one that is too long stands alone
    assert windows() == []
    (request,) = requests("", chunks(1), Words())
    assert "(none)" in request.messages[-1].content


def test_a_section_reaches_to_the_next_of_its_level_or_above() -> None:
    made = read([outlined(("Dams", 1, 1), ("Walls", 2, 2), ("Gates", 3, 2), ("Mills", 5, 1))], 6, 3)
    assert made.sections == (
        ChunkSection("Dams", 1, 0, 4), ChunkSection("Walls", 2, 1, 2), ChunkSection("Gates", 2, 2, 4), ChunkSection("Mills", 1, 4, 6),
    )  # fmt: skip
    assert made.failed == ()


def test_deeper_levels_count_as_the_deepest() -> None:
    made = read([outlined(("Dams", 1, 1), ("Walls", 2, 3))], 3, 2)
    assert [section.level for section in made.sections] == [1, 2]


def test_windows_go_on_where_the_last_one_stopped() -> None:
    made = read([outlined(("Dams", 1, 1)), outlined(("Mills", 3, 1))], 4, 3)
    assert [(section.first, section.past) for section in made.sections] == [(0, 2), (2, 4)]


@pytest.mark.parametrize(
    "reply",
    [
        outlined(("Dams", 0, 1)),
        outlined(("Dams", 5, 1)),
        outlined(("Dams", 2, 1), ("Mills", 2, 1)),
        outlined(("Dams", 3, 1), ("Mills", 1, 1)),
        outlined((" ", 1, 1)),
        outlined(("Dams", 1, 4)),
        Reply("no JSON"),
        Reply('{"sections": [{"title": "Dams"}]}'),
        ModelUnavailableError("nobody answers"),
    ],
)
def test_a_reply_without_sense_fails_its_window_alone(reply: Reply | ModelError) -> None:
    made = read([reply, outlined(("Mills", 3, 1))], 4, 3)
    assert [section.title for section in made.sections] == ["Mills"]
    assert (len(made.failed), made.failed[0].startswith("outline: ")) == (1, True)


def test_a_window_may_have_no_section() -> None:
    assert read([outlined()], 4, 3).sections == ()
    assert read([], 4, 3).sections == ()
