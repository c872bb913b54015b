"""What ingest keeps of a chunk's names."""

from __future__ import annotations

import numpy as np
import pytest

from decoct.data import Chunk, Document, Span
from decoct.structure.traits import LINKED, OPENING, TITLED, half_hash, name_number, traits_of, unpack
from decoct.text.analysis import stems
from decoct.text.names import normal
from decoct.text.words import is_stop

TEXT = "She sings. Clara Schumann met Johannes Brahms in Hamburg."
DOCUMENT = Document("d", TEXT, title="Clara Schumann")
CHUNKS = [
    Chunk(Span("d", 0, 10), TEXT[:10], DOCUMENT.title),
    Chunk(Span("d", 11, len(TEXT)), TEXT[11:], DOCUMENT.title),
]


def test_names_are_kept_with_their_place_and_sentence() -> None:
    found = traits_of(DOCUMENT, CHUNKS)
    rows, of = unpack(found.traits)
    brahms = rows[(rows["name"] == name_number("johannes brahms"))]
    assert len(brahms) == 1
    text = CHUNKS[1].text
    assert text[brahms["at"][0] : brahms["past"][0]] == "Johannes Brahms"
    assert text[brahms["start"][0] : brahms["end"][0]] == text
    assert brahms["kind"][0] == LINKED | OPENING
    assert of.tolist() == sorted(of.tolist())


def test_every_chunk_stands_for_its_documents_name() -> None:
    found = traits_of(DOCUMENT, CHUNKS)
    assert dict(found.names)[name_number("clara schumann")] == 1.0
    assert all(name_number("clara schumann") in mentioned for mentioned in found.mentions)
    rows, _ = unpack(found.traits[:1])
    own = rows[rows["name"] == name_number("clara schumann")]
    assert own["kind"][0] & TITLED


def test_candidates_are_looked_up_but_never_linked() -> None:
    found = traits_of(
        Document("e", "In Before Sunset they talk."), [Chunk(Span("e", 0, 27), "In Before Sunset they talk.")]
    )
    rows, _ = unpack(found.traits)
    assert name_number("before sunset") in rows["name"].tolist()
    assert name_number("before sunset") not in found.mentions[0]


def test_a_text_without_names_has_an_empty_row_and_a_signature() -> None:
    found = traits_of(Document("f", "nothing here"), [Chunk(Span("f", 0, 12), "nothing here")])
    assert found.traits == (b"",)
    assert found.signatures.shape == (1, 128)
    assert np.unpackbits(found.signatures).sum() > 0


@pytest.mark.parametrize(
    "name",
    [
        "Battle of the Singing Bridges",
        "한국 カタカナ Tower",  # the script of one word decides how the others are cut
        "Ａｃｍｅ Works Öst",
        "Supercalifragilisticexpialidociousnesses-Of-The-Northern Lights",
        "One Two Three Four Five",
    ],
)
def test_a_names_stems_are_those_of_its_words_read_together(name: str) -> None:
    document = Document("d", "It stands here.", title="", names=(name,))
    found = traits_of(document, [Chunk(Span("d", 0, 15), document.text)])
    rows, _ = unpack(found.traits)
    (own,) = rows[rows["name"] == name_number(normal(name))]
    read = stems(" ".join(word for word in normal(name).split() if not is_stop(word)))
    assert own["stems"].tolist() == ([half_hash(stem) for stem in read] + [0] * 4)[:4]
