"""Chunks of prose and of matter apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decoct.chunking.cut import chunks_of
from decoct.chunking.structure import Structure
from decoct.data import Document
from decoct.embed.tokenizer import WordPieceTokenizer

CHUNKER = Structure(WordPieceTokenizer())
FRONT = "---\ntitle: Pump\nauthor: Ida Holm\n---\n"
CONTENTS = "- [Use](#use)\n- [Care](#care)\n- [End](#end)\n"


def texts(text: str, title: str = "Pump") -> list[str]:
    document = Document("d", text, title=title)
    found = chunks_of(CHUNKER, document)
    assert all(text[chunk.span.start : chunk.span.end] == chunk.text for chunk in found)
    return [chunk.text for chunk in found]


def test_front_matter_is_a_chunk_of_its_own() -> None:
    assert texts(f"{FRONT}\nIt lifts water.") == [FRONT.strip(), "It lifts water."]


def test_a_text_without_matter_is_cut_as_before() -> None:
    document = Document("d", "It lifts water. It weighs 3 kg.", title="Pump")
    assert chunks_of(CHUNKER, document) == CHUNKER.chunk(document)


def test_contents_part_the_prose_around_them() -> None:
    assert texts(f"It lifts water.\n\n{CONTENTS}\n# Use\n\nSwitch it on.") == [
        "It lifts water.",
        CONTENTS.strip(),
        "# Use\n\nSwitch it on.",
    ]


def test_the_title_before_the_contents_is_no_chunk_of_its_own() -> None:
    assert texts(f"{FRONT}\n# Pump\n\n{CONTENTS}\n# Use\n\nSwitch it on.") == [
        f"{FRONT}\n# Pump\n\n{CONTENTS}".strip(),
        "# Use\n\nSwitch it on.",
    ]
    assert texts(f"# Water pumps\n\n{CONTENTS}\n# Use\n\nOn.")[0] == "# Water pumps"


@given(st.lists(st.sampled_from([FRONT, CONTENTS, "# Pump\n\n", "It lifts water. ", "\n\n", "a: b\n"]), max_size=8))
def test_together_they_hold_every_character(pieces: list[str]) -> None:
    text = "".join(pieces)
    chunks = chunks_of(CHUNKER, Document("d", text, title="Pump"))
    covered = [False] * len(text)
    for chunk in chunks:
        assert text[chunk.span.start : chunk.span.end] == chunk.text
        for at in range(chunk.span.start, chunk.span.end):
            covered[at] = True
    assert all(held for held, character in zip(covered, text, strict=True) if not character.isspace())
