"""The training loop: AdamW with warm-up and linear decay, bfloat16 where the processor has it, checkpoints that a run goes on from."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from decoct.errors import ConfigError
from decoct_lab.train.checkpoint import restored_step, save_checkpoint, save_whole, share_of_rate, take_step
from decoct_lab.train.reader.batching import batches
from decoct_lab.train.reader.encoding import Encoder
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.loss import losses, weighted_sum
from decoct_lab.train.reader.model import ReaderNetwork, load_weights, network


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How to train: `tokens` a batch, `longest` tokens an example, `start` weights to go on from (empty: the base's)."""

    base: str
    out: Path
    epochs: float = 2.0
    rate: float = 1e-4
    warmup: float = 0.06
    tokens: int = 5000
    longest: int = 256
    start: str = ""
    save_every: int = 200
    seed: int = 0


def fit(
    settings: FitSettings,
    train: Sequence[ReaderExample],
    judge: Callable[[ReaderNetwork], dict[str, Any]],
    *,
    resume: bool = False,
    say: Callable[[str], None] = print,
) -> Path:
    """Train and return the file of the last weights. `judge` measures the network at the end; curves go to `out/curve.jsonl`.

    With `resume` the last checkpoint is gone on from with its optimiser and place in the data. `ConfigError` where there is none.
    """
    settings.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(settings.seed)
    model = network(settings.base)
    if settings.start:
        load_weights(model, Path(settings.start))
    encoder = Encoder(Path(settings.base), settings.longest)
    encoded = [encoder.encode(example) for example in train]
    each = sum(1 for _ in batches(encoded, settings.tokens, random.Random(settings.seed)))
    steps = max(1, round(each * settings.epochs))
    optimiser = torch.optim.AdamW(_groups(model), lr=settings.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, steps, settings.warmup))
    done = _resumed(settings.out, model, optimiser, schedule) if resume else 0
    (settings.out / "settings.json").write_text(
        json.dumps({**asdict(settings), "examples": len(train), "steps": steps}, default=str, indent=1)
    )
    say(f"{len(train)} examples, {steps} steps of about {settings.tokens} tokens; {done} done")
    began, seen, running = time.monotonic(), 0, dict[str, float]()
    model.train()
    step = 0
    with (settings.out / "curve.jsonl").open("a") as curve:
        for epoch in range(math.ceil(settings.epochs)):
            for batch in batches(encoded, settings.tokens, random.Random(f"{settings.seed}:{epoch}")):
                step += 1
                if step > steps:
                    break
                if step <= done:
                    continue
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    tokens, passage = model(**batch.inputs)
                found = losses(tokens, passage, batch)
                take_step(weighted_sum(found), model.parameters(), optimiser, schedule)
                seen += len(batch.examples)
                for name, value in found.items():
                    running[name] = 0.98 * running.get(name, value.item()) + 0.02 * value.item()
                if step % 20 == 0:
                    pace = seen / (time.monotonic() - began)
                    row = {
                        "step": step,
                        "of": steps,
                        "examples_per_second": round(pace, 2),
                        **{k: round(v, 4) for k, v in running.items()},
                    }
                    curve.write(json.dumps(row) + "\n")
                    curve.flush()
                    say(json.dumps(row))
                if step % settings.save_every == 0:
                    _save(settings.out, model, optimiser, schedule, step)
    _save(settings.out, model, optimiser, schedule, steps)
    model.eval()
    figures = judge(model)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=1))
    return settings.out / "weights.pt"


def _groups(model: ReaderNetwork) -> list[dict[str, Any]]:
    """No decay on biases and norms; the fresh heads learn five times as fast as the encoder."""
    plain, decayed, heads = [], [], []
    for name, weight in model.named_parameters():
        if not weight.requires_grad:
            continue
        if not name.startswith("encoder."):
            heads.append(weight)
        elif weight.ndim == 1:
            plain.append(weight)
        else:
            decayed.append(weight)
    return [
        {"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0},
        {"params": heads, "weight_decay": 0.0, "lr": 5e-4},
    ]  # fmt: skip


def _resumed(out: Path, model: ReaderNetwork, optimiser: Any, schedule: Any) -> int:  # noqa: ANN401
    done = restored_step(out, model, optimiser, schedule)
    if done is None:
        raise ConfigError(f"there is no checkpoint in {out} to resume from; start without --resume")
    return done


def _save(out: Path, model: ReaderNetwork, optimiser: Any, schedule: Any, step: int) -> None:  # noqa: ANN401
    save_whole(model.state_dict(), out / "weights.pt")
    save_checkpoint(out, model, optimiser, schedule, step)
