from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from decoct.data import Passage, Span
from decoct.errors import EvaluationError
from decoct.evaluate.record import (
    Header,
    RecordedQuestion,
    Row,
    Run,
    passage_record,
    read_header,
    read_questions,
    read_rows,
    spans_of,
)

HEADER = Header({"name": "x"}, {"naive": {"depth": 100}}, (300,), ("recall@5",), "e", "t", "sentence", questions=2)


def _begin(folder: Path, header: Header) -> None:
    with Run.start(folder, header):
        pass


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    row = Row(
        "naive",
        300,
        "q1",
        {"recall@5": 0.5, "judge": None},
        {"tokens": 3},
        {"a.b": 1},
        ({"spans": [["d", 0, 2]], "title": ""},),
        "yes",
    )
    with Run.start(tmp_path, HEADER) as run:
        run.add([row, Row("naive", 300, "q2", error={"code": "model", "message": "no"})])
    assert list(read_rows(tmp_path)) == [row, Row("naive", 300, "q2", error={"code": "model", "message": "no"})]


def test_a_run_is_taken_up_where_it_stopped_and_failed_rows_are_tried_again(tmp_path: Path) -> None:
    with Run.start(tmp_path, HEADER) as run:
        run.add([Row("naive", 300, "q1"), Row("naive", 300, "q2", error={"code": "model", "message": "no"})])
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"system":"naive","bud')  # torn by a crash
    with Run.start(tmp_path, HEADER) as again:
        assert again.done == {("naive", 300, "q1")}
        again.add([Row("naive", 300, "q3")])
    assert [row.question for row in read_rows(tmp_path)] == ["q1", "q2", "q3"]


def test_a_torn_line_outside_a_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"system": "a", "budget": 1, "question": "q"}\n{"sys')
    with pytest.raises(EvaluationError, match=r"rows\.jsonl:2"):
        list(read_rows(tmp_path))


@pytest.mark.parametrize("field", ["embedder", "tokenizer", "llm", "seed", "unit", "metrics", "dataset"])
def test_a_run_with_another_setting_is_refused_by_its_name(tmp_path: Path, field: str) -> None:
    _begin(tmp_path, HEADER)
    value: object = {"seed": 7, "metrics": ("mrr@3",), "dataset": {"name": "y"}}.get(field, "other")
    with pytest.raises(EvaluationError, match=f"another {field}"):
        Run.start(tmp_path, replace(HEADER, **{field: value}))  # type: ignore[arg-type]


def test_a_system_that_changed_is_refused_and_a_new_one_is_added(tmp_path: Path) -> None:
    _begin(tmp_path, HEADER)
    with pytest.raises(EvaluationError, match="'naive' has another depth"):
        Run.start(tmp_path, replace(HEADER, systems={"naive": {"depth": 5}}))
    _begin(tmp_path, replace(HEADER, systems={"dos": {"depth": 100}}, budgets=(900,), questions=5))
    joined = read_header(tmp_path)
    assert (list(joined.systems), joined.budgets, joined.questions) == (["naive", "dos"], (300, 900), 5)


def test_a_folder_without_a_run_and_one_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="holds no run"):
        read_header(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({**HEADER.as_dict(), "format": 99}))
    with pytest.raises(EvaluationError, match="format 99"):
        read_header(tmp_path)


def test_passages_are_kept_as_spans_and_only_rewritten_text_as_text() -> None:
    quote = Passage("ab", (Span("d", 1, 3),), title="T")
    assert passage_record(quote) == {"spans": [["d", 1, 3]], "title": "T"}
    assert spans_of(passage_record(quote)) == [Span("d", 1, 3)]
    assert passage_record(Passage("new", (Span("d", 1, 3),), "rewrite"))["text"] == "new"


def test_questions_are_joined_over_sessions(tmp_path: Path) -> None:
    with Run.start(tmp_path, HEADER) as run:
        run.ask([RecordedQuestion("1", "a?", ("x",), "t", (("d", 0, 3),))])
        run.ask([RecordedQuestion("2", "b?")])
    assert [one.id for one in read_questions(tmp_path)] == ["1", "2"]
    assert read_questions(tmp_path)[0].gold == (("d", 0, 3),)


def test_a_question_may_hold_what_unicode_calls_the_end_of_a_line(tmp_path: Path) -> None:
    asked = RecordedQuestion("1", "one\u2028two\x85three\nfour\r?")
    with Run.start(tmp_path, HEADER) as run:
        run.ask([asked])
    assert read_questions(tmp_path) == [asked]


def test_a_prompt_that_changed_is_refused_and_a_new_one_is_added(tmp_path: Path) -> None:
    _begin(tmp_path, replace(HEADER, prompts={"answers": "a"}))
    with pytest.raises(EvaluationError, match="another prompt 'answers'"):
        _begin(tmp_path, replace(HEADER, prompts={"answers": "b"}))
    _begin(tmp_path, replace(HEADER, prompts={"self_ask": "c"}))
    assert read_header(tmp_path).prompts == {"answers": "a", "self_ask": "c"}
