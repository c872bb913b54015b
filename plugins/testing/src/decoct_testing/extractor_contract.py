"""What every extractor of CASC must do. Inherit, and give the fixture; pytest does the rest.

class TestMyExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return MyExtractor(...)
"""

from __future__ import annotations

import pytest

from decoct.context.casc.extractor import Extractor
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.data import Document

DOCUMENTS = (
    Document(
        "one", "The Orlin reservoir has a capacity of 412,000 litres. It feeds nine farms.", "Water in the valley"
    ),
    Document("two", "The capacity of the Orlin reservoir is 655,000 litres.\n\nIt is fenced.", "Survey"),
    Document("three", "Choirs sang until late.", "Festival"),
    Document("four", "", "Nothing"),
)
QUESTIONS = (
    "What is the capacity of the Orlin reservoir?",
    "Is the Orlin reservoir fenced?",
    "Who sang?",
    "オルリン",
    "?",
)


class ExtractorContract:
    """The promises of `decoct.context.casc.extractor.Extractor`."""

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_claims_and_sentences_are_the_documents_own(self, extractor: Extractor, question: str) -> None:
        """Quotes and values stand at their spans, parts and probabilities are in range."""
        texts = {document.id: document.text for document in DOCUMENTS}
        parts = focuses(question)
        found = extractor.extract(question, handed_over(DOCUMENTS), parts)
        for claim in (*found.claims, *found.sentences):
            text = texts[claim.span.doc_id]
            assert text[claim.span.start : claim.span.end] == claim.quote
            assert claim.span.start <= claim.value_span.start < claim.value_span.end <= claim.span.end
            assert text[claim.value_span.start : claim.value_span.end] == claim.value.raw
            assert 0 <= claim.part < len(parts)
            assert 0 <= claim.sure <= 1
            assert 0 <= claim.relevance <= 1

    def test_the_same_is_extracted_twice(self, extractor: Extractor) -> None:
        """Nothing depends on what was read before."""
        parts = focuses(QUESTIONS[0])
        sources = handed_over(DOCUMENTS)
        assert extractor.extract(QUESTIONS[0], sources, parts) == extractor.extract(QUESTIONS[0], sources, parts)

    def test_no_documents_no_claims(self, extractor: Extractor) -> None:
        """Silence is an answer."""
        assert extractor.extract(QUESTIONS[0], [], focuses(QUESTIONS[0])).claims == ()
