"""Addresses that markup hides, and what a text shows where it is rendered."""

from __future__ import annotations

import pytest

from decoct.text.quotable import shown, without_hidden_addresses


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('See [the shop](https://shop.example/?campaign=ada "Shop").', ["https://shop.example/?campaign=ada"]),
        ("[a](docs/x.md), [b](#part), [c](http://x.example/(y)), [d](NEWS.md)",
         ["docs/x.md", "#part", "http://x.example/(y)", "NEWS.md"]),
        ("[![tests](https://ci.example/b.svg)](<https://ci.example>)", ["https://ci.example/b.svg", "<https://ci.example>"]),
        ("<a href=\"https://x.example\" target=\"_blank\">y</a> <img alt='Logo' src='a.png'>",
         ['href="https://x.example"', "src='a.png'"]),
        ("[docs]: https://docs.example/start\nRead them.", [" https://docs.example/start"]),
    ],
)  # fmt: skip
def test_hidden_addresses_become_spaces_and_nothing_moves(text: str, hidden: list[str]) -> None:
    expected = text
    for address in hidden:
        assert address in expected
        expected = expected.replace(address, " " * len(address), 1)
    assert without_hidden_addresses(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "row[0](x) and call[1](a, b)",
        "Write to https://shop.example or <https://shop.example>.",
        'The `<p>` element takes class="wide"; href="x" is for links.',
        "[2]: see the note below",
        "Plain words (in brackets) [and in these].",
    ],
)
def test_what_is_shown_or_no_address_stays(text: str) -> None:
    assert without_hidden_addresses(text) == text


def test_a_text_shows_no_image_no_tag_and_of_a_link_its_label() -> None:
    text = "[![CI](https://a.example)](https://b.example) <b>Read</b> the [first steps](docs/a_(b).md). <!-- licence --> Use `<p>`."
    assert shown(text).split() == ["Read", "the", "first", "steps.", "Use", "`<p>`."]
