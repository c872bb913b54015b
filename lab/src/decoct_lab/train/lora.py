"""LoRA fine-tuning with TRL and PEFT: one function from examples to a merged model on disk, resumable at every checkpoint.

Settings are those of lab/docs/methods.md: rank 16, alpha 32, dropout .05 on all linear layers, learning rate 1e-4 with cosine decay and 3 %
warm-up, two epochs, 4,096 tokens, loss on the completion alone, no packing; bfloat16 where the GPU or the processor computes with it.
The base may be a GGUF file, whose numbers are unpacked. The merged model is written as safetensors; `gguf.py` makes a GGUF of it;
`curve.jsonl` beside it is the loss by update.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError, MissingExtraError
from decoct_lab.train.examples import Example


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """How to train. `steps` 0 means all epochs; `batch` examples a step on each device, `accumulate` steps an update."""

    base: str
    out: Path
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    learning_rate: float = 1e-4
    warmup: float = 0.03
    epochs: float = 2.0
    steps: int = 0
    batch: int = 1
    accumulate: int = 16
    max_length: int = 4096
    save_every: int = 200
    seed: int = 0


def train_modules(*names: str) -> list[Any]:
    """The modules of the extra `train`; an error that names the extra where one is missing."""
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(name))
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"training (module {error.name!r} is missing)", "train", "decoct-lab") from error
    return found


def fine_tune(settings: LoraSettings, examples: Sequence[Example], *, resume: bool = False) -> dict[str, Any]:
    """Train, merge and export; return what was done. With `resume` the newest checkpoint in `out` is gone on from."""
    if not examples:
        raise ConfigError("there is nothing to train on: give more questions")
    torch, datasets, peft, transformers, trl = train_modules("torch", "datasets", "peft", "transformers", "trl")
    checkpoints = settings.out / "checkpoints"
    newest = _newest(checkpoints)
    if resume and newest is None:
        raise ConfigError(f"there is no checkpoint in {checkpoints} to resume from; start without --resume")
    cuda = bool(torch.cuda.is_available())
    half = cuda or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # torch tells it nowhere else
    numbers = torch.bfloat16 if half else torch.float32
    # TRL counts warm-up in steps; 3 % of what will be run.
    total = settings.steps or max(1, round(settings.epochs * len(examples) / (settings.batch * settings.accumulate)))
    arguments = trl.SFTConfig(
        output_dir=str(checkpoints),
        per_device_train_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=round(settings.warmup * total),
        num_train_epochs=settings.epochs,
        max_steps=settings.steps or -1,
        max_length=settings.max_length,
        packing=False,
        completion_only_loss=True,
        bf16=half,
        use_cpu=not cuda,
        gradient_checkpointing=cuda,  # a processor has the memory, and computing twice is what it has no time for
        save_steps=settings.save_every,
        save_total_limit=3,
        logging_steps=1,
        seed=settings.seed,
        report_to="none",
        dataloader_pin_memory=cuda,
    )
    lora = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    place = source_of(settings.base)
    tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
    plain = {"quantization_config": transformers.GgufConfig(dequantize=True)} if "gguf_file" in place else {}
    model = transformers.AutoModelForCausalLM.from_pretrained(**place, **plain, dtype=numbers)
    trainer = trl.SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets.Dataset.from_list([example.as_chat() for example in examples]),
        peft_config=lora,
        processing_class=tokenizer,
    )
    done = trainer.train(resume_from_checkpoint=str(newest) if resume else None)
    merged = settings.out / "merged"
    trainer.model.merge_and_unload().save_pretrained(str(merged), safe_serialization=True)
    tokenizer.save_pretrained(str(merged))
    curve = [{"step": e["step"], "loss": e["loss"]} for e in trainer.state.log_history if "loss" in e]
    lines = "".join(json.dumps(entry) + "\n" for entry in curve)
    (settings.out / "curve.jsonl").write_text(lines, encoding="utf-8")
    losses = [entry["loss"] for entry in curve]
    record = {
        "settings": {**asdict(settings), "out": str(settings.out)},
        "examples": len(examples),
        "steps": int(done.global_step),
        "resumed_from": str(newest) if resume else None,
        "first_loss": losses[0] if losses else None,
        "last_loss": losses[-1] if losses else None,
        "merged": str(merged),
        "versions": {module.__name__: module.__version__ for module in (torch, transformers, trl, peft)},
    }
    (settings.out / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return record


def source_of(base: str) -> dict[str, str]:
    """How transformers is told of a base: a folder or a hub's name, or one GGUF file."""
    path = Path(base)
    if path.suffix != ".gguf":
        return {"pretrained_model_name_or_path": base}
    if not path.is_file():
        raise ConfigError(f"there is no model {base}; give a folder, a hub's name or a .gguf file")
    train_modules("gguf")
    return {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}


def _newest(folder: Path) -> Path | None:
    found = [path for path in folder.glob("checkpoint-*") if (path / "trainer_state.json").is_file()]
    return max(found, key=lambda path: int(path.name.partition("-")[2]), default=None)
