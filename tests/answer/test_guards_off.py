"""The program that switches guards off one at a time: each switch lets through what its guard holds back, and is on again afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from decoct.answer import short_answers, verdicts
from decoct.answer.candidates import ClaimFinder
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.data import Passage, Span
from decoct.reading.base import NOTHING_READ

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import guards

TEXT = "CVE-2024-3094 is critical."
READ = ReadPassage(Passage(TEXT, (Span("d", 0, len(TEXT)),)), NOTHING_READ, 0)
WORDS = FoundWords(READ, (0, len(TEXT)), (17, 25), "critical", 0.9)


def is_of_another(question: str) -> bool:
    return ClaimFinder(question, [READ], 0.4).evidence(WORDS).is_of_another


def test_another_identifier_is_let_through_where_both_its_guards_are_off() -> None:
    question = "How severe is CVE-2024-3904?"
    assert is_of_another(question)
    with guards.GUARDS["another identifier, label or value"]():
        assert is_of_another(question)  # it stands nowhere either
    with guards.GUARDS["an identifier that stands nowhere"](), guards.touched() as called:
        assert is_of_another(question)
    assert "another identifier, label or value" in called
    assert is_of_another(question)


@pytest.mark.parametrize("name", guards.GUARDS)
def test_a_guard_is_on_again_afterwards(name: str) -> None:
    def parts() -> list[object]:
        held = ("turn_kind", "cell_meant", "whole_words", "_whole_first", "near_statements")
        return [
            ClaimFinder.evidence,
            FoundWords.is_blank,
            vars(verdicts)["asked_values"],
            *(vars(short_answers)[one] for one in held),
        ]

    before = parts()
    with guards.GUARDS[name]():
        pass
    assert parts() == before


def test_questions_call_the_guards_that_are_about_them() -> None:
    assert guards.of_question("thanks!") == {"questions that nothing answers by itself"}
    assert "yes or no: the values agree" in guards.of_question("Does the lift carry 12 people?")
    assert guards.of_question("What is the capital of the country where Ada Holt was born?") == {
        "one half of a nested question"
    }


def test_what_a_guard_takes_away_is_counted() -> None:
    def row(outcome: str, right: bool, answerable: bool = True) -> guards.Row:
        return {"outcome": outcome, "claimed": [], "right": right, "answerable": answerable}

    whole = [row("answer", True), row("passages", False), row("passages", False, False)]
    told = guards.compared({"": whole, "x": [row("answer", True), row("answer", False), row("answer", False, False)]})
    assert told["x"] == {
        "claims": 3, "right": 1, "wrong": 2, "unanswerable claimed": 1, "changed": 2,
        "wrong taken away": 2, "right taken away": 0,
    }  # fmt: skip


def test_nothing_is_chosen_on_what_is_kept_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["guards.py", "kept-clinic", "--work", str(tmp_path)])
    with pytest.raises(SystemExit):
        guards.main()
