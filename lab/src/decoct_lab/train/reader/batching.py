"""Encoded examples as padded tensors, those of like length together."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from decoct_lab.train.reader.encoding import Encoded


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded tensors of several examples; `examples` are their numbers in the list that was batched."""

    inputs: dict[str, Tensor]
    text: Tensor
    starts: Tensor
    ends: Tensor
    sentence: Tensor
    evidence: Tensor
    passage: Tensor
    verdict: Tensor
    examples: tuple[int, ...]


def batches(encoded: Sequence[Encoded], tokens: int, chance: random.Random | None) -> Iterator[Batch]:
    """Batches of about `tokens` tokens of examples of like length, in random order where `chance` is given.

    Like lengths waste nothing on padding; the order of batches is random, so that a step still sees every set.
    """
    order = list(range(len(encoded)))
    if chance is not None:
        chance.shuffle(order)
        # sorted within large runs only: what stands together in a batch changes from epoch to epoch
        order = [
            i
            for low in range(0, len(order), 4096)
            for i in sorted(order[low : low + 4096], key=lambda i: len(encoded[i].ids))
        ]
    else:
        order.sort(key=lambda i: len(encoded[i].ids))
    groups: list[list[int]] = [[]]
    longest = 0
    for i in order:
        length = max(longest, len(encoded[i].ids))
        if groups[-1] and length * (len(groups[-1]) + 1) > tokens:
            groups.append([])
            length = len(encoded[i].ids)
        groups[-1].append(i)
        longest = length
    if chance is not None:
        chance.shuffle(groups)
    for group in groups:
        if group:
            yield _batch([encoded[i] for i in group], tuple(group))


def _batch(rows: Sequence[Encoded], numbers: tuple[int, ...]) -> Batch:
    width = max(len(row.ids) for row in rows)
    sentences = max(1, *(len(row.evidence) for row in rows)) if rows else 1

    def padded(values: Sequence[Sequence[int]], fill: int) -> Tensor:
        array = np.full((len(values), width), fill, dtype=np.int64)
        for row, given in enumerate(values):
            array[row, : len(given)] = given
        return torch.from_numpy(array)

    evidence = np.full((len(rows), sentences), np.nan, dtype=np.float32)
    for row, given in enumerate(rows):
        evidence[row, : len(given.evidence)] = given.evidence
    ids, kinds = padded([row.ids for row in rows], 0), padded([row.kinds for row in rows], 0)
    mask = padded([[1] * len(row.ids) for row in rows], 0)
    return Batch(
        {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds},
        text=(kinds == 1) & (mask == 1),
        starts=padded([row.starts for row in rows], 0),
        ends=padded([row.ends for row in rows], 0),
        sentence=padded([row.sentence for row in rows], -1),
        evidence=torch.from_numpy(evidence),
        passage=torch.tensor([row.passage for row in rows], dtype=torch.float32),
        verdict=torch.tensor([row.verdict for row in rows], dtype=torch.int64),
        examples=numbers,
    )
