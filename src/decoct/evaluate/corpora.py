"""Where an evaluation keeps what it makes, and the digest of what it was run on; libraries of data sets are the laboratory's."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from decoct.evaluate.dataset_types import Dataset


def default_cache() -> Path:
    """DECOCT_EVALUATE_CACHE, else `~/.cache/decoct/evaluate`."""
    named = os.environ.get("DECOCT_EVALUATE_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "decoct" / "evaluate"


def fingerprint(dataset: Dataset) -> str:
    """A digest of what the set's documents and questions are."""
    parts = [
        dataset.spec.name,
        sorted(dataset.options.items()),
        sorted(dataset.lengths.items()),
        [question.id for question in dataset.questions],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:12]
