"""What takes claims out of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # recipes ask for this protocol whatever they do, and what claims are read by takes long to load
    from decoct.context.casc.claims import Claim
    from decoct.context.casc.focus import Focus
    from decoct.context.casc.sources import EvidenceSource


@dataclass(frozen=True, slots=True)
class Extraction:
    """Claims by part and then in the order of the sources, and further sentences that bear on the question, best first (without values)."""

    claims: tuple[Claim, ...]
    sentences: tuple[Claim, ...] = ()


class Extractor(Protocol):
    """Reads sources for what they say on the parts of a question.

    A source may make several claims on a part or none: silence (null) is an answer. Every quote is the source's own characters at its span,
    `value_span` lies in it, and `sure` is the probability that the claim answers this very question.
    """

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What the sources say."""
