"""The library of a data set: its documents under one chunker, built once and kept for every run that needs the same.

A library's folder is named by everything that decides what is in it: data set, options, lengths of the documents, chunker and embedder.
The ingest is resumable, so an interrupted one goes on. A library that was built by another version of Decoct (other structure traits, other
weights under the same name) is built anew: it is a cache, and numbers must not depend on what was there before.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from decoct.counted import counted
from decoct.embed.base import Embedder
from decoct.errors import EvaluationError, StaleIndexError
from decoct.evaluate.dataset_types import Dataset
from decoct.ingest import Report
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM


def folder(name: str, options: Mapping[str, str], lengths: Mapping[str, int], chunker: str, embedder: str) -> str:
    """The name of a library's folder."""
    parts = [sorted(options.items()), sorted(lengths.items()), chunker, embedder]
    return f"{name}-{hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:12]}"


def place_of(dataset: Dataset, chunker: str, cache: Path, embedder: str | Embedder) -> Path:
    """Where the library of a set lies under one chunker (as JSON)."""
    named = embedder if isinstance(embedder, str) else embedder.fingerprint
    return cache / folder(dataset.spec.name, dataset.options, dataset.lengths, chunker, named)


@contextmanager
def libraries(
    dataset: Dataset,
    chunkers: set[str],
    cache: Path,
    *,
    embedder: str | Embedder = DEFAULT_EMBEDDER,
    llm: LLM | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[dict[str, Library]]:
    """One open library for each chunker (as JSON), closed at the end; documents that cannot be stored are an `EvaluationError`."""
    with ExitStack() as stack:
        opened: dict[str, Library] = {}
        for number, chunker in enumerate(sorted(chunkers), 1):
            place = place_of(dataset, chunker, cache, embedder)
            place.parent.mkdir(parents=True, exist_ok=True)
            library = stack.enter_context(_fresh(place, embedder, json.loads(chunker), llm, progress))
            fill(library, dataset, progress, f"library {number} of {len(chunkers)}: ")
            opened[chunker] = library
        yield opened


def _fresh(
    place: Path, embedder: str | Embedder, chunker: Mapping[str, Any], llm: LLM | None, progress: Callable[[str], None]
) -> Library:
    try:
        return Library.open(place, embedder=embedder, chunker=chunker, llm=llm)
    except StaleIndexError:
        progress(f"{place.name} was built by another version of Decoct: it is built anew")
        shutil.rmtree(place)
        return Library.open(place, embedder=embedder, chunker=chunker, llm=llm)


def fill(library: Library, dataset: Dataset, progress: Callable[[str], None], prefix: str = "") -> None:
    """Add what the library lacks of the set's documents, all or the rest; `EvaluationError` where one cannot be stored."""
    total = len(dataset.lengths)

    def told(report: Report) -> None:
        progress(f"{prefix}{report.documents} of {counted(total, 'document')}")

    if library.status().documents == total:  # ingest is by whole documents, and the folder's name pins which they are
        return
    report = library.add(dataset.documents(), progress=told)
    if report.failures:
        first = report.failures[0]
        raise EvaluationError(
            f"{counted(len(report.failures), 'document')} of {dataset.spec.name} failed; the first, {first.source}: {first.reason}"
        )
