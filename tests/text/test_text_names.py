"""Names in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.names import (
    longest_mentions,
    normal,
    possible_names,
    question_names,
    question_runs,
    runs,
    stands_in,
    title_without_brackets,
)


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("The Beatles", "beatles"),
        ("Dvořák's", "dvorak"),
        ("O’Neill", "oneill"),
        ("Larry Alcala", "larry alcala"),
        ("the", "the"),
        ("  ", ""),
    ],
)
def test_names_are_compared_without_article_accents_and_possessive(written: str, compared: str) -> None:
    assert normal(written) == compared


def test_runs_cross_the_connectives_of_names_and_give_their_parts() -> None:
    text = "The Battle of El Herri was fought in 1914 near Khénifra."
    found = [(name, text[start:end]) for name, start, end in runs(text)]
    assert ("battle of el herri", "The Battle of El Herri") in found
    assert ("el herri", "El Herri") in found
    assert ("1914", "1914") in found
    assert ("khenifra", "Khénifra") in found


def test_candidates_are_ends_of_runs_and_runs_across_plain_words() -> None:
    found = {name for name, _, _ in possible_names("In Before Sunset she sings. Look What happened to Jane.")}
    assert "before sunset" in found
    assert "look what happened to jane" in found


@given(st.text(alphabet=st.sampled_from("AbC d1,.’'-éßI of\n")))
def test_every_name_stands_where_it_is_said_to(text: str) -> None:
    for name, start, end in [*runs(text), *possible_names(text)]:
        assert normal(text[start:end]) == name


def test_a_question_names_in_any_case_and_the_longest_wins() -> None:
    possible = {one.name: one for one in question_names("who wrote before sunset and New York City Blues?")}
    assert {"before sunset", "new york city", "new york"} <= possible.keys()
    assert possible["new york"].joined
    assert not possible["new york city blues"].joined
    kept = longest_mentions([possible["new york"], possible["new york city"], possible["before sunset"]])
    assert [one.name for one in kept] == ["before sunset", "new york city"]


def test_names_begin_with_capitals_of_other_alphabets_too() -> None:
    assert [name for name, _, _ in runs("near Łódź, Čapek met Ольга")] == ["łodz", "capek", "ольга"]


def test_a_title_without_its_addition() -> None:
    assert title_without_brackets("Titanic (1997 film)") == "Titanic"
    assert title_without_brackets("(untitled)") == "(untitled)"


def test_the_names_in_a_question_are_without_the_words_that_ask() -> None:
    assert question_runs("Did Ada Lovelace meet the Duke of Kent?") == ("Ada Lovelace", "Duke of Kent")
    assert question_runs("What is it?") == ()


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("He saw Titanic twice.", True),
        ("Titanic", True),
        ("Titanically", False),
        ("RMSTitanic, Titanic's", True),
        ("titanic", False),
    ],
)
def test_a_name_stands_in_a_text_as_whole_words(text: str, stands: bool) -> None:
    assert stands_in("Titanic", text) is stands
