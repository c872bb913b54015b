"""An evaluation's folder: what was asked is read as it was written, and what is told of it names nothing of this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct import Library
from decoct.errors import EvaluationError
from decoct.recipe import load_recipe
from decoct.server import evaluating
from decoct.server.evaluating import EvaluationOrder, EvaluationRequest, evaluated, figure_of, report_of, run_of
from decoct_testing.hash_embedder import HashEmbedder

ASKED = EvaluationRequest("First", ["bm25", "no-retrieval"], [900, "5x"], "none", 2, 0)
QUESTIONS = [{"id": "a", "question": "Who\u2028asks?"}, {"id": "b", "question": "When?"}]


@pytest.fixture
def order(tmp_path: Path) -> EvaluationOrder:
    folder = tmp_path / "evaluations" / "e1"
    ASKED.write(folder, QUESTIONS)
    recipes = {"bm25": load_recipe("bm25").as_dict()}
    return EvaluationOrder(str(tmp_path / "library"), str(folder), recipes, None)


def test_what_was_asked_is_read_as_it_was_written(order: EvaluationOrder) -> None:
    assert EvaluationRequest.read(Path(order.folder)) == ASKED
    lines = (Path(order.folder) / "questions.jsonl").read_bytes().decode().split("\n")[:-1]
    assert [json.loads(line) for line in lines] == QUESTIONS


def test_questions_to_be_made_are_no_file_yet(tmp_path: Path) -> None:
    ASKED.write(tmp_path / "e", [])
    assert [file.name for file in (tmp_path / "e").iterdir()] == ["asked.json"]
    with pytest.raises(FileExistsError):
        ASKED.write(tmp_path / "e", [])


def test_figures_are_those_of_the_report_and_no_other_file(tmp_path: Path) -> None:
    assert (report_of(tmp_path), figure_of(tmp_path, "recall")) == (None, None)
    (tmp_path / "report.json").write_text(json.dumps({"drawn": ["recall"], "tables": {}}))
    (tmp_path / "secret.svg").write_text("<svg/>")
    assert figure_of(tmp_path, "recall") == tmp_path / "recall.svg"
    for metric in ("secret", "../recall", "", "recall.svg"):
        assert figure_of(tmp_path, metric) is None


def runs(monkeypatch: pytest.MonkeyPatch, work: Callable[..., None]) -> list[dict[str, Any]]:
    """`work` in the place of the run itself; what was asked of it."""
    from decoct.evaluate import session

    asked: list[dict[str, Any]] = []

    def execute(dataset: Any, systems: Any, setup: Any, out: Path, progress: Callable[[str], None]) -> None:
        asked.append({"systems": [one.name for one in systems], "setup": setup, "out": out})
        work(out, progress)

    monkeypatch.setattr(session, "execute", execute)
    monkeypatch.setattr(session, "open_dataset", lambda *given: given)
    monkeypatch.setattr(evaluating, "_report", lambda *_: None)
    return asked


def test_an_evaluation_runs_what_was_asked_and_counts_its_rows(
    order: EvaluationOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(out: Path, progress: Callable[[str], None]) -> None:
        progress("reading the documents")
        progress("10 of 40 rows")
        out.mkdir()
        row = json.dumps({"question": "Who\u2028asks\x85?"}, ensure_ascii=False) + "\n"
        (out / "rows.jsonl").write_text(row * 3, encoding="utf-8")

    asked = runs(monkeypatch, work)
    told: list[dict[str, Any]] = []
    done = evaluated(order, told.append)
    assert told == [
        {"rows": 0, "current": "reading the documents", "share": 0.0},
        {"rows": 10, "current": "10 of 40 rows", "share": 0.25},
    ]
    assert done == {"rows": 3, "current": None, "share": 1.0, "seconds_left": None}
    (one,) = asked
    assert (one["systems"], one["out"]) == (["bm25", "no-retrieval"], run_of(Path(order.folder)))
    setup = one["setup"]
    assert (len(setup.budgets), setup.llm, setup.reader, setup.library) == (2, None, "none", order.library)


def test_an_error_names_no_folder(order: EvaluationOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(out: Path, progress: Callable[[str], None]) -> None:
        raise EvaluationError(f"{order.folder}/questions.jsonl:2: {order.library} has no document 'x'")

    runs(monkeypatch, work)
    with pytest.raises(EvaluationError) as error:
        evaluated(order, lambda _: None)
    assert str(error.value) == "questions.jsonl:2: the library has no document 'x'"


def test_where_no_question_can_be_made_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from decoct.evaluate import generate

    monkeypatch.setattr(generate, "generate", lambda *_, **__: SimpleNamespace(questions=()))
    with Library.open(tmp_path / "library", embedder=HashEmbedder()):
        pass
    ASKED.write(tmp_path / "e", [])
    runs(monkeypatch, lambda *_: None)
    order = EvaluationOrder(str(tmp_path / "library"), str(tmp_path / "e"), {}, None)
    with pytest.raises(EvaluationError, match="give questions of your own"):
        evaluated(order, lambda _: None)
