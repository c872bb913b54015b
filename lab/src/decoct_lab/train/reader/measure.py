"""Figures of a network on held-back examples: spans, whether it answers, relevance, sentences, yes/no, each by set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.evaluate.metrics.answers import exact_match, token_f1
from decoct_lab.train.reader.encoding import UNKNOWN, Encoder
from decoct_lab.train.reader.example import ReaderExample

if TYPE_CHECKING:
    from decoct_lab.train.reader.model import ReaderNetwork

LONGEST_ANSWER = 48  # tokens


@dataclass(frozen=True, slots=True)
class Judged:
    """What the network said of one example: its best span's text, and logits; `sentences` are those shown, with their labels."""

    example: ReaderExample
    span: str
    answers: float
    relevance: float
    sentences: tuple[tuple[float, bool], ...]
    verdict: int
    margin: float


def judged(model: ReaderNetwork, base: Path, examples: Sequence[ReaderExample], longest: int) -> list[Judged]:
    """The network's reading of each example, in their order."""
    import torch

    from decoct_lab.train.reader.batching import batches
    from decoct_lab.train.reader.loss import sentence_logits

    encoder = Encoder(base, longest)
    encoded = [encoder.encode(example) for example in examples]
    found: dict[int, Judged] = {}
    with torch.no_grad():
        for batch in batches(encoded, 8000, None):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                tokens, passage = model(**batch.inputs)
            per_sentence = sentence_logits(tokens[..., 2], batch)
            for row, number in enumerate(batch.examples):
                low, high = best_span(tokens[row, :, 0].numpy(), tokens[row, :, 1].numpy(), batch.text[row].numpy())
                words = encoder.words(encoded[number].ids[low : high + 1])
                labels = [bool(label) for label in encoded[number].evidence]
                found[number] = Judged(
                    examples[number], words, float(passage[row, 0]), float(passage[row, 1]),
                    tuple(zip(per_sentence[row, : len(labels)].tolist(), labels, strict=True)), int(passage[row, 2:].argmax()),
                    float(torch.topk(passage[row, 2:], 2).values.diff().abs()),
                )  # fmt: skip
    return [found[number] for number in range(len(examples))]


def best_span(starts: Any, ends: Any, allowed: Any) -> tuple[int, int]:  # noqa: ANN401
    """The token pair of the highest start + end with at most `LONGEST_ANSWER` tokens, inside `allowed`."""
    starts = np.where(allowed, starts, -1e4)
    ends = np.where(allowed, ends, -1e4)
    scores = starts[:, None] + ends[None, :]
    rows = np.arange(len(starts))
    gap = rows[None, :] - rows[:, None]
    scores = np.where((gap >= 0) & (gap < LONGEST_ANSWER), scores, -1e9)
    low, high = np.unravel_index(int(scores.argmax()), scores.shape)
    return int(low), int(high)


def figures(rows: Iterable[Judged]) -> dict[str, Any]:
    """By set and in all: token F1 and exact match of spans, area under the curve of the heads, yes/no accuracy, with their n."""
    by_set: dict[str, list[Judged]] = {}
    for row in rows:
        by_set.setdefault(row.example.origin, []).append(row)
        by_set.setdefault("all", []).append(row)
    return {name: _figures(found) for name, found in sorted(by_set.items())}


def _figures(rows: Sequence[Judged]) -> dict[str, Any]:
    spans = [row for row in rows if row.example.spans]
    known = [row for row in rows if row.example.answers is not None]
    related = [row for row in rows if row.example.relevance is not None]
    asked = [row for row in rows if row.example.verdict not in (None, UNKNOWN)]
    sentence = [told for row in rows for told in row.sentences]
    return {
        "n_spans": len(spans),
        "f1": _mean(token_f1(row.span, row.example.aliases) for row in spans if row.example.aliases),
        "em": _mean(exact_match(row.span, row.example.aliases) for row in spans),
        "n_answers": len(known),
        "answers_auc": auc([row.answers for row in known], [bool(row.example.answers) for row in known]),
        "relevance_auc": auc([row.relevance for row in related], [bool(row.example.relevance) for row in related]),
        "sentence_auc": auc([logit for logit, _ in sentence], [label for _, label in sentence]),
        "n_verdicts": len(asked),
        "verdict": _mean(row.verdict == row.example.verdict for row in asked),
        "answers_auc_by_kind": {
            kind: auc([r.answers for r in known if r.example.answers or r.example.kind == kind],
                      [bool(r.example.answers) for r in known if r.example.answers or r.example.kind == kind])
            for kind in sorted({r.example.kind for r in known if not r.example.answers})
        },
    }  # fmt: skip


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(float(np.mean(found)), 3) if found else None


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """The probability that a positive scores above a negative, equal scores half; None without both."""
    values, wanted = np.asarray(scores), np.asarray(labels, dtype=bool)
    if not wanted.any() or wanted.all():
        return None
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    positive = int(wanted.sum())
    return round(
        float((ranks[wanted].sum() - positive * (positive + 1) / 2) / (positive * (len(values) - positive))), 3
    )
