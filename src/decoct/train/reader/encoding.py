"""Examples as tensors: tokens of question, title and text, and each head's labels with what is not known masked out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from decoct.errors import ConfigError
from decoct.train.reader.example import ReaderExample

QUESTION_TOKENS = 64
TITLE_CHARACTERS = 120
UNKNOWN = -100


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one example; `kinds` 0 for the question and 1 behind it; label arrays as long as the ids.

    `starts` and `ends` mark the tokens of right spans; `sentence` numbers each token's sentence (-1: none) and `evidence` gives each
    sentence's label. `passage` holds answers, relevance (NaN: unknown), `verdict` a class or `UNKNOWN`.
    """

    ids: list[int]
    kinds: list[int]
    starts: list[int]
    ends: list[int]
    sentence: list[int]
    evidence: list[float]
    passage: tuple[float, float]
    verdict: int


class Encoder:
    """Turns examples into `Encoded` with the tokenizer of `folder`, at most `longest` tokens each."""

    def __init__(self, folder: Path, longest: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._longest = longest
        self._first, self._between = (_special(self._tokenizer, name) for name in ("[CLS]", "[SEP]"))

    def encode(self, example: ReaderExample) -> Encoded:
        """The example; a text over the limit is cut to a window that holds the first right span, or its beginning."""
        question = self._tokenizer.encode(example.question, add_special_tokens=False).ids[:QUESTION_TOKENS]
        title = self._tokenizer.encode(example.title[:TITLE_CHARACTERS], add_special_tokens=False).ids
        body = self._tokenizer.encode(example.text, add_special_tokens=False)
        room = self._longest - len(question) - len(title) - 4
        offsets = body.offsets
        low = 0
        if len(offsets) > room and example.spans:
            at = next((row for row, (_, end) in enumerate(offsets) if end > example.spans[0][0]), 0)
            low = max(0, min(at - room // 2, len(offsets) - room))
        ids, offsets = body.ids[low : low + room], offsets[low : low + room]
        head = [self._first, *question, self._between]
        front = [*head, *title, self._between] if title else head
        kinds = [0] * len(head) + [1] * (len(front) - len(head) + len(ids) + 1)
        before, behind = len(front), 1
        whole_starts, whole_ends = [0] * len(ids), [0] * len(ids)
        for start, end in example.spans:
            inside = [row for row, (a, b) in enumerate(offsets) if a < end and b > start]
            if inside and offsets[inside[0]][0] >= start - 1 and offsets[inside[-1]][1] <= end + 1:
                whole_starts[inside[0]] = whole_ends[inside[-1]] = 1
        numbers = [-1] * len(ids)
        labels: list[float] = []
        for start, end, label in example.sentences:
            inside = [row for row, (a, b) in enumerate(offsets) if a >= start and b <= end]
            if inside:
                for row in inside:
                    numbers[row] = len(labels)
                labels.append(float(label))
        cut_off = bool(example.answers and example.spans and not any(whole_starts))
        return Encoded(
            [*front, *ids, self._between], kinds,
            [0] * before + whole_starts + [0] * behind, [0] * before + whole_ends + [0] * behind,
            [-1] * before + numbers + [-1] * behind, labels,
            (float("nan") if cut_off else _known(example.answers), _known(example.relevance)),
            UNKNOWN if example.verdict is None else example.verdict,
        )  # fmt: skip


def _special(tokenizer: Any, name: str) -> int:  # noqa: ANN401 - as above
    number: int | None = tokenizer.token_to_id(name)
    if number is None:
        raise ConfigError(f"the base's tokenizer has no {name}: give an encoder of BERT's kind as --base")
    return number


def _known(label: bool | None) -> float:
    return float("nan") if label is None else float(label)


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
