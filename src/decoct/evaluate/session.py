"""From words to a run: load the data, open the libraries, write down what decides the scores, run.

`evaluate` is what `decoct evaluate` calls; `reproduce` and `tune` use `execute` with systems of their own.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from decoct import plugins
from decoct.embed.base import Embedder
from decoct.embed.tokenizer import open_tokenizer
from decoct.errors import EvaluationError
from decoct.evaluate.amounts import Amount, checked_amounts
from decoct.evaluate.answers import BatchReader, Judge, citing_reader, model_reader, reader_without_model
from decoct.evaluate.dataset_types import Dataset, GoldUnit, Options, default_cache, fingerprint
from decoct.evaluate.datasets.own import load_questions, rows_of
from decoct.evaluate.measure import Need, chosen_measures
from decoct.evaluate.reader_names import NO_READER
from decoct.evaluate.record import Header, Run
from decoct.evaluate.run import Plan, Runner, Source, sample
from decoct.evaluate.system import System
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM

PACKAGES = ("decoct", "faiss-cpu", "numpy", "onnxruntime", "tantivy", "tokenizers", "xllamacpp", "openai")
CONTEXT_METRICS = (
    "evidence_recall",
    "evidence_precision",
    "passage_recall",
    "all_gold",
    "answer_in_context",
    "recall@5",
)
"""Taken in every run where the set has gold: the claims about retrieval are made on them, whatever a SPEC looks at first."""
CITATION_METRICS = ("citation_precision", "citation_recall")
Progress = Callable[[str], None]
RowSource = Callable[[Runner, Mapping[str, str], "str | Embedder | None", "LLM | None"], Source]
"""Who makes the rows of a run, whose libraries lie at places (by chunker), with this embedder and language model."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How to run, beside data and systems.

    `llm` serves what the recipes ask of a model, and reads where `reader` is "". Else `reader` names who reads without it ("extractive",
    "short-answers", or "none": contexts are measured alone). `cite` has the model's reader cite its passages.
    `library` is the user's own for a questions file; `cache` holds libraries of data sets. `tokenizer` (a spec of `open_tokenizer`) counts
    what budgets are spent on in the place of the reader's own. `workers` processes make the rows where no model is asked (0: as many as
    cores, where it pays); times of rows are then those of a busy machine. `rows` makes all rows in their place
    (`decoct_ray.evaluate`).
    """

    budgets: tuple[Amount, ...]
    metrics: tuple[str, ...] = ()
    questions: int | None = None
    seed: int = 0
    unit: GoldUnit | None = None
    llm: LLM | None = None
    judge: LLM | None = None
    reader: str = ""
    cite: bool = False
    library: str | None = None
    cache: Path | None = None
    embedder: str | Embedder = DEFAULT_EMBEDDER
    tokenizer: str = ""
    workers: int = 0
    rows: RowSource | None = None

    @property
    def reads(self) -> bool:
        """Whether answers are read at all."""
        return self.reader != NO_READER and (bool(self.reader) or self.llm is not None)


def open_dataset(name: str, data: str | Path | None, options: Options, library: str | None) -> Dataset:
    """The data set (the laboratory loads it), or a questions file of the user's own, checked against its library."""
    if not asks_library(name):
        if name.endswith(".jsonl") and not Path(name).exists():
            raise EvaluationError(f"no data set and no file is called {name!r}")
        dataset: Dataset = plugins.load("evaluation", "dataset", f"the data set {name!r}")(name, data, options)
        return dataset
    if options:
        raise EvaluationError(f"questions has no option {next(iter(options))!r}; it has none")
    load_questions(Path(name))  # a fault in the file is told before the library is asked for
    if library is None:
        raise EvaluationError(f"{name} holds questions about a library of yours: name it with --library DIR")
    with Library.open(library, create=False) as opened:
        return load_questions(Path(name), opened.document)


def asks_library(name: str) -> bool:
    """Whether `name` is a questions file of the user's own, whose documents are in a library."""
    if not Path(name).is_file():
        return False
    first = next(rows_of(Path(name)), None)
    if first is None:
        raise EvaluationError(f"{name} holds no questions")
    return "golden_answers" not in first[1]  # FlashRAG's files are told by it


def execute(
    dataset: Dataset, systems: Sequence[System], setup: Setup, out: str | Path, progress: Progress = lambda _: None
) -> Runner:
    """Run `systems` on `dataset` into the record at `out`; the runner that did it is returned (for its fallbacks)."""
    budgets = checked_amounts(setup.budgets)
    for one in systems:
        if one.needs_llm and setup.llm is None:
            raise EvaluationError(f"the recipe {one.name!r} asks a language model: give one with --llm NAME")
        if one.oracle == "no-retrieval" and setup.cite:
            raise EvaluationError("--cite answers from the context alone: leave out no-retrieval, which has none")
        if one.oracle == "gold-passages" and not any(dataset.gold(q, "passage") for q in dataset.questions):
            raise EvaluationError(f"{dataset.spec.name} names no gold passages: leave out gold-passages")
    reader = _reader(setup)
    if setup.judge is not None and reader is None:
        raise EvaluationError(
            "--judge has no answers to judge: give a reader with --llm NAME (or --reader short-answers)"
        )
    judge: Judge | None = (
        plugins.load("evaluation", "judge", "--judge")(setup.judge) if setup.judge is not None else None
    )
    able: set[Need] = {"retrieval"}
    if reader is not None:
        able |= {"reader", "citations"} if reader.cites else {"reader"}
    if judge is not None:
        able.add("judge")
    graded = (*CONTEXT_METRICS, *CITATION_METRICS)
    judged = (
        ("judge",) if judge is not None else ()
    )  # whoever names a judge wants its verdicts, whatever else is measured
    preset = (*dataset.spec.metrics, *judged, *(graded if dataset.spec.gold != "none" else ("answer_in_context",)))
    plan = Plan(
        dataset=dataset,
        questions=sample(dataset.questions, setup.questions, setup.seed),
        systems=tuple(systems),
        budgets=budgets,
        metrics=chosen_measures((*setup.metrics, *judged) if setup.metrics else (), preset, frozenset(able)),
        unit=setup.unit or dataset.spec.gold,
        reader=reader,
        judge=judge,
        tokenizer=setup.tokenizer,
    )
    with ExitStack() as stack:
        opened = _opened(stack, dataset, plan, setup, progress)
        runner = Runner(plan, opened)
        with Run.start(out, _header(plan, setup, opened)) as record:
            runner.run(record, progress, _source(runner, setup, record))
    return runner


def _reader(setup: Setup) -> BatchReader | None:
    if not setup.reads:
        return None
    if setup.reader:
        return reader_without_model(setup.reader)
    assert setup.llm is not None
    return citing_reader(setup.llm) if setup.cite else model_reader(setup.llm)


def _source(runner: Runner, setup: Setup, record: Run) -> Source | None:
    """Who makes the rows in place of this process: what the setup says, or the laboratory's workers where they pay."""
    plan = runner.plan
    embedder = setup.embedder if setup.library is None else None
    places = {chunker: setup.library or str(_place(plan.dataset, chunker, setup)) for chunker in runner.libraries}
    if setup.rows is not None:
        return setup.rows(runner, places, embedder, setup.llm)
    if setup.workers < 2 and "workers" not in plugins.points("evaluation"):
        return None
    rows = sum(len(left) for _, left in plan.todo(record.done))
    workers = plugins.load("evaluation", "workers", "the workers of an evaluation")
    source: Source | None = workers(plan, places, embedder, setup.workers, rows)
    return source


def _place(dataset: Dataset, chunker: str, setup: Setup) -> Path:
    place_of = plugins.load("evaluation", "place", "the libraries of a data set")
    place: Path = place_of(dataset, chunker, setup.cache or default_cache(), setup.embedder)
    return place


def _opened(stack: ExitStack, dataset: Dataset, plan: Plan, setup: Setup, progress: Progress) -> Mapping[str, Library]:
    chunkers = {one.chunker for one in plan.systems}
    if setup.library is not None:
        if setup.embedder != DEFAULT_EMBEDDER:
            raise EvaluationError("a library keeps the embedder it was built with: with --library leave out --embedder")
        if any("@" in one.name for one in plan.systems):
            raise EvaluationError("a library is cut as it was built: with --library leave out the @tokens of a recipe")
        library = stack.enter_context(Library.open(setup.library, llm=setup.llm, create=False))
        return dict.fromkeys(chunkers, library)
    if not dataset.lengths:
        raise EvaluationError(f"{dataset.spec.name} has no documents of its own: name a library with --library DIR")
    libraries, build = (
        plugins.load("evaluation", name, "the libraries of a data set") for name in ("libraries", "structures")
    )
    cache = setup.cache or default_cache()
    opened: dict[str, Library] = stack.enter_context(
        libraries(dataset, chunkers, cache, embedder=setup.embedder, llm=setup.llm, progress=progress)
    )
    for chunker, library in opened.items():
        build(library, [one for one in plan.systems if one.chunker == chunker], progress)
    return opened


def _header(plan: Plan, setup: Setup, opened: Mapping[str, Library]) -> Header:
    any_library = next(iter(opened.values()))
    dataset = plan.dataset
    reads = plan.reader.model if plan.reader else ""
    makes = setup.llm.fingerprint if setup.llm and any(one.needs_llm for one in plan.systems) else ""
    prompts = {name: digest for one in plan.systems for name, digest in one.prompts().items()}
    if plan.reader:
        prompts["answers"] = plan.reader.fingerprint
    if plan.judge:
        prompts["judge"] = plan.judge.record()["prompt"]
    return Header(
        dataset={
            "name": dataset.spec.name,
            "title": dataset.spec.title,
            "options": dict(dataset.options),
            "questions": len(dataset.questions),
            "documents": len(dataset.lengths) or any_library.status().documents,
            "digest": fingerprint(dataset),
        },
        systems={one.name: one.as_dict() for one in plan.systems},
        budgets=plan.budgets,
        metrics=plan.metrics,
        embedder=any_library.embedder.fingerprint,
        tokenizer=(open_tokenizer(plan.tokenizer) if plan.tokenizer else any_library.budget(1).tokenizer).fingerprint,
        unit=plan.unit,
        seed=setup.seed,
        questions=len(plan.questions),
        llm=reads,
        context_llm=makes if makes != reads else "",
        judge=setup.judge.fingerprint if plan.judge and setup.judge is not None else "",
        prompts=prompts,
        excluded={reason: amount for reason, amount in dataset.excluded.items() if amount},
        libraries={chunker: _built(plan, chunker, library, setup) for chunker, library in opened.items()},
        versions=_versions(),
        machine={"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
    )


def _built(plan: Plan, chunker: str, library: Library, setup: Setup) -> dict[str, Any]:
    status, dataset = library.status(), plan.dataset
    own = setup.library is not None
    name = "" if own else _place(dataset, chunker, setup).name
    return {
        "documents": status.documents,
        "chunks": status.chunks,
        "embedder": status.settings.get("embedder", ""),
        "folder": name,
        "structures": {state.name: state.model or "without a model" for state in library.structures.states()},
    }


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
