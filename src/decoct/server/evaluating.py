"""An evaluation as a job: what was asked is kept in its folder, and so is the run, so that one that was interrupted goes on.

    evaluations/<id>/asked.json         what the request said (`EvaluationRequest`)
    evaluations/<id>/questions.jsonl    the questions, given or made from the library's documents
    evaluations/<id>/run/               the record, as `decoct evaluate` writes it
    evaluations/<id>/report.json        when it is done: the tables, and the questions that tell most
    evaluations/<id>/METRIC.svg         figures of the first measures

Everything is worked out in the child, so that the server needs neither the memory nor the libraries of a report. Figures need
the extra `evaluate`; without it the report says that they are missing. It reads the library and never writes to it, so documents may be
uploaded meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from decoct.errors import EvaluationError, MissingExtraError
from decoct.evaluate.reader_names import EvaluationReader, named_without_model
from decoct.evaluate.system import ORACLES, System, chunker_json, system
from decoct.library import DEFAULT_CHUNKER
from decoct.recipe import load_recipe

FIGURES = 4  # measures that are drawn; the tables have all
_SEED = 0  # of the questions that are made
_LINE = re.compile(r"([0-9]+) of ([0-9]+) rows")


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What an evaluation was asked: `questions` were given, or `generate` are to be made from the documents."""

    name: str
    recipes: Sequence[str]
    budgets: Sequence[int | str]
    reader: EvaluationReader
    questions: int
    generate: int

    def write(self, folder: Path, questions: Sequence[Mapping[str, Any]]) -> None:
        """Put it into `folder`, with the questions that were given."""
        from decoct.evaluate.generate import write
        from decoct.visible import write_whole

        folder.mkdir(parents=True, mode=0o700)
        if questions:
            write([dict(one) for one in questions], folder / "questions.jsonl")
        write_whole(folder / "asked.json", json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> EvaluationRequest:
        """What was put into `folder`."""
        return cls(**json.loads((folder / "asked.json").read_text("utf-8")))


@dataclass(frozen=True, slots=True)
class EvaluationOrder:
    """What the child is to do: `recipes` are the tables of all that may be named, `llm` the server's model."""

    library: str
    folder: str
    recipes: Mapping[str, Mapping[str, Any]]
    llm: str | None


def evaluated(order: EvaluationOrder, told: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run the evaluation to its end; return how many rows there are."""
    from decoct.evaluate.amounts import amounts
    from decoct.evaluate.session import Setup, execute, open_dataset
    from decoct.llm.resolve import configured_llm

    folder = Path(order.folder)
    asked, questions = EvaluationRequest.read(folder), folder / "questions.jsonl"
    llm = configured_llm(order.llm)
    seen = {"rows": 0}

    def line(text: str) -> None:
        if found := _LINE.match(text):
            seen["rows"] = int(found[1])
        told({**seen, "current": text, "share": int(found[1]) / int(found[2]) if found else 0.0})

    try:
        if not questions.is_file():
            _make_questions(order, asked, llm, questions, line)
        systems = _systems(order, asked)
        reads = asked.reader == "model" or any(one.needs_llm for one in systems)
        setup = Setup(
            budgets=amounts(",".join(str(one) for one in asked.budgets), "budgets"),
            llm=llm if reads else None,
            reader=named_without_model(asked.reader),
            library=order.library,
        )
        execute(open_dataset(str(questions), None, {}, order.library), systems, setup, run_of(folder), line)
    except EvaluationError as error:  # its words name the file of the questions by its whole path
        raise EvaluationError(str(error).replace(f"{folder}/", "").replace(order.library, "the library")) from error
    _report(order, folder)
    rows = (run_of(folder) / "rows.jsonl").read_bytes().count(b"\n")
    return {"rows": rows, "current": None, "share": 1.0, "seconds_left": None}


def run_of(folder: Path) -> Path:
    """Where an evaluation's record is."""
    return folder / "run"


def report_of(folder: Path) -> dict[str, Any] | None:
    """The report of an evaluation that is done: `tables`, `examples` and the measures that are `drawn`; None before."""
    file = folder / "report.json"
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


def figure_of(folder: Path, metric: str) -> Path | None:
    """The figure of a measure, where there is one."""
    report = report_of(folder)
    return folder / f"{metric}.svg" if report is not None and metric in report["drawn"] else None


def _report(order: EvaluationOrder, folder: Path) -> None:
    from decoct.evaluate.report.excerpts import excerpts
    from decoct.evaluate.report.page import curves, need_figures
    from decoct.evaluate.report.tables import tables
    from decoct.visible import write_whole

    made = tables([run_of(folder)])
    about = made["runs"][0]
    whole = True
    try:
        need_figures()
    except MissingExtraError:
        whole = False
    figures = {
        name: curves([row for row in made["quality"] if row["metric"] == name], about["systems"], name)
        for name in [name for name in about["metrics"] if "@" not in name and whole][:FIGURES]
    }
    drawn = [name for name, figure in figures.items() if figure]
    for name in drawn:
        write_whole(folder / f"{name}.svg", figures[name])
    shown = excerpts([run_of(folder)], library=order.library)
    examples = [{"question": one.question.question, "sides": [asdict(side) for side in one.sides]} for one in shown]
    write_whole(
        folder / "report.json", json.dumps({"tables": made, "examples": examples, "drawn": drawn, "whole": whole})
    )


def _make_questions(
    order: EvaluationOrder,
    asked: EvaluationRequest,
    llm: Any,  # noqa: ANN401
    out: Path,
    line: Callable[[str], None],
) -> None:
    from decoct.evaluate.generate import generate, write
    from decoct.library import Library

    with Library.open(order.library, llm=llm, create=False) as library:
        made = generate(library, asked.generate, seed=_SEED, progress=line)
    if not made.questions:
        raise EvaluationError("no question could be made from the documents; give questions of your own")
    write(made.questions, out)


def _systems(order: EvaluationOrder, asked: EvaluationRequest) -> tuple[System, ...]:
    def one(name: str) -> System:
        if name in ORACLES:
            return system(name)
        return System(name, replace(load_recipe(order.recipes[name]), name=name), chunker_json(DEFAULT_CHUNKER))

    return tuple(one(name) for name in asked.recipes)
