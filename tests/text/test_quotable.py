"""What may be quoted, and the whole of a list."""

from __future__ import annotations

import pytest

from decoct.text.quotable import (
    is_prose,
    is_quotable,
    item_words,
    list_around,
    quotable_words,
    statements,
    whole,
    with_what_it_leads_into,
)

LIST = "# Boats\n\nThe ferry carries:\n\n- cars. They go first.\n- bicycles;\n- lorries up to 12 tonnes\n\nDogs travel free."


@pytest.mark.parametrize(
    "sentence",
    [
        "The ferry leaves at noon.",
        "- Vela",
        "2. Close the lid.",
        "Lund | Bredgatan 7 | 10:00",
        "Present: Ada Green, Bo Berg, Cy Dahl.",
    ],
)
def test_sentences_items_and_rows_may_be_quoted(sentence: str) -> None:
    assert is_quotable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "# Hours of the canteen (2023)",
        "Home",
        "-",
        "|---|:--:|",
        "Opening Hours",
        "--- \ntitle: of a page",
        "Next Page",
        "6.2 Where do the names of ferries come from?",
        "“Which ferries have been sold?”",
        '<a href="https://a.example/of the ferry" target="_blank"> <img src="a.svg" alt="times of the day"> </a>',
        "<!-- the ferry leaves at noon -->",
        "[![the ferry leaves at noon.](https://a.example/a.svg)](https://a.example)",
    ],
)
def test_headings_fragments_rules_and_questions_may_not(sentence: str) -> None:
    assert not is_quotable(sentence)


def test_items_and_rows_are_no_prose() -> None:
    assert not is_prose("- Vela")
    assert not is_prose("Lund | Bredgatan 7 | 10:00")
    assert is_prose("The ferry leaves at noon.")


@pytest.mark.parametrize("inside", ["The ferry", "cars", "bicycles", "lorries"])
def test_the_list_is_found_from_its_lead_in_and_from_each_item(inside: str) -> None:
    at = LIST.index(inside)
    places = list_around(LIST, (at, at + len(inside)))
    assert [LIST[slice(*place)] for place in places] == [
        "The ferry carries:", "- cars. They go first.", "- bicycles;", "- lorries up to 12 tonnes"
    ]  # fmt: skip
    assert LIST[slice(*whole(places))].endswith("12 tonnes")
    assert [LIST[slice(*item_words(LIST, place))] for place in places[1:]] == [
        "cars. They go first", "bicycles", "lorries up to 12 tonnes"
    ]  # fmt: skip


def test_prose_is_in_no_list_nor_is_one_item_one() -> None:
    at = LIST.index("Dogs")
    assert list_around(LIST, (at, at + 4)) == []
    assert list_around("It carries:\n- cars", (0, 5)) == []
    assert list_around("".join(f"- item {n} of many\n" for n in range(40)), (0, 5)) == []


def test_the_sentence_that_holds_a_place_is_quoted_whole() -> None:
    text = "Opening Hours\n\nThe mill opens at nine. It closes at noon on Sundays."
    at = text.index("noon")
    held = quotable_words(text, (at, at + 4))
    assert held is not None
    assert (text[slice(*held[0])], text[slice(*held[1])]) == ("It closes at noon on Sundays.", "noon")
    assert quotable_words(text, (0, 7)) is None  # a heading


def test_what_lies_in_a_heading_is_left_off() -> None:
    text = "# Ferry\nIt leaves at noon from the pier. It is blue."
    held = quotable_words(text, (2, 25))
    assert held is not None
    assert (text[slice(*held[0])], text[slice(*held[1])]) == ("It leaves at noon from the pier.", "It leaves at noon")


def test_a_lead_in_is_quoted_with_what_it_leads_into() -> None:
    text = "It carries:\n- cars\n- bicycles\n\nDogs travel free of charge."
    assert text[slice(*with_what_it_leads_into(text, (0, 11)))] == "It carries:\n- cars\n- bicycles"
    at = text.index("Dogs")
    assert with_what_it_leads_into(text, (at, len(text))) == (at, len(text))


@pytest.mark.parametrize(
    "block",
    ["```ini\n[flake8]\n\nwidth = 80\n```", "    $ gate open\n    $ gate close", "$ gate open", "~~~\nopen\n~~~"],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_lead_in_is_quoted_with_the_code_that_it_leads_into(block: str, gap: str) -> None:
    text = f"Then run this:{gap}{block}\n\nThe gate is open now."
    assert text[slice(*with_what_it_leads_into(text, (0, 14)))] == f"Then run this:{gap}{block}"


@pytest.mark.parametrize("after", ["", "\n", "\n\n# The next chapter\n\nIt is long.", " \n" + 90 * "long words\n"])
def test_a_lead_in_stands_alone_before_a_heading_the_end_or_what_is_too_long(after: str) -> None:
    assert with_what_it_leads_into(f"Then run this:{after}", (0, 14)) == (0, 14)


@pytest.mark.parametrize(
    "sentence",
    ["東京支店の営業時間は九時から五時までです。", "大学于一九一二年成立。", "ร้านนี้ปิดเวลาห้าทุ่มทุกวันยกเว้นวันจันทร์"],
)
def test_a_sentence_of_a_script_without_spaces_is_prose(sentence: str) -> None:
    assert is_prose(sentence)


@pytest.mark.parametrize("fragment", ["営業時間", "営業時間は？", "目次"])
def test_a_heading_or_question_of_such_a_script_is_none(fragment: str) -> None:
    assert not is_prose(fragment)


@pytest.mark.parametrize("bold", ["", "**"])
def test_a_field_stands_under_the_sentence_that_says_what_it_is_of(bold: str) -> None:
    text = f"# gate.patience\n\n{bold}Form:{bold} seconds\n\n{bold}Default:{bold} 30\n\nA gate that is quiet for longer is closed.\n"
    over = {text[slice(*one.place)].replace("*", ""): one.over for one in statements(text, "Settings")}
    named = "Settings: gate.patience"
    said = f"{named}: A gate that is quiet for longer is closed."
    assert over == {"Form: seconds": said, "Default: 30": said, "A gate that is quiet for longer is closed.": named}
