"""What the heads are taught: each by its own loss over the labels that are known."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from decoct_lab.train.reader.batching import Batch
from decoct_lab.train.reader.encoding import UNKNOWN

WEIGHTS = {"span": 1.0, "answers": 1.0, "relevance": 0.5, "evidence": 0.5, "verdict": 0.6}


def losses(tokens: Tensor, passage: Tensor, batch: Batch) -> dict[str, Tensor]:
    """The mean loss of each head over this batch; a head without any label here is left out.

    Spans: the negative log of the probability that falls on right starts (ends), so that several right places share it.
    """
    found: dict[str, Tensor] = {}
    has_span = batch.starts.any(dim=1)
    if has_span.any():
        found["span"] = (
            _on_right(tokens[..., 0], batch.starts, batch.text, has_span) + _on_right(tokens[..., 1], batch.ends, batch.text, has_span)
        ) / 2  # fmt: skip
    for column, name in enumerate(("answers", "relevance")):
        known = ~torch.isnan(batch.passage[:, column])
        if known.any():
            found[name] = functional.binary_cross_entropy_with_logits(
                passage[known, column], batch.passage[known, column]
            )
    logits = sentence_logits(tokens[..., 2], batch)
    known = ~torch.isnan(batch.evidence)
    if known.any():
        found["evidence"] = functional.binary_cross_entropy_with_logits(logits[known], batch.evidence[known])
    asked = batch.verdict != UNKNOWN
    if asked.any():
        found["verdict"] = functional.cross_entropy(passage[asked, 2:], batch.verdict[asked])
    return found


def weighted_sum(found: dict[str, Tensor]) -> Tensor:
    """The weighted sum."""
    return torch.stack([WEIGHTS[name] * value for name, value in found.items()]).sum()


def sentence_logits(evidence: Tensor, batch: Batch) -> Tensor:
    """The mean of each sentence's token logits, batch × sentences; zero where there is no such sentence."""
    width = batch.evidence.shape[1]
    index = torch.where(batch.sentence >= 0, batch.sentence, torch.full_like(batch.sentence, width))
    sums = torch.zeros(len(evidence), width + 1).scatter_add(1, index, evidence)
    counts = torch.zeros(len(evidence), width + 1).scatter_add(1, index, torch.ones_like(evidence))
    return (sums / counts.clamp(min=1))[:, :width]


def _on_right(logits: Tensor, right: Tensor, allowed: Tensor, rows: Tensor) -> Tensor:
    masked = logits.masked_fill(~allowed, -1e4)[rows]
    chosen = masked.masked_fill(right[rows] == 0, -1e4)
    return (torch.logsumexp(masked, dim=1) - torch.logsumexp(chosen, dim=1)).mean()
