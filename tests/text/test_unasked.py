"""Questions that no passage answers by themselves."""

from __future__ import annotations

import pytest

from decoct.text.unasked import is_order, unasked


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
    assert unasked(question) == kind


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
        "Does that help?",
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
    assert unasked(question) is None


@pytest.mark.parametrize(
    "text",
    [
        "Translate that to German.",
        "Can you say that in French, please?",
        "Please translate your answer into Spanish",
        "Say that again",
        "Translate the last answer to French, please.",
        "Please translate: Every employee has 25 days of leave.",
        "Rewrite the following text: The dog barks.",
        "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
        "### Task:\nSuggest 3-5 relevant follow-up questions that the user might ask next in this conversation",
        "Based on the chat history, give this conversation a name.",
    ],
)
def test_orders_about_the_conversation(text: str) -> None:
    assert is_order(text)


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
    assert not is_order(text)
