"""What documents that are no draft say on a question: extract and check, as the step does."""

from __future__ import annotations

from collections.abc import Sequence

from decoct.context.casc.check import check
from decoct.context.casc.claims import Findings
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.extractor import Extractor
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import EvidenceSource


def analyse(question: str, sources: Sequence[EvidenceSource], extractor: Extractor | None = None) -> Findings:
    """Read by the bundled reader unless told otherwise."""
    parts = focuses(question)
    return check(question, sources, parts, (extractor or ByReader()).extract(question, sources, parts).claims)
