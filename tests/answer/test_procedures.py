"""The section of a text that tells how to do what is asked."""

from __future__ import annotations

import pytest

from decoct.answer.procedures import asks_how, list_asked_for, procedure_asked_for

MANUAL = """# Pump

## Priming the pump

If the pump has run dry, it must be primed. It takes a minute.

1. Close the outlet valve.
2. Fill the chamber with water.
3. Press Start.

Then wait for the green light.

## Cleaning

Wipe the housing with a damp cloth every week.
"""
HELP = """Help

How do I return an item?

Returns are free for 30 days. Open My orders and press Return. Bring the parcel to any post office.

How much is shipping?

Shipping costs 4 euros.
"""
TERMS = """4. PETS
Pets need a written consent.

5. ENDING THE LEASE
a) Write to the landlord.
b) Hand over the keys.
"""


def quoted(question: str, text: str, title: str = "") -> str | None:
    found = procedure_asked_for(question, text, title)
    return None if found is None else text[slice(*found.place)]


@pytest.mark.parametrize(
    "question",
    ["How do I prime it?", "how to prime", "What do I do when it has run dry?", "steps to prime the pump", "It has run dry, what now?"],
)  # fmt: skip
def test_what_asks_how(question: str) -> None:
    assert asks_how(question)


@pytest.mark.parametrize(
    "question", ["How do bees make honey?", "How long does it take?", "What does it do?", "How many pumps are there?"]
)
def test_what_does_not(question: str) -> None:
    assert not asks_how(question)
    assert procedure_asked_for(question, MANUAL) is None


def test_the_steps_under_the_heading_with_the_paragraph_before_them() -> None:
    found = procedure_asked_for("How do I prime the pump?", MANUAL)
    assert found is not None
    assert MANUAL[slice(*found.place)].startswith(
        "If the pump has run dry, it must be primed. It takes a minute.\n\n1. Close"
    )
    assert [MANUAL[slice(*step)] for step in found.steps] == [
        "Close the outlet valve",
        "Fill the chamber with water",
        "Press Start",
    ]
    assert found.named == 1.0


def test_a_case_is_known_by_the_sentence_before_the_steps() -> None:
    assert str(quoted("What do I do when the pump has run dry?", MANUAL)).endswith("3. Press Start.")


def test_what_to_do_in_a_case_without_steps_is_left_to_the_reader() -> None:
    assert quoted("What do I do if I want to return an item?", HELP) is None


def test_a_section_without_a_list_is_quoted_whole() -> None:
    expected = "Returns are free for 30 days. Open My orders and press Return. Bring the parcel to any post office."
    assert quoted("How do I return an item?", HELP) == expected


def test_of_a_long_section_the_sentences_from_the_one_that_says_it_on() -> None:
    text = (
        "Orders\n\n"
        + "Something else stands in this sentence here. " * 6
        + "To cancel an order press Stop. You get a message."
    )
    assert quoted("How do I cancel an order?", text) == "To cancel an order press Stop. You get a message."


def test_another_verb_or_another_thing_is_not_told() -> None:
    assert quoted("How do I sell the pump?", MANUAL) is None
    assert quoted("How do I prime the engine?", MANUAL) is None
    assert quoted("How do I return a gift voucher?", HELP) is None


def test_numbered_headings_are_no_steps() -> None:
    assert quoted("How can I end the lease?", TERMS) == "a) Write to the landlord.\nb) Hand over the keys."


def test_numbered_steps_of_a_document_whose_title_says_it_all() -> None:
    text = "Serves four.\n\n## Ingredients\n\n- lentils\n- water\n\n## Method\n\n1. Rinse them.\n2. Boil them."
    assert quoted("How do I make lentil soup?", text, "Lentil soup") == "1. Rinse them.\n2. Boil them."


def test_a_table_is_no_procedure() -> None:
    assert (
        quoted("How do I set the lamp?", "## Setting the lamp\n\n| Lamp | Meaning |\n|---|---|\n| set | on |") is None
    )


RECIPE = "It serves four.\n\n## Ingredients\n\n- lentils\n- water\n- salt\n\n## Method\n\n1. Rinse the lentils.\n2. Boil them."


def test_the_list_under_the_heading_that_names_what_is_asked_for() -> None:
    found = list_asked_for("Which ingredients are in the lentil soup?", RECIPE, "Lentil soup")
    assert found is not None
    assert [RECIPE[slice(*step)] for step in found.steps] == ["lentils", "water", "salt"]


@pytest.mark.parametrize(
    "question",
    ["Which tools are in the lentil soup?", "Which ingredients are in the apple cake?", "What is the method?", "Which lentils are red?"],
)  # fmt: skip
def test_no_list_is_named(question: str) -> None:
    assert list_asked_for(question, RECIPE, "Lentil soup") is None


@pytest.mark.parametrize("goes_on", ["number of the pump.", "[number](n.md) of the pump.", "`number` of the pump."])
def test_a_line_that_goes_on_below_is_no_heading(goes_on: str) -> None:
    text = f"!!! note\n    To prime the pump tell the shop the\n    {goes_on}"
    assert quoted("How do I prime the pump?", text) == f"To prime the pump tell the shop the\n    {goes_on}"


def test_a_section_that_ends_with_a_lead_in_is_quoted_with_the_code() -> None:
    text = "## Priming the pump\n\nPrime the pump with its own command:\n\n```\npump prime\n```\n\nThe light is green."
    found = quoted("How do I prime the pump?", text)
    assert found is not None
    assert "pump prime\n```" in found


def test_of_a_section_without_a_list_the_code_is_quoted_with_its_short_lead_in() -> None:
    code = "```sh\n# for most users\npump install | tee log\n```"
    text = f"## Pump\n\nIt pumps water up hills.\n\n## Installation\n\nTo install it:\n\n{code}\n\nThere are further drivers."
    assert (
        quoted("How do I install the pump?", text, "Pump") == f"To install it:\n\n{code}\n\nThere are further drivers."
    )


def test_of_a_long_section_the_code_that_says_it_is_quoted_with_its_lead_in() -> None:
    before = "Something else stands in this sentence here. " * 16
    text = f"## Pump\n\n{before}\n\nThis cancels an order:\n\n~~~\npump cancel order\n~~~\n"
    assert quoted("How do I cancel an order?", text) == "This cancels an order:\n\n~~~\npump cancel order\n~~~"


def test_a_full_line_of_running_text_is_no_heading_and_a_long_underlined_one_is() -> None:
    running = "Binary packages of the pump for priming it are published at the [Pump\nIndex](https://a.example) for everybody to prime."
    assert quoted("How do I prime the pump?", running) == running
    title = "Priming the pump after a long winter without any water in it"
    text = f"{title}\n{'=' * len(title)}\n\nOpen the outlet valve slowly. Wait for the light."
    assert quoted("How do I prime the pump?", text) == "Open the outlet valve slowly. Wait for the light."
