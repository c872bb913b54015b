"""What every training loop here shares: warm-up with linear decay, a step of the optimiser, and checkpoints that a run goes on from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

_PROGRESS = "progress.pt"


def share_of_rate(step: int, steps: int, warmup: float) -> float:
    """The share of the learning rate at `step` (from 0) of `steps`: rising over the first `warmup` of them, then falling to 0."""
    rising = max(1, round(steps * warmup))
    return (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))


def take_step(loss: Tensor, weights: Iterable[Any], optimiser: Any, schedule: Any) -> None:  # noqa: ANN401
    """One step down the gradient of `loss`, clipped to length 1."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(weights, 1.0)
    optimiser.step()
    schedule.step()


def save_whole(content: object, file: Path) -> None:
    """Written beside and moved into place: an interruption leaves the file before."""
    beside = file.with_name(f"{file.name}.new")
    torch.save(content, beside)
    beside.replace(file)


def save_checkpoint(out: Path, model: Any, optimiser: Any, schedule: Any, step: int) -> None:  # noqa: ANN401
    """All that a run needs to go on after `step`, in `out/progress.pt`."""
    parts = {"weights": model, "optimiser": optimiser, "schedule": schedule}
    save_whole({**{name: part.state_dict() for name, part in parts.items()}, "step": step}, out / _PROGRESS)


def restored_step(out: Path, model: Any, optimiser: Any, schedule: Any) -> int | None:  # noqa: ANN401
    """The last checkpoint's step, with everything as it was; None where none was reached yet."""
    if not (out / _PROGRESS).is_file():
        return None
    state = torch.load(out / _PROGRESS, map_location="cpu", weights_only=True)
    for name, part in (("weights", model), ("optimiser", optimiser), ("schedule", schedule)):
        part.load_state_dict(state[name])
    return int(state["step"])
