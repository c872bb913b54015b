"""The names of the data sets, and the layouts for data of one's own."""

from __future__ import annotations

from pathlib import Path

from decoct import plugins
from decoct.errors import EvaluationError
from decoct_lab.datasets.catalogue import OWN, CatalogueEntry, catalogue
from decoct_lab.datasets.records import jsonl

NAMES = tuple(name for name in catalogue() if name not in OWN)


def module(name: str) -> CatalogueEntry:
    """The row of a known set: its `SPEC`, and how it is loaded."""
    if name not in catalogue():
        plugins.check_installed("datasets", name, "data set")
    return catalogue()[name]


def sniff(path: Path) -> CatalogueEntry:
    """The layout of data of one's own: a folder in BEIR's, FlashRAG's or Decoct's layout, a questions file or a FlashRAG file.

    Decided by file names and, between the two kinds of file, by the first line's `golden_answers`. A folder that bears the name of a known
    set is taken for it.
    """
    if path.is_dir():
        names = {child.name.removesuffix(".gz") for child in path.iterdir()}
        if {"corpus.jsonl", "queries.jsonl", "qrels"} <= names:
            return module("beir")
        if path.resolve().name in NAMES:
            return module(path.resolve().name)
        if {"corpus.jsonl", "questions.jsonl"} <= names:
            return module("folder")
        if names & {"test.jsonl", "dev.jsonl", "train.jsonl"}:
            return module("flashrag")
        raise EvaluationError(
            f"{path}: not a data set: needs corpus.jsonl with questions.jsonl, or corpus.jsonl, queries.jsonl and qrels/ (BEIR), "
            "or test.jsonl, dev.jsonl or train.jsonl (FlashRAG)"
        )
    first = next(iter(jsonl(path)), None)
    if first is None:
        raise EvaluationError(f"{path} holds no questions")
    return module("flashrag" if "golden_answers" in first.data else "questions")
