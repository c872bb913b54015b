"""An answer says which identifiers of the question stand in no document: what follows is of something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Library
from decoct.answer.as_json import answer_as_json
from decoct.answer.quoted import claimed_part
from decoct.mcp.results import answer_told
from decoct_testing.scripted import ScriptedLLM

MANUAL = (
    "# Pump\n\nError E-17 means that the pump of type PX-4410 is dry.\n\nError E-18 means that the filter is full.\n"
)
ASKED = "What does error E-71 mean?"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "manual.md").write_text(MANUAL, "utf-8")
    made = Library.open(tmp_path / "library")
    made.add([tmp_path / "manual.md"])
    return made


def test_it_is_said_first_and_the_citations_stand_where_they_say(library: Library) -> None:
    told: list[str] = []
    answer = library.ask(ASKED, sink=told.append)
    assert answer.text.startswith("No document holds E-71. ")
    assert "".join(told) == answer.text
    assert claimed_part(answer.text) == ""
    for citation in answer.citations:
        assert answer.text[citation.start : citation.end] == f"[{citation.number}]"
    assert answer_as_json(answer)["trace"]["unheld"] == ["E-71"]
    (content,) = answer_told("manual", ASKED, answer, library).content
    assert "No document holds E-71. " in getattr(content, "text", "")


def test_also_before_what_a_model_writes(library: Library) -> None:
    library.llm = ScriptedLLM(["The filter is full [1]."])
    answer = library.ask(ASKED)
    assert answer.text.startswith("No document holds E-71. The filter is full [1].")
    assert [answer.text[one.start : one.end] for one in answer.citations] == ["[1]"]


def test_nothing_is_said_of_what_stands_there(library: Library) -> None:
    for question in ("What does error e17 mean?", "Of which type is PX 4410?", "What does manual.md say?"):
        answer = library.ask(question)
        assert "No document holds" not in answer.text
        assert "unheld" not in answer.trace.facts
