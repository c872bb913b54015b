"""The network of the second reading, and its input.

`[CLS] question ¹ claim [SEP] title [SEP] … ¹ claim ² … [SEP]`, at most `LONG` tokens; the head reads `[CLS]`, the means over the question,
over the passage and over the marked claim, and the product of the first and the last mean. It says three log-odds (`SAID`): that the marked
statement answers, that it says yes, that it says no.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from decoct.reading.small import BUNDLED

LONG = 96
CLS, SEP, BEGIN, END = 101, 102, 1, 2
QUESTION, CLAIM, TITLE, AROUND = 48, 24, 40, 900
SAID = ("answers", "yes", "no")

_TOKENIZER: Any = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
_TOKENIZER.no_padding()
_TOKENIZER.no_truncation()

Encoded = tuple[list[int], list[int], list[int]]


def _ids(text: str) -> list[int]:
    return list(_TOKENIZER.encode(text, add_special_tokens=False).ids)


def encoded(row: dict[str, Any]) -> Encoded:
    """Token ids, which are the passage's, which are the claim's where it stands; as `decoct.reading.verifier` makes them."""
    text, start, end = row["text"], row["a"], row["b"]
    head = [CLS, *_ids(row["q"])[:QUESTION], BEGIN, *_ids(row["claim"])[:CLAIM], SEP]
    front = [*head, *_ids(row["title"][:240])[:TITLE], SEP]
    low = max(0, start - AROUND)
    body = _TOKENIZER.encode(text[low : end + AROUND], add_special_tokens=False)
    ids, offsets = body.ids, body.offsets
    first = next((at for at, (_, stop) in enumerate(offsets) if stop > start - low), len(ids))
    last = next((at for at, (begin, _) in enumerate(offsets) if begin >= end - low), len(ids))
    last = max(last, min(first + 1, len(ids)))
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


class VerifierNetwork(nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """Six layers of the reader's encoder; `forward` gives three logits a row."""

    def __init__(self) -> None:
        super().__init__()
        shape = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
        self.encoder = BertModel(BertConfig(vocab_size=30522, **shape), add_pooling_layer=False)
        self.pooled = nn.Sequential(nn.Linear(5 * 384, 384), nn.GELU())
        self.out = nn.Linear(384, len(SAID))
        self.drop = nn.Dropout(0.1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor, marked: Tensor) -> Tensor:
        """The log-odds of `SAID` for each claim, batch × 3, before calibration."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state

        def mean(mask: Tensor) -> Tensor:
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)

        question, passage = mean(attention_mask * (1 - token_type_ids)), mean(attention_mask * token_type_ids)
        claim = mean(marked)
        seen = torch.cat([hidden[:, 0], question, passage, claim, 10 * question * claim], dim=1)
        return self.out(self.pooled(self.drop(seen))).float()


def load(model: VerifierNetwork, file: Path) -> None:
    """Put the weights of `file` into `model`; where they say less than `SAID`, what is missing begins at nought."""
    held = torch.load(file, map_location="cpu", weights_only=True)
    for name, own in model.out.named_parameters():
        given = held[f"out.{name}"]
        held[f"out.{name}"] = torch.cat([given, torch.zeros_like(own[len(given) :])])
    model.load_state_dict(held)
