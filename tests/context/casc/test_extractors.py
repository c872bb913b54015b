"""Every extractor: quotes are the documents' own, silence is no claim; order, copies, names and units do not change the outcome."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from decoct.answer.short_answers import ShortAnswers
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Cluster
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.extractor import Extractor
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import synthesise
from decoct.data import Context, Document, Scalar, ShortAnswer
from decoct.llm.base import Request
from decoct.reading.base import SecondReading, StatementToRead
from decoct.reading.small import BUNDLED
from decoct_lab.casc.extract_llm import ByTrainedModel
from decoct_lab.casc.extract_short import ByLanguageModel
from decoct_testing.scripted import ScriptedLLM

QUESTION = "What is the capacity of the Orlin reservoir?"
ONE = Document(
    "one", "Built for the valley farms, the Orlin reservoir has a capacity of 412,000 litres.", "Water in the valley"
)
TWO = Document(
    "two", "According to the engineers the capacity of the Orlin reservoir is 655,000 litres. It is fenced.", "Survey"
)
SILENT = Document(
    "silent", "The annual choir festival drew singers from nine towns; soup was served until late.", "Festival notes"
)


def _short(request: Request) -> str:
    text = request.messages[-1].content
    return json.dumps({"answer": next((v for v in ("412,000 litres", "655,000 litres") if v in text), None)})


def _long(request: Request) -> str:
    text = request.messages[-1].content
    found = [document for document in (ONE, TWO) if document.text in text]
    return json.dumps({"claims": [
        {"quote": d.text.split(". ")[0].rstrip(".") + ".", "value": "412,000 litres" if d is ONE else "655,000 litres", "type": "number",
         "part": 0, "hedge": "none", "status": "stated", "relevance": 0.9} for d in found
    ]})  # fmt: skip


needs_weights = pytest.mark.skipif(
    not (BUNDLED / "model.onnx").exists(), reason="the bundled reader's weights are not here"
)
EXTRACTORS = [
    pytest.param(ByReader(), id="extract-reader", marks=needs_weights),
    pytest.param(ByLanguageModel(ScriptedLLM(_short)), id="extract-llm"),
    pytest.param(ByRules(), id="extract-rules"),
    pytest.param(ByTrainedModel(ScriptedLLM(_long)), id="extract-trained"),
]
READ = EXTRACTORS[:1] + EXTRACTORS[2:3]


def claims(extractor: Extractor, *documents: Document, question: str = QUESTION) -> Sequence[Claim]:
    return extractor.extract(question, handed_over(documents), focuses(question)).claims


def outcome(extractor: Extractor, *documents: Document, question: str = QUESTION) -> Cluster:
    sources, parts = handed_over(documents), focuses(question)
    (cluster,) = check(question, sources, parts, extractor.extract(question, sources, parts).claims).clusters
    return cluster


@pytest.mark.parametrize("extractor", EXTRACTORS)
class TestContract:
    def test_quotes_and_values_are_the_documents_own(self, extractor: Extractor) -> None:
        texts = {document.id: document.text for document in (ONE, TWO, SILENT)}
        found = claims(extractor, ONE, TWO, SILENT)
        assert [(claim.source.doc_id, claim.value.raw) for claim in found] == [
            ("one", "412,000 litres"), ("two", "655,000 litres"),
        ]  # fmt: skip
        for claim in found:
            text = texts[claim.span.doc_id]
            assert text[claim.span.start : claim.span.end] == claim.quote
            assert text[claim.value_span.start : claim.value_span.end] == claim.value.raw
            assert 0 <= claim.sure <= 1

    def test_a_document_that_says_nothing_makes_no_claim(self, extractor: Extractor) -> None:
        assert claims(extractor, SILENT) == ()

    def test_no_documents_no_claims(self, extractor: Extractor) -> None:
        assert claims(extractor) == ()


@pytest.mark.parametrize("extractor", READ)
class TestMetamorphic:
    def test_the_order_of_documents_changes_nothing(self, extractor: Extractor) -> None:
        one, other = outcome(extractor, ONE, TWO, SILENT), outcome(extractor, SILENT, TWO, ONE)
        assert one.status == other.status == "conflict"
        assert {side.value for side in one.sides} == {side.value for side in other.sides}

    def test_copies_add_no_support(self, extractor: Extractor) -> None:
        found = outcome(extractor, ONE, TWO, replace(TWO, id="copy"))
        assert {side.value: side.support for side in found.sides} == {"412,000 litres": 1, "655,000 litres": 1}

    def test_renamed_entities_change_nothing(self, extractor: Extractor) -> None:
        named = [replace(document, text=document.text.replace("Orlin", "Harvale")) for document in (ONE, TWO)]
        found = outcome(extractor, *named, question=QUESTION.replace("Orlin", "Harvale"))
        assert {side.value for side in found.sides} == {"412,000 litres", "655,000 litres"}

    def test_the_same_value_in_another_unit_is_agreement(self, extractor: Extractor) -> None:
        found = outcome(extractor, ONE, replace(TWO, text=TWO.text.replace("655,000 litres", "412 m³")))
        assert (found.status, found.sides[0].support) == ("agree", 2)

    def test_one_source_is_stated_and_no_more(self, extractor: Extractor) -> None:
        sources, parts = handed_over([ONE]), focuses(QUESTION)
        made = synthesise(check(QUESTION, sources, parts, extractor.extract(QUESTION, sources, parts).claims))
        assert [(fact.value, fact.status) for fact in made.facts] == [("412,000 litres", "stated")]


class Believer:
    """A second reader that takes what it is given for answers, and nothing else."""

    fingerprint = "believer"

    def __init__(self, *wanted: str) -> None:
        self.wanted = wanted

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        return [SecondReading(0.99 if one.text[one.start : one.end] in self.wanted else 0.01) for one in statements]


@needs_weights
@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (("412,000 litres",), ["412,000 litres"]),
        (("412,000 litres", "655,000 litres"), ["412,000 litres", "655,000 litres"]),
        ((), ["655,000 litres"]),  # where both readings doubt all, the better one stays
    ],
)
def test_what_a_second_reading_takes_for_no_answer_contradicts_none(wanted: Sequence[str], told: Sequence[str]) -> None:
    found = claims(ByReader(second=Believer(*wanted)), ONE, TWO)
    assert [claim.value.raw for claim in found] == told


class Knowing(ShortAnswers):
    """It answers from the first document alone."""

    def likely(self, context: Context) -> list[ShortAnswer]:
        spans = [passage.support[0] for passage in context.passages]
        return [ShortAnswer("it", span.doc_id, 0, span.end, 0.9 if span.doc_id == ONE.id else 0.2) for span in spans]


@needs_weights
def test_of_claims_that_differ_it_is_known_which_document_answers_alone() -> None:
    found = claims(ByReader(second=None, plain=Knowing()), ONE, TWO)
    assert [(claim.source.doc_id, claim.alone()) for claim in found] == [("one", True), ("two", False)]


@dataclass(frozen=True)
class Leaning:
    """A second reader to which a statement with a word of `denials` says no, one with a word of `assents` yes, and all else nothing."""

    assents: tuple[str, ...]
    denials: tuple[str, ...]
    fingerprint: str = "leaning"

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        said = [one.text[one.start : one.end] for one in statements]
        yes = [0.9 if any(word in text for word in self.assents) else 0.02 for text in said]
        no = [0.9 if any(word in text for word in self.denials) else 0.02 for text in said]
        return [SecondReading(0.9, *both) for both in zip(yes, no, strict=True)]


@needs_weights
def test_a_yes_or_no_is_what_a_second_reading_leans_to_and_no_support_of_the_other() -> None:
    documents = [
        Document("on", "The harvest supper takes place on 3 October in the barn."),
        Document("off", "We regret that the harvest supper on 3 October is cancelled."),
        Document("other", "The harvest of pears was good, and the barn has a new roof."),
    ]
    question = "Does the harvest supper take place on 3 October?"
    found = claims(ByReader(second=Leaning(("takes",), ("cancelled",))), *documents, question=question)
    assert {claim.source.doc_id: claim.value.dimension for claim in found} == {"on": "yes", "off": "no"}


@needs_weights
def test_a_quantity_in_words_is_that_quantity() -> None:
    texts = ("Guests may cancel within 5 days of booking.", "Guests may cancel within 9 days of booking.")
    documents = [Document(f"d{n}", text) for n, text in enumerate(texts)]
    question = "Until when may a booking be cancelled?"
    sources, parts = handed_over(documents), focuses(question)
    found = check(question, sources, parts, claims(ByReader(), *documents, question=question))
    for side in (side for cluster in found.clusters for side in (*cluster.sides, *cluster.beside)):
        assert all(claim.value.raw in claim.quote and claim.value.raw == side.value for claim in side.claims)
    assert [cluster.status for cluster in found.clusters] == ["conflict"]


def test_what_is_not_surely_read_is_not_compared() -> None:
    sources, parts = (
        handed_over([ONE, replace(ONE, id="b", text="Its capacity is put at 412,000 litres by others.")]),
        focuses(QUESTION),
    )
    found = claims(ByRules(), *(ONE,))
    unsure = [replace(found[0], sure=0.3), replace(found[0], source=sources[1], sure=0.3)]
    (fact,) = synthesise(check(QUESTION, sources, parts, unsure)).facts
    assert (fact.status, fact.value) == ("not compared", "412,000 litres")


def _paper(date: str) -> dict[str, Scalar]:
    return {"kind": "paper", "date": date}
