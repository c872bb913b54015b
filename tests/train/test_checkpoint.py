"""What training loops share, by hand and on one weight."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from decoct_lab.train.checkpoint import (  # noqa: E402 - after the check for torch
    restored_step,
    save_checkpoint,
    save_whole,
    share_of_rate,
    take_step,
)


@pytest.mark.parametrize(
    ("step", "share"),
    # 100 steps, 10 of them rising: a tenth, ..., all of it at step 9; then (100 - step) / 90
    [(0, 0.1), (4, 0.5), (9, 1.0), (10, 1.0), (55, 0.5), (99, 1 / 90), (100, 0.0), (101, 0.0)],
)
def test_the_rate_rises_and_falls(step: int, share: float) -> None:
    assert share_of_rate(step, 100, 0.1) == pytest.approx(share)


def test_a_run_of_one_step_has_a_rate() -> None:
    assert share_of_rate(0, 1, 0.06) == 1.0


def run(folder: Path, steps: range, *, save_at: int = -1, resume: bool = False) -> float:
    """Steps on (w - 3)² from w = 0 with AdamW; the weight at the end."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, 10, 0.2))
    done = (restored_step(folder, model, optimiser, schedule) or 0) if resume else 0
    for step in steps:
        if step < done:
            continue
        take_step((model.weight - 3).square().sum(), model.parameters(), optimiser, schedule)
        if step == save_at:
            save_checkpoint(folder, model, optimiser, schedule, step + 1)
    return float(model.weight.item())


def test_a_run_that_is_resumed_ends_where_an_unbroken_one_does(tmp_path: Path) -> None:
    whole = run(tmp_path, range(10))
    run(tmp_path, range(6), save_at=3)
    assert run(tmp_path, range(10), resume=True) == pytest.approx(whole)


def test_without_a_checkpoint_there_is_no_step(tmp_path: Path) -> None:
    assert restored_step(tmp_path, None, None, None) is None


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    save_whole({"a": 1}, tmp_path / "progress.pt")
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        save_whole({"a": lambda: 1}, tmp_path / "progress.pt")
    assert torch.load(tmp_path / "progress.pt", weights_only=True) == {"a": 1}


def test_a_gradient_is_clipped_to_length_one(tmp_path: Path) -> None:
    """d(w - 3)²/dw at 0 is -6; clipped it is -1, and plain descent at rate .1 goes to .1."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1.0)
    take_step((model.weight - 3).square().sum(), model.parameters(), optimiser, schedule)
    assert model.weight.item() == pytest.approx(0.1)
