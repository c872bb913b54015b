"""How the second reading's network is trained on batches, whatever they hold: rates that rise and fall, and a line of progress."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from network import VerifierNetwork
from torch import Tensor, nn

WARM = 0.06  # of the updates, in which the rates rise
Batch = TypeVar("Batch")


def fit(
    model: VerifierNetwork,
    batches: Sequence[Batch],
    loss_of: Callable[[VerifierNetwork, Batch], Tensor],
    rates: tuple[float, float],
    out: Path,
    *,
    every: int,
    judged: Callable[[VerifierNetwork], Mapping[str, Any]],
) -> None:
    """Train what of the model is not fixed; `rates` are those of the encoder and of the head.

    After every so many updates OUT holds `last.pt` and one line more of `curve.jsonl`, with what is `judged`.
    """
    named = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    sides = [
        {"params": [one for name, one in named if name.startswith("encoder")], "lr": rates[0]},
        {"params": [one for name, one in named if not name.startswith("encoder")], "lr": rates[1]},
    ]
    optimiser = torch.optim.AdamW(sides, weight_decay=0.01)
    began, losses = time.time(), list[float]()
    for update, batch in enumerate(batches, 1):
        share = min(1.0, update / (WARM * len(batches))) * max(0.02, 1 - update / len(batches))
        for side, rate in zip(optimiser.param_groups, rates, strict=True):
            side["lr"] = rate * share
        loss = loss_of(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_([one for _, one in named], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
        if update % every == 0 or update == len(batches):
            torch.save(model.state_dict(), out / "last.pt")
            told = {"update": update, "of": len(batches), "loss": round(float(np.mean(losses[-every:])), 4)}
            with (out / "curve.jsonl").open("a") as curve:
                curve.write(json.dumps({**told, **judged(model), "seconds": round(time.time() - began)}) + "\n")
