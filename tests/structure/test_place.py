"""Which headings a chunk is told to stand under."""

from __future__ import annotations

import pytest

from decoct.data import Chunk, Document, Span
from decoct.structure.place import LONGEST, headings_of, placed


def made(text: str, title: str = "Guide") -> Document:
    """A document whose headings are the lines that begin with a digit, which is their level and no part of them."""
    headings, levels, lines, at = [], [], [], 0
    for line in text.splitlines():
        if line[0].isdigit():
            headings.append((at, at + len(line) - 1))
            levels.append(int(line[0]))
        lines.append(line[1:] if line[0].isdigit() else line)
        at += len(lines[-1]) + 1
    return Document("guide", "\n".join(lines), title, headings=tuple(headings), levels=tuple(levels))


def places(document: Document, *begin: str) -> list[str]:
    """The places of the chunks that begin with these words and end with the line."""
    chunks = []
    for words in begin:
        start = document.text.index(words)
        end = (document.text + "\n").index("\n", start)
        chunks.append(Chunk(Span(document.id, start, end), document.text[start:end], document.title))
    found = placed(document, chunks)
    assert [(one.span, one.text) for one in found] == [(one.span, one.text) for one in chunks]
    return [one.place for one in found]


TEXT = "1Guide\nfirst words\n2Engine\nof engines\n3Oil\nof oil\n3Filter\nof filters\n2Wheels\nof wheels"


def test_a_chunk_stands_under_the_headings_above_it_without_the_title() -> None:
    document = made(TEXT)
    found = places(document, "first", "of engines", "of oil", "of filters", "of wheels")
    assert found == ["", "Engine", "Engine › Oil", "Engine › Filter", "Wheels"]


def test_a_heading_that_says_no_more_than_the_title_is_passed_over() -> None:
    document = made("13. Oil filters\nof both\n2Oil\nof oil\n2Air\nof air", "Oil Filters (Guide)")
    assert places(document, "of both", "of oil", "of air") == ["", "", "Air"]


def test_a_heading_that_a_chunk_begins_with_is_its_own_text() -> None:
    assert places(made(TEXT), "Guide", "Engine", "Oil", "Filter", "Wheels") == ["", "", "Engine", "Engine", ""]


def test_marks_before_a_heading_belong_to_it() -> None:
    text = "## One\n\nof one\n\n## Two\n\nof two\n"
    document = Document("a.md", text, "A", headings=((3, 6), (19, 22)), levels=(2, 2))
    assert places(document, "## Two", "of two") == ["", "Two"]


def test_a_long_heading_is_cut_and_of_a_long_path_the_innermost_stay() -> None:
    document = made("\n".join(f"{level}{'x' * 70}{level} y" for level in range(1, 6)) + f"\n6{'z' * 300}\nthe end")
    (place,) = places(document, "the end")
    assert place == f"{'x' * 70}5 y › {'z' * 100}"
    assert len(place) <= LONGEST


def test_without_headings_there_is_no_place() -> None:
    assert places(Document("a", "of nothing", "A"), "of") == [""]


@pytest.mark.parametrize(("levels", "expected"), [((), [1, 2]), ((3, 1), [3, 1]), ((0, 4), [1, 4])])
def test_the_parsers_level_goes_before_the_marks(levels: tuple[int, ...], expected: list[int]) -> None:
    document = Document("a", "# One\n\n## Two", headings=((2, 5), (10, 13)), levels=levels)
    assert [heading.level for heading in headings_of(document)] == expected
