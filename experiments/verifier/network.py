"""The network of the second reading: torch alone, so that it trains wherever torch is.

An encoder as BERT's (Devlin et al. 2019), whose weights have transformers' names; the head reads `[CLS]`, the means over the question, over
the passage and over the marked claim, and the product of the first and the last mean. It says three log-odds (`SAID`): that the marked
statement answers, that it says yes, that it says no.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

LONG = 96
CLS, SEP, BEGIN, END = 101, 102, 1, 2
SAID = ("answers", "yes", "no")
WIDTH, HEADS, INNER, VOCABULARY, POSITIONS = 384, 12, 1536, 30522, 512
DROPPED = 0.1


class Layer(nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """Attention and two linear layers, each with what went in added and made even."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = DROPPED  # of what is attended to; without any a processor is a third faster
        part = {name: nn.Linear(WIDTH, WIDTH) for name in ("query", "key", "value")}
        self.attention = nn.ModuleDict({"self": nn.ModuleDict(part), "output": _added(WIDTH)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = _added(INNER)

    def forward(self, seen: Tensor, known: Tensor) -> Tensor:
        """`seen` batch × tokens × width, `known` batch × tokens: which are no padding."""
        batch, tokens, _ = seen.shape
        own, out = self.attention["self"], self.attention["output"]
        parts = (own[name](seen).view(batch, tokens, HEADS, -1).transpose(1, 2) for name in ("query", "key", "value"))
        asked, keys, values = parts
        if torch.onnx.is_in_onnx_export():
            scores = asked @ keys.transpose(2, 3) / math.sqrt(WIDTH // HEADS)
            mixed = (scores + (1 - known[:, None, None].to(scores.dtype)) * -1e4).softmax(-1) @ values
        else:
            dropped = self.dropped if self.training else 0.0
            mixed = functional.scaled_dot_product_attention(
                asked, keys, values, attn_mask=known[:, None, None].bool(), dropout_p=dropped
            )
        mixed = out["dense"](mixed.transpose(1, 2).reshape(batch, tokens, WIDTH))
        seen = out["LayerNorm"](seen + functional.dropout(mixed, DROPPED, self.training))
        inner = self.output["dense"](functional.gelu(self.intermediate["dense"](seen)))
        return self.output["LayerNorm"](seen + functional.dropout(inner, DROPPED, self.training))


def _added(inner: int) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(inner, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, eps=1e-12)})


class Encoder(nn.Module):  # type: ignore[misc]
    """`forward` gives batch × tokens × width."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(VOCABULARY, WIDTH),
                "position_embeddings": nn.Embedding(POSITIONS, WIDTH),
                "token_type_embeddings": nn.Embedding(2, WIDTH),
                "LayerNorm": nn.LayerNorm(WIDTH, eps=1e-12),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer() for _ in range(layers))})

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Token ids, which are no padding, and of which part they are."""
        own = self.embeddings
        places = own["position_embeddings"].weight[: input_ids.shape[1]]
        seen = own["word_embeddings"](input_ids) + places + own["token_type_embeddings"](token_type_ids)
        seen = functional.dropout(own["LayerNorm"](seen), DROPPED, self.training)
        for layer in self.encoder["layer"]:
            seen = layer(seen, attention_mask)
        return seen


class VerifierNetwork(nn.Module):  # type: ignore[misc]
    """The encoder and its head; `forward` gives three logits a row."""

    def __init__(self, layers: int = 6) -> None:
        super().__init__()
        self.encoder = Encoder(layers)
        self.pooled = nn.Sequential(nn.Linear(5 * WIDTH, WIDTH), nn.GELU())
        self.out = nn.Linear(WIDTH, len(SAID))

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor, marked: Tensor) -> Tensor:
        """The log-odds of `SAID` for each claim, batch × 3, before calibration."""
        return self.said(
            self.encoder(input_ids, attention_mask, token_type_ids), attention_mask, token_type_ids, marked
        )

    def said(self, hidden: Tensor, attention_mask: Tensor, token_type_ids: Tensor, marked: Tensor) -> Tensor:
        """The same of what the encoder made of the tokens, batch × tokens × width."""

        def mean(mask: Tensor) -> Tensor:
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)

        question, passage = mean(attention_mask * (1 - token_type_ids)), mean(attention_mask * token_type_ids)
        claim = mean(marked)
        seen = torch.cat([hidden[:, 0], question, passage, claim, 10 * question * claim], dim=1)
        return self.out(self.pooled(functional.dropout(seen, DROPPED, self.training))).float()


def load(model: VerifierNetwork, held: Mapping[str, Tensor]) -> None:
    """Put weights into `model`. A head that they lack begins by chance, outputs that they lack at nought.

    Where they have half of the layers, behind each stands one that leaves what it reads nearly as it is.
    """
    held = {name: one.float() for name, one in held.items()}
    for name, own in model.out.named_parameters():
        if (given := held.get(f"out.{name}")) is not None:
            held[f"out.{name}"] = torch.cat([given, torch.zeros_like(own[len(given) :])])
    wanted, layers = len(model.encoder.encoder["layer"]), layers_of(held)
    if wanted == 2 * layers:
        held = _doubled(held)
    elif wanted != layers:
        raise ValueError(f"weights of {layers} layers are for a network of {layers} or {2 * layers}, not of {wanted}")
    lacking = [name for name in model.load_state_dict(held, strict=False).missing_keys if name.startswith("encoder.")]
    if lacking:
        raise ValueError(
            f"the weights lack {', '.join(lacking[:3])}: name the file of the words beside that of the layers"
        )


_PLACE = re.compile(r"(?<=encoder\.encoder\.layer\.)\d+")


def layers_of(held: Mapping[str, Tensor]) -> int:
    """How many layers some weights have."""
    return 1 + max(int(found[0]) for name in held if (found := _PLACE.search(name)))


def _doubled(held: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Behind each layer a copy that adds nothing and evens to the mean and spread that it reads."""
    made = dict[str, Tensor]()
    for name, one in held.items():
        found = _PLACE.search(name)
        if not found:
            made[name] = one
            continue
        at = int(found[0])
        made[_PLACE.sub(str(2 * at), name)] = one
        end = f"encoder.encoder.layer.{at}.output.LayerNorm"
        gain, offset = held[f"{end}.weight"], held[f"{end}.bias"]
        copy = one.clone()
        if ".output.dense." in name:
            copy.zero_()
        elif ".LayerNorm.weight" in name:
            copy.fill_(float((gain.square().mean() + offset.var(unbiased=False)).sqrt()))
        elif ".LayerNorm.bias" in name:
            copy.fill_(float(offset.mean()))
        made[_PLACE.sub(str(2 * at + 1), name)] = copy
    return made


def read(file: Path) -> dict[str, Tensor]:
    """The weights of a file of `torch.save`; of an ONNX file of the bundled reader those of its encoder."""
    if file.suffix == ".onnx":
        from weights import encoder_weights

        return {f"encoder.{name}": one for name, one in encoder_weights(file).items()}
    held: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    return held
