"""Extract(Q, d) by a language model by a short schema (`extract-llm`), its claims read as those of any reader of passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.context.casc.extract_reader import read_claims
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.weighing import thresholds
from decoct.llm.base import LLM
from decoct_lab.reading.language_model import LanguageModelReader


@dataclass(frozen=True, slots=True)
class ByLanguageModel:
    """Claims by a language model, one call a document and part, with the schema `{"answer": string or null}`."""

    llm: LLM

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What the reader finds."""
        return read_claims(LanguageModelReader(self.llm), question, sources, parts, thresholds()["heard"])
