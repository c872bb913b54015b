"""Reading documents for a structure: work that any `Workforce` can do.

A batch knows the digests that its documents had when they were taken out of the store, so that one that changes while it is read is read
again by the next build.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from decoct_lab.structure.base import Chunked, Part, StructureMethod


@dataclass(frozen=True, slots=True)
class StaleDocuments:
    """Documents to read, and what tells each as it is now."""

    documents: tuple[Chunked, ...]
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReadParts:
    """A part a document, and how long reading all of them took."""

    parts: list[Part]
    seconds: float


@dataclass(frozen=True, slots=True)
class ReadingBy:
    """Reads by `method`."""

    method: StructureMethod

    def __call__(self, batch: StaleDocuments) -> ReadParts:
        """The parts of a batch."""
        start = time.monotonic()
        return ReadParts(self.method.read(batch.documents), time.monotonic() - start)
