"""What every reader of passages must pass. Subclass `PassageReaderContract` in a test module and give the `reader` fixture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from decoct.reading.base import PassageReader, TitledText
from decoct.text.sentences import sentences

QUESTION = "When was the Harrow Bridge opened?"
PASSAGES = (
    TitledText(
        "Harrow Bridge", "The Harrow Bridge crosses the Lune. It was opened in 1934 by the mayor. Tolls ended in 1960."
    ),
    TitledText("", "Otters eat fish and crabs."),
    TitledText("Straße", "Die Brücke — 東京 🦜 e\u0301 — wurde 1934 eröffnet.\n\n\u200bEnde."),
    TitledText(
        "Long", "A bridge is a structure that spans an obstacle. " * 60 + "The Harrow Bridge was opened on 3 May 1934."
    ),
    TitledText("Empty", ""),
    TitledText("Blank", " \n\t "),
)


class PassageReaderContract:
    """Shapes, offsets, ranges, independence of neighbours, determinism and thread safety."""

    @pytest.fixture
    def reader(self) -> PassageReader:
        """The reader under test."""
        raise NotImplementedError("give the fixture 'reader'")

    def test_one_reading_a_passage_in_order(self, reader: PassageReader) -> None:
        """Also none for none."""
        assert len(reader.read(QUESTION, PASSAGES)) == len(PASSAGES)
        assert reader.read(QUESTION, []) == []

    def test_offsets_are_characters_of_the_passage(self, reader: PassageReader) -> None:
        """Spans lie in the text, begin and end at visible characters and do not overlap; sentences are the text's own."""
        for passage, reading in zip(PASSAGES, reader.read(QUESTION, PASSAGES), strict=True):
            for span in reading.spans:
                assert 0 <= span.start < span.end <= len(passage.text)
                assert passage.text[span.start : span.end].strip()
            ordered = sorted(reading.spans, key=lambda span: span.start)
            assert all(one.end <= two.start for one, two in pairwise(ordered))
            assert [(s.start, s.end) for s in reading.sentences] in ([], sentences(passage.text))

    def test_probabilities_lie_between_0_and_1_and_spans_are_best_first(self, reader: PassageReader) -> None:
        """For the passage, its spans and its sentences."""
        for reading in reader.read(QUESTION, PASSAGES):
            numbers = [
                reading.answers,
                reading.relevance,
                *(s.score for s in reading.spans),
                *(s.relevance for s in reading.sentences),
            ]
            assert all(0 <= number <= 1 for number in numbers)
            scores = [span.score for span in reading.spans]
            assert scores == sorted(scores, reverse=True)

    def test_a_text_without_words_says_nothing(self, reader: PassageReader) -> None:
        """No span, no answer."""
        for reading in reader.read(QUESTION, PASSAGES[4:]):
            assert reading.spans == ()
            assert reading.answers == pytest.approx(0, abs=0.5)

    def test_a_reading_depends_on_its_passage_alone(self, reader: PassageReader) -> None:
        """Neither neighbours nor order change it."""
        together = reader.read(QUESTION, PASSAGES)
        assert together == [reader.read(QUESTION, [passage])[0] for passage in PASSAGES]
        assert together[::-1] == reader.read(QUESTION, PASSAGES[::-1])

    def test_many_threads_read_the_same(self, reader: PassageReader) -> None:
        """Thread-safe."""
        expected = reader.read(QUESTION, PASSAGES)
        with ThreadPoolExecutor(4) as pool:
            assert all(found == expected for found in pool.map(lambda _: reader.read(QUESTION, PASSAGES), range(6)))

    def test_a_question_that_is_none_for_yes_or_no_has_no_verdict(self, reader: PassageReader) -> None:
        """`verdict` is "neither" for it; for the others one of the three."""
        assert {reading.verdict for reading in reader.read(QUESTION, PASSAGES)} == {"neither"}
        assert {reading.verdict for reading in reader.read("Was the Harrow Bridge opened in 1934?", PASSAGES)} <= {
            "yes",
            "no",
            "neither",
        }

    def test_the_fingerprint_is_stable(self, reader: PassageReader) -> None:
        """A name, the same each time it is asked."""
        assert reader.fingerprint
        assert reader.fingerprint == reader.fingerprint
