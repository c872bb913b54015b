from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
import tiny

from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.evaluate.record import read_rows
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.system import System, system
from decoct.evaluate.tune import Tuner, as_toml, start_and_neighbours
from decoct.library import Library
from decoct.recipe import load_recipe
from decoct_lab.corpora import libraries
from decoct_lab.dataset import Dataset, Question
from decoct_testing.hash_embedder import HashEmbedder

CODES = [f"zx{i:02}q" for i in range(48)]
FILLER = "common words about this and that stand here to make the vector of every passage much the same as all others"


def _codes() -> Dataset:
    """Passages that only a rare code tells apart: words find them, blurred vectors do not."""
    documents = [Document(code, f"{FILLER} {code} {FILLER}.") for code in CODES]
    questions = tuple(
        Question(code, f"common words about {code}", (code,), (code,), (Span(code, 0, len(documents[i].text)),))
        for i, code in enumerate(CODES)
    )
    return replace(
        tiny.dataset(questions), read=lambda: iter(documents), lengths={d.id: len(d.text) for d in documents}
    )


@contextmanager
def _opened(dataset: Dataset, systems: list[System], folder: Path) -> Iterator[dict[str, Library]]:
    with libraries(dataset, {one.chunker for one in systems}, folder, embedder=HashEmbedder(8)) as opened:
        yield opened


def test_a_better_recipe_is_found_checked_on_unseen_questions_and_written(tmp_path: Path) -> None:
    data, systems = _codes(), start_and_neighbours(system("naive"), ())
    with _opened(data, systems, tmp_path) as opened:
        tuned = Tuner(data, opened, 60).tune(systems)
    assert tuned.replaced
    assert tuned.check is not None
    assert tuned.check.significant
    assert (tuned.searched, tuned.checked) == (32, 16)
    written = tomllib.loads(as_toml(tuned, 60))
    assert load_recipe(written).budget == 60
    assert load_recipe(written).retrieve.as_dict() == tuned.winner.recipe.retrieve.as_dict()  # type: ignore[union-attr]


def test_a_recipe_that_is_only_lucky_does_not_replace_the_start(tmp_path: Path) -> None:
    data = _codes()
    start = System("bm25", load_recipe({"retrieve": "bm25"}), system("naive").chunker)
    systems = [start, System("dense", load_recipe({"retrieve": "dense"}), start.chunker)]
    with _opened(data, systems, tmp_path) as opened:
        tuned = Tuner(data, opened, 60).tune(systems)
    assert not tuned.replaced
    assert tuned.winner is start


def test_the_best_on_searched_questions_that_is_worse_on_unseen_ones_does_not_replace_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, systems = _codes(), start_and_neighbours(system("naive"), ())[:2]
    tuner = Tuner(data, {}, 60)
    searched = {question.id for question in tuner.split()[0]}

    def scored(_: Tuner, asked: list[System], questions: list[Question], scores: dict[str, dict[str, float]]) -> None:
        for one in asked:
            for question in questions:
                scores[one.name][question.id] = float((one is systems[1]) == (question.id in searched))

    monkeypatch.setattr(Tuner, "_score", scored)
    tuned = tuner.tune(systems)
    assert tuned.best is systems[1]
    assert tuned.check is not None
    assert tuned.check.significant
    assert tuned.check.difference == -1
    assert tuned.winner is systems[0]


def test_a_chunk_measure_tunes_on_what_a_run_measures(tmp_path: Path) -> None:
    data, systems = _codes(), start_and_neighbours(system("naive"), ())[:2]
    with _opened(data, systems, tmp_path) as opened:
        tuner = Tuner(data, opened, 60, "chunk_recall")
        tuned = tuner.tune(systems)
        setup = Setup((60,), ("chunk_recall",), cache=tmp_path, embedder=HashEmbedder(8))
        execute(data, systems, setup, tmp_path / "run")
    asked = {question.id for question in tuner.split()[0]}
    for one in systems:
        run = [
            row.metrics["chunk_recall"]
            for row in read_rows(tmp_path / "run")
            if row.system == one.name and row.question in asked
        ]
        assert tuned.rounds[-1]["systems"][one.name] == pytest.approx(fmean(v for v in run if v is not None), abs=1e-4)
    assert max(tuned.rounds[-1]["systems"].values()) > 0


def test_the_split_is_seeded_disjoint_and_whole() -> None:
    data = _codes()
    one = Tuner(data, {}, 60, seed=3).split()
    assert one == Tuner(data, {}, 60, seed=3).split()
    assert {q.id for q in one[0]} | {q.id for q in one[1]} == set(CODES)
    assert not {q.id for q in one[0]} & {q.id for q in one[1]}


def test_too_few_questions_are_refused() -> None:
    with pytest.raises(EvaluationError, match="at least 12 questions with gold evidence, and there are 4"):
        Tuner(tiny.dataset(), {}, 60).split()


def test_candidates_are_different_recipes_and_chunk_sizes() -> None:
    found = start_and_neighbours(system("naive"), (150, 300))
    assert found[0].name == "naive"
    assert [one.name for one in found if "@" in one.name] == ["naive@150", "naive@300"]
    shapes = [
        (str(one.recipe.retrieve.as_dict()), str([s.as_dict() for s in one.recipe.context]), one.chunker)
        for one in found
        if one.recipe
    ]
    assert len(set(shapes)) == len(found) > 15
