"""A question in other words ends as it did: search-box, plain, formal and spoken wordings of one need, over a small library.

The figures over whole organisations are told by benchmarks/organisations.py ("groups that end alike"); here the models are the bundled
ones, and what must never be is held: that a wording turns what is only shown into a wrong answer.
"""

from __future__ import annotations

import pytest

from decoct import Library

GUIDE = """# Ropeway to the Harrow

## Valley station
The valley station opens at 7:30 and closes at 18:00. Its till is on the left of the gate.

## Cabins
A cabin carries eight people. Bicycles ride in the last cabin of each train.

## Faults
### R-71
The door sensor of a cabin does not answer. Stop the rope and call the workshop.
"""
PRICES = """# Fares

| ticket | adults | children |
|---|---|---|
| single ride | 14 euros | 7 euros |
| day ticket | 31 euros | 16 euros |
"""
# What is right, of four wordings; nothing where the documents do not say.
NEEDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "opening": (
        ("7:30",),
        (
            "valley station opening time",
            "When does the valley station open?",
            "At what time does the valley station open its doors?",
            "so when do they open the valley station in the morning?",
        ),
    ),
    "cabin": (
        ("eight",),
        (
            "cabin capacity people",
            "How many people does a cabin carry?",
            "What number of people may be carried by one cabin?",
            "how many of us can go in one cabin?",
        ),
    ),
    "fare": (
        ("16 euros",),
        (
            "day ticket children price",
            "How much is a day ticket for children?",
            "What is charged for a day ticket for children?",
            "what do I pay for a day ticket for my children?",
        ),
    ),
    "builder": (
        (),
        (
            "architect of the summit restaurant",
            "Who built the summit restaurant?",
            "By whom was the summit restaurant erected?",
            "who was it that put up the summit restaurant?",
        ),
    ),
    "fault": (
        (),
        (
            "fault R-17",
            "What does fault R-17 mean?",
            "What is the meaning of the fault code R-17?",
            "it says R-17, what is wrong with it?",
        ),
    ),
    "load": (
        ("no",),
        (
            "Does a cabin carry 12 people?",
            "Is it true that a cabin carries 12 people?",
            "Can 12 people ride in one cabin?",
            "do 12 people fit in a cabin?",
        ),
    ),
}


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, bool]]]:
    """Of each need the outcome of each wording, and whether what it claims is right."""
    folder = tmp_path_factory.mktemp("rewordings")
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    (folder / "fares.md").write_text(PRICES, "utf-8")
    found: dict[str, list[tuple[str, bool]]] = {}
    with Library.open(folder / "library") as library:
        library.add([folder / "guide.md", folder / "fares.md"])
        for need, (right, wordings) in NEEDS.items():
            answers = [library.ask(wording) for wording in wordings]
            found[need] = [
                (one.outcome, one.found and any(gold in one.text.lower() for gold in right)) for one in answers
            ]
    return found


def test_no_wording_turns_what_is_shown_into_a_wrong_answer(ends: dict[str, list[tuple[str, bool]]]) -> None:
    assert not {need: told for need, told in ends.items() if ("answer", False) in told}


def test_most_needs_end_alike_in_all_wordings(ends: dict[str, list[tuple[str, bool]]]) -> None:
    alike = [need for need, told in ends.items() if len(set(told)) == 1]
    assert len(alike) >= 4, ends
    claimed = [told for need, told in ends.items() if NEEDS[need][0] and ("answer", True) in told]
    assert len(claimed) >= 3, ends  # what claims nothing ends alike too
