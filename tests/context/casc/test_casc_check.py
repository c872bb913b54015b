"""A minimal world for each rule of checking and resolving."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import pytest
from findings_of import analyse
from worlds_by_hand import APART, QUESTION, cluster, said

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Cluster, Findings, same_answer, values_alike
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import synthesise
from decoct.data import Document, Span
from decoct.text.values import Value, quantities, value_of


def chosen(found: Cluster) -> str:
    assert found.verdict is not None
    assert found.verdict.chosen is not None
    return found.sides[found.verdict.chosen].value


def test_equal_values_in_other_units_agree_and_count_each_source() -> None:
    found = cluster(said("500 °C", more=APART[0]), said("773 K", "report", more=APART[1]))
    assert found.status == "agree"
    assert found.sides[0].support == 2


def test_copies_never_raise_support() -> None:
    text = said("500 °C", more=APART[0])
    copies = [replace(text, id=f"copy-{i}", text=f"{text.text} Reprinted.") for i in range(3)]
    alone = cluster(text)
    copied = cluster(text, *copies)
    assert alone.sides[0].support == copied.sides[0].support == 1
    assert len(copied.sides[0].claims) == 4


def test_a_correction_beats_the_value_it_corrects() -> None:
    old = said("500 °C", date="2019-03-01", more=APART[0])
    text = "The melting temperature of Brandite was printed as 500 °C; the correct value is 500 K."
    notice = Document("notice", text, "Erratum: Notes on Brandite", metadata={"kind": "erratum", "date": "2019-06-01"})
    later = said("500 °C", "blog", "2022-01-01", more=APART[2])
    found = cluster(old, notice, later)
    assert found.verdict is not None
    assert (found.verdict.rule, found.verdict.action) == ("correction", "resolved")
    assert chosen(found) == "500 K"
    assert found.type == "unit"


def test_an_older_erratum_does_not_correct_what_comes_after_it() -> None:
    text = "The correct value of the melting temperature of Brandite is 500 K."
    notice = Document("notice", text, "Erratum", metadata={"kind": "erratum", "date": "2010-01-01"})
    found = cluster(notice, said("700 K", date="2020-01-01", more=APART[0]))
    assert found.verdict is not None
    assert found.verdict.rule != "correction"


def test_the_newest_accountable_source_wins_where_the_thing_changes() -> None:
    question = "What is the current price of the Brandite licence?"

    def price(amount: int, kind: str, date: str, more: str) -> Document:
        text = f"{more} The price of the Brandite licence is {amount} euros."
        return Document(f"{kind}{date}", text, "Brandite licence", metadata={"kind": kind, "date": date})

    found = cluster(
        price(40, "report", "2019-01-01", APART[0]),
        price(55, "report", "2023-01-01", APART[1]),
        price(40, "blog", "2024-01-01", APART[2]),
        question=question,
    )
    assert found.verdict is not None
    assert found.verdict.rule == "recency"
    assert chosen(found) == "55 euros"


@pytest.mark.parametrize(
    ("kinds", "right"),
    [
        (("unknown", "news"), "55 euros"),  # nothing outranks the newspaper
        (("blog", "press"), "55 euros"),
        (("report", "news"), "40 euros"),  # who wrote later than the report is not held to account as its authors are
        (("manual", "blog"), "40 euros"),
    ],
)
def test_a_later_date_counts_from_whom_the_others_do_not_outrank(kinds: tuple[str, str], right: str) -> None:
    found = cluster(
        *(
            Document(
                kind,
                f"{more} The price of the Brandite licence is {amount} euros.",
                kind,
                metadata={"kind": kind, "date": date},
            )
            for kind, amount, date, more in zip(kinds, (40, 55), ("2019-01-01", "2023-01-01"), APART, strict=False)
        ),
        question="What is the current price of the Brandite licence?",
    )
    assert found.verdict is not None
    assert (found.verdict.rule, chosen(found)) == ("recency", right)


def first_numbers(question: str, *documents: Document) -> list[Claim]:
    """The first number of each document as its claim, whatever its title: a reader may be led by a text about another thing."""
    made = []
    for source in handed_over(documents):
        ((whole, text),) = source.pieces
        value = next(value for value in quantities(text) if value.kind == "number" and value.raw not in question)
        made.append(Claim(source, text, whole, value, Span(source.doc_id, value.start, value.end), 1.0, sure=0.9))
    return made


THE_OTHER = "The pump of the Ardeca Mini weighs 31 kg."


@pytest.mark.parametrize(
    ("title", "text", "aside"),
    [
        ("Ardeca Maxi, data sheet", "It weighs 46 kg.", True),
        ("Ardeca Maxi, data sheet", "It weighs 46 kg, the Ardeca Mini as much.", False),  # speaks of both
        ("Ardeca, data sheet", "It weighs 46 kg.", False),
        ("Pumps in use", "It weighs 46 kg.", False),
        ("Got an Ardeca? A pump for you", "It weighs 46 kg.", False),  # a sentence ends there, no name
    ],
)
def test_a_source_about_another_thing_contradicts_none_about_the_very_one(
    title: str, text: str, *, aside: bool
) -> None:
    question = "How much does the Ardeca Mini weigh?"
    found = first_numbers(question, Document("one", THE_OTHER, "A visit to the works"), Document("other", text, title))
    made = check(question, [claim.source for claim in found], focuses(question), found)
    assert [cluster.status for cluster in made.clusters] == ["single" if aside else "conflict"]
    assert [claim.value.raw for claim in made.further] == ["46 kg"] * aside
    alone = check(question, [found[1].source], focuses(question), found[1:])
    assert [side.value for cluster in alone.clusters for side in cluster.sides] == ["46 kg"]


@pytest.mark.parametrize(("year", "status"), [("2016", "single"), ("2021", "conflict")])
def test_the_report_on_another_year_contradicts_none_on_the_year_asked_for(year: str, status: str) -> None:
    question = "How many visitors did the Tolme fair count in 2021?"
    one = Document("one", "In 2021 the Tolme fair counted 8,100 visitors.", "A good summer")
    other = Document("other", "The Tolme fair counted 6,400 visitors in six days.", f"Tolme fair {year}: the figures")
    found = first_numbers(question, one, other)
    (made,) = check(question, [claim.source for claim in found], focuses(question), found).clusters
    assert made.status == status


def test_better_sources_win_however_many_blogs_say_otherwise() -> None:
    found = cluster(
        said("500 K", more=APART[0]),
        said("900 K", "blog", "2021-01-01", more=APART[1]),
        said("900 K", "blog", "2022-01-01", more=APART[2]),
        said("900 K", "press", "2023-01-01", more=APART[3]),
    )
    assert found.verdict is not None
    assert found.verdict.rule == "authority"
    assert chosen(found) == "500 K"


def test_a_majority_of_independent_sources_wins() -> None:
    found = cluster(
        said("500 K", date="2019-01-01", more=APART[0]),
        said("500 K", date="2020-01-01", more=APART[1]),
        said("500 K", "report", "2021-01-01", more=APART[2]),
        said("900 K", date="2021-06-01", more=APART[3]),
    )
    assert found.verdict is not None
    assert (found.verdict.rule, chosen(found)) == ("majority", "500 K")


def test_copies_make_no_majority() -> None:
    wrong = said("900 K", "report", more=APART[0])
    copies = [replace(wrong, id=f"c{i}", text=f"{wrong.text} Via our desk.") for i in range(2)]
    found = cluster(wrong, *copies, said("500 K", "report", more=APART[1]))
    assert found.verdict is not None
    assert found.verdict.action == "flagged"


def checked(documents: Sequence[Document], sure: Sequence[float]) -> Cluster:
    """The one cluster of documents of which each was read with the probability in its place."""
    sources, parts = handed_over(documents), focuses(QUESTION)
    order = {source.doc_id: at for at, source in enumerate(sources)}
    read = ByRules().extract(QUESTION, sources, parts).claims
    claims = [replace(claim, sure=sure[order[claim.source.doc_id]]) for claim in read]
    (found,) = check(QUESTION, sources, parts, claims).clusters
    return found


@pytest.mark.parametrize(("sure", "action"), [(0.9, "resolved"), (0.25, "flagged")])
def test_a_side_that_was_hardly_read_is_not_believed(sure: float, action: str) -> None:
    found = checked((said("500 K", "paper", more=APART[0]), said("900 K", "forum", more=APART[1])), (sure, 0.45))
    assert found.verdict is not None
    assert (found.verdict.rule, found.verdict.action) == ("authority", action)


def test_what_is_too_unsure_for_a_side_is_told_beside_the_conflict() -> None:
    given = (said("500 K", more=APART[0]), said("900 K", more=APART[1]), said("700 K", more=APART[2]))
    found = checked([replace(d, metadata={}) for d in given], (0.9, 0.8, 0.15))
    assert [side.value for side in found.sides] == ["500 K", "900 K"]
    assert [side.value for side in found.beside] == ["700 K"]
    made = synthesise(Findings(QUESTION, (), (found,)))
    assert [(fact.value, fact.status) for fact in made.facts] == [("700 K", "not compared")]
    assert any("700 K" in line.text for line in made.lines)


@pytest.mark.parametrize(
    ("kind", "sides", "beside"), [("paper", ["500 K"], ["900 K"]), ("forum", ["500 K", "900 K"], [])]
)
def test_what_a_document_does_not_answer_alone_is_no_side_where_nothing_decides(
    kind: str, sides: list[str], beside: list[str]
) -> None:
    sources = handed_over([said("500 K", "paper", more=APART[0]), said("900 K", kind, more=APART[1])])
    read = ByRules().extract(QUESTION, sources, focuses(QUESTION)).claims
    claims = [replace(claim, alone=partial(bool, claim.value.raw != "900 K")) for claim in read]
    (found,) = check(QUESTION, sources, focuses(QUESTION), claims).clusters
    assert [side.value for side in found.sides] == sides
    assert [side.value for side in found.beside] == beside


def test_two_equal_sources_are_flagged_with_both_sides() -> None:
    found = cluster(said("500 K", more=APART[0]), said("900 K", date="2020-02-01", more=APART[1]))
    assert found.status == "conflict"
    assert found.verdict is not None
    assert (found.verdict.action, found.verdict.rule, found.verdict.chosen) == ("flagged", "none", None)
    assert {side.value for side in found.sides} == {"500 K", "900 K"}


def test_a_rule_that_the_policy_leaves_out_does_not_fire() -> None:
    documents = handed_over([said("500 K", more=APART[0]), said("900 K", "blog", "2021-01-01", more=APART[1])])
    parts = focuses(QUESTION)
    claims = ByRules().extract(QUESTION, documents, parts).claims
    (found,) = check(QUESTION, documents, parts, claims, policy=()).clusters
    assert found.verdict is not None
    assert found.verdict.action == "flagged"


def test_what_no_source_answers_is_a_gap() -> None:
    findings = analyse(
        "How many moons has Brandite?", handed_over([Document("a", "Nothing to see here at all.")]), ByRules()
    )
    assert findings.clusters == ()
    assert findings.gaps


def test_each_part_of_a_question_gets_what_is_told_under_its_condition() -> None:
    question = "What power does the Sorrel pump draw at 300 K, and what at 77 K?"
    warm = Document(
        "warm", "The Sorrel pump was run at 300 K for a week. Its power was 18 W throughout.", "Sorrel at the bench"
    )
    again = Document(
        "again", "I measured the Sorrel pump too: the power that it draws is 18 W.", "A visit to the laboratory"
    )
    cold = Document(
        "cold", "We cooled the Sorrel pump to a temperature of 77 K. The power fell to 6 W.", "Sorrel in the cryostat"
    )
    for documents in ([warm, again, cold], [cold, again, warm]):
        found = analyse(question, handed_over(documents))
        told = [
            {claim.source.doc_id: claim.value.raw for side in c.sides for claim in side.claims} for c in found.clusters
        ]
        assert told == [{"warm": "18 W", "again": "18 W"}, {"cold": "6 W"}]
        assert not found.gaps


def test_a_part_is_told_by_the_nearest_text_that_names_one_condition() -> None:
    warm, cold = focuses("What power does the Sorrel pump draw at 300 K, and what at 77 K?")
    assert warm.answered_in("It is 18 W.", "We ran it at 300 K.") is True
    assert cold.answered_in("It is 18 W.", "We ran it at 300 K.") is False
    assert cold.answered_in("At 77 K it is 6 W.", "We ran it at 300 K.") is True
    assert warm.answered_in("18 W at 300 K and 6 W at 77 K.", "We ran it at 300 K.") is None
    assert warm.answered_in("It is 18 W.", "We ran it.") is None
    (whole,) = focuses("What power does the Sorrel pump draw?")
    assert whole.answered_in("We ran it at 300 K.") is None


@pytest.mark.parametrize("count", [0, 1])
def test_few_documents_do_no_harm(count: int) -> None:
    documents = [said("500 K")][:count]
    findings = analyse(QUESTION, handed_over(documents), ByRules())
    assert len(findings.clusters) == count


def test_every_quote_is_the_document_at_its_span() -> None:
    documents = {d.id: d for d in (said("500 K", more=APART[0]), said("900 K", "blog", "2021-01-01", more=APART[1]))}
    for claim in _read(documents.values()):
        text = documents[claim.span.doc_id].text
        assert text[claim.span.start : claim.span.end] == claim.quote
        assert text[claim.value_span.start : claim.value_span.end] == claim.value.raw


def _read(documents: Iterable[Document]) -> Sequence[Claim]:
    return ByRules().extract(QUESTION, handed_over(list(documents)), focuses(QUESTION)).claims


def test_a_name_and_what_may_be_its_abbreviation_are_no_two_sides() -> None:
    given = [
        Document(f"d{n}", f"{APART[n]} It is {name}.") for n, name in enumerate(("United States", "USA", "Canada"))
    ]
    claims = [
        Claim(
            source,
            name,
            Span(source.doc_id, 0, len(name)),
            Value(name, "entity", 0, len(name)),
            Span(source.doc_id, 0, len(name)),
            1.0,
        )
        for source, name in zip(handed_over(given), ("United States", "USA", "Canada"), strict=True)
    ]
    assert values_alike(claims[0], claims[1]) is None
    assert values_alike(claims[0], claims[2]) is False


@pytest.mark.parametrize(("other", "same"), [("0555 771 21", False), ("0555 77120", True)])
def test_telephone_numbers_are_the_same_by_all_their_digits(other: str, same: bool) -> None:
    assert same_answer(value_of("0555 771 20"), value_of(other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("by 12 days after the sale", "by 30 days after the sale", False),
        ("by 12 days after the sale", "12 days after the sale", True),
        ("Tuesday in the barn", "Friday in the barn", False),
        ("the kitchen on Tuesdays", "the kitchen", True),
    ],
)
def test_words_that_count_differently_are_two_answers(one: str, other: str, same: bool) -> None:
    assert same_answer(Value(one, "text"), Value(other, "text")) is same


def test_days_between_two_values_of_a_month_are_not_put_together_by_the_month() -> None:
    texts = ("The mill opened on 4 June 1907.", "The mill opened in June 1907.", "The mill opened on 11 June 1907.")
    sources = handed_over([Document(f"d{n}", text) for n, text in enumerate(texts)])
    question = "When did the mill open?"
    told = []
    for source, text in zip(sources, texts, strict=True):
        (value,) = quantities(text)
        place = Span(source.doc_id, value.start, value.end)
        told.append(Claim(source, text, Span(source.doc_id, 0, len(text)), value, place, 0.9))
    (found,) = check(question, sources, focuses(question), told).clusters
    sides = [{claim.value.raw for claim in side.claims} for side in found.sides]
    assert not any({"4 June 1907", "11 June 1907"} <= side for side in sides)
    assert found.status == "conflict"


@pytest.mark.parametrize(("kind", "parted"), [("text", True), ("bool", True), ("number", False)])
def test_no_source_is_told_for_the_words_of_another(kind: Literal["text", "bool", "number"], parted: bool) -> None:
    texts = ("The oven is lit with dry birch wood.", "Dry wood lights the oven.")
    sources = handed_over([Document(f"d{n}", text) for n, text in enumerate(texts)])
    question = "How is the oven lit?"
    told = [
        Claim(
            source,
            text,
            span := Span(source.doc_id, 0, len(text)),
            Value(text, kind, 0, len(text)),
            span,
            0.4,
            sure=0.3,
        )
        for source, text in zip(sources, texts, strict=True)
    ]
    made = synthesise(check(question, sources, focuses(question), told))
    assert [fact.status for fact in made.facts] == ["not compared"] * (1 + parted)
    if parted:
        assert all(len(fact.sources) == 1 and fact.text in texts[int(fact.sources[0][1])] for fact in made.facts)


def test_a_day_of_the_week_that_answers_is_no_condition() -> None:
    texts = ("The skips are emptied on Wednesday.", "The skips are emptied on Saturday.")
    sources = handed_over([Document(f"d{n}", text) for n, text in enumerate(texts)])
    question = "On which day are the skips emptied?"
    told = []
    for source, text in zip(sources, texts, strict=True):
        start = text.index(" on ") + len(" on ")
        value = Value(text[start:-1], "entity", start, len(text) - 1)
        place = Span(source.doc_id, start, len(text) - 1)
        told.append(Claim(source, text, Span(source.doc_id, 0, len(text)), value, place, 0.9))
    (found,) = check(question, sources, focuses(question), told).clusters
    assert found.status == "conflict"
