"""What every chunker must pass. Subclass `ChunkerContract` in a test module and give the `chunker` fixture."""

from __future__ import annotations

import time
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoct.chunking.base import Chunker
from decoct.data import Chunk, Document

PROSE = (
    "The university was founded in 1908. Its board ordered military instruction in 1912, by an act.\n\n"
    "# Regents\n\nThe regents met twice a year; they kept no record.\nNobody knows why.  "
)
ODD = (
    "",
    " \n\t ",
    "x",
    ".",
    "\n\n\n.\n\n\n",
    "\x00\x01\x02",
    "\x00 one \x00\x00 two\x00",
    "한국어는 교착어이다. 東京は日本の首都です。ประเทศไทยไม่มีช่องว่างระหว่างคำ",
    "e\u0301\u0301\u0301 \u200d👩‍👩‍👧 \ufdfa ½ \u00a0 \u2028 \u3000 end",
    "a" * 5000,
    "word " * 2000,
    "no-space," * 600,
    "One. Two! Three? " * 200,
    PROSE * 30,
    "\n".join(f"| {i} | {i * i} |" for i in range(300)),
)
# Letters and marks of many scripts, white space of every kind, control characters, emoji; not surrogates, which no canonical text has.
TEXTS = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8"), max_size=30),
        st.sampled_from(
            ["A sentence stands here. ", "\n\n", " ", "word " * 40, "x" * 300, "東京は日本の首都です。", "\r\n", PROSE]
        ),
    ),
    max_size=12,
).map("".join)


class ChunkerContract:
    """Spans, order, cover and time."""

    longest_seconds: float = 10.0

    @pytest.fixture
    def chunker(self) -> Chunker:
        """The chunker under test."""
        raise NotImplementedError("give the fixture 'chunker'")

    def test_odd_texts(self, chunker: Chunker) -> None:
        """Empty, blank, without spaces, without tokens, in many scripts."""
        for text in ODD:
            check(chunker, text)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=TEXTS)
    def test_any_text(self, chunker: Chunker, text: str) -> None:
        """The promises hold for any text."""
        check(chunker, text)

    def test_is_a_value(self, chunker: Chunker) -> None:
        """A frozen dataclass: its settings are its fields, and its repr can be recorded."""
        assert is_dataclass(chunker)
        with pytest.raises(FrozenInstanceError):
            setattr(chunker, fields(chunker)[0].name, None)

    @pytest.mark.parametrize("unit", ["x", "word ", "A short sentence. "], ids=["letters", "words", "sentences"])
    def test_a_long_line(self, chunker: Chunker, unit: str) -> None:
        """Time does not explode: what is quadratic in 100,000 characters takes many minutes. Counted is this process's own time."""
        document = Document("doc", unit * (100_000 // len(unit)))
        start = time.process_time()
        assert len(chunker.chunk(document)) > 50
        assert time.process_time() - start < self.longest_seconds


def check(chunker: Chunker, text: str) -> list[Chunk]:
    """Assert the promises of the contract for `text`; return its chunks."""
    document = Document("doc", text, title="Title")
    chunks = chunker.chunk(document)
    assert bool(chunks) == bool(text.strip())
    starts = [chunk.span.start for chunk in chunks]
    ends = [chunk.span.end for chunk in chunks]
    assert starts == sorted(set(starts)), "chunks stand in text order"
    assert ends == sorted(set(ends)), "no chunk lies within another"
    reached = 0
    for chunk in chunks:
        assert chunk.span.doc_id == "doc"
        assert chunk.title == "Title"
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert chunk.text == chunk.text.strip(), "no white space at the ends"
        assert not text[reached : chunk.span.start].strip(), "every character that is not white space is in a chunk"
        reached = max(reached, chunk.span.end)
    assert not text[reached:].strip()
    assert chunks == chunker.chunk(document), "the same document gives the same chunks"
    return chunks
