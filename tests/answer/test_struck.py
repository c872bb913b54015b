"""What a text shows as struck out (`~~110~~`) is shown, and never claimed, judged by, or told as another side."""

from __future__ import annotations

from typing import Any

import pytest

from decoct.library import Library
from decoct.text.struck import STRUCK, without_struck

FEES = """# Harbour fees

The mooring fee is ~~£110~~ £88 a week.

The harbour master is ~~Ana Pell~~.

| Boat | Fee |
|---|---|
| Edith | ~~£40~~ |
| Rosa | £55 |

Opening days of the slipway:

- ~~Monday~~
- Tuesday

Dogs are ~~allowed~~ forbidden on the quay.

~~Visitors may swim in the inner basin.~~

The winter closing begins on 15 November.
"""
NOTICE = "# Winter notice\n\nThe winter closing begins on ~~1 November~~.\n"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A library of a page of fees and a notice, in which words are struck out."""
    folder = tmp_path_factory.mktemp("harbour")
    (folder / "fees.md").write_text(FEES)
    (folder / "notice.md").write_text(NOTICE)
    with Library.open(folder / "library") as library:
        library.add([folder / "fees.md", folder / "notice.md"])
        yield library


@pytest.mark.parametrize("recipe", ["default", "casc"])
@pytest.mark.parametrize(
    ("question", "struck"),
    [
        ("What is the mooring fee?", "110"),
        ("Who is the harbour master?", "Ana"),
        ("What is the fee of the Edith?", "40"),
        ("On which days is the slipway open?", "Monday"),
        ("When does the winter closing begin?", "1 November"),
    ],
)
def test_no_struck_value_is_claimed(harbour: Any, recipe: str, question: str, struck: str) -> None:
    answer = harbour.ask(question, recipe=recipe, caution=None if recipe == "casc" else 0.0)
    assert not any(f"{struck} " in f"{one.text} " for one in answer.answers if "15" not in one.text)
    assert "Other sources" not in answer.text
    assert STRUCK not in answer.text


@pytest.mark.parametrize("recipe", ["default", "casc"])
def test_the_value_beside_is_claimed_and_its_quote_shows_both(harbour: Any, recipe: str) -> None:
    answer = harbour.ask("What is the mooring fee?", recipe=recipe)
    assert "£88" in answer.answers[0].text
    assert answer.citations[0].source.quote == "The mooring fee is ~~£110~~ £88 a week."


def test_no_yes_rests_on_struck_words(harbour: Any) -> None:
    for question in (
        "Are dogs allowed on the quay?",
        "May visitors swim in the inner basin?",
        "Is the mooring fee £110?",
    ):
        answer = harbour.ask(question)
        assert not answer.text.startswith("Yes"), question


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Was ~~£110~~ £88", "Was    £88"),
        ("~~a b~~ c", "   c"),
        ("| ~~9~~ | 4 |", "|    | 4 |"),
        ("~~~\ncode\n~~~", "~~~\ncode\n~~~"),
        ("about ~~ 5 and ~~ 6", "about ~~ 5 and ~~ 6"),
        ("~~one\ntwo~~", "  "),
        ("~~a~~~~b~~ c", "   c"),
        ("~~a~~ b ~~c~~", "   b   "),
        ("~~one\n\ntwo~~", "~~one\n\ntwo~~"),
    ],
)
def test_what_is_read_of_a_text(text: str, read: str) -> None:
    told = without_struck(text)
    assert len(told) == len(text)
    assert told.replace(STRUCK, "") == read
