"""Words, stop words and stems."""

from __future__ import annotations

import pytest

from decoct.text.words import content, is_stop, question_language, question_stems, singular, stem, subject, terms, words


def test_words_are_letters_and_digits_without_case() -> None:
    assert words("Newton's 3rd_law: STRASSE") == ["newton", "s", "3rd", "law", "strasse"]


def test_terms_leave_out_function_words_and_single_letters() -> None:
    assert terms("The cat and a 7 x dog, the cat") == ["cat", "7", "dog", "cat"]


def test_a_question_is_about_its_content_words() -> None:
    assert question_stems("Where was the husband of Virginia Durr born?") == ["husband", "virginia", "durr", "born"]
    assert question_stems("What is it?") == ["what", "is", "it"]  # all there is
    assert subject("Where was the husband of Virginia born?") == "husband Virginia born"
    assert subject("What is it?") == "What is it?"


def test_a_question_is_read_in_the_language_its_function_words_tell() -> None:
    both = ("en", "de")
    assert question_language("Wann wurde die Brücke gebaut?", both) == "de"
    assert subject("Wann wurde die Brücke gebaut?", both) == "Brücke gebaut"
    assert question_language("When was the bridge built?", both) == "en"
    assert question_language("Tower Bridge", both) is None
    assert question_stems("Houses by bridges", ("en", "de")) == ["hous", "bridg"]
    assert question_stems("city bridges", ("en", "de")) == ["citi", "city", "bridg"]
    assert question_stems("Wann wurden die Brücken gebaut?", ("de",)) == ["bruck", "gebaut"]


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("the", "en"),
        ("die", "de"),
        ("wann", "de"),
        ("est", "fr"),
        ("quand", "fr"),
        ("когда", "ru"),
        ("και", "el"),
        ("dove", "it"),
    ],
)
def test_every_language_has_its_own_function_words(word: str, language: str) -> None:
    assert is_stop(word, language)
    assert not is_stop("bridge", language)


def test_a_language_without_a_list_has_no_function_words() -> None:
    assert not is_stop("the", "zu")


def test_relations_meet_and_other_words_do_not() -> None:
    assert stem("directed") == stem("director")
    assert stem("husband") == stem("married")
    assert stem("bridge") != stem("brigade")


def test_content_words_of_scripts_without_spaces_are_pairs() -> None:
    assert [pair for pair, _ in content("The 東京都 map")] == ["東京", "京都", "東", "京", "都", "map"]


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("churches", "church"),
        ("boxes", "box"),
        ("cities", "city"),
        ("women", "woman"),
        ("cats", "cat"),
        ("bus", "bus"),
        ("glass", "glass"),
    ],
)
def test_plurals_become_singular(plural: str, one: str) -> None:
    assert singular(plural) == one
