"""Sections, contributions, phrases, questions and the generator that puts them together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Document
from decoct.retrieve.cards.card import MOST_BYTES, MOST_SUMMARY, Card, card_within_size
from decoct.retrieve.cards.contributions import CardMaterial, contributions, is_whole
from decoct.retrieve.cards.generate_rules import Rules, phrases
from decoct.retrieve.cards.sections import sections


def test_sections_by_lines(paper: Document) -> None:
    found = [(part.kind, part.heading) for part in sections(paper)]
    assert found == [
        ("abstract", ""),
        ("introduction", "Introduction"),
        ("body", "Data"),
        ("results", "Results"),
        ("conclusion", "Conclusions"),
        ("back", "Acknowledgments"),
    ]
    for part in sections(paper):
        assert paper.text[part.start : part.end].strip()


def test_sections_by_the_parsers_headings() -> None:
    text = "A Title\nFirst.\nMethods we use\nSecond."
    document = Document("d", text, "A title", headings=((0, 7), (15, 29)))
    assert [(p.kind, p.heading, text[p.start : p.end].strip()) for p in sections(document)] == [
        ("abstract", "", "A Title\nFirst."),
        ("body", "Methods we use", "Second."),
    ]


def test_a_text_without_headings_opens_with_its_abstract() -> None:
    document = Document("d", "x" * 2000)
    assert [(p.kind, p.end - p.start) for p in sections(document)] == [("abstract", 1500), ("body", 500)]
    assert sections(Document("d", " \n ")) == []


def test_contributions_are_where_they_say(paper: Document) -> None:
    found = contributions(paper, sections(paper))
    assert [c.start for c in found] == sorted(c.start for c in found)
    for one in found:
        assert " ".join(paper.text[one.start : one.end].split()) == one.text
    first = max(found, key=lambda c: c.score)
    assert first.text.startswith("We present a translation system")
    assert (first.role, first.score) == ("aim", 3)  # of the abstract
    assert {c.role for c in found} == {"aim", "problem", "method", "result"}
    assert not any("thank" in c.text for c in found)


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("In this paper, we propose clause restructuring (Koehn, 2003).", True),
        ('"Order" is what we study, e.g. of verbs.', True),
        ("and it was shown to work on news text.", False),  # begins in the middle
        ("We show that clause restructuring works on", False),  # ends in the middle
        ("BLEU correlates highly with human judg$Crossing this chasm of texts.", False),  # two columns ran together
        ("The model works for news.The second one does not work.", False),
        ("We move verbs (as in German to their place.", False),
        ("We " + "really " * 60 + "mean it.", False),
    ],
)
def test_only_whole_sentences_stand_on_a_card(sentence: str, whole: bool) -> None:
    assert is_whole(sentence) is whole


def test_phrases_keep_the_longer_of_two(paper: Document) -> None:
    found = phrases(paper, sections(paper), 10)
    assert found[0] == "clause restructuring"
    assert "phrase models" in found
    assert "reorders German verbs" in found
    assert "German verbs" not in found  # never without the longer one: worth 0
    assert not any(p.lower() in {"we", "show", "paper", "distance over"} for p in found)


def test_the_generator(paper: Document) -> None:
    (outcome,) = Rules().generate([paper]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert outcome.summary.startswith("We present a translation system")
    assert len(outcome.summary) <= MOST_SUMMARY
    assert outcome.questions
    for question in outcome.questions:
        answer = " ".join(paper.text[question.answer.start : question.answer.end].split())
        assert answer == question.text
    order = ["problem", "aim", "method", "result"]
    roles = [order.index(q.role) for q in card_within_size(paper, outcome.questions, "", ()).questions]
    assert roles == sorted(roles)


@given(st.text(max_size=3000), st.text(max_size=400), st.text(max_size=400))
def test_any_document_has_a_card(text: str, title: str, source: str) -> None:
    document = Document("d", text, title, source)
    (outcome,) = Rules().generate([document]).outcomes
    assert isinstance(outcome, CardMaterial)
    card = card_within_size(document, outcome.questions, outcome.summary, outcome.keywords)
    assert len(card.markdown().encode("utf-8", "surrogatepass")) <= MOST_BYTES


@given(st.text(max_size=3000))
def test_what_a_card_says_stands_in_its_document(text: str) -> None:
    (outcome,) = Rules().generate([Document("d", text)]).outcomes
    assert isinstance(outcome, CardMaterial)
    written = " ".join(text.split())
    assert all(anchor.text in written for anchor in outcome.questions)


def test_an_opening_without_cues_ends_with_a_sentence_or_a_word() -> None:
    long = "The sea is blue and grey. " + "The sky " * 60
    assert Rules().generate([Document("d", long)]).outcomes[0].summary == "The sea is blue and grey."  # type: ignore[union-attr]
    endless = "wave after wave came in " * 40
    summary = Rules().generate([Document("d", endless)]).outcomes[0].summary  # type: ignore[union-attr]
    assert summary.endswith(" …")
    assert f"{endless} ".startswith(f"{summary.removesuffix(' …')} ")


def test_a_card_is_bounded_and_filled() -> None:
    document = Document("d", "x", "T" * 500, "https://example.org/d")
    card = card_within_size(document, (), "s" * 700, [f"keyword {n}" for n in range(1000)])
    size = len(card.markdown().encode())
    assert MOST_BYTES - 40 < size <= MOST_BYTES
    assert card.markdown().startswith("# " + "T" * 300 + "\n\n## Problem")
    assert card.markdown().endswith("[source](<https://example.org/d>)\n")


def test_an_oversized_card_cannot_be_made() -> None:
    from decoct.errors import ConfigError

    with pytest.raises(ConfigError, match="701 characters"):
        Card("d", "", (), "s" * 701, ())
    with pytest.raises(ConfigError, match="over 3100"):
        Card("d", "", (), "", ("é" * 1600,))
