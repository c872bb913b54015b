"""The data sets: one file each with its SPEC, and the layouts for data of one's own.

`NAMES` maps a set's name to its module, imported on use. A loader module has `SPEC` and `load(folder_or_file, options)`.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, cast

from decoct.errors import EvaluationError
from decoct.evaluate.dataset import Dataset, Options, Spec

NAMES = {
    "2wikimultihopqa": "two_wiki_multihop_qa",  # a module's name cannot begin with a digit
    "clapnq": "clapnq",
    "conflictqa-strategyqa": "conflictqa_strategyqa",
    "covidqa": "covidqa",
    "fiqa": "fiqa",
    "hotpotqa": "hotpotqa",
    "longbench": "longbench",
    "multihop-rag": "multihop_rag",
    "musique": "musique",
    "novelqa": "novelqa",
    "nq-gold": "nq_gold",
    "pubmedqa": "pubmedqa",
    "qasper": "qasper",
    "qmsum": "qmsum",
    "ramdocs": "ramdocs",
    "scholarqa-multi": "scholarqa_multi",
    "scidocs-conflicts": "scidocs_conflicts",
    "scisummnet": "scisummnet",
    "triviaqa": "triviaqa",
    "wikicontradict": "wikicontradict",
}


class Loader(Protocol):
    """What a data-set module offers."""

    @property
    def SPEC(self) -> Spec:  # noqa: N802 - a module's constant
        """What the set is."""

    def load(self, path: Path, options: Options) -> Dataset:
        """Read and check the set; `options` are complete (see `decoct.evaluate.dataset.choose`)."""


def module(name: str) -> Loader:
    """The loader of a known set."""
    return _loader(NAMES[name])


def _loader(file: str) -> Loader:
    return cast("Loader", importlib.import_module(f"decoct.evaluate.datasets.{file}"))


def sniff(path: Path) -> Loader:
    """The layout of data of one's own: a folder in BEIR's, FlashRAG's or Decoct's layout, a questions file or a FlashRAG file.

    Decided by file names and, between the two kinds of file, by the first line's `golden_answers`. A folder that bears the name of a known
    set is taken for it.
    """
    from decoct.evaluate.datasets.records import jsonl

    if path.is_dir():
        names = {child.name.removesuffix(".gz") for child in path.iterdir()}
        if {"corpus.jsonl", "queries.jsonl", "qrels"} <= names:
            return _loader("beir")
        if path.resolve().name in NAMES:
            return module(path.resolve().name)
        if {"corpus.jsonl", "questions.jsonl"} <= names:
            return _loader("folder")
        if names & {"test.jsonl", "dev.jsonl", "train.jsonl"}:
            return _loader("flashrag")
        raise EvaluationError(
            f"{path}: not a data set: needs corpus.jsonl with questions.jsonl, or corpus.jsonl, queries.jsonl and qrels/ (BEIR), "
            "or test.jsonl, dev.jsonl or train.jsonl (FlashRAG)"
        )
    first = next(iter(jsonl(path)), None)
    if first is None:
        raise EvaluationError(f"{path} holds no questions")
    return _loader("flashrag" if "golden_answers" in first.data else "own")
