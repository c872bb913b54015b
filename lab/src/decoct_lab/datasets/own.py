"""Questions of one's own as a data set: read without looking at a library (`decoct.evaluate.datasets.own`)."""

from __future__ import annotations

from pathlib import Path

from decoct.evaluate.dataset_types import Dataset, Options
from decoct.evaluate.datasets.own import load_questions
from decoct_lab.datasets.catalogue import CatalogueEntry


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read a questions file."""
    return load_questions(path, options=options, spec=entry.spec)
