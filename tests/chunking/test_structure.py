"""Chunks along headings, paragraphs and sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decoct.chunking.structure import Structure
from decoct.data import Document
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ConfigError

TOKENIZER = WordPieceTokenizer()


def document(*blocks: str) -> Document:
    """Blocks with a blank line between them; those that begin with `#` are headings."""
    text, headings = "", []
    for block in blocks:
        text += "\n\n" if text else ""
        if block.startswith("#"):
            headings.append((len(text), len(text) + len(block)))
        text += block
    return Document("d", text, headings=tuple(headings))


def texts(made: Document, tokens: int, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in Structure(TOKENIZER, tokens, overlap).chunk(made)]


def prose(words: int, name: str = "word") -> str:
    """One sentence of so many tokens, its full stop among them."""
    return f"{name.capitalize()} " + " ".join(["word"] * (words - 2)) + "."


def test_large_sections_do_not_share_a_chunk() -> None:
    made = document("# One", prose(60), "# Two", prose(60))
    assert [text.split()[1] for text in texts(made, 150)] == ["One", "Two"]


def test_small_sections_share_one() -> None:
    made = document("# One", prose(20), "# Two", prose(20))
    assert texts(made, 150) == [made.text]


def test_a_heading_stands_with_its_text() -> None:
    # 140 of 150 tokens are full before the heading: its two tokens would fit, but it belongs to what follows.
    made = document(*[prose(35)] * 4, "# Two", prose(30))
    found = texts(made, 150)
    assert found[-1].startswith("# Two")
    assert "# Two" not in found[0]


@pytest.mark.parametrize("heading", ["## Two ##", "Two\n---", "  Two", "Two"])
def test_the_marks_of_a_heading_stand_with_it(heading: str) -> None:
    text = f"{prose(20)}\n\n{heading}\n\n{prose(20)}"
    at = text.index("Two")
    first, second = Structure(TOKENIZER, 30).chunk(Document("d", text, headings=((at, at + 3),)))
    assert first.text == prose(20)
    assert second.text == f"{heading.strip()}\n\n{prose(20)}"


def test_a_heading_within_a_line_leaves_the_words_before_it() -> None:
    made = Document("d", "Some words. Two goes on here.", headings=((12, 15),))
    assert [chunk.text for chunk in Structure(TOKENIZER, 7).chunk(made)] == ["Some words.", "Two goes on here."]


def test_paragraphs_are_kept_whole_where_they_fit() -> None:
    made = document(f"{prose(30)} {prose(30)}", f"{prose(30)} {prose(30)}", f"{prose(30)} {prose(30)}")
    assert texts(made, 130) == [made.text.rsplit("\n\n", 1)[0], made.text.rsplit("\n\n", 1)[1]]
    assert texts(made, 65) == made.text.split("\n\n")


def test_chunks_are_of_even_size() -> None:
    # Eleven sentences of 15 tokens are over 150; as many as fit would leave a last chunk of one sentence.
    made = document(" ".join([prose(15)] * 11))
    assert sorted(text.count(".") for text in texts(made, 150)) == [5, 6]


def test_overlap_repeats_a_sentence_within_a_section_only() -> None:
    made = document("# One", " ".join(f"{prose(30, name)}" for name in "abcdefgh"), "# Two", prose(90, "z"))
    found = texts(made, 150, overlap=1)
    assert len(found) == 3
    assert found[0].split(". ")[-1] == found[1].split(". ")[0] + "."
    assert found[2].startswith("# Two")
    assert max(TOKENIZER.counts(found)) <= 150


def test_a_sentence_longer_than_a_chunk_is_cut_between_words() -> None:
    made = document(" ".join(["unforeseeable"] * 200))
    found = texts(made, 60)
    assert {word for text in found for word in text.split()} == {"unforeseeable"}
    assert max(TOKENIZER.counts(found)) <= 60


def test_the_heading_of_its_section_in_a_chunks_title() -> None:
    made = replace(document("# One", f"{prose(30)} {prose(30)}", "# Two", prose(30)), title="Book")
    chunks = Structure(TOKENIZER, 35, titles="section").chunk(made)
    assert [(chunk.title, chunk.text[:5]) for chunk in chunks] == [
        ("Book", "# One"),
        ("Book › One", "Word "),
        ("Book", "# Two"),
    ]
    # What the document's title says already is not said again.
    again = Structure(TOKENIZER, 35, titles="section").chunk(replace(made, title="One"))
    assert {chunk.title for chunk in again} == {"One"}
    assert {chunk.title for chunk in Structure(TOKENIZER, 35).chunk(made)} == {"Book"}


def test_headings_of_a_parser_that_are_odd_do_no_harm() -> None:
    text = "Title\nSome text stands here. More text."
    for headings in [((0, 5), (0, 5)), ((0, 5), (3, 8)), ((5, 6),)]:
        chunks = Structure(TOKENIZER, 5).chunk(Document("d", text, headings=headings))
        assert " ".join(chunk.text for chunk in chunks).split() == text.split()


@pytest.mark.parametrize(("tokens", "overlap"), [(0, 0), (10, -1)])
def test_impossible_settings_are_refused(tokens: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match="structure chunks"):
        Structure(TOKENIZER, tokens, overlap)
