"""Sentences that answers are made of: which can be quoted, how sure several places are together, and what the text cites."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from decoct.answer.quoted import (
    FoundWords,
    ReadPassage,
    best_sentence,
    claimed_answer,
    different,
    marked_passages,
    together,
)
from decoct.budget import Budget
from decoct.data import Context, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.reading.base import Reading, SentenceRelevance
from decoct.trace import Trace

TEXT = "Opening Hours\n\nThe mill opens at nine. It closes at noon on Sundays."
PASSAGE = Passage(TEXT, (Span("mill", 0, len(TEXT)),), title="The mill")
OPENS = (TEXT.index("The mill"), TEXT.index(" It closes"))
CLOSES = (TEXT.index("It closes"), len(TEXT))


def found(words: str, weight: float = 0.5, judged: bool = False) -> FoundWords:
    start = TEXT.index(words)
    sentence = OPENS if start < OPENS[1] else CLOSES
    read = ReadPassage(PASSAGE, Reading((), weight, weight, ()), 0)
    return FoundWords(read, sentence, (start, start + len(words)), words, weight, judged)


def context(passages: Sequence[Passage]) -> Context:
    return Context("When does it open?", TEXT, tuple(passages), Budget(100, default_tokenizer()), Trace())


def test_the_best_sentence_is_the_most_relevant_one_that_can_be_quoted() -> None:
    marked = (SentenceRelevance(0, 13, 0.99), SentenceRelevance(*OPENS, 0.4), SentenceRelevance(*CLOSES, 0.6))
    assert best_sentence(ReadPassage(PASSAGE, Reading((), 0.5, 0.5, marked), 0)) == CLOSES
    assert best_sentence(ReadPassage(PASSAGE, Reading((), 0.5, 0.5, marked[:1]), 0)) is None


def test_places_that_say_the_same_are_independent_witnesses() -> None:
    both = together([found("nine", 0.5), found("noon", 0.8)])
    assert both.words == "noon"
    assert both.weight == pytest.approx(0.9)


def test_sentences_are_written_once_in_order_and_cited_to_the_character() -> None:
    answer = claimed_answer([found("noon")], context([PASSAGE]), leading=[found("nine")], beside=[found("nine")])
    assert answer.text == "The mill opens at nine. [1] It closes at noon on Sundays. [1]"
    assert [short.text for short in answer.answers] == ["noon"]
    for citation in answer.citations:
        assert answer.text[citation.start : citation.end] == "[1]"
        assert TEXT[citation.source.start : citation.source.end] == citation.source.quote


def test_a_judgement_stands_before_its_sentences_and_cannot_cite() -> None:
    judged = FoundWords(found("noon").read, CLOSES, CLOSES, "the mill [2]", 0.9, judged=True)
    answer = claimed_answer([judged], context([PASSAGE]))
    assert answer.text == "The mill [2]. It closes at noon on Sundays. [1]"
    assert [citation.start for citation in answer.citations] == [answer.text.rindex("[1]")]
    assert answer.answers[0].text == "the mill [2]"


def test_what_is_not_claimed_has_no_answers() -> None:
    answer = marked_passages([found("noon")], context([PASSAGE]), "Unsure:")
    assert (answer.found, answer.answers) == (False, ())
    assert answer.text == "Unsure:\n\nOpening Hours\nThe mill opens at nine.\n→ It closes at noon on Sundays. [1]"


def test_statements_that_stand_close_share_what_is_around_them_and_what_is_far_is_left_out() -> None:
    far = " ".join(f"Word {at} is of no matter." for at in range(30))
    text = f"{far}\nOpen daily.\nThe mill opens at nine.\n| Sunday | noon |\n{far}"
    read = ReadPassage(Passage(text, (Span("mill", 0, len(text)),), title="The mill"), Reading((), 0.9, 0.9, ()), 0)
    places = [(at, at + len(said)) for said in ("| Sunday | noon |", "Open daily.") for at in [text.index(said)]]
    answer = marked_passages([FoundWords(read, place, place, "", 0.4) for place in places], context([read.passage]))
    first, _, shown = answer.text.partition("\n\n")
    assert first == "No passage clearly answers this. The best ones:"
    before, *marked, after = shown.splitlines()
    assert marked == ["→ Open daily. [1]", "The mill opens at nine.", "→ | Sunday | noon | [1]"]
    assert (before[:2], after[-2:]) == ("… ", " …")
    assert max(len(before), len(after)) <= 252
    assert [text[one.source.start : one.source.end] for one in answer.citations] == ["Open daily.", "| Sunday | noon |"]


def test_prose_is_folded_and_steps_and_code_keep_their_lines() -> None:
    text = "Two things\nhelp. Do this:\n\n    $ mill open\n      --wide\n\n- Look\n  twice."
    passage = Passage(text, (Span("mill", 0, len(text)),), title="The mill")
    read = ReadPassage(passage, Reading((), 0.9, 0.9, ()), 0)
    led, item = (0, text.index("\n\n- Look")), (text.index("- Look"), len(text))
    answer = claimed_answer([FoundWords(read, place, place, "", 0.9) for place in (led, item)], context([passage]))
    assert answer.text == "Two things help. Do this:\n$ mill open\n  --wide [1]\n- Look twice. [1]"
    assert [text[c.source.start : c.source.end] for c in answer.citations] == [text[slice(*led)], text[slice(*item)]]


def elsewhere(doc: str, text: str) -> FoundWords:
    """All of a passage of another document."""
    read = ReadPassage(Passage(text, (Span(doc, 0, len(text)),), title=doc), Reading((), 0.5, 0.5, ()), 1)
    return FoundWords(read, (0, len(text)), (0, len(text)), text, 0.5)


def test_what_several_documents_say_alike_is_written_once_and_cited_in_each() -> None:
    copies = [elsewhere("page", "“The mill”\nopens at nine."), elsewhere("list", "- the Mill opens at nine.")]
    answer = marked_passages([found("nine"), *copies, found("noon")], context([PASSAGE]), "")
    assert answer.text == "\n\nOpening Hours\n→ The mill opens at nine. [1][2][3]\n→ It closes at noon on Sundays. [1]"
    assert [citation.source.quote for citation in answer.citations[:3]] == [
        "The mill opens at nine.",
        "“The mill”\nopens at nine.",
        "- the Mill opens at nine.",
    ]
    assert [answer.text[citation.start : citation.end] for citation in answer.citations] == ["[1]", "[2]", "[3]", "[1]"]


@pytest.mark.parametrize(
    "other", ["The mill opens at nine-thirty.", "The mill opens at -9.", "The mill never opens at nine."]
)
def test_what_differs_in_a_sign_or_word_is_written_beside(other: str) -> None:
    one = elsewhere("page", "The mill opens at 9.") if "9" in other else found("nine")
    answer = marked_passages([one, elsewhere("other", other)], context([PASSAGE]), "")
    assert [line for line in answer.text.splitlines() if line[:2] == "→ "] == [f"→ {one.quote} [1]", f"→ {other} [2]"]


def test_what_else_there_is_says_so_although_its_first_repeats_the_answer() -> None:
    beside = [elsewhere("page", "The mill opens at nine."), found("noon")]
    answer = claimed_answer([found("nine")], context([PASSAGE]), beside=beside)
    assert answer.text == "The mill opens at nine. [1][2] See also: It closes at noon on Sundays. [1]"


def test_a_sentence_that_is_repeated_takes_no_other_ones_place() -> None:
    copy, second = elsewhere("page", "The mill opens at nine."), found("noon")
    assert different([found("nine"), copy, second, elsewhere("third", "It is old.")], 2)[1:] == [copy, second]
