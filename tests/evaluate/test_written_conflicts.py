"""The written conflict cases are what they say, and the changes made to them change nothing but what they name."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from conflict_changes import CHANGES, copied, outcome, renamed, turned  # noqa: E402
from everyday_conflicts import documents, judged, notes_on, unchanged  # noqa: E402

from decoct.context.casc.extract_rules import ByRules  # noqa: E402

Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    path = BENCHMARKS / "written-conflicts" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


EVERY = [*cases("dev"), *cases("held-back")]
CASE: Case = {
    "id": "x",
    "question": "What is the length of the Orlin tunnel?",
    "documents": [
        {"id": "a", "title": "Roads", "text": "The length of the Orlin tunnel is 800 m."},
        {"id": "b", "title": "Rails", "text": "The Orlin tunnel has a length of at least 950 m."},
    ],
    "conflict": True,
    "behaviour": "both",
    "expected_answers": ["800 m", "at least 950 m"],
    "wrong_answers": [],
    "claims": [{"doc_id": "a", "value": "800 m"}, {"doc_id": "b", "value": "at least 950 m"}],
    "why": "Two sources.",
}


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case["id"])
def test_answers_and_claims_stand_in_the_documents(case: Case) -> None:
    texts = {d["id"]: d["text"] for d in case["documents"]}
    assert len(texts) == len(case["documents"])
    for claim in case["claims"]:
        if claim["value"] is not None:
            assert claim["value"] in texts[claim["doc_id"]]
    for answer in (*case["expected_answers"], *case["wrong_answers"]):
        assert any(answer in text for text in texts.values())


def test_no_case_stands_in_both_halves() -> None:
    assert len({case["id"] for case in EVERY}) == len(EVERY) == 52
    assert not {case["question"] for case in cases("dev")} & {case["question"] for case in cases("held-back")}


def test_turning_copying_and_renaming_change_what_they_name() -> None:
    assert [d["id"] for d in turned(CASE)["documents"]] == ["b", "a"]
    assert copied(CASE)["documents"][2]["text"] == CASE["documents"][0]["text"]
    other = renamed(CASE)
    assert "Orlin" not in json.dumps(other)
    assert other["documents"][0]["text"] == CASE["documents"][0]["text"].replace("Orlin", "Vornath")
    assert len(documents(copied(CASE))) == 3


def test_the_outcome_of_a_case_is_the_same_after_each_change() -> None:
    assert outcome(notes_on(CASE, ByRules()))[1] == [(["800 m", "at least 950 m"], "")]
    assert {name: found["hits"] for name, found in unchanged([CASE], ByRules()).items()} == dict.fromkeys(CHANGES, 1)


def test_a_limit_is_told_with_its_words() -> None:
    made = notes_on(CASE, ByRules())
    assert judged(CASE, made) == {"sides": True, "false_agreed": False, "false_chosen": False, "end": True}


def test_what_is_marked_in_the_folders_of_pairs_stands_in_their_documents() -> None:
    folders = cases("audit-pairs-dev")
    asked = [(one, folder) for folder in folders for one in folder["questions"]]
    assert sum(one["conflict"] for one, _ in asked) == 24
    assert len(asked) == 49
    for one, folder in asked:
        assert bool(one["values"]) is one["conflict"]
        assert len({d["id"] for d in folder["documents"]}) == len(folder["documents"])
        assert all(any(value in d["text"] for d in folder["documents"]) for value in one["values"])
