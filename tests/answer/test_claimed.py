"""An audit counts a claim where the reader of passages makes it too, from its document alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from decoct.answer.base import NO_ANSWER
from decoct.answer.one_thing import ClaimedTwice
from decoct.answer.sources import quoted_at
from decoct.context.casc.claims import Claim
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus, focuses
from decoct.context.casc.sources import EvidenceSource, handed_over
from decoct.data import Answer, Citation, Context, Document, ShortAnswer, Span
from decoct.text.values import Value, quantities

TEXTS = (
    "The crew rests 11 hours. It eats for 2 hours.",
    "A crew that rests 12 hours works better.",
    "Open 9 hours a day.",
)


@dataclass(frozen=True)
class EveryQuantity:
    """Claims every quantity of the sources that it is handed, however far from the question."""

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        claims = []
        for source in sources:
            ((span, text),) = source.pieces
            for value in quantities(text):
                place = Span(source.doc_id, span.start + value.start, span.start + value.end)
                claims.append(Claim(source, text, span, value, place, 1.0))
        return Extraction(tuple(claims))


@dataclass(frozen=True)
class FirstSentence:
    """Answers with the first sentence of a text, as sure as its first word of `words` makes it, and from one document at a time."""

    words: Mapping[str, float]

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        (passage,) = context.passages
        sure = next((sure for word, sure in self.words.items() if word in passage.text), 0.0)
        if not sure:
            return Answer(NO_ANSWER, (), context, found=False)
        said = passage.text.split(". ")[0]
        doc_id = passage.support[0].doc_id
        return Answer(
            f"{said} [1]",
            (Citation(1, len(said) + 1, len(said) + 4, passage, quoted_at(passage, 0, len(said))),),
            context,
            answers=(ShortAnswer(said, doc_id, 0, len(said), sure),),
        )


def test_only_what_both_say_is_compared() -> None:
    sources = handed_over([Document(f"d{at}", text) for at, text in enumerate(TEXTS)])
    question = "How long does the crew rest?"
    found = ClaimedTwice(EveryQuantity(), FirstSentence({"rests": 0.8, "Open": 0.4})).extract(
        question, sources, focuses(question)
    )
    assert [(claim.source.doc_id, claim.value.raw) for claim in found.claims] == [
        ("d0", "11 hours"),
        ("d1", "12 hours"),
    ]


def test_what_is_not_sure_enough_to_conflict_is_told() -> None:
    sources = handed_over([Document(f"d{at}", text) for at, text in enumerate(TEXTS)])
    question = "How long does the crew rest?"
    reader = FirstSentence({"Open": 0.6, "crew": 0.7})
    found = ClaimedTwice(EveryQuantity(), reader).extract(question, sources, focuses(question))
    assert {claim.source.doc_id: claim.sure for claim in found.claims} == {"d0": 0.7, "d1": 0.7, "d2": 0.6}
    unsure = ClaimedTwice(EveryQuantity(), FirstSentence({"crew": 0.4}))
    assert not unsure.extract(question, sources, focuses(question)).claims


def test_another_edition_of_a_document_that_answers_is_heard_sooner() -> None:
    texts = {"rules-2021.txt": "Crews sleep 9 hours.", "rules-2024.txt": TEXTS[0], "menu.txt": "Cooks sleep 8 hours."}
    sources = handed_over([Document(name, text) for name, text in texts.items()])
    question = "How long does the crew rest?"
    twice = ClaimedTwice(EveryQuantity(), FirstSentence({"rests": 0.6, "sleep": 0.3}))
    found = twice.extract(question, sources, focuses(question))
    assert [(claim.source.doc_id, claim.value.raw) for claim in found.claims] == [
        ("rules-2021.txt", "9 hours"),
        ("rules-2024.txt", "11 hours"),
    ]


def test_a_yes_or_no_counts_where_both_say_it() -> None:
    """The extractor reads "no" of the first text and "yes" of the second; the reader says yes to both."""
    sources = handed_over(
        [Document("d0", "Rafts are not for hire; canoes are."), Document("d1", "Canoes are for hire.")]
    )

    @dataclass(frozen=True)
    class Verdicts:
        def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
            claims = []
            for source in sources:
                ((span, text),) = source.pieces
                value = Value(text, "bool", 0, len(text), dimension="no" if "not" in text else "yes")
                claims.append(Claim(source, text, span, value, span, 1.0))
            return Extraction(tuple(claims))

    @dataclass(frozen=True)
    class SaysYes(FirstSentence):
        def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
            answer = FirstSentence.answer(self, context, sink)
            return replace(answer, answers=tuple(replace(one, text="yes") for one in answer.answers))

    question = "Are canoes for hire?"
    found = ClaimedTwice(Verdicts(), SaysYes({"hire": 0.9})).extract(question, sources, focuses(question))
    assert [(claim.source.doc_id, claim.value.dimension) for claim in found.claims] == [("d1", "yes")]


@dataclass(frozen=True)
class LastQuantity:
    """Claims the last quantity of each source, as surely as it is told to."""

    sure: float

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        found = EveryQuantity().extract(question, sources, parts).claims
        last = {claim.source.doc_id: replace(claim, sure=self.sure) for claim in found}
        return Extraction(tuple(last.values()))


@dataclass(frozen=True)
class FirstCell:
    """Answers with the first number of a text, in its row."""

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        (passage,) = context.passages
        value, doc_id = quantities(passage.text)[0], passage.support[0].doc_id
        words = ShortAnswer(value.raw, doc_id, value.start, value.end, 0.9)
        row = quoted_at(passage, 0, passage.text.index("\n"))
        return Answer(f"{value.raw} [1]", (Citation(1, 4, 7, passage, row),), context, answers=(words,))


def test_a_cell_is_claimed_that_the_reader_alone_finds() -> None:
    """The extractor is at home in sentences; of a row the reader's words are the claim, however sure the extractor is of another cell."""
    question = "What does a night in the cab cost?"
    for text, sure in (("|Night in the cab|16|230|\nMates get 12.", 0.9), ("|Night in the cab|16|230|\n", 0.7)):
        sources = handed_over([Document("rules.md", text)])
        (claim,) = ClaimedTwice(LastQuantity(sure), FirstCell()).extract(question, sources, focuses(question)).claims
        assert claim.value.raw == "16"
        assert claim.sure == 0.9


def test_a_part_of_a_number_in_groups_is_no_value() -> None:
    """The extractor takes "0555" of a telephone number for a quantity; the reader has all of it."""

    @dataclass(frozen=True)
    class WholeNumber(FirstSentence):
        def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
            answer = FirstSentence.answer(self, context, sink)
            return replace(answer, answers=(ShortAnswer("0555 771 20", "d0", 5, 16, 0.9),))

    question = "What is the number of the office?"
    sources = handed_over([Document("d0", "Ring 0555 771 20. We answer.")])
    (claim,) = (
        ClaimedTwice(EveryQuantity(), WholeNumber({"Ring": 0.9})).extract(question, sources, focuses(question)).claims
    )
    assert claim.value.raw == "0555 771 20"
