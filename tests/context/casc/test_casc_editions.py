"""Editions: the same name but for a year or a version, and the newer one is believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decoct.context.casc.claims import Claim, Side
from decoct.context.casc.focus import focuses
from decoct.context.casc.resolve import resolve
from decoct.context.casc.sources import EvidenceSource, are_editions, handed_over, is_older_edition
from decoct.data import Document, Span
from decoct.text.values import Value

QUOTE = "A crew rests 11 hours."


def source(title: str = "", doc_id: str = "d") -> EvidenceSource:
    return EvidenceSource("D1", doc_id, ((Span(doc_id, 0, len(QUOTE)), QUOTE),), title)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (source("Pilot Rules 2021"), source("Pilot rules 2026")),
        (source("Rest Hours, Edition 2023"), source("Rest Hours, Edition 2025")),
        (source(doc_id="a/dues-2025.xlsx"), source(doc_id="b/dues_2026.xlsx")),
        (source("Manual v1.9"), source("Manual v1.10")),
        (replace(source("Travel expenses"), day=738000), replace(source("Travel expenses 2025"), day=739000)),
        (replace(source("Manual, version 1.9"), day=738000), replace(source("Manual"), day=739000)),
    ],
)
def test_a_year_or_a_version_parts_editions_of_one_publication(older: EvidenceSource, newer: EvidenceSource) -> None:
    assert is_older_edition(older, newer)
    assert not is_older_edition(newer, older)
    assert not is_older_edition(older, older)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (source("Notice 9"), source("Notice 14")),
        (source(doc_id="notice-09-2026.txt"), source(doc_id="notice-14-2026.txt")),
        (source("Parking 2021"), source("Mooring 2026")),
        (source("2021"), source("2026")),
        (source("Notes 2021-03-01"), source("Notes 2022-03-01")),
        (source("Rules 2021"), replace(source("Rules 2026"), kind="blog")),
        (source(), source()),
        (source(doc_id="stock.csv#2"), source(doc_id="stock.csv#3")),
    ],
)
def test_other_numbers_and_other_names_are_no_editions(one: EvidenceSource, other: EvidenceSource) -> None:
    assert not is_older_edition(one, other)


def test_a_name_with_a_year_and_the_same_without_are_editions_of_which_dates_tell_the_older() -> None:
    bare, dated = source("Travel expenses"), source("Travel expenses (2025 edition)")
    assert are_editions(bare, dated)
    assert are_editions(dated, bare)
    assert not is_older_edition(bare, dated)
    assert not is_older_edition(dated, bare)
    for other in (source("Travel expenses"), source("Travel costs 2025"), source("Travel expenses 9"), source("2025")):
        assert not are_editions(bare, other)


def written(doc_id: str, title: str, *lines: str) -> EvidenceSource:
    return handed_over([Document(doc_id, "\n\n".join(lines), title)])[0]


RULES = ["A member pays 4 euros for a guest.", "Lockers are cleared every Friday by the porter."]
LATER = ["A member pays 6 euros for a guest.", "Lockers are cleared every Monday by the porter."]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (written("Rules v2 OBSOLETE.docx", "Rules", *RULES), written("Rules v3.docx", "Rules", *LATER)),
        (written("rules-2022-alt.md", "", *RULES), written("rules-2025.md", "", *LATER)),
        (written("old/rules-2022.md", "Rules", *RULES), written("new/rules-2025.md", "Rules", *LATER)),
        (
            written("rules.md", "Rules", "Version 9, May 2022", *RULES),
            written("rules-new.md", "Rules", "Version 10", *LATER),
        ),
        (
            written("Rules old.md", "Rules", "Date: 2019-03-01", *RULES),
            written("Rules.md", "Rules", "Date: 2024-03-01", *LATER),
        ),
    ],
)
def test_words_of_a_files_state_and_versions_at_the_head(older: EvidenceSource, newer: EvidenceSource) -> None:
    assert is_older_edition(older, newer)
    assert not is_older_edition(newer, older)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            written("Rules 2022 Northgate.md", "Rules", "At Northgate:", *RULES),
            written("Rules 2025.md", "Rules", *LATER),
        ),
        (written("Pump K2 v1.md", "Pump K2", *RULES), written("Pump K4 v2.md", "Pump K4", *LATER)),
        (
            written("a.md", "Manual", "Version 2", "Alpha draws maps of the coast.", "It needs a key."),
            written("b.md", "Manual", "Version 3", "Beta counts birds on photographs.", "It runs alone."),
        ),
        (written("a/rates.md", "Rates", "Depot A", *RULES), written("b/rates.md", "Rates", "Depot B", *LATER)),
    ],
)
def test_what_a_document_speaks_of_parts_it_from_another(one: EvidenceSource, other: EvidenceSource) -> None:
    assert not are_editions(one, other)


def test_the_side_that_rests_on_older_editions_gives_way_in_either_order() -> None:
    asked = focuses("How long does a crew rest?")[0]

    def side(title: str, label: str) -> Side:
        mine = replace(source(title, label), label=label)
        claim = Claim(mine, QUOTE, Span(label, 0, 22), Value("11", "number", 13, 15), Span(label, 13, 15), 1.0)
        return Side("11", (claim,), 1, 0.6)

    old, new, bare = side("Rules 2023", "D1"), side("Rules 2025", "D2"), side("A letter", "D3")
    for sides, chosen in (([old, new], 1), ([new, old], 0)):
        verdict = resolve(sides, asked)
        assert (verdict.rule, verdict.chosen, verdict.confidence) == ("recency", chosen, 0.9)
        assert verdict.reason == "D2 is a newer edition of D1"
    assert resolve([old, new, bare], asked).chosen is None


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("How long does a crew rest?", 1),
        ("How long did the crew rest?", None),  # the reports of two years tell of two years
        ("How long did the crew rest in 2023?", 1),
        ("Which rest is laid down?", 1),
    ],
)
def test_a_later_year_does_not_replace_what_has_been(question: str, chosen: int | None) -> None:
    sides = []
    for title, label in (("Crew report 2023", "D1"), ("Crew report 2025", "D2")):
        mine = replace(source(title, label), label=label)
        claim = Claim(mine, QUOTE, Span(label, 0, 22), Value("11", "number", 13, 15), Span(label, 13, 15), 1.0)
        sides.append(Side("11", (claim,), 1, 0.6))
    assert resolve(sides, focuses(question)[0]).chosen == chosen


DATES = ("2024-03-09", "9 March 2024", "Sat, 09 Mar 2024 10:00:00 +0000", "soon")


def test_the_year_of_a_date_is_its_year_however_it_is_written() -> None:
    documents = [Document(f"d{n}", "It rained.", metadata={"date": date}) for n, date in enumerate(DATES)]
    assert [one.year for one in handed_over(documents)] == ["2024", "2024", "2024", ""]
