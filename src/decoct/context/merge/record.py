"""What merging did, a record a pair: the note "merges" of a context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from decoct.context.as_json import support_as_json
from decoct.data import Span


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """Two passages became one, or less; or one that had no partner was cut where its layer was given its room.

    `inputs` are ids, the anchor (or the better one) first: of a retrieved passage `document:start-end`, of a merged one `merge-N`.
    `output` is None where nothing of either was kept, and the anchor's own id where it stayed as it was. `scores` are those of the inputs;
    `affinity` is NLL(source | anchor), None without one. Tokens are the reader's, of the texts alone. `kept` is the support of what
    remained, `dropped` the sentences of the inputs that did not. `how` is "fused", or the fallback that was taken.
    """

    layer: int
    inputs: tuple[str, ...]
    output: str | None
    scores: tuple[float, ...]
    affinity: float | None
    tokens_before: int
    tokens_after: int
    kept: tuple[Span, ...]
    dropped: tuple[Span, ...]
    how: str = "fused"

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data."""
        return {
            "layer": self.layer,
            "inputs": list(self.inputs),
            "output": self.output,
            "scores": list(self.scores),
            "affinity": self.affinity,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "kept": support_as_json(self.kept),
            "dropped": support_as_json(self.dropped),
            "how": self.how,
        }
