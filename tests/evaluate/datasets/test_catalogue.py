from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.measure import measure
from decoct_lab.dataset import Spec
from decoct_lab.datasets.catalogue import OWN, CatalogueEntry, catalogue
from decoct_lab.datasets.layout import SetLayout
from decoct_lab.datasets.records import Record
from decoct_lab.datasets.sets import NAMES, module

SPEC = Spec(
    "x", "x", "x", "x", "x", "passage", ("recall@5",), {"part": ("easy", "all"), "scope": ("corpus", "candidates")}
)


def test_names_are_the_sets_and_layouts_of_ones_own_stand_beside_them() -> None:
    assert set(catalogue()) == {*NAMES, *OWN}
    assert "2wikimultihopqa" in NAMES
    assert module("hotpotqa").SPEC.options["setting"] == ("distractor", "fullwiki", "all")


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_the_measures_of_a_set_are_known(name: str) -> None:
    for metric in module(name).SPEC.metrics:
        assert measure(metric).needs <= {"reader", "judge", "retrieval", "context", "citations"}


def record(**fields: object) -> Record:
    return Record("here", dict(fields))


def test_a_setting_keeps_questions_by_a_field() -> None:
    layout = SetLayout(kept_by="part", kept_field="level")
    assert layout.asks(record(level="easy"), {"part": "easy"})
    assert layout.asks(record(level=True), {"part": "easy"})
    assert not layout.asks(record(level="hard"), {"part": "easy"})
    assert not layout.asks(record(), {"part": "easy"})
    assert layout.asks(record(level="hard"), {"part": "all"})
    assert SetLayout().asks(record(level="hard"), {"part": "easy"})


def test_a_setting_of_candidates_leaves_out_questions_without_any_where_the_row_says_so() -> None:
    options = {"scope": "candidates"}
    assert not SetLayout(needs_candidates=True).asks(record(), options)
    assert SetLayout(needs_candidates=True).asks(record(candidate_ids=["a"]), options)
    assert SetLayout().asks(record(), options)
    assert SetLayout(needs_candidates=True).asks(record(), {"scope": "corpus"})


def test_a_row_alone_is_a_set(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        "".join(
            json.dumps({"id": i, "title": i, "text": i, "level": k}) + "\n" for i, k in (("p", "easy"), ("r", "hard"))
        )
    )
    asked = [
        {"id": "1", "question": "a?", "answers": ["a"], "supporting_ids": ["p"], "level": "easy"},
        {"id": "2", "question": "b?", "answers": ["b"], "supporting_ids": ["r"], "level": "hard"},
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    layout = SetLayout(extra=("level",), dropped=("level",), kept_by="part", kept_field="level", kept_passages=True)
    easy = CatalogueEntry(SPEC, layout).load(tmp_path, {"part": "easy", "scope": "corpus"})
    assert [q.id for q in easy.questions] == ["1"]
    assert list(easy.lengths) == ["p"]
    assert dict(easy.excluded) == {"question outside the setting": 1}
    whole = CatalogueEntry(SPEC, layout).load(tmp_path, {"part": "all", "scope": "corpus"})
    assert [q.id for q in whole.questions] == ["1", "2"]
    with pytest.raises(EvaluationError, match="unknown field 'level'"):
        CatalogueEntry(SPEC).load(tmp_path, {"part": "all", "scope": "corpus"})
