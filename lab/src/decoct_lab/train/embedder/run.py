"""`decoct train embedder` from end to end: questions, pairs, training, export, and the comparison on held-back documents."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct.library import Library
from decoct_lab.train.embedder.judge import BeforeAndAfter, before_and_after
from decoct_lab.train.embedder.pairs import QuestionPair, question_pairs
from decoct_lab.train.embedder.questions import drawn_chunks, read_questions, write_questions
from decoct_lab.train.lora import train_modules

_LEAST = 20  # questions on each side of the split


@dataclass(frozen=True, slots=True)
class EmbedderRun:
    """What to adapt to what; see the command's help for each. `base` "minilm" is the bundled model."""

    out: Path
    base: str
    chunks: int = 5000
    epochs: int = 2
    rate: float = 3e-5
    negatives: int = 2
    questions: Path | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainedEmbedder:
    """The comparison, and the folder of the model: `out/model`, or `out/not-better` where it is no better than what the library has."""

    comparison: BeforeAndAfter
    trained_on: int
    model: Path

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {**self.comparison.as_dict(), "trained_on": self.trained_on, "model": str(self.model)}


def train_embedder(
    run: EmbedderRun, library: Library, *, resume: bool = False, say: Callable[[str], None] = print
) -> TrainedEmbedder:
    """Adapt `run.base` to `library`.

    Questions come from `run.questions`, or are written by the library's language model into `out/questions.jsonl`.

    `ConfigError` for too few questions or a base that cannot be loaded, `MissingExtraError` without torch.
    """
    train_modules("torch", "transformers", "onnx")
    from decoct.embed.onnx import OnnxEmbedder
    from decoct_lab.train.embedder.export_minilm import export
    from decoct_lab.train.embedder.fit import EmbedderFit, fit
    from decoct_lab.train.embedder.recover_minilm import recover

    run.out.mkdir(parents=True, exist_ok=True)
    file = run.questions or run.out / "questions.jsonl"
    if run.questions is None:
        if library.llm is None:
            raise ConfigError(
                "questions are needed: name a language model that writes them (--llm), or a file (--questions)"
            )
        write_questions(drawn_chunks(library.store, run.chunks, run.seed), library.llm, file, say=say)
    train, held = _split(run, library, file)
    say(f"{len(train)} questions to train on, {len(held)} on other documents held back")
    base = str(recover(run.out / "base")) if run.base == "minilm" else run.base
    settings = EmbedderFit(base, run.out / "training", epochs=run.epochs, rate=run.rate, seed=run.seed)
    floats = fit(settings, train, resume=resume, say=say)
    made = run.out / "candidate"
    export(str(floats), made)
    comparison = before_and_after(held, library.store, library.embedder, OnnxEmbedder(made))
    place = run.out / ("model" if comparison.better else "not-better")
    for old in (run.out / "model", run.out / "not-better"):
        shutil.rmtree(old, ignore_errors=True)
    made.rename(place)
    trained = TrainedEmbedder(comparison, len(train), place)
    (run.out / "comparison.json").write_text(json.dumps(trained.as_dict(), indent=1) + "\n")
    return trained


def _split(run: EmbedderRun, library: Library, file: Path) -> tuple[list[QuestionPair], list[QuestionPair]]:
    retriever = library.pipeline("hybrid").retrieval.retriever
    pairs = question_pairs(
        read_questions(file), library.store, retriever, library.embedder, each=run.negatives, seed=run.seed
    )  # fmt: skip
    train, held = [p for p in pairs if not p.held_back], [p for p in pairs if p.held_back]
    if min(len(train), len(held)) < _LEAST:
        raise ConfigError(
            f"{len(train)} questions to train on and {len(held)} on held-back documents are too few (at least {_LEAST} each): "
            "ask about more chunks, or a library of more documents"
        )
    return train, held
