"""The network: one encoder, eight outputs.

The encoder reads `[CLS] question [SEP] title [SEP] text [SEP]`. Of every token three numbers are made (start, end, evidence). Five are made
of the whole (answers, relevance, and yes / no / neither), from `[CLS]`, the mean over the question, the mean over the passage and the
product of both: a sentence encoder was trained on means, and from `[CLS]` alone these heads learned nothing in 5,000 examples. A span's
score is start + end, as in BERT's own reader (Devlin et al., 2019, section 4.2); whether there is an answer is a head of its own and not
the score of `[CLS]` as a span, so that it can be learned from passages whose span is not known. A sentence's relevance is the mean of its
tokens' evidence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

TOKEN_OUTPUTS = ("start", "end", "evidence")
PASSAGE_OUTPUTS = ("answers", "relevance", "yes", "no", "neither")


class ReaderNetwork(nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """`encoder` is a BERT of transformers; `forward` gives token (batch × tokens × 3) and passage (batch × 5) logits in float32."""

    def __init__(self, encoder: Any) -> None:  # noqa: ANN401 - transformers has no types
        super().__init__()
        self.encoder = encoder
        width = encoder.config.hidden_size
        self.tokens = nn.Linear(width, len(TOKEN_OUTPUTS))
        self.pooled = nn.Sequential(nn.Linear(4 * width, width), nn.GELU())
        self.passage = nn.Linear(width, len(PASSAGE_OUTPUTS))

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of tokens and of the passage."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        question = _mean(hidden, attention_mask * (1 - token_type_ids))
        passage = _mean(hidden, attention_mask * token_type_ids)
        seen = torch.cat([hidden[:, 0], question, passage, 10 * question * passage], dim=1)
        return self.tokens(hidden).float(), self.passage(self.pooled(seen)).float()


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def network(base: str | Path) -> ReaderNetwork:
    """A fresh network on the encoder `base` (a folder, or a name that transformers knows); its word embeddings are not trained."""
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(str(base), add_pooling_layer=False, attn_implementation="sdpa")
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return ReaderNetwork(encoder)


def load_weights(model: ReaderNetwork, file: Path) -> None:
    """Put the weights of a checkpoint's file into `model`."""
    model.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
