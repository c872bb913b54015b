"""The input of the second reading, as tokens.

`[CLS] question ¹ claim [SEP] title [SEP] … ¹ claim ² … [SEP]`, at most `LONG` tokens.
"""

from __future__ import annotations

from typing import Any

import torch
from network import BEGIN, CLS, END, LONG, SEP
from tokenizers import Tokenizer
from torch import Tensor

from decoct.reading.small import BUNDLED

QUESTION, CLAIM, TITLE, AROUND = 48, 24, 40, 900

_TOKENIZER: Any = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
_TOKENIZER.no_padding()
_TOKENIZER.no_truncation()

Encoded = tuple[list[int], list[int], list[int]]


def ids_of(text: str) -> list[int]:
    """The tokens of a text."""
    return list(_TOKENIZER.encode(text, add_special_tokens=False).ids)


def body_of(text: str, start: int, end: int) -> tuple[list[int], int, int]:
    """The tokens of a statement and of what stands around it, with its first token and the one behind its last."""
    low = max(0, start - AROUND)
    body = _TOKENIZER.encode(text[low : end + AROUND], add_special_tokens=False)
    ids, offsets = list(body.ids), body.offsets
    first = next((at for at, (_, stop) in enumerate(offsets) if stop > start - low), len(ids))
    last = next((at for at, (begin, _) in enumerate(offsets) if begin >= end - low), len(ids))
    return ids, first, max(last, min(first + 1, len(ids)))


def encoded(row: dict[str, Any]) -> Encoded:
    """Token ids, which are the passage's, which are the claim's where it stands; as `decoct.reading.verifier` makes them."""
    text, start, end = row["text"], row["a"], row["b"]
    head = [CLS, *ids_of(row["q"])[:QUESTION], BEGIN, *ids_of(row["claim"])[:CLAIM], SEP]
    front = [*head, *ids_of(row["title"][:240])[:TITLE], SEP]
    ids, first, last = body_of(text, start, end)
    room = LONG - len(front) - 3
    span = min(last - first, room)
    last, spare = first + span, room - span
    right = min(len(ids) - last, spare - min(first, spare // 2))
    left = min(first, spare - right)
    window = [*ids[first - left : first], BEGIN, *ids[first:last], END, *ids[last : last + right]]
    whole = [*front, *window, SEP]
    marked = [0] * len(whole)
    marked[len(front) + left : len(front) + left + span + 2] = [1] * (span + 2)
    return whole, [0] * len(head) + [1] * (len(whole) - len(head)), marked


def stacked(rows: list[Encoded]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Padded to the longest: ids, attention, kinds, marked."""
    width = max(len(row[0]) for row in rows)

    def padded(part: int) -> Tensor:
        return torch.tensor([row[part] + [0] * (width - len(row[part])) for row in rows])

    attention = torch.tensor([[1] * len(row[0]) + [0] * (width - len(row[0])) for row in rows])
    return padded(0), attention, padded(1), padded(2)
