"""everyday-conflicts as it lies in the repository: every case has its documents, what is wanted of it, and which documents disagree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct.errors import EvaluationError
from decoct_lab.dataset import load
from decoct_lab.datasets.everyday_conflicts import FIELDS
from decoct_lab.datasets.everyday_conflicts import load as load_cases
from decoct_lab.datasets.sets import module
from decoct_lab.measures.conflicts import labelled_pairs

SETS = Path(__file__).parents[3] / "benchmarks" / "conflict-sets"


def test_the_cases_are_read_as_they_were_marked() -> None:
    found = load("everyday-conflicts", SETS)
    assert len(found.questions) == 65
    assert sum(bool(labelled_pairs(question)) for question in found.questions) == 39
    by_id = {question.id: question for question in found.questions}
    both = by_id["e002"]
    assert (both.type, both.answer_groups) == ("flag", (("0.3 acres",), ("640 m²",)))
    assert labelled_pairs(both) == frozenset({("e002-d1", "e002-d2")})
    agreed = by_id["e001"]
    assert (agreed.type, agreed.supporting_ids, labelled_pairs(agreed)) == ("agree", ("e001-d1",), frozenset())
    documents = {document.id: document for document in found.documents()}
    assert set(by_id["e002"].candidate_ids) <= set(documents)
    assert "expected" not in str(documents["e002-d1"].metadata)


def test_a_field_that_the_set_has_not_is_refused(tmp_path: Path) -> None:
    first = json.loads((SETS / "everyday-conflicts" / "questions.jsonl").read_text("utf-8").splitlines()[0])
    assert set(first) <= set(FIELDS)
    (tmp_path / "questions.jsonl").write_text(json.dumps({**first, "answer": "20 ml"}), "utf-8")
    with pytest.raises(EvaluationError, match="unknown field 'answer'"):
        load_cases(tmp_path, module("everyday-conflicts"), {"scope": "question"})
