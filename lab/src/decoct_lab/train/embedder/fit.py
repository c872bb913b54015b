"""Contrastive training: a question's own chunk against the other chunks of its batch and its hard negatives.

InfoNCE at temperature .05 (Karpukhin et al., 2020, "Dense Passage Retrieval", equation 2, with cosines), AdamW with warm-up and linear
decay, bfloat16. The weights that are kept are halfway between the given and the trained ones (Wortsman et al., 2022, "Robust fine-tuning of
zero-shot models"): what the model knew of other text is not lost. The word table is not trained.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

from decoct_lab.train.checkpoint import restored_step, save_checkpoint, share_of_rate, take_step
from decoct_lab.train.embedder.pairs import QuestionPair

_TEMPERATURE = 0.05
_KEPT = 0.5  # share of the trained weights


@dataclass(frozen=True, slots=True)
class EmbedderFit:
    """How to train: `batch` questions a step; `longest` tokens a chunk."""

    base: str
    out: Path
    epochs: int = 2
    rate: float = 3e-5
    batch: int = 32
    longest: int = 192
    warmup: float = 0.1
    save_every: int = 25
    seed: int = 0


def fit(settings: EmbedderFit, pairs: Sequence[QuestionPair], *, resume: bool, say: Callable[[str], None]) -> Path:
    """Train on `pairs` and write the mixed model as a folder of transformers, which is returned; the curve goes to `out/curve.jsonl`."""
    torch.manual_seed(settings.seed)
    settings.out.mkdir(parents=True, exist_ok=True)
    encoder = AutoModel.from_pretrained(settings.base)
    tokenizer = AutoTokenizer.from_pretrained(settings.base)
    given = {name: value.clone() for name, value in encoder.state_dict().items()}
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    trained = [weight for weight in encoder.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
    steps = max(1, settings.epochs * (len(pairs) // settings.batch or 1))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, steps, settings.warmup))
    done = (restored_step(settings.out, encoder, optimiser, schedule) or 0) if resume else 0
    say(f"{len(pairs)} questions, {steps} steps of {settings.batch}; {done} done")
    encoder.train()
    with (settings.out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        for step, batch in enumerate(_batches(pairs, settings, steps), 1):
            if step <= done:
                continue
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = _loss(encoder, tokenizer, batch, settings.longest)
            take_step(loss, trained, optimiser, schedule)
            curve.write(json.dumps({"step": step, "of": steps, "loss": round(loss.item(), 4)}) + "\n")
            if step % 5 == 0:
                curve.flush()
                say(f"step {step} of {steps}, loss {loss.item():.3f}")
            if step % settings.save_every == 0:
                save_checkpoint(settings.out, encoder, optimiser, schedule, step)
    encoder.load_state_dict(
        {
            name: given[name] + _KEPT * (value - given[name]) if value.is_floating_point() else value
            for name, value in encoder.state_dict().items()
        }
    )
    folder = settings.out / "float32"
    encoder.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _batches(pairs: Sequence[QuestionPair], settings: EmbedderFit, steps: int) -> Iterator[list[QuestionPair]]:
    """`steps` batches; a chunk stands in a batch once, or it would be its own negative."""
    waiting: list[QuestionPair] = []
    epoch, size = 0, min(settings.batch, len({pair.key for pair in pairs}))
    for _ in range(steps):
        batch: list[QuestionPair] = []
        later: list[QuestionPair] = []
        while len(batch) < size:
            if not waiting:
                waiting = list(pairs)
                random.Random(f"{settings.seed}:{epoch}").shuffle(waiting)
                epoch += 1
            pair = waiting.pop()
            (later if any(pair.key == other.key for other in batch) else batch).append(pair)
        waiting += later
        yield batch


def _loss(encoder: Any, tokenizer: Any, batch: Sequence[QuestionPair], longest: int) -> Tensor:  # noqa: ANN401
    questions = _embedded(encoder, tokenizer, [pair.question for pair in batch], 64)
    texts = [pair.passage for pair in batch] + [text for pair in batch for text in pair.negatives]
    passages = _embedded(encoder, tokenizer, texts, longest)
    return functional.cross_entropy(questions @ passages.T / _TEMPERATURE, torch.arange(len(batch)))


def _embedded(encoder: Any, tokenizer: Any, texts: Sequence[str], longest: int) -> Tensor:  # noqa: ANN401
    """Unit rows: the mean over the tokens, as the exported model pools."""
    given = tokenizer(list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt")
    states = encoder(**given).last_hidden_state
    mask = given["attention_mask"].unsqueeze(-1).to(states.dtype)
    return functional.normalize(((states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)).float(), dim=1)
