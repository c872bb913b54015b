"""The field of front matter that a question asks for."""

from __future__ import annotations

import pytest

from decoct.documents.frontmatter import field_asked_for

TEXT = """---
title: "Pump manual"
author: 'Ida Holm'
version: 3.2
published: 2024-03-18
next_review: 2026-01-15
maintainer: Jo Berg
tags: [pump, water]
---
The pump weighs 3 kg. The next review of the pump is in May.
"""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Who wrote the pump manual?", "Ida Holm"),
        ("Who is the author of the pump manual?", "Ida Holm"),
        ("Which version is the pump manual?", "3.2"),
        ("When was the pump manual published?", "2024-03-18"),
        ("When is the next review of the pump manual?", "2026-01-15"),
        ("Who maintains the pump manual?", "Jo Berg"),
    ],
)
def test_its_value_and_line(question: str, value: str) -> None:
    field = field_asked_for(question, TEXT, "Pump manual")
    assert field is not None
    assert TEXT[slice(*field.value)] == value
    assert TEXT[slice(*field.line)].startswith(f"{field.key}: ")


@pytest.mark.parametrize(
    "question",
    ["Who wrote Hamlet?", "What does the pump weigh?", "Who reviewed the engine manual?", "Which version of SQL does the pump need?", "?"],
)  # fmt: skip
def test_none_is_asked_for(question: str) -> None:
    assert field_asked_for(question, TEXT, "Pump manual") is None


def test_toml_and_a_text_without_fields() -> None:
    toml = '+++\nauthor = "Ida Holm"\n+++\nText.'
    field = field_asked_for("Who wrote Soup?", toml, "Soup")
    assert field is not None
    assert toml[slice(*field.value)] == "Ida Holm"
    assert field_asked_for("Who wrote Soup?", "author: Ida Holm", "Soup") is None


def test_a_word_of_the_title_asks_for_no_field() -> None:
    text = "---\ntitle: Release notes\nauthor: Ida Holm\ndate: 2025-02-11\n---\nText."
    field = field_asked_for("Who wrote the release notes?", text, "Release notes")
    assert field is not None
    assert text[slice(*field.value)] == "Ida Holm"


MINUTES = (
    "Minutes of the water board\nDate: 12 September 2024\nPresent: Ida Holm, Jo Berg\n\nDate: later. The board met."
)
MAIL = "From: Ida Holm <ida@pumps.example>\nTo: all\nSubject: Summer party\n\nCome all."


@pytest.mark.parametrize(
    ("question", "text", "title", "value"),
    [
        ("On which date did the water board meet, by the minutes?", MINUTES, "Minutes of the water board meeting", "12 September 2024"),
        ("Who was present at the water board?", MINUTES, "Minutes of the water board", "Ida Holm, Jo Berg"),
        ("Who sent the e-mail about the summer party?", MAIL, "Summer party", "Ida Holm <ida@pumps.example>"),
    ],
)  # fmt: skip
def test_an_opening_of_fields(question: str, text: str, title: str, value: str) -> None:
    field = field_asked_for(question, text, title)
    assert field is not None
    assert text[slice(*field.value)] == value


def test_one_line_or_a_sentence_between_is_no_opening() -> None:
    for text in ("Date: 12 May\n\nText.", "Title\nDate: 12 May\nHe came.\nPlace: Leith", "", "Title"):
        assert field_asked_for("What is the date?", text, "Title") is None
