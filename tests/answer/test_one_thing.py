"""An audit sets statements of one thing against one another: not those of documents on two things, nor of another question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from decoct.answer.one_thing import by_thing
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Findings
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import synthesise
from decoct.data import Document, Span
from decoct.reading.base import SecondReader, SecondReading, StatementToRead
from decoct.text.values import quantities

GATE = "When does the gate close?"


def told(question: str, *documents: tuple[str, str, str], second: SecondReader | None = None) -> Findings:
    """What the first quantities of documents (name, title, text) come to, each read surely, in a folder with others."""
    others = [Document(f"other-{at}", "Of boats, and of a bridge.") for at in range(6)]
    sources = handed_over([*(Document(name, text, title) for name, title, text in documents), *others])
    claims = []
    for source in sources[: len(documents)]:
        ((span, text),) = source.pieces
        value = quantities(text)[0]
        start = text.rfind("\n", 0, value.start) + 1
        end = next((at for at in (text.find(". ", value.end), text.find("\n", value.end)) if at > 0), len(text))
        place = Span(span.doc_id, span.start + value.start, span.start + value.end)
        quote = Span(span.doc_id, span.start + start, span.start + end)
        claims.append(Claim(source, text[start:end], quote, value, place, 1.0))
    parts = focuses(question)
    return by_thing(check(question, sources, parts, claims), parts, second=second)


def sides(findings: Findings) -> list[list[str]]:
    """The sides of each conflict."""
    return [sorted(side.value for side in one.sides) for one in findings.clusters if one.status == "conflict"]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Depot rules, Ashby", "Depot rules, Wexcombe", True),
        ("House rules – The Ashby, guests' copy", "Questions our guests ask (Wexcombe House)", True),
        ("Kettle K20 – user guide", "Kettle K30 – user guide", True),
        ("Wall charger Home 7: instructions", "Wall charger Home 11: instructions", True),
        ("Purchase order 4711", "Purchase order 4712", True),
        ("Rota, north, March", "Rota, south, April", False),  # texts that are much the same are editions
        ("Depot rules, Ashby 2021", "Depot rules, Ashby 2024", False),
        ("Kettle K20 – user guide", "How to boil water with the Kettle K20", False),
        ("Council notice", "Driving in Ashby", False),
        ("Minutes of the general meeting", "Welcome to Ashby", False),
        ("Club meeting, 8 May", "Club meeting, 11 June", False),
        ("Depot rules", "Depot rules, Ashby", False),
        ("", "", False),
    ],
)
def test_documents_on_two_things_do_not_conflict(one: str, other: str, apart: bool) -> None:
    found = told(GATE, ("a", one, "The gate closes at 19:30."), ("b", other, "The gate closes at 21:00."))
    assert (sides(found) == []) is apart
    made = synthesise(found, ())
    assert bool(made.conflicts) is not apart
    assert {fact.value for fact in made.facts} == ({"19:30", "21:00"} if apart else set())


@dataclass(frozen=True)
class OfWords:
    """Says of a statement with one of these words how likely it answers, of another that it does."""

    likely: Mapping[str, float]
    fingerprint: str = "of words"

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        said = [one.text[one.start : one.end] for one in statements]
        return [SecondReading(next((p for word, p in self.likely.items() if word in text), 0.9)) for text in said]


@pytest.mark.parametrize(("likely", "apart"), [(0.9, False), (0.7, False), (0.6, True), (0.05, True)])
def test_a_statement_that_answers_less_likely_is_of_another_thing(likely: float, apart: bool) -> None:
    papers = (("a", "", "The gate closes at 19:30."), ("b", "", "The bar beside the gate closes at 21:00."))
    assert (sides(told(GATE, *papers, second=OfWords({"bar": likely}))) == []) is apart


def test_editions_are_of_one_thing_however_they_answer() -> None:
    papers = (("a", "Rules 2021", "The gate closes at 19:30."), ("b", "Rules 2024", "The gate closes at 21:00."))
    assert sides(told(GATE, *papers, second=OfWords({"21:00": 0.1})))


def test_papers_of_two_days_whose_texts_differ_are_of_two_days() -> None:
    found = told(
        "When is the next meeting?",
        ("a", "Club meeting, 8 May", "Next meeting: 12 June. Rosa was chosen treasurer, and the shed gets a new roof."),
        ("b", "Club meeting, 12 June", "Next meeting: 3 July. The boats were counted; two oars are gone for good."),
    )
    assert not sides(found)


def test_papers_of_two_days_on_what_the_question_names_are_of_one_thing() -> None:
    found = told(
        "What was granted for the roof of the Eelbrook pool?",
        (
            "a",
            "Council: minutes of 13 March",
            "The council granted 480,000 euros for the roof of the Eelbrook pool. The fair is on.",
        ),
        (
            "b",
            "Council: minutes of 12 June",
            "For the roof of the Eelbrook pool 455,200 euros were granted after the tender.",
        ),
    )
    assert len(sides(found)) == 1


@pytest.mark.parametrize(("other", "apart"), [("Wexcombe Fruit", True), ("Ashby Dairy", False)])
def test_papers_of_one_title_are_of_two_parties_that_their_heads_name(other: str, apart: bool) -> None:
    terms = "A crate costs 4 crowns."
    found = told(
        "What does a crate cost?",
        ("a", "Price list", f"For Ashby Dairy. {terms}"),
        ("b", "Price list", f"For {other}. {terms.replace('4', '5')}"),
    )
    assert (sides(found) == []) is apart


def test_records_of_one_table_are_of_two_things() -> None:
    records = [(f"rents.csv#{at}", "", f"object: garage\nprice: {price} francs") for at, price in ((2, 95), (3, 98))]
    assert not sides(told("What does a garage cost?", *records))


def test_what_is_said_of_another_thing_than_is_asked_is_told_beside_the_editions() -> None:
    found = told(
        "After how many days is a subcontractor's invoice paid?",
        ("terms-2022", "Terms for subcontractors", "An invoice is paid after 45 days."),
        ("terms-2025", "Terms for subcontractors", "An invoice is paid after 30 days."),
        ("vans", "Express vans", "Firms pay 14 days after the van came."),
    )
    assert sides(found) == [["30 days", "45 days"]]
    (cluster,) = found.clusters
    assert cluster.verdict is not None
    assert cluster.verdict.rule == "recency"
    assert [side.value for side in cluster.beside] == ["14 days"]


def test_editions_of_another_thing_than_is_asked_do_not_conflict() -> None:
    found = told(
        "Up to what sum is a parcel insured?",
        ("loads-2022", "Loads", "A load is insured up to 900 euros."),
        ("loads-2025", "Loads", "A load is insured up to 800 euros."),
        ("parcels-2024", "Parcels", "A parcel is insured up to a sum of 100 euros."),
        ("parcels-2025", "Parcels", "A parcel is insured up to a sum of 150 euros."),
    )
    assert sides(found) == [["100 euros", "150 euros"]]


def test_of_few_documents_no_word_is_rare() -> None:
    question = "How many pitches does the Saltmarsh campsite have?"
    texts = ("Our 110 pitches are numbered.", "Saltmarsh is small and quiet: 85 places for tents.")
    sources = handed_over([Document(f"d{at}", text, f"Saltmarsh {at}") for at, text in enumerate(texts)])
    claims = []
    for source in sources:
        ((span, text),) = source.pieces
        value = quantities(text)[0]
        claims.append(Claim(source, text, span, value, Span(span.doc_id, value.start, value.end), 1.0))
    parts = focuses(question)
    assert len(sides(by_thing(check(question, sources, parts, claims), parts))) == 1


@pytest.mark.parametrize(("club", "apart"), [("the Ashby Boat Club", False), ("the Wexcombe", True)])
def test_a_paper_with_a_name_of_its_own_is_of_what_its_text_names(club: str, apart: bool) -> None:
    papers = (
        ("rules", "Ashby Boat Club – rules", "The gate closes at 21:00. So say the Ashby Boat Club and its members."),
        ("news", "The Windsock – spring", f"The gate closes at 19:30. This is the Windsock, read by {club}."),
    )
    assert (sides(told(GATE, *papers)) == []) is apart


@pytest.mark.parametrize(("limit", "apart"), [("up to 20 minutes", False), ("up to 15 minutes", True)])
def test_a_limit_conflicts_with_another_number_that_keeps_it(limit: str, apart: bool) -> None:
    papers = (("a", "", "The first 15 minutes are free."), ("b", "", f"Yes, {limit} are free."))
    assert (sides(told("How many minutes are free?", *papers)) == []) is apart


def test_editions_that_say_when_each_was_adopted_do_not_conflict() -> None:
    found = told(
        "When is the general meeting?",
        ("rules-2023", "Club rules 2023", "Adopted at the general meeting of 10 December 2022."),
        ("rules-2026", "Club rules 2026", "Adopted at the general meeting of 14 December 2025."),
    )
    assert not sides(found)
    assert {side.why for one in found.clusters for side in one.sides} == {"each of its own year"}


def test_editions_that_end_something_in_two_years_conflict() -> None:
    found = told(
        "Until when are boats free?",
        ("rules-2023", "Club rules 2023", "Boats are free until 31 December 2024."),
        ("rules-2026", "Club rules 2026", "Boats are free until 31 December 2026."),
    )
    assert len(sides(found)) == 1


def test_what_a_draft_says_is_told_beside() -> None:
    found = told(
        "Over how many years is the loan?",
        ("minutes", "Minutes of the board", "The loan is over 12 years."),
        ("draft", "Minutes of the board (DRAFT)", "The loan is over 15 years."),
    )
    assert not sides(found)
    (fact,) = [fact for fact in synthesise(found, ()).facts if fact.sources == ("draft",)]
    assert (fact.status, fact.why) == ("not compared", "a draft")


def test_a_document_without_a_title_is_read_under_the_name_of_its_file() -> None:
    class OfHeadings:
        fingerprint = "of headings"

        def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
            return [SecondReading(0.9 if "lost" in one.title.casefold() else 0.2) for one in statements]

    papers = (
        ("b", "Lost things", "We keep things for 90 days."),
        ("lost property.xlsx", "", "Things are kept 60 days."),
    )
    assert len(sides(told("How long are lost things kept?", *papers, second=OfHeadings()))) == 1


def test_a_word_less_counts_for_nothing_where_both_answer_clearly() -> None:
    papers = (
        ("a", "", "Passengers: 48,930."),
        ("b", "", "It was 49,200 passengers who used the airport."),
    )
    second = OfWords({"48,930": 0.9})
    asked = "How many passengers used the airport?"
    assert not sides(told(asked, *papers))
    assert len(sides(told(asked, *papers, second=second))) == 1


@pytest.mark.parametrize(("name", "sure", "conflict"), [("b", 0.8, True), ("b", 0.6, False), ("rules-2024", 0.6, True)])
def test_what_is_not_surely_read_is_told_beside(name: str, sure: float, conflict: bool) -> None:
    """Editions of a paper that is surely read are heard sooner."""
    texts = {"rules-2021": "The gate closes at 19:30.", name: "The gate closes at 21:00.", "x": "Boats sail at noon."}
    sources = handed_over([Document(doc_id, text) for doc_id, text in texts.items()])
    claims = []
    for source, likely in zip(sources, (0.9, sure), strict=False):
        ((span, text),) = source.pieces
        value = quantities(text)[0]
        claims.append(Claim(source, text, span, value, Span(span.doc_id, value.start, value.end), 1.0, sure=likely))
    parts = focuses(GATE)
    found = by_thing(check(GATE, sources, parts, claims), parts)
    assert bool(sides(found)) is conflict
    assert {fact.why for fact in synthesise(found, ()).facts} == (set() if conflict else {"", "not surely read"})
