"""Turns that no passage answers by themselves."""

from __future__ import annotations

import pytest

from decoct.reading.turn_kinds import BARS, WEIGHTS, turn_features, turn_kind, without_assent


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was it published?", "refers-back"),
        ("How old is he?", "refers-back"),
        ("What does it cost?", "refers-back"),
        ("What is this?", "refers-back"),
        ("And on Sundays?", "refers-back"),
        ("What about children?", "refers-back"),
        ("How do I return them?", "refers-back"),
        ("that does not work", "refers-back"),
        ("thanks!", "none"),
        ("Ok, thank you very much", "none"),
        ("hello", "none"),
        ("thx, that helps", "none"),
        ("Perfect, that answers my question", "none"),
        ("this was quick!", "none"),
        ("Summarize the documents", "about-library"),
        ("What is this document about?", "about-library"),
        ("How many files are there?", "about-library"),
        ("Give me an overview of all documents.", "about-library"),
    ],
)
def test_what_refers_back_asks_nothing_or_asks_about_the_library(question: str, kind: str) -> None:
    assert turn_kind(question) == kind


@pytest.mark.parametrize(
    "question",
    [
        "When was the bridge opened and who built it?",
        "How long does it take to reset the router?",
        "What does it mean when the lamp blinks red?",
        "Is it possible to cancel a booking?",
        "Who is Ada Lovelace and when did she die?",
        "parking fee",
        "ok, that card is lost",
        "Thanks, this shows E-14",
        "What happens if the parcel does not arrive?",
        "How many documents does a visa need?",
        "What is the largest city and its population?",
        "When is the library open on Sundays?",
        "What about the opening hours of the town library on Sundays?",
        "Where do I file a complaint?",
        "Which song made Whitney Houston known for her voice?",
    ],
)
def test_a_question_that_names_its_thing_is_asked(question: str) -> None:
    assert turn_kind(question) == "question"


@pytest.mark.parametrize(
    "text",
    [
        "Translate that to German.",
        "Please translate your answer into Spanish",
        "Say that again",
        "Translate the last answer to French, please.",
        "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
        "### Task:\nSuggest 3-5 relevant follow-up questions that the user might ask next in this conversation",
        "Based on the chat history, give this conversation a name.",
    ],
)
def test_orders_about_the_conversation(text: str) -> None:
    assert turn_kind(text) == "order"


@pytest.mark.parametrize(
    "text",
    [
        "Who translated that book to German?",
        "Translate the harbour byelaws",
        "Say how the two engines differ from one another: in weight or in length?",
        "Give the title of the film that Harmon Jones directed",
        "What title does the conversation have?",
        "How do I put it back?",
        "Explain that rule",
    ],
)
def test_questions_and_orders_about_documents_are_none(text: str) -> None:
    assert turn_kind(text) != "order"


@pytest.mark.parametrize(
    "turn", ["Danke!", "Merci beaucoup!", "merci", "it works now, thanks", "ok got it, I'll try that", "👍"]
)
def test_thanks_and_what_was_done_ask_nothing(turn: str) -> None:
    assert turn_kind(turn) == "none"


@pytest.mark.parametrize(
    "turn",
    [
        "still blinking red",
        "tell me who built it",
        "I lost my card",
        "parking fee",
        "je voudrais savoir combien",
        "is it good?",
    ],
)
def test_what_asks_in_any_form_is_looked_up(turn: str) -> None:
    assert turn_kind(turn) not in ("none", "order")


def test_thanks_before_a_question_are_left_out() -> None:
    assert without_assent("Great, thanks, and in winter?") == "and in winter?"
    assert without_assent("In winter, when is it open?") == "In winter, when is it open?"


def test_features_are_the_vector_the_pieces_and_a_one() -> None:
    read = turn_features("ok ok")
    assert read[-1] == 1
    assert float(read[:384] @ read[:384]) == pytest.approx(1, abs=1e-3)
    assert float(read[384:-1] @ read[384:-1]) == pytest.approx(1.5**2)
    assert WEIGHTS.stat().st_size == 2 * len(BARS) * len(read) + 128  # half precision, behind numpy's header
